package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"railyard/internal/base/sheet"
	"railyard/internal/cli/cli/call"
)

// A command that is added twice is listed twice, and only the first is ever run.
func TestEachCommandIsThereOnce(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		known := map[string]bool{}
		for _, sub := range c.Commands() {
			if known[sub.Name()] {
				t.Errorf("%s: two commands", sub.CommandPath())
			}
			known[sub.Name()] = true
			walk(sub)
		}
	}
	walk((&app{App: &call.App{}}).root())
}

// Help fits a terminal as it opens, its examples too, and a narrower one as far as any text does.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{80, sheet.MinWidth, 20} {
		var walk func(*cobra.Command)
		walk = func(c *cobra.Command) {
			for line := range strings.SplitSeq(helpText(c, columns), "\n") {
				if utf8.RuneCountInString(line) > max(columns, sheet.MinWidth) || strings.TrimRight(line, " ") != line {
					t.Errorf("%s: wider than %d columns, or blanks at its end: %q", c.CommandPath(), columns, line)
				}
			}
			for _, sub := range c.Commands() {
				walk(sub)
			}
		}
		walk((&app{App: &call.App{}}).root())
	}
}

// Paragraphs are filled, tables stay, and what is said of a thing goes on beside it.
func TestHelpText(t *testing.T) {
	c := &cobra.Command{Use: "sing WHAT", Run: func(*cobra.Command, []string) {},
		Long:    "Sings what is\nwritten in WHAT.\n\n  aria   is sung by one who stands at the front of the stage\n  chorus by all",
		Example: "  sing --loudly --from the-first-page --to the-last-page 'a song'"}
	c.Flags().Bool("loudly", false, "so that those at the back hear it, too, and those outside")
	want := `Sings what is written in WHAT.

  aria   is sung by one who stands at the front of the stage
  chorus by all

Usage:
  sing WHAT [flags]

Examples:
  sing --loudly --from the-first-page --to the-last-page \
    'a song'

Flags:
  -h, --help     help for sing
      --loudly   so that those at the back hear it, too, and
                 those outside
`
	if diff := cmp.Diff(want, helpText(c, 60)); diff != "" {
		t.Error(diff)
	}
}
