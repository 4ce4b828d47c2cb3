package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/docs"
	"railyard/internal/cli/cli/call"
)

var (
	inlineCommand = regexp.MustCompile("`(?:\\./)?(railyard [^`]*)`")
	blockCommand  = regexp.MustCompile(`^\s*(?:\$ )?(?:\./|go run \./cmd/)?(railyard [a-z].*)$`)
	aside         = regexp.MustCompile(`\s{2,}\S.*$|\s#.*$`) // what is said of a command beside it
	shellWord     = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
)

// A told is a command line that a page has.
type told struct {
	line  string
	whole bool // a line of its own, not a mention in a sentence
}

// commandsIn finds the command lines of a page of Markdown.
func commandsIn(text string) (all []told) {
	inBlock := false
	joined := strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.SplitSeq(joined, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			inBlock = !inBlock
		}
		if !fence && (inBlock || strings.HasPrefix(line, "    ")) {
			for part := range strings.SplitSeq(line, " && ") {
				if m := blockCommand.FindStringSubmatch(part); m != nil {
					all = append(all, told{aside.ReplaceAllString(m[1], ""), true})
				}
			}
			continue
		}
		for _, m := range inlineCommand.FindAllStringSubmatch(line, -1) {
			all = append(all, told{m[1], false})
		}
	}
	return all
}

// parses says what is wrong with a command line. Words in capitals stand for arguments, ... for more of them.
func parses(c told) error {
	var args []string
	for _, w := range shellWord.FindAllString(c.line, -1)[1:] {
		if w == "|" || w == ">" || w == "<" || w == "2>" || strings.HasPrefix(w, ">") {
			break
		}
		if w != "..." && !strings.HasPrefix(w, "[") {
			args = append(args, strings.Trim(w, `'"`))
		}
	}
	if len(args) > 0 && args[0] == strings.ToUpper(args[0]) && !strings.HasPrefix(args[0], "-") {
		return nil // railyard COMMAND --help
	}
	if !c.whole {
		args = append(args, "X") // of "railyard run --set" the value
	}
	root := newApp(os.Stdout, os.Stderr, wired()).root()
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return call.SubcommandOnly(root, rest)
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	switch help, _ := cmd.Flags().GetBool("help"); {
	case help:
		return nil
	case c.whole:
		return cmd.ValidateArgs(cmd.Flags().Args())
	case cmd.HasSubCommands() && len(rest) > 1 && !strings.HasPrefix(rest[0], "-"): // the X is no subcommand
		return call.SubcommandOnly(cmd, rest[:1])
	}
	return nil
}

// Every command in README and in the documentation is one that this program takes: its name, its flags and, where it is a
// line of its own, how many arguments it has.
func TestCommandsInDocumentsParse(t *testing.T) {
	seen := 0
	check := func(name, text string) {
		for _, c := range commandsIn(text) {
			seen++
			if err := parses(c); err != nil {
				t.Errorf("%s: %s: %v", name, c.line, err)
			}
		}
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"} {
		b, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		check(name, string(b))
	}
	err := fs.WalkDir(docs.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		b, err := fs.ReadFile(docs.Files, name)
		check("docs/"+name, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 150 {
		t.Errorf("saw %d commands: is this test looking at the documents?", seen)
	}
	for _, wrong := range []string{"```sh\nrailyard nosuch x\n```", "```\n./railyard run a.yaml --no-such-flag\n```",
		"see `railyard show nosuch a.yaml`", "    railyard compare runs/a", "```sh\ncd x && railyard whatif\n```"} {
		all := commandsIn(wrong)
		if len(all) != 1 || parses(all[0]) == nil {
			t.Errorf("%q: found %v, and nothing wrong with it", wrong, all)
		}
	}
}

// execute runs a command line, which ends with 0.
func execute(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := quiet(t)
	a.Stdout, a.Stderr = &out, &errs
	if code := a.execute(args); code != call.OK {
		t.Errorf("railyard %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// quiet is the program without a terminal.
func quiet(t *testing.T) *app {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return newApp(null, null, wired())
}
