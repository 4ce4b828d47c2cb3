package ns3

import (
	"strings"
	"testing"
	"testing/fstest"

	"railyard/internal/base/scripttest"
)

// Files in testdata/imports hold the files of an experiment, each behind a line "== NAME", a line ---- and what becomes of them:
// the three files that are written, and notes, or problems. A file that is left out is that of TestImport. What this notices: a key
// that is read as another, a unit that is another's, a mistake that is named at another place or not at all.
func TestImports(t *testing.T) {
	scripttest.Said(t, "testdata/imports/*.txt", func(_ *testing.T, src string) string { return becomes(src) })
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
