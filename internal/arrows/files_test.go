package arrows

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// doors are the functions that open, make, change or remove what lies under a name. What only looks
// (Stat, Lstat, ReadDir) is free.
var doors = map[string]string{
	"os": "Create OpenFile WriteFile ReadFile Open CreateTemp MkdirTemp Rename Mkdir MkdirAll Symlink Link Remove " +
		"RemoveAll DirFS CopyFS Truncate Chmod Chown Lchown Chtimes OpenRoot OpenInRoot NewFile StartProcess",
	"io/fs": "ReadFile",
	"syscall": "Open Openat Creat Mkdir Mkdirat Mknod Mkfifo Rename Renameat Unlink Unlinkat Rmdir Link Symlink Truncate " +
		"Chmod Chown CreateFile",
	"golang.org/x/sys/unix": "Open Openat Openat2 Creat Mkdir Mkdirat Mknod Mkfifo Rename Renameat Renameat2 Unlink Unlinkat " +
		"Rmdir Link Linkat Symlink Symlinkat Truncate Chmod Chown",
}

// rooms are the two packages whose work the doors are.
const rooms = "input output"

// ownDoors are what else may go past the rooms, with the reason.
var ownDoors = map[string]string{
	"scripttest":                    "test support: it rewrites scripts below testdata",
	"cli/clitest":                   "test support: scripts damage files and leave some as a process does that is killed",
	"scenario/scenariotest":         "test support: it reads the examples of this repository",
	"nn/kernel/gen":                 "a generator of code: it writes into this repository",
	"tools/confusion":               "it works in a temporary folder of its own, and goes on with the file of verdicts that it wrote",
	"tools/tables":                  "it rewrites documents of this repository",
	"tools/readme":                  "it reads documents of this repository, and works in a temporary folder of its own",
	"tools/figures":                 "it works in a temporary folder of its own",
	"tools/mutate":                  "it changes this repository's sources in overlays",
	"tools/islands":                 "it compares runs that it makes itself",
	"tools/built":                   "it builds the program into a temporary folder",
	"tools/release":                 "it packs folders that .ci/release makes",
	"tools/forecast":                "it works in a temporary folder of its own",
	"tools/fleet":                   "it works in a temporary folder of its own",
	"tools/failures":                "it works in a temporary folder of its own, and looks into /proc",
	"tools/monsters":                "it works in a temporary folder of its own",
	"tools/pgo":                     "it writes the profile of this repository",
	"launch":                        "its processes inherit files that have no name: sockets, pipes, memory",
	"endpoint":                      "a unix socket that it made has a name, which it takes away again",
	"machine":                       "it reads /proc and /sys, which the kernel fills",
	"internal/out/manual/manual.go": "the file system is embedded",
	"internal/study/lab/lab.go":     "the file system is input.Folder or embedded",
}

func exempt(f file) bool {
	return listed(rooms, f.pkg) || ownDoors[f.pkg] != "" || ownDoors[f.name] != ""
}

// Whatever enters or leaves the program does so through the two rooms.
func TestFilesGoThroughTheRooms(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || exempt(f) {
			continue
		}
		for _, problem := range checkDoors(f) {
			t.Error(problem)
		}
	}
}

// Every exemption is of something that is there, and needs it.
func TestExemptionsAreNeeded(t *testing.T) {
	used := map[string]bool{}
	for _, f := range sources(t) {
		if !f.test && len(checkDoors(f)) > 0 {
			used[f.pkg], used[f.name] = true, true
		}
	}
	for name := range ownDoors {
		if !used[name] {
			t.Errorf("%s: is let past the rooms and does not go past them: take it off the list", name)
		}
	}
}

// checkDoors finds a door however it is named or used: called, handed on as a value, by another name of the package,
// or without one.
func checkDoors(f file) (problems []string) {
	named := localNames(f.syntax)
	report := func(n ast.Node, format string, args ...any) {
		problems = append(problems,
			fmt.Sprintf("%s:%d: %s", f.name, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	for _, s := range f.syntax.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if path == "io/ioutil" {
			report(s, "io/ioutil: files are read by package input and written by package output")
		}
		if _, has := doors[path]; has && s.Name != nil && s.Name.Name == "." {
			report(s, "%s imported without a name, which hides what is used of it", path)
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		if path, known := named[x.Name]; known && listed(doors[path], s.Sel.Name) {
			report(s, "%s.%s in %s: a file that a user or a stranger may have put there is read by package input and "+
				"written by package output, which follow no link and wait for no FIFO", path, s.Sel.Name, f.pkg)
		}
		return true
	})
	return problems
}

// The test above finds what it is for.
func TestDoorsAreFound(t *testing.T) {
	for src, want := range map[string]string{
		`import "os"; func f() { os.WriteFile("x", nil, 0) }`:                          "os.WriteFile",
		`import files "os"; func f() { files.Create("x") }`:                            "os.Create",
		`import "os"; var open = os.Open`:                                              "os.Open",
		`import "os"; type T struct { f func(string) error }; var _ = T{f: os.Remove}`: "os.Remove",
		`import "os"; var _ = []any{os.ReadFile}`:                                      "os.ReadFile",
		`import . "os"; var _ = ReadFile`:                                              "without a name",
		`import old "io/ioutil"; var _ = old.ReadAll`:                                  "ioutil",
		`import "io/fs"; var _ = fs.ReadFile`:                                          "fs.ReadFile",
		`import "syscall"; var _ = syscall.Open`:                                       "syscall.Open",
		`import "os"; func f() { (os.Rename)("a", "b") }`:                              "os.Rename",
		`import "os"; var _ = os.DirFS(".")`:                                           "os.DirFS",
	} {
		f := parse(t, "x.go", "package p; "+src)
		f.pkg = "report"
		if found := strings.Join(checkDoors(f), "\n"); !strings.Contains(found, want) {
			t.Errorf("%s: found %q, want a problem with %s", src, found, want)
		}
	}
	f := parse(t, "x.go", `package p; import "os"; var _, _ = os.Args, os.Stat`)
	f.pkg = "report"
	if got := checkDoors(f); got != nil {
		t.Errorf("%q, want no problem", got)
	}
}
