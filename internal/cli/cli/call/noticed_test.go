package call

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that is not there is empty; one that cannot be read is not.
func TestFirstInAFolder(t *testing.T) {
	dir := t.TempDir()
	if name, err := FirstIn(filepath.Join(dir, "none")); name != "" || err != nil {
		t.Errorf("not there: %q, %v", name, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err := FirstIn(dir); name != "file" || err != nil {
		t.Errorf("with a file: %q, %v", name, err)
	}
	if _, err := FirstIn(file); err == nil {
		t.Error("a file is no folder, and that is no error")
	}
}
