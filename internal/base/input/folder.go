package input

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errOutside says what a folder that came from somebody else may not have.
var errOutside = errors.New("leads out of its folder, want a file that lies in it")

// OpenIn is Open for a file below a folder that somebody else may have filled, such as a run
// directory: name is relative to it, and no link in it may lead out of it. dir itself is the user's.
func OpenIn(dir, name string) (f *os.File, length int64, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() { // to open a named pipe may take for ever
		return nil, 0, syscall.ENOTDIR
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, Cause(err)
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, 0, outside(root, name, err)
	}
	if err := regular(info.Mode()); err != nil {
		return nil, 0, err
	}
	return opened(root.OpenFile(name, forReading, 0))
}

// outside says in our words that a name leads out of its folder.
func outside(root *os.Root, name string, err error) error {
	cause := Cause(err)
	info, e := root.Lstat(name)
	link := e == nil && info.Mode()&fs.ModeSymlink != 0
	if !filepath.IsLocal(name) || link && !errors.Is(cause, fs.ErrNotExist) || cause.Error() == "path escapes from parent" {
		return errOutside
	}
	return cause
}

// ReadIn is Read for a file as of OpenIn.
func ReadIn(ctx context.Context, dir, name string, most int64) ([]byte, error) {
	return whole(ctx, most)(OpenIn(dir, name))
}

// A Folder gives the files of a folder that somebody else may have filled to a reader that takes a file system, as
// ReadIn does.
type Folder struct {
	Context context.Context
	Path    string
	Most    int64 // bytes of a file
}

// Open is for fs.FS: the readers of a Folder call ReadFile.
func (f Folder) Open(name string) (fs.File, error) {
	file, _, err := OpenIn(f.Path, filepath.FromSlash(name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

// ReadFile reads a file whole. Its error names the file.
func (f Folder) ReadFile(name string) ([]byte, error) {
	path := filepath.Join(f.Path, filepath.FromSlash(name))
	b, err := ReadIn(f.Context, f.Path, filepath.FromSlash(name), f.Most)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return b, nil
}
