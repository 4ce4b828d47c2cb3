package call

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// Held opens a folder to write into, and makes it if it is missing; another that wants it is told so until it is
// closed. what names it in an error.
func Held(what, dir string) (*output.Folder, error) {
	folder, _, err := output.Hold(dir)
	var busy *output.Busy
	switch {
	case errors.As(err, &busy):
		return nil, fmt.Errorf("%s: %w: want another folder, or to wait until it is through", what, err)
	case err != nil:
		return nil, fmt.Errorf("%s: cannot write there: %w", what, input.Cause(err))
	}
	return folder, nil
}

// FirstIn names what a folder holds, "" of one that is empty or not there.
func FirstIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if !output.Ours(e.Name()) {
			return e.Name(), err
		}
	}
	return "", err
}

// NewFolder is held for a folder that must be new or empty: what stands there would be mixed with what is written.
func NewFolder(dir string) (*output.Folder, error) {
	if err := emptyFolder(dir); err != nil {
		return nil, err
	}
	folder, err := Held("folder "+dir, dir)
	if err != nil {
		return nil, err
	}
	if err := emptyFolder(dir); err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

// WholeFolder fills a new folder, which is there whole or not at all. One that is there already and empty, such as the
// working directory, stays the folder that it is, and is filled file by file.
func WholeFolder(dir string, fill func(*output.Folder) error) error {
	if _, err := os.Lstat(dir); err == nil {
		folder, err := NewFolder(dir)
		if err != nil {
			return err
		}
		defer folder.Close()
		return fill(folder)
	}
	draft, err := output.Begin(filepath.Clean(dir))
	if err != nil {
		return err
	}
	if err := fill(draft.Folder); err != nil {
		draft.Discard()
		return err
	}
	if err := draft.Commit(); err != nil {
		draft.Discard()
		return fmt.Errorf("folder %s: %w", dir, err)
	}
	return nil
}

func emptyFolder(dir string) error {
	first, err := FirstIn(dir)
	if err != nil || first == "" {
		return err
	}
	return fmt.Errorf("folder %s: holds %s already, want a new or an empty folder", dir, first)
}
