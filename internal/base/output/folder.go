package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A Folder is an open directory. What is made, replaced or removed below it is so through the
// directory itself, not its path. Not for concurrent use, but for Write.
type Folder struct {
	root *os.Root
	path string   // as the user knows it
	lock *os.File // nil: not held
}

// Open opens a folder that is there. A link to one that the user names is followed.
func Open(dir string) (*Folder, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() { // to open a named pipe may take for ever
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, path: dir}, nil
}

// Make is Open for a folder that may be missing, as may those above it.
func Make(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return Open(dir)
}

// Next makes root/NAME-N for the smallest free N from 1 and returns its path, or that of what could
// not be made. Two that start together get two folders.
func Next(root, name string) (dir string, err error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return root, err
	}
	for n := 1; ; n++ {
		dir := filepath.Join(root, fmt.Sprintf("%s-%d", name, n))
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// Prune removes a folder that is empty, and nothing else.
func Prune(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		os.Remove(dir)
	}
}

// Path is where the folder lay when it was opened.
func (f *Folder) Path() string { return f.path }

// Close lets go of the folder, and of its lock.
func (f *Folder) Close() error {
	f.release()
	return f.root.Close()
}

// Below opens a folder below this one, whose name may have several parts, and makes what of it is
// missing. None of the parts may be a link.
func (f *Folder) Below(name string) (*Folder, error) {
	at := &Folder{root: f.root, path: f.path}
	for part := range strings.SplitSeq(path.Clean(filepath.ToSlash(name)), "/") {
		next, err := at.below(part)
		if at.root != f.root {
			at.root.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// In works in a folder below another, which it makes if it is missing.
func (f *Folder) In(name string, work func(*Folder) error) error {
	in, err := f.Below(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return work(in)
}

func (f *Folder) below(part string) (*Folder, error) {
	if part == "." || part == ".." {
		return nil, fmt.Errorf("%s: want the name of a folder", part)
	}
	if err := f.root.Mkdir(part, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	at := filepath.Join(f.path, part)
	want, err := f.root.Lstat(part)
	if err != nil {
		return nil, err
	}
	if !want.IsDir() {
		return nil, fmt.Errorf("%s is %s, want a folder", at, Kind(want.Mode()))
	}
	root, err := f.root.OpenRoot(part)
	if err != nil {
		return nil, err
	}
	// Should a link have taken its place meanwhile, another folder of this one was opened.
	if is, err := root.Stat("."); err != nil || !os.SameFile(is, want) {
		root.Close()
		return nil, errors.Join(err, fmt.Errorf("%s was replaced while it was opened", at))
	}
	return &Folder{root: root, path: at}, nil
}

// Kind names what is no regular file.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m.IsRegular():
		return "a file"
	}
	return "no file"
}

// Has reports whether a name is taken, be it by a link that leads nowhere.
func (f *Folder) Has(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// Names lists what the folder holds, without what this package itself has there.
func (f *Folder) Names() ([]string, error) {
	names, err := f.all()
	return slices.DeleteFunc(names, Ours), err
}

func (f *Folder) all() ([]string, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// New makes a file under its own name, which must be free. It is for files that grow while others
// read them.
func (f *Folder) New(name string) (*os.File, error) {
	return f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Open opens a file of this folder's to be read again. It is no link.
func (f *Folder) Open(name string) (*os.File, error) { return f.plain(name, os.O_RDONLY) }

// plain opens a regular file that is there and no link.
func (f *Folder) plain(name string, flag int) (*os.File, error) {
	want, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %s, want a file", filepath.Join(f.path, name), Kind(want.Mode()))
	}
	file, err := f.root.OpenFile(name, flag|noWait, 0)
	if err != nil {
		return nil, err
	}
	if is, err := file.Stat(); err != nil || !os.SameFile(is, want) {
		file.Close()
		return nil, errors.Join(err, fmt.Errorf("%s %w", filepath.Join(f.path, name), errReplaced))
	}
	return file, nil
}

var errReplaced = errors.New("was replaced while it was opened")

// Rename gives a file another name in the folder, and takes the place of what has it.
func (f *Folder) Rename(from, to string) error { return f.root.Rename(from, to) }

// Remove removes a file, a link or an empty folder.
func (f *Folder) Remove(name string) error { return f.root.Remove(name) }

// Sync puts the folder's names on the disk, where the file system can.
func (f *Folder) Sync() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return Flush(d)
}

// Flush puts a file or a folder on the disk, where the file system can.
func Flush(file *os.File) error {
	err := file.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	return err
}

// prefix begins the names that this package gives: no file of ours or a user's has it.
const prefix = ".railyard-"

// Ours reports whether a name is that of a lock, or of a file that is being written.
func Ours(name string) bool { return strings.HasPrefix(name, prefix) }

// A File is being written. It gets its name with Commit.
type File struct {
	*os.File
	folder     *Folder
	temp, name string
	whole      bool // the folder is the file's alone
}

// ClearUnfinished removes files that were begun and never got their name, as whoever wrote them was killed. The folder, or the one that
// it is of, is to be held: nobody writes there then.
func (f *Folder) ClearUnfinished() error {
	names, err := f.all()
	for _, name := range names {
		if Ours(name) && strings.HasSuffix(name, ".tmp") {
			err = errors.Join(err, f.Remove(name))
		}
	}
	return err
}

// Create begins a file.
func (f *Folder) Create(name string) (*File, error) {
	if there, err := f.root.Lstat(name); err == nil && !there.Mode().IsRegular() && there.Mode()&fs.ModeSymlink == 0 {
		return nil, fmt.Errorf("is %s, want a file or a free name", Kind(there.Mode()))
	}
	temp := prefix + rand.Text() + ".tmp"
	file, err := f.New(temp)
	if err != nil {
		return nil, err
	}
	return &File{File: file, folder: f, temp: temp, name: name}, nil
}

// Commit syncs the file and gives it its name; after an error nothing of it is left.
func (w *File) Commit() error {
	if w.folder == nil { // a stream
		return w.end()
	}
	err := Flush(w.File)
	if e := w.File.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = w.folder.Rename(w.temp, w.name)
	}
	if err != nil {
		w.folder.Remove(w.temp)
	}
	if w.whole {
		w.folder.Close()
	}
	return err
}

// Discard ends a file that is not to be.
func (w *File) Discard() {
	if w.folder == nil {
		w.end()
		return
	}
	w.File.Close()
	w.folder.Remove(w.temp)
	if w.whole {
		w.folder.Close()
	}
}

// Write writes a file, whole or not at all.
func (f *Folder) Write(name string, b []byte) error {
	return f.WriteBy(name, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// WriteBy is Write for a file that is written piece by piece.
func (f *Folder) WriteBy(name string, write func(io.Writer) error) error {
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	return w.by(write)
}

func (w *File) by(write func(io.Writer) error) error {
	if err := write(w.File); err != nil {
		w.Discard()
		return err
	}
	return w.Commit()
}
