package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list is about the code as it is: each mutant's text is in its file once. Whoever changes that
// text changes the list, or takes the mutant out with what it was about.
func TestMutantsAreNotStale(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range all {
		src, err := os.ReadFile(m.file)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := m.apply(string(src)); err != nil {
			t.Error(err)
		}
		for _, p := range m.tests {
			if st, err := os.Stat(p); err != nil || !st.IsDir() {
				t.Errorf("%s: no package %s", m.name, p)
			}
		}
		if names[m.name] {
			t.Errorf("%s: two mutants of that name", m.name)
		}
		names[m.name] = true
	}
	if len(all) < 10 {
		t.Errorf("%d mutants", len(all))
	}
}

func TestParseAndApply(t *testing.T) {
	all, err := parse("# comment\n\nfirst\nin a.go\ntest ./x ./y\n- a <= b\n+ a < b\n")
	if err != nil || len(all) != 1 || all[0].name != "first" || all[0].line != 3 || len(all[0].tests) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	if got, err := all[0].apply("if a <= b {"); err != nil || got != "if a < b {" {
		t.Errorf("%q %v", got, err)
	}
	for _, src := range []string{"", "a <= b a <= b"} {
		if _, err := all[0].apply(src); err == nil ||
			!strings.Contains(err.Error(), "mutants.txt:3: first: \"a <= b\" is ") {
			t.Errorf("%q: %v", src, err)
		}
	}
	for _, bad := range []string{"first\nin a.go\n- a\n+ b", "first\nin a.go\ntest x\n- a\n+ a", "what is this",
		"in a.go\ntest x\n- a\n+ b"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
