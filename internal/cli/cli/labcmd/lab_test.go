//go:build unix

package labcmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/cli/cli/clitest"
	"railyard/internal/study/lab"
)

// Every command that a lab offers to try prints what it promises, and the one that runs the lab works. Those that run
// the lab with changes are held by the tests of package lab, but for the first.
func TestLabCommands(t *testing.T) {
	all, err := lab.All()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			number := strings.TrimLeft(l.Name[:2], "0")
			out := filepath.Join("runs", "first-"+l.Name)
			clitest.Printed(t, "lab", number, "--out", out, "--quiet")
			text, err := os.ReadFile(filepath.Join(out, "lab.json"))
			if err != nil {
				t.Fatal(err)
			}
			var document lab.Document
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			ran := false
			for _, try := range document.Try {
				words := shellWords(t, strings.TrimPrefix(try.Command, "railyard "))
				if words[0] == "lab" && ran {
					continue
				}
				ran = ran || words[0] == "lab"
				printed := strings.Join(strings.Fields(clitest.Printed(t, words...)), " ")
				for _, want := range try.Prints {
					if !strings.Contains(printed, want) {
						t.Errorf("%s: nothing of %q", try.Command, want)
					}
				}
				if words[0] != "lab" && len(try.Prints) == 0 {
					t.Errorf("%s: it says nothing of what is printed", try.Command)
				}
			}
		})
	}
}

// shellWords cuts a command at blanks outside of single quotes, as a shell does.
func shellWords(t *testing.T, command string) (words []string) {
	t.Helper()
	if strings.ContainsAny(command, "\"$`\\*?~<>|&;") {
		t.Fatalf("%s: a shell may read this as something else: quote it with ' or leave it out", command)
	}
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && part != "" && part[0] != ' ' {
			words[len(words)-1] += fields[0]
			fields = fields[1:]
		}
		words = append(words, fields...)
		if strings.HasSuffix(part, " ") {
			words = append(words, "")
		}
	}
	return words
}
