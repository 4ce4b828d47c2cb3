package sweep

import (
	"path/filepath"
	"strings"
	"testing"
)

// Who finds a sweep's directory held hears what to do; who cannot write there hears that.
func TestADirectoryThatIsHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), "want another, or to wait until it is through") {
		t.Errorf("%v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(filepath.Join(path, tableFile, "below")); err == nil || strings.Contains(err.Error(), "want another") {
		t.Errorf("below a file: %v", err)
	}
}
