package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"railyard/internal/sheet"
)

// help has --help and what a wrong call prints laid out for the width of the terminal, 80 columns where there is none.
func (a *app) help(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		s := a.newSheet()
		about := cmd.Long
		if about == "" {
			about = cmd.Short
		}
		paragraphs(s, about)
		s.Blank()
		s.Flush(cmd.OutOrStdout()) //nolint:errcheck // nothing is left to say it with
		a.usage(cmd.OutOrStdout(), cmd)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		a.usage(cmd.OutOrStderr(), cmd)
		return nil
	})
}

// paragraphs adds text that was broken into lines of some width: lines that are not indented are of one paragraph, an
// indented one stays for itself, but for what goes on below where the text behind its gap begins.
func paragraphs(s *sheet.Sheet, text string) {
	head, goesOn := "", 0
	var open []string
	end := func() {
		if len(open) > 0 {
			s.Hang(head, strings.Repeat(" ", max(goesOn, len(head))), strings.Join(open, " "))
		}
		open = nil
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		rest := strings.TrimLeft(line, " ")
		if len(open) > 0 && rest != "" && len(line)-len(rest) == goesOn {
			open = append(open, rest)
			continue
		}
		end()
		if rest == "" {
			s.Blank()
			continue
		}
		head, rest = hanging(line)
		if goesOn = len(head); head != "" && strings.TrimSpace(head) == "" {
			goesOn += 2
		}
		open = []string{rest}
	}
	end()
}

// hanging parts an indented line: what follows its first gap goes on below itself.
func hanging(line string) (head, rest string) {
	text := strings.TrimLeft(line, " ")
	at := len(line) - len(text)
	if gap := strings.Index(text, "  "); gap > 0 {
		rest = strings.TrimLeft(text[gap:], " ")
		at = len(line) - len(rest)
	}
	return line[:at], line[at:]
}

// usage prints how a command is called.
func (a *app) usage(w io.Writer, cmd *cobra.Command) {
	s := a.newSheet()
	s.Wrap("", "Usage:")
	if cmd.Runnable() {
		s.Hang("  ", "    ", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		s.Wrap("  ", cmd.CommandPath()+" [command]")
	}
	if cmd.HasExample() {
		s.Title("Examples:")
	}
	s.Flush(w) //nolint:errcheck // nothing is left to say it with
	if cmd.HasExample() {
		fmt.Fprintln(w, strings.TrimRight(cmd.Example, " \n")) // as they are typed
	}
	s = a.newSheet()
	if cmd.HasAvailableSubCommands() {
		s.Title("Available Commands:")
		var rows [][]string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				rows = append(rows, []string{sub.Name(), sub.Short})
			}
		}
		s.Grid("lw", rows)
	}
	s.Flush(w) //nolint:errcheck // nothing is left to say it with
	flags := func(title string, of *pflag.FlagSet, any bool) {
		if any {
			fmt.Fprintf(w, "\n%s:\n%s", title, of.FlagUsagesWrapped(a.pageWidth()))
		}
	}
	flags("Flags", cmd.LocalFlags(), cmd.HasAvailableLocalFlags())
	flags("Global Flags", cmd.InheritedFlags(), cmd.HasAvailableInheritedFlags())
	if cmd.HasAvailableSubCommands() {
		s = a.newSheet()
		s.Title(fmt.Sprintf("Use \"%s [command] --help\" for more information about a command.", cmd.CommandPath()))
		s.Flush(w) //nolint:errcheck // nothing is left to say it with
	}
}
