package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/sheet"
	"railyard/internal/cli/cli/call"
)

// leastHung is the least width of text beside what it describes; narrower, it is hung below it.
const leastHung = 24

// help prints what a command does and how it is called, as wide as the terminal is, 80 columns at most.
func (a *app) help(cmd *cobra.Command, _ []string) {
	if _, err := io.WriteString(cmd.OutOrStdout(), helpText(cmd, min(a.OutTerm.Columns(),
		call.DefaultColumns))); err != nil {
		a.unsaid = fmt.Errorf("cannot print the help: %w", input.Cause(err))
	}
}

// helpCommand is "railyard help COMMAND". Cobra's own takes any word.
func helpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print what a command does",
		Long:  `Prints what a command does and how it is called, as "railyard COMMAND --help".`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return call.Subcommands(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = call.SubcommandOnly(c, rest)
			}
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}

// helpText is the help of a command in lines of so many columns, or a few more where these are fewer than a sheet has.
func helpText(cmd *cobra.Command, columns int) string {
	s := sheet.New(columns)
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	filled(s, long)
	s.Blank()
	cmd.InitDefaultHelpFlag() // before the usage says whether there are flags
	example := false
	for line := range strings.SplitSeq(strings.TrimRight(cmd.UsageString(), "\n"), "\n") {
		example = line == "Examples:" || example && line != ""
		switch {
		case !strings.HasPrefix(line, " "):
			s.Wrap("", line)
		case example:
			command(s, line)
		default:
			hung(s, line)
		}
	}
	var b strings.Builder
	_ = s.Flush(&b) // a Builder takes all
	return b.String()
}

// filled writes paragraphs. Lines that begin with a blank stay lines.
func filled(s *sheet.Sheet, text string) {
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			s.Wrap("", strings.Join(paragraph, " "))
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
			end()
			s.Blank()
		case strings.HasPrefix(line, " "):
			end()
			hung(s, line)
		default:
			paragraph = append(paragraph, line)
		}
	}
	end()
}

// column is what a line says something of, with the blanks before and behind it.
var column = regexp.MustCompile(`^ +\S.*?  +`)

// hung writes a line; what does not fit goes on below where its text begins: "  --flag   text".
func hung(s *sheet.Sheet, line string) {
	blanks := len(line) - len(strings.TrimLeft(line, " "))
	first := column.FindString(line)
	if first == "" || s.Width-len(first) < leastHung {
		s.Hang(line[:blanks], strings.Repeat(" ", blanks+4), line[blanks:])
		return
	}
	s.Hang(first, strings.Repeat(" ", len(first)), line[len(first):])
}

// command writes a command that is too long as a shell reads it in several lines.
func command(s *sheet.Sheet, line string) {
	const indent, on = "  ", " \\"
	for first := indent; len(line) > s.Width; first = indent + "  " {
		at := strings.LastIndex(line[:s.Width-len(on)+1], " ")
		if at <= len(first) {
			break
		}
		s.Line(line[:at] + on)
		line = indent + "  " + line[at+1:]
	}
	s.Line(line)
}
