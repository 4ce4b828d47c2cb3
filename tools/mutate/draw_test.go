package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A package in a folder of its own, and what tests of it say.
func subjectOf(t *testing.T, text, test string) *subject {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module railyard\n\ngo 1.26\n", "internal/x/x.go": text, "internal/x/x_test.go": test,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s, err := load("x")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mistakes are all mutants that compile, as old -> new.
func mistakes(s *subject) (all []string) {
	for _, d := range s.draw(1000, 1) {
		all = append(all, d.old+" -> "+d.new)
	}
	slices.Sort(all)
	return all
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"func f(a, b int) bool { return a < b }", "< -> <=; < -> >=; a < b -> false"},
		{"func f(a, b int) int { return a - b*2 }", "* -> /; - -> +; 2 -> 3; a - b*2 -> 0"},
		{"func f(a string) string { return a + a }", `a + a -> ""`}, // "-" is not for strings
		{"func f(a, b int) int { return min(a, b) }", "min -> max; min(a, b) -> 0"},
		{"func f() bool { return true }", "true -> false"},
		{"func f(a *int, b bool) { if b { *a = 1 } }", "*a = 1 -> ; 1 -> 2; b -> !(b)"},
		{"func f(a, b int) int { for i := 0; i < b; i++ { a += i }; return a }",
			"+= -> -=; 0 -> 1; < -> <=; < -> >=; a += i -> ; a -> 0"},
		// What no input can show is left out.
		{"type f int; func (f) String() string { return string(rune(64 + 1)) }", ""},
		{"func f(a int) { if a < 0 { panic(2 + 3) } }", ""},
		{"func f(a int) []int { return make([]int, 0, a+1) }", "0 -> 1; make([]int, 0, a+1) -> nil"},
		{"func f(a, b int) int { if a < b { a = b }; return a }", "< -> >=; a -> 0; a = b -> "},
	} {
		if got := strings.Join(mistakes(subjectOf(t, "package x\n\n"+c.body+"\n", "package x\n")), "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}

const many = `package x

func f(a, b int) int { return a*b + a - b }

type t struct{}

func (*t) g(a, b int) bool { return a < b }

func h(a int) int {
outer:
	for i := range a {
		for j := range i {
			if i*j > 7 {
				break outer
			}
			a += j
		}
	}
	return a
}
`

// Drawing is a function of seed and source, and takes of each function in turn.
func TestDrawing(t *testing.T) {
	s := subjectOf(t, many, "package x\n")
	text := func(n int, seed uint64) (lines []string) {
		for _, d := range s.draw(n, seed) {
			lines = append(lines, line(d, "", ""))
		}
		return lines
	}
	if !slices.Equal(text(9, 1), text(9, 1)) {
		t.Error("not the same twice")
	}
	if slices.Equal(text(9, 1), text(9, 2)) {
		t.Error("another seed draws the same")
	}
	if !slices.Equal(text(9, 1)[:4], text(4, 1)) {
		t.Error("fewer are not the first of more")
	}
	count := map[string]int{}
	for _, d := range s.draw(6, 1) {
		count[d.name]++
	}
	if count["f"] != 2 || count["t.g"] != 2 || count["h"] != 2 {
		t.Errorf("six mutants of three functions: %v", count)
	}
}

// Mutants are built together, run one by one, and their verdicts kept.
func TestVerdicts(t *testing.T) {
	subjectOf(t, many, `package x

import "testing"

func TestF(t *testing.T) {
	if f(3, 5) != 13 || f(0, 7) != -7 {
		t.Error("wrong")
	}
}

func TestH(t *testing.T) { h(2) }

func TestFails(t *testing.T) { t.Error("whatever comes") }
`)
	d := drawing{n: 100, seed: 1, verdicts: "verdicts"}
	for range 2 { // the second time from the file
		clean, err := d.run(context.Background(), "x")
		if err != nil || clean {
			t.Fatal(clean, err)
		}
	}
	text, err := os.ReadFile("verdicts")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for l := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		seen[f[4]+" "+f[0]+" "+f[6]]++
		if seen[f[1]]++; seen[f[1]] > 1 {
			t.Errorf("tried twice: %s", l)
		}
	}
	if seen["f killed x TestF"] != 4 || seen["f survived "] > 0 {
		t.Errorf("f: + and - and * and the result: all killed: %v\n%s", seen, text)
	}
	if seen["t.g unreached "] != 3 || seen["h survived "] == 0 {
		t.Errorf("no test calls g, one that cannot fail calls h: %v\n%s", seen, text)
	}
	if err := os.WriteFile("verdicts", []byte("killed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.run(context.Background(), "x"); err == nil || !strings.HasPrefix(err.Error(), "verdicts:1: ") {
		t.Errorf("a broken file of verdicts: %v", err)
	}
}
