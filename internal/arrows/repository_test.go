package arrows

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "railyard"

// root is the repository, seen from this package.
const root = "../.."

// file is one Go file of the repository.
type file struct {
	name    string // path from the root, with slashes
	pkg     string // folder, without internal/ and its floor: "fabric", "exec/exectest", "cmd/railyard"
	test    bool
	imports []string
	syntax  *ast.File
	fset    *token.FileSet
}

// sources parses every Go file of the repository.
func sources(t *testing.T) []file {
	t.Helper()
	var files []file
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		f := parse(t, name, string(src))
		f.pkg = packageIn(filepath.ToSlash(filepath.Dir(name)))
		files = append(files, f)
	})
	if len(files) < 100 {
		t.Fatalf("found %d Go files: is this test looking at the repository?", len(files))
	}
	return files
}

func parse(t *testing.T, name, src string) file {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	f := file{name: name, test: strings.HasSuffix(name, "_test.go"), syntax: syntax, fset: fset}
	for _, s := range syntax.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		f.imports = append(f.imports, path)
	}
	return f
}

// walk calls visit with the path of every file of the repository, but for what git ignores at the
// top and test data.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	skip := []string{".git", "runs", "data", "node_modules"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() && (slices.Contains(skip, name) || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && name != ".git" { // of a work tree it is a file
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// nameless are package names that say nothing, so everything would end up in them.
const nameless = "util utils common helper helpers manager managers misc base shared lib core"

func TestPackagesAreNamedAndDocumented(t *testing.T) {
	doc := map[string]bool{}
	for _, f := range sources(t) {
		dir := filepath.Base(filepath.Dir(filepath.Join(root, f.name)))
		name := strings.TrimSuffix(f.syntax.Name.Name, "_test")
		if listed(nameless, name) {
			t.Errorf("%s: package %s: a package is named after what it provides, not after being used by others",
				f.name, name)
		}
		if name != dir && name != "main" {
			t.Errorf("%s: package %s in folder %s: want the same name", f.name, name, dir)
		}
		if f.test {
			continue
		}
		text := f.syntax.Doc.Text()
		doc[f.pkg] = doc[f.pkg] || strings.HasPrefix(text, "Package "+name+" ") || name == "main" && text != ""
	}
	for pkg, there := range doc {
		if !there {
			t.Errorf("package %s has no doc comment: want a doc.go with \"// Package %s ...\": what it is, what it "+
				"is not, its invariants, its sources",
				pkg, pkg[strings.LastIndexByte(pkg, '/')+1:])
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// A link from one file of the repository to another leads somewhere.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	seen := 0
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") {
			return
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(b, -1) {
			to := string(m[1])
			if strings.Contains(to, ":") {
				continue // another site
			}
			seen++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, to)
			}
		}
	})
	if seen == 0 {
		t.Error("saw no links: is this test looking at the documents?")
	}
}

// What one looks for is in the list where one looks for it: pages in docs/README.md, examples in docs/examples.md, packages
// in ARCHITECTURE.md.
func TestListsAreComplete(t *testing.T) {
	lists := map[string]string{}
	for _, name := range []string{"docs/README.md", "docs/examples.md", "ARCHITECTURE.md"} {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = string(b)
	}
	in := func(list, entry, name string) {
		if !strings.Contains(lists[list], entry) {
			t.Errorf("%s: %s has no %s", name, list, entry)
		}
	}
	seen := 0
	walk(t, func(name string) {
		dir, base := path.Split(name)
		switch page, of := strings.CutPrefix(name, "docs/"); {
		case of && strings.HasSuffix(name, ".md") && name != "docs/README.md":
			in("docs/README.md", "("+page+")", name)
		case dir == "examples/" && strings.HasSuffix(base, ".yaml"):
			in("docs/examples.md", "(../"+name+")", name)
		case base == "doc.go" && strings.HasPrefix(dir, "internal/"):
			in("ARCHITECTURE.md", "`"+packageIn(path.Clean(dir))+"`", name)
		default:
			return
		}
		seen++
	})
	if seen < 100 {
		t.Errorf("saw %d entries: is this test looking at the repository?", seen)
	}
}

// machine finds absolute paths of one machine or one person. The patterns are written so that they
// do not match themselves.
var machine = regexp.MustCompile(`(^|[^A-Za-z0-9_.$}/~-])` +
	`(/[w]ork/|/[r]oot/|/[h]ome/[a-z]|/[U]sers/[A-Za-z]|/[t]mp/rail(/|\b))`)

// A path of the machine on which something was written is of no use to anybody else.
func TestNoFileNamesAPathOfOneMachine(t *testing.T) {
	seen := 0
	walk(t, func(name string) {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 {
			return // not text
		}
		seen++
		for _, at := range machinePaths(b) {
			t.Errorf("%s:%s: an absolute path of one machine; want a path relative to the repository, or a "+
				"temporary folder", name, at)
		}
	})
	if seen < 100 {
		t.Errorf("saw only %d text files: is this test looking at the repository?", seen)
	}
}

// machinePaths returns "line: text" of each line with such a path.
func machinePaths(b []byte) (found []string) {
	for i, line := range bytes.Split(b, []byte("\n")) {
		if machine.Match(line) {
			found = append(found, fmt.Sprintf("%d: %s", i+1, bytes.TrimSpace(line)))
		}
	}
	return found
}

func TestMachinePathsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"see /wo" + "rk/notes.txt":    1,
		"cd /tm" + "p/rail":           1,
		"cp x \"/ro" + "ot/go/bin\"":  1,
		"ok\n/ho" + "me/someone/x\n":  1,
		"network/wo" + "rk/done":      0,
		"$HOME/wo" + "rk/x":           0,
		"--out /tm" + "p/railyard-ci": 0,
		"/tm" + "p/somewhere":         0,
	} {
		if got := machinePaths([]byte(text)); len(got) != want {
			t.Errorf("%q: found %q, want %d", text, got, want)
		}
	}
}

// No line of Go is wider than what fits beside another on a screen. A tab counts as four columns.
func TestLinesFit(t *testing.T) {
	const most = 140
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > most {
				t.Errorf("%s:%d: %d columns, want at most %d (aim at 120, comments at 100)", name, i+1, n, most)
			}
		}
	})
}
