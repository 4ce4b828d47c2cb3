package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
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
	walk((&app{}).root())
}

// What --help says fits 80 columns where there is no terminal; examples are as they are typed.
func TestHelpFits(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasAvailableSubCommands() || c.IsAvailableCommand() {
			var out bytes.Buffer
			c.SetOut(&out)
			c.HelpFunc()(c, nil)
			text := strings.Replace(out.String(), c.Example, "", 1)
			for line := range strings.SplitSeq(text, "\n") {
				if utf8.RuneCountInString(line) > defaultColumns || strings.TrimRight(line, " ") != line {
					t.Errorf("%s --help: %q: wider than %d columns, or blanks at its end", c.CommandPath(), line, defaultColumns)
				}
			}
			if !strings.Contains(text, "Usage:\n  "+c.CommandPath()) {
				t.Errorf("%s --help: no usage in\n%s", c.CommandPath(), text)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&app{}).root())
}
