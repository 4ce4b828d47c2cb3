// Package scripttest plays scripts: what a state machine does, step by step, in files that read as
// examples. A file is blocks: commands, a line of dashes, what comes of them, an empty line.
//
//	send 2
//	----
//	at 0s: packet 0
//	at 100ns: packet 1
//
// A line that begins with # explains. With -update, which every test that imports this package
// understands, outcomes are written anew, and so are the texts that Golden compares.
package scripttest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the outcomes in testdata")

// Stage is what a script is played on.
type Stage interface {
	// Do obeys a command, split at spaces.
	Do(command []string)
	// Told returns what came of the commands since the last call, in whole lines.
	Told() string
}

// A Reader is a Stage that reads texts: it is told lines as they stand, in place of commands.
type Reader interface {
	Stage
	// Read takes a line without its end.
	Read(line string)
}

// Log is what a script has had told of its stage, which embeds it.
type Log struct{ strings.Builder }

// Told returns what has been written since the last call.
func (l *Log) Told() string {
	defer l.Reset()
	return l.String()
}

// Number reads a whole number of a script, as Go writes them, or ends the test.
func Number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Said holds what is said of texts against what stands behind them: each file that the pattern names has a text, a line ---- and
// what said says of it.
func Said(t *testing.T, pattern string, said func(t *testing.T, text string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(raw), "----\n")
			got := said(t, text)
			if *update {
				if err := os.WriteFile(file, []byte(text+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s: outcome differs; -update writes it\n%s", file, firstDifference(got, want))
			}
		})
	}
}

// Run plays each testdata/*.txt on a stage of its own.
func Run(t *testing.T, begin func(t *testing.T) Stage) {
	t.Helper()
	RunIn(t, "testdata", begin)
}

// RunIn is Run with the scripts of a directory: those that several packages play, each on a stage of its own kind.
func RunIn(t *testing.T, dir string, begin func(t *testing.T) Stage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(begin(t), string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("%s: outcome differs; -update writes it\n%s", file, firstDifference(got, string(text)))
			}
		})
	}
}

// play returns a script with the outcomes that its commands have.
func play(s Stage, text string) string {
	var out strings.Builder
	inOutcome := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "----":
			inOutcome = true
			out.WriteString("----\n" + s.Told())
		case bare == "":
			inOutcome = false
			out.WriteString("\n")
		case inOutcome:
		default:
			out.WriteString(line)
			if strings.HasPrefix(bare, "#") {
				continue
			}
			if r, reads := s.(Reader); reads {
				r.Read(strings.TrimSuffix(line, "\n"))
			} else {
				s.Do(strings.Fields(bare))
			}
		}
	}
	return out.String()
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// Golden compares a text with testdata/name. With -update it writes the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update writes it: %s\ngot\n%s", path, firstDifference(got, string(want)), got)
	}
}
