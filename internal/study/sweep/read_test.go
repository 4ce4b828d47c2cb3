package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table of many more rows than its bytes have room for is refused before it is read.
func TestReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	text := `{"state": "complete", "rows": [` + strings.Repeat("{},", 70_000) + `{}]}`
	if err := os.WriteFile(filepath.Join(dir, tableFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "holds 70002 objects in 210035 bytes, want at most 67636") {
		t.Error(err)
	}
}
