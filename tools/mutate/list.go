package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const list = "tools/mutate/mutants.txt"

// mutant is one planted mistake.
type mutant struct {
	name, file string
	tests      []string // packages
	old, new   string
	line       int // of the list
}

// runList plants the mutants of the list whose names are given, or all, and says whether each was noticed.
func runList(names []string, verbose bool) bool {
	text, err := os.ReadFile(list)
	exitOn(err)
	all, err := parse(string(text))
	exitOn(err)
	unnoticed, ran := 0, 0
	for _, m := range all {
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		ran++
		verdict, out := m.run()
		fmt.Printf("%-8s  %s\n", verdict, m.name)
		if verdict != killed {
			unnoticed++
			fmt.Printf("          %s\n          - %s\n          + %s\n", m.file, m.old, m.new)
		}
		if verbose || verdict == broken || verdict == stale {
			fmt.Println(strings.TrimRight(out, "\n"))
		}
	}
	fmt.Printf("%d of %d mutants were not noticed\n", unnoticed, ran)
	return unnoticed == 0 && ran > 0
}

// What becomes of a mutant.
const (
	killed   = "killed"   // a test fails
	survived = "survived" // none does
	stale    = "stale"    // its text is not in the file, or not once
	broken   = "broken"   // it does not compile: that is no test's merit
)

func (m *mutant) run() (verdict, out string) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return stale, err.Error()
	}
	changed, err := m.apply(string(src))
	if err != nil {
		return stale, err.Error()
	}
	dir, err := os.MkdirTemp("", "mutate")
	exitOn(err)
	defer os.RemoveAll(dir)
	exitOn(os.WriteFile(filepath.Join(dir, "mutant.go"), []byte(changed), 0o600))
	path, err := filepath.Abs(m.file)
	exitOn(err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: filepath.Join(dir, "mutant.go")}})
	exitOn(err)
	exitOn(os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	text, err := exec.Command("go",
		append([]string{"test", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json")}, m.tests...)...).CombinedOutput()
	switch {
	case err == nil:
		return survived, string(text)
	case strings.Contains(string(text), "[build failed]"):
		return broken, string(text)
	}
	return killed, string(text)
}

// apply makes the change.
func (m *mutant) apply(src string) (string, error) {
	if n := strings.Count(src, m.old); n != 1 {
		return "", fmt.Errorf("%s:%d: %s: %q is %d times in %s, want once", list, m.line, m.name, m.old, n, m.file)
	}
	return strings.Replace(src, m.old, m.new, 1), nil
}

// unescape is for texts of several lines.
var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// parse reads a list: paragraphs of a name, "in FILE", "test PACKAGE...", "- OLD", "+ NEW".
func parse(text string) (all []mutant, err error) {
	n := 0
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		m := mutant{line: n + 1}
		for line := range strings.SplitSeq(paragraph, "\n") {
			n++
			word, rest, _ := strings.Cut(line, " ")
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case word == "in":
				m.file = rest
			case word == "test":
				m.tests = strings.Fields(rest)
			case word == "-":
				m.old = unescape.Replace(rest)
			case word == "+":
				m.new = unescape.Replace(rest)
			case m.name == "" && rest == "":
				m.name, m.line = word, n
			default:
				return nil, fmt.Errorf("%s:%d: %q: want a name, in FILE, test PACKAGE..., - OLD, + NEW", list, n, line)
			}
		}
		n++
		if m.name == "" && m.file == "" {
			continue // a comment
		}
		if m.name == "" || m.file == "" || len(m.tests) == 0 || m.old == "" || m.old == m.new {
			return nil, fmt.Errorf("%s:%d: %s: want a name, in FILE, test PACKAGE..., - OLD, + NEW, and OLD other "+
				"than NEW", list, m.line, m.name)
		}
		all = append(all, m)
	}
	return all, nil
}
