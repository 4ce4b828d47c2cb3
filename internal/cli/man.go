package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"railyard/internal/input"
	"railyard/internal/result"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write manual pages",
		Long:    "Writes a manual page for each command into DIR: railyard.1, railyard-run.1 and so on.",
		Example: "  railyard man ~/.local/share/man/man1\n  man railyard-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("man: %d arguments, want one DIR, the folder to write to: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := manPages(cmd.Root())
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("man: cannot make %s: %w", args[0], input.Cause(err))
			}
			for _, p := range pages {
				path := filepath.Join(args[0], p.name)
				if err := os.WriteFile(path, []byte(p.text), 0o666); err != nil {
					return fmt.Errorf("man: cannot write %s: %w", path, input.Cause(err))
				}
			}
			_, err := fmt.Fprintf(a.stdout, "%s: %s\n", args[0], count(len(pages), "page"))
			return err
		},
	}
}

// A manPage is a file in the format of man(7).
type manPage struct{ name, text string }

// manPages returns a page per command, in order of name.
func manPages(cmd *cobra.Command) []manPage {
	pages := []manPage{{manName(cmd) + ".1", manText(cmd)}}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			pages = append(pages, manPages(c)...)
		}
	}
	slices.SortFunc(pages, func(a, b manPage) int { return strings.Compare(a.name, b.name) })
	return pages
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manText writes one page.
func manText(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"railyard %s\" \"Railyard\"\n", strings.ToUpper(roff(manName(cmd))), roff(result.Version))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	section("SYNOPSIS")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".B %s\n.I COMMAND\n", roff(cmd.CommandPath()))
	} else {
		fmt.Fprintf(&b, ".B %s\n%s\n", roff(cmd.CommandPath()), roff(strings.TrimSpace(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()))))
	}
	section("DESCRIPTION")
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	b.WriteString(roffLines(text, "  "))
	if cmd.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "help" {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s; see %s(1)\n", roff(c.Name()), roff(c.Short), roff(manName(c)))
			}
		}
	}
	manFlags(&b, cmd)
	if cmd.Example != "" {
		section("EXAMPLES")
		fmt.Fprintf(&b, ".nf\n%s.fi\n", roffLines(cmd.Example, ""))
	}
	if !cmd.HasParent() {
		section("EXIT STATUS")
		b.WriteString(".TP\n0\nas asked\n.TP\n1\nfindings of severity error, or a run that failed\n.TP\n2\nmisuse: unknown flag or command, missing argument, unreadable file\n.TP\n130\ninterrupted\n")
		section("ENVIRONMENT")
		b.WriteString(".TP\nNO_COLOR\nif set and not empty, no colour on terminals\n")
	} else {
		section("SEE ALSO")
		fmt.Fprintf(&b, "%s(1)\n", roff(manName(cmd.Parent())))
	}
	return b.String()
}

func manFlags(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.Flags().HasAvailableFlags() {
		return
	}
	b.WriteString(".SH OPTIONS\n")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		if kind != "" {
			name += ` \fI` + roff(kind) + `\fR`
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(usage))
	})
}

// roff escapes text for man(7): backslashes, hyphens that are to be typed, and
// a period or quote that would begin a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// roffLines escapes lines; an empty line ends a paragraph, and lines that begin with
// literal, where that is not empty, are printed as they are.
func roffLines(text, literal string) string {
	var b strings.Builder
	open := false
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		asIs := literal != "" && strings.HasPrefix(line, literal)
		if asIs != open {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[asIs])
			open = asIs
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if open {
		b.WriteString(".fi\n")
	}
	return b.String()
}
