package output

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Streams are the names under which a user may have written into what is open already, or into nothing: they are
// written directly.
const Streams = "/dev/stdout, /dev/stderr, /dev/null, /dev/fd/N"

// stream opens one of Streams; nil if the name is none.
func stream(name string) (*os.File, error) {
	if !filepath.IsAbs(name) {
		return nil, nil
	}
	switch name = filepath.Clean(name); {
	case name == "/dev/stdout":
		return os.Stdout, nil
	case name == "/dev/stderr":
		return os.Stderr, nil
	case name == os.DevNull, strings.HasPrefix(name, "/dev/fd/"), strings.HasPrefix(name, "/proc/self/fd/"):
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	return nil, nil
}

// end closes a stream, unless it is the whole program's.
func (w *File) end() error {
	if w.File == os.Stdout || w.File == os.Stderr {
		return nil
	}
	return w.File.Close()
}

// Create begins a file that the user names. What stands there is replaced by Commit, be it a link.
func Create(name string) (*File, error) {
	if s, err := stream(name); s != nil || err != nil {
		return &File{File: s}, err
	}
	folder, err := Open(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	w, err := folder.Create(filepath.Base(name))
	if err != nil {
		folder.Close()
		return nil, err
	}
	w.whole = true
	return w, nil
}

// Write writes a file that the user names, whole or not at all.
func Write(name string, b []byte) error {
	return WriteBy(name, func(w io.Writer) error { _, err := w.Write(b); return err })
}

// WriteSecret is Write for what its owner alone may read.
func WriteSecret(name string, b []byte) error {
	w, err := Create(name)
	if err != nil {
		return err
	}
	return w.by(func(to io.Writer) error {
		if err := w.Chmod(0o600); err != nil {
			return err
		}
		_, err := to.Write(b)
		return err
	})
}

// WriteBy is Write for a file that is written piece by piece.
func WriteBy(name string, write func(io.Writer) error) error {
	w, err := Create(name)
	if err != nil {
		return err
	}
	return w.by(write)
}
