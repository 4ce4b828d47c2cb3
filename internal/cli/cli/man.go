package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/showcmd"
	"railyard/internal/cli/cli/topocmd"
	"railyard/internal/out/result"
)

func manCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write manual pages",
		Long:    "Writes a manual page for each command into DIR: railyard.1, railyard-run.1 and so on.",
		Example: "  railyard man ~/.local/share/man/man1\n  man railyard-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("man: %d arguments, want one DIR, the folder to write to: %s", len(args),
					cmd.UseLine())
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			pages, err := manPages(a.root())
			if err != nil {
				return fmt.Errorf("man: %w", err)
			}
			folder, err := output.Make(args[0])
			if err != nil {
				return fmt.Errorf("man: cannot make %s: %w", args[0], input.Cause(err))
			}
			defer folder.Close()
			for _, p := range pages {
				if err := folder.Write(p.name+".1", p.text); err != nil {
					return fmt.Errorf("man: cannot write %s: %w", filepath.Join(args[0], p.name+".1"), input.Cause(err))
				}
			}
			_, err = fmt.Fprintf(a.Stdout, "%s: %s\n", args[0], call.Count(len(pages), "page"))
			return err
		},
	}
}

// A manPage is a file in the format of man(7).
type manPage struct {
	name string
	text []byte
}

// manPages returns a page for cmd and for each command below it. It changes the commands' texts.
func manPages(cmd *cobra.Command) ([]manPage, error) {
	text, err := manText(cmd) // first, because it has what those below say of themselves
	if err != nil {
		return nil, err
	}
	pages := []manPage{{manName(cmd), text}}
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		below, err := manPages(c)
		if err != nil {
			return nil, err
		}
		pages = append(pages, below...)
	}
	return pages, nil
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manText writes one page. cobra/doc makes it of Markdown, and wants a date: the same command
// should give the same page, so there is none on it.
func manText(cmd *cobra.Command) ([]byte, error) {
	cmd.Long = manDescription(cmd)
	cmd.Short = markdown(cmd.Short)
	cmd.DisableAutoGenTag = true
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || f.Name == "help"
		if _, done := f.Annotations[inMarkdown]; !done { // --color is a flag of every command
			f.Usage = markdown(f.Usage)
			if f.Annotations == nil {
				f.Annotations = map[string][]string{}
			}
			f.Annotations[inMarkdown] = nil
		}
	})
	noDate := time.Time{}
	header := &doc.GenManHeader{Date: &noDate, Source: "railyard " + result.Version, Manual: "Railyard"}
	var b bytes.Buffer
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return nil, err
	}
	page := strings.Replace(b.String(), noDate.Format(`"Jan 2006"`), `""`, 1)
	// A plain - may be printed as a hyphen, which no shell takes for an option.
	return []byte(strings.NewReplacer(`\-`, `\-`, "-", `\-`).Replace(page)), nil
}

// inMarkdown is the annotation of a flag whose text is Markdown already.
const inMarkdown = "railyard: in Markdown"

// manDescription is what a command does, in Markdown, with the sections that cobra/doc does not
// know.
func manDescription(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, "\n\n# %s\n", title) }
	entry := func(term, meaning string) { fmt.Fprintf(&b, "\n**%s**\n: %s\n", markdown(term), markdown(meaning)) }
	b.WriteString(markdown(cmd.Long))
	if cmd.Long == "" {
		b.WriteString(markdown(cmd.Short) + ".")
	}
	if cmd.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				entry(c.Name(), c.Short+"; see "+manName(c)+"(1)")
			}
		}
	}
	if !cmd.HasParent() {
		section("EXIT STATUS")
		entry("0", "as asked")
		entry("1", "findings of severity error, or a run that failed")
		entry("2", "misuse: unknown flag or command, missing argument, unreadable file")
		entry("130", "interrupted")
		section("ENVIRONMENT")
		entry("NO_COLOR", "if set and not empty, no colour on terminals, unless --color says otherwise")
	}
	return b.String()
}

// markdown writes text as Markdown that shows it as it is. Lines that begin with two spaces are
// examples: they are not filled.
func markdown(text string) string {
	var b strings.Builder
	example := false
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		if strings.HasPrefix(line, "  ") != example {
			example = !example
			b.WriteString("```\n")
		}
		if example {
			b.WriteString(line)
			continue
		}
		if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") || strings.HasPrefix(line, ":") {
			b.WriteString(`\`) // no list
		}
		b.WriteString(plainMarkdown.Replace(line))
	}
	if example {
		b.WriteString("\n```")
	}
	return b.String()
}

// plainMarkdown takes their meaning from characters that mark something up.
var plainMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "&", `\&`, "~", `\~`)

// lookCommands are the commands that look at things and run nothing, or little.
func (a *app) lookCommands() []*cobra.Command {
	return []*cobra.Command{showcmd.Command(a.App, a.engine), checkCommand(a), topocmd.Hash(a.App),
		showcmd.List(a.App), showcmd.Schema(a.App),
		showcmd.Completion(a.App), manCommand(a)}
}
