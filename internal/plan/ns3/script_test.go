package ns3

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	_ "railyard/internal/base/scripttest" // for -update
)

// Files in testdata/imports hold the files of an experiment, each behind a line "== NAME", a line ---- and what becomes of them:
// the three files that are written, and notes, or problems. A file that is left out is that of TestImport. What this notices: a key
// that is read as another, a unit that is another's, a mistake that is named at another place or not at all.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("testdata/imports/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src, want, _ := strings.Cut(string(raw), "----\n")
			got := becomes(src)
			switch {
			case got == want:
			case flag.Lookup("update").Value.String() == "true":
				if err := os.WriteFile(file, []byte(src+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func becomes(src string) string {
	dir := folder(dcqcnConfig, leafSpine, twoFlows)
	for part := range strings.SplitSeq(src, "== ") {
		name, text, ok := strings.Cut(part, "\n")
		switch {
		case !ok || strings.HasPrefix(name, "#"):
		case text == "missing\n":
			delete(dir, name)
		default:
			dir[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	made, err := Import(in(dir), names)
	if err != nil {
		return err.Error() + "\n"
	}
	return strings.Join([]string{string(made.Scenario), string(made.Topology), string(made.Flows), strings.Join(made.Notes, "\n") + "\n"},
		"--\n")
}
