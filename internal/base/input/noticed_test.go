package input

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What could not be opened has no length and no file, and the error names neither operation nor path.
func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	for name, err := range map[string]error{
		"Open":   second(Open(filepath.Join(dir, "none"))),
		"OpenIn": second(OpenIn(dir, "none")),
	} {
		if err == nil || strings.Contains(err.Error(), dir) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f, n, err := Open(filepath.Join(dir, "none")); f != nil || n != 0 || err == nil {
		t.Errorf("%v, %d bytes, %v", f, n, err)
	}
	if err := second(OpenIn(dir, "../elsewhere")); err == nil || err.Error() != errOutside.Error() {
		t.Errorf("beside the folder: %v", err)
	}
	rename := os.Rename(filepath.Join(dir, "none"), filepath.Join(dir, "there"))
	if got := Cause(rename); got != syscall.ENOENT {
		t.Errorf("of a rename: %v", got)
	}
}

func second(_ *os.File, _ int64, err error) error { return err }

// A reader that takes a file system is told which file it was.
func TestAFolderNamesItsFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Folder{Context: context.Background(), Path: dir, Most: 10}
	var p *fs.PathError
	if _, err := f.Open("none"); !errors.As(err, &p) || p.Path != "none" || p.Op != "open" {
		t.Errorf("%v", err)
	}
	file, err := f.Open("there")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if b, err := io.ReadAll(file); string(b) != "x" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// Standard input is taken up to its bound, to the byte.
func TestStreamsUpToTheBound(t *testing.T) {
	for n, good := range map[int]bool{0: true, 4: true, 5: false} {
		b, err := Stream(context.Background(), strings.NewReader(strings.Repeat("x", n)), 4)
		var long *TooLong
		if good != (err == nil) || good && len(b) != n || !good && !errors.As(err, &long) {
			t.Errorf("%d bytes of 4: %q, %v", n, b, err)
		}
	}
}

// A name that is not there, or that goes on below a file, leads nowhere: it is not said to lead out of its folder. One that a link
// leads out is.
func TestWhatLeadsOut(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), os.Symlink("none", filepath.Join(dir, "dangling")),
		os.Symlink("/etc/hostname", filepath.Join(dir, "out")), os.Symlink("loop", filepath.Join(dir, "loop")))
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]bool{"none": false, "file/below": false, "dangling": false, "out": true, "loop": true,
		"../x": true, "/etc/hostname": true} {
		if err := second(OpenIn(dir, name)); err == nil || errors.Is(err, errOutside) != out {
			t.Errorf("%s: %v, leads out: %v", name, err, out)
		}
	}
}
