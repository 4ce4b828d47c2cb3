package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A folder that is not there is empty; one that cannot be read is not.
func TestFirstInAFolder(t *testing.T) {
	dir := t.TempDir()
	if name, err := firstIn(filepath.Join(dir, "none")); name != "" || err != nil {
		t.Errorf("not there: %q, %v", name, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err := firstIn(dir); name != "file" || err != nil {
		t.Errorf("with a file: %q, %v", name, err)
	}
	if _, err := firstIn(file); err == nil {
		t.Error("a file is no folder, and that is no error")
	}
}

type failing []error

func (f *failing) Write(b []byte) (int, error) {
	err := (*f)[0]
	*f = (*f)[1:]
	return len(b), err
}

// The first error of writing is kept, also where the writer goes on.
func TestWatchedKeepsTheFirstError(t *testing.T) {
	first := errors.New("no space left")
	w := &watched{f: &failing{nil, first, errors.New("another"), nil}}
	for range 4 {
		w.Write([]byte("x"))
	}
	if w.err != first {
		t.Errorf("kept %v, want %v", w.err, first)
	}
}
