//go:build unix

package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The copies of inputs in a stranger's run directory lie there: none is a link, and run.json names none elsewhere.
func TestInputsThatLeadOut(t *testing.T) {
	root := t.TempDir()
	path, mine := filepath.Join(root, "run"), filepath.Join(root, "mine")
	if err := errors.Join(os.MkdirAll(filepath.Join(path, inputFolder, "config"), 0o777),
		os.WriteFile(mine, []byte("secret"), 0o666),
		os.WriteFile(filepath.Join(path, inputFolder, "flows.csv"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	r := &Run{Path: path}
	if err := errors.Join(r.HasInput("flows.csv"), r.PlainInputs()); err != nil {
		t.Error(err)
	}
	if err := os.Symlink(mine, filepath.Join(path, inputFolder, "config", "leaf1")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../mine", mine, "config/leaf1", "config/../../../mine", ""} {
		if err := r.HasInput(name); err == nil {
			t.Errorf("%q: taken for an input of the run", name)
		}
	}
	if err := r.PlainInputs(); err == nil || !strings.Contains(err.Error(), "leaf1: is a link, want a file") {
		t.Error(err)
	}
}
