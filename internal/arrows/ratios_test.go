package arrows

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// leastTests is how many lines of tests a package has for a hundred of code, if it has no line in ratios.txt.
const leastTests = 40

// leastOfAll is the same of all packages together: it may only rise.
const leastOfAll = 65

// smallCode is how much code needs no tests of its own: what it does its users' tests see.
const smallCode = 100

// A balanceOf is the lines of a package: its code, and its tests with the scripts in testdata.
type balanceOf struct{ code, tests int }

func (b balanceOf) percent() int { return 100 * b.tests / b.code }

// Packages have tests in proportion, but for those in testdata/ratios.txt, whose share may only rise: what falls fails, and so
// does a line that says less than there is (go test ./internal/arrows -run Ratios -tighten).
func TestRatios(t *testing.T) {
	got := map[string]balanceOf{}
	walk(t, func(name string) {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		weigh(name, src, got)
	})
	var all balanceOf
	for _, b := range got {
		all.code, all.tests = all.code+b.code, all.tests+b.tests
	}
	if all.percent() < leastOfAll {
		t.Errorf("%d lines of tests for %d of code in all packages, %d %%, want at least %d %%", all.tests, all.code, all.percent(),
			leastOfAll)
	}
	const list = "testdata/ratios.txt"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	fallen, want := fallenRatios(got, string(text))
	for _, f := range fallen {
		t.Error(f)
	}
	if *tighten && len(fallen) == 0 {
		if err := os.WriteFile(list, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if len(fallen) == 0 && want != string(text) {
		t.Errorf("%s has lines of what has more tests now, want (-tighten writes it)\n%s", list, want)
	}
}

// weigh adds the lines of a file to its package, if it is of one in internal. Packages that support tests are neither.
func weigh(name string, src []byte, to map[string]balanceOf) {
	dir, scripts, ofData := strings.Cut(path.Dir(name), "/testdata")
	if !strings.HasPrefix(dir, "internal/") || strings.HasSuffix(dir, "test") {
		return
	}
	b := to[dir]
	lines := bytes.Count(src, []byte("\n"))
	switch {
	case ofData && (scripts == "" || scripts[0] == '/') && strings.HasSuffix(name, ".txt"), strings.HasSuffix(name, "_test.go"):
		b.tests += lines
	case !ofData && strings.HasSuffix(name, ".go"):
		b.code += lines
	}
	to[dir] = b
}

// fallenRatios says which packages have fewer tests than they may by a list of shares, and returns the list as it should be.
func fallenRatios(got map[string]balanceOf, list string) (fallen []string, want string) {
	may := map[string]int{}
	for line := range strings.Lines(list) {
		if name, share, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			may[name], _ = strconv.Atoi(share)
		} else {
			want += line
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		b := got[name]
		if b.code < smallCode || b.percent() >= leastTests {
			continue
		}
		least, listed := may[name]
		if !listed {
			least = leastTests
		}
		if b.percent() < least {
			fallen = append(fallen, fmt.Sprintf("%s: %d lines of tests for %d of code, %d %%, want at least %d %%", name, b.tests, b.code,
				b.percent(), least))
		}
		want += fmt.Sprintf("%s %d\n", name, b.percent())
	}
	return fallen, want
}

// What falls is found, what rises leaves the list, and scripts count.
func TestFallenRatiosAreFound(t *testing.T) {
	got := map[string]balanceOf{}
	for name, lines := range map[string]int{"internal/a/a.go": 200, "internal/a/a_test.go": 40, "internal/a/testdata/x.txt": 20,
		"internal/a/testdata/sub/y.txt": 6, "internal/a/testdata/z.go": 99, "internal/a/testdata/z.json": 99,
		"internal/a/doc.md": 50, "internal/atest/a.go": 500, "cmd/x/main.go": 500, "internal/small/s.go": 99} {
		weigh(name, bytes.Repeat([]byte("\n"), lines), got)
	}
	if a := got["internal/a"]; a != (balanceOf{200, 66}) || len(got) != 2 {
		t.Errorf("%+v", got)
	}
	for list, want := range map[string]string{
		"# why\n":                  "internal/a: 66 lines of tests for 200 of code, 33 %, want at least 40 %",
		"# why\ninternal/a 34\n":   "internal/a: 66 lines of tests for 200 of code, 33 %, want at least 34 %",
		"# why\ninternal/a 33\n":   "",
		"# why\ninternal/a 2\n":    "",
		"internal/a 33\nother 7\n": "",
	} {
		fallen, anew := fallenRatios(got, list)
		if strings.Join(fallen, "\n") != want {
			t.Errorf("%q: %q", list, fallen)
		}
		if why := strings.HasPrefix(list, "#"); anew != map[bool]string{true: "# why\n", false: ""}[why]+"internal/a 33\n" {
			t.Errorf("%q: the list becomes %q", list, anew)
		}
	}
}
