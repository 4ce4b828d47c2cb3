package arrows

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var tighten = flag.Bool("tighten", false, "write sizes.txt anew where something became smaller")

// What a file, a function and a type may have without a line in sizes.txt.
const (
	mostLines    = 500 // of a file
	mostFunction = 70  // lines of a function
	mostMethods  = 80  // of a type
)

// Files, functions and types are small, but for those in testdata/sizes.txt, which may only become smaller: what grows fails,
// and so does a line that is larger than what it names (go test ./internal/arrows -run Sizes -tighten).
func TestSizes(t *testing.T) {
	got := map[string]int{}
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := sizesOf(name, src, got); err != nil {
			t.Fatal(err)
		}
	})
	const list = "testdata/sizes.txt"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	grown, want := grownSizes(got, string(text))
	for _, g := range grown {
		t.Error(g)
	}
	if *tighten && len(grown) == 0 {
		if err := os.WriteFile(list, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if len(grown) == 0 && want != string(text) {
		t.Errorf("%s has lines of what became smaller, want (-tighten writes it)\n%s", list, want)
	}
}

// sizesOf adds the sizes of a file, of its functions, and the methods of its types.
func sizesOf(name string, src []byte, to map[string]int) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	to["file "+name] = bytes.Count(src, []byte("\n"))
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		of := filepath.ToSlash(filepath.Dir(name)) + "." + fn.Name.Name
		if fn.Recv != nil {
			on := fn.Recv.List[0].Type
			if star, ok := on.(*ast.StarExpr); ok {
				on = star.X
			}
			if generic, ok := on.(*ast.IndexExpr); ok {
				on = generic.X
			}
			of = fmt.Sprintf("%s.%s.%s", filepath.ToSlash(filepath.Dir(name)), on, fn.Name.Name)
			to["type "+strings.TrimSuffix(of, "."+fn.Name.Name)]++
		}
		to["func "+of] = max(to["func "+of], set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1)
	}
	return nil
}

// grownSizes says what is larger than it may be by a list of sizes, and returns the list as it should be.
func grownSizes(got map[string]int, list string) (grown []string, want string) {
	may := map[string]int{}
	for line := range strings.Lines(list) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && !strings.HasPrefix(line, "#") {
			may[line[:i]], _ = strconv.Atoi(strings.TrimSpace(line[i:]))
		} else {
			want += line
		}
	}
	for _, what := range slices.Sorted(maps.Keys(got)) {
		kind, _, _ := strings.Cut(what, " ")
		least := map[string]int{"file": mostLines, "func": mostFunction, "type": mostMethods}[kind]
		n := got[what]
		if most := max(least, may[what]); n > most {
			grown = append(grown, fmt.Sprintf("%s: %d %s, want at most %d", what, n,
				map[string]string{"file": "lines", "func": "lines", "type": "methods"}[kind], most))
		}
		if n > least {
			want += fmt.Sprintf("%s %d\n", what, n)
		}
	}
	return grown, want
}

// A function that grows is found, one that shrinks leaves the list, and both kinds of receiver are seen.
func TestGrownSizesAreFound(t *testing.T) {
	got := map[string]int{}
	src := "package p\ntype T[X any] struct{}\nfunc (t *T[X]) a() {\n" + strings.Repeat("_ = 1\n", 70) + "}\nfunc (T[X]) b() {}\n"
	if err := sizesOf("x/p.go", []byte(src), got); err != nil {
		t.Fatal(err)
	}
	if got["func x.T.a"] != 72 || got["type x.T"] != 2 || got["file x/p.go"] != 75 {
		t.Errorf("%v", got)
	}
	for list, want := range map[string]string{
		"# why\n":                      "func x.T.a: 72 lines, want at most 70",
		"# why\nfunc x.T.a 71\n":       "func x.T.a: 72 lines, want at most 71",
		"# why\nfunc x.T.a 72\n":       "",
		"# why\nfunc x.T.a 90\n":       "",
		"func x.T.a 72\nfile y 9000\n": "",
	} {
		grown, anew := grownSizes(got, list)
		if strings.Join(grown, "\n") != want {
			t.Errorf("%q: %q", list, grown)
		}
		if why := strings.HasPrefix(list, "#"); anew != map[bool]string{true: "# why\n", false: ""}[why]+"func x.T.a 72\n" {
			t.Errorf("%q: the list becomes %q", list, anew)
		}
	}
}
