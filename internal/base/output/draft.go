package output

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Draft is a folder that is being filled. It gets its name with Commit, whole.
type Draft struct {
	*Folder
	parent    *os.Root
	temp, dir string
	above     []string // folders that were made for it, deepest first
}

// Begin begins a folder beside the name that it is to have, which must be free, or an empty folder's, when it is
// committed. Folders above it that are missing are made.
func Begin(dir string) (*Draft, error) {
	d := &Draft{dir: filepath.Base(dir), temp: prefix + rand.Text() + ".new"}
	parent := filepath.Dir(dir)
	for at := parent; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		d.above = append(d.above, at)
	}
	err := os.MkdirAll(parent, 0o777)
	if err == nil {
		d.parent, err = os.OpenRoot(parent)
	}
	if err == nil {
		err = d.parent.Mkdir(d.temp, 0o777)
	}
	var root *os.Root
	if err == nil {
		root, err = d.parent.OpenRoot(d.temp)
	}
	if err != nil {
		d.undo()
		return nil, err
	}
	d.Folder = &Folder{root: root, path: filepath.Join(parent, d.temp)}
	return d, nil
}

// Commit gives the folder its name. After an error it is still to be discarded.
func (d *Draft) Commit() error {
	if err := d.Sync(); err != nil {
		return err
	}
	// Of an empty folder the name is free. Anything else stays, and then the name is taken.
	if is, err := d.parent.Lstat(d.dir); err == nil && is.IsDir() {
		d.parent.Remove(d.dir)
	}
	if err := d.parent.Rename(d.temp, d.dir); err != nil {
		return err
	}
	d.Folder.Close()
	return d.parent.Close()
}

// Discard removes the folder with all that is in it, and those that were made above it, if nobody has put anything in.
func (d *Draft) Discard() {
	d.Folder.Close()
	d.undo()
}

func (d *Draft) undo() {
	if d.parent != nil {
		d.parent.RemoveAll(d.temp)
		d.parent.Close()
	}
	for _, at := range d.above {
		Prune(at)
	}
}
