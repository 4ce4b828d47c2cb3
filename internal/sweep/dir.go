package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/result"
)

// rowFormat changes when a row has other figures, or they mean something else: older rows are run again.
const rowFormat = 3

// Files of a sweep directory.
const (
	tableFile = "sweep.json" // marks the directory, and holds the table when the sweep is over
	rowFolder = "rows"
)

// Dir is a directory in which a sweep keeps its rows, a file for each, named by the row's key. A
// nil *Dir keeps nothing.
type Dir struct{ path string }

// OpenDir takes a directory for a sweep: a new or empty folder, or that of an earlier sweep, whose
// rows are then not run again.
func OpenDir(path string) (*Dir, error) {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sweep directory %s: %w", path, plain(err))
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(path, tableFile)); err != nil {
			return nil, fmt.Errorf("sweep directory %s: holds %s and no %s, want a new or an empty folder, or one "+
				"of an earlier sweep", path, entries[0].Name(), tableFile)
		}
	}
	d := &Dir{path}
	if err := os.MkdirAll(filepath.Join(path, rowFolder), 0o777); err != nil {
		return nil, d.unwritable(err)
	}
	if len(entries) == 0 {
		return d, d.write(tableFile, struct {
			State   result.State `json:"state"`
			Version string       `json:"version"`
		}{result.Running, result.Version})
	}
	return d, nil
}

// OpenRows is OpenDir for a folder that is no sweep's: somebody else says what it is, and keeps rows there.
func OpenRows(path string) (*Dir, error) {
	d := &Dir{path}
	if err := os.MkdirAll(filepath.Join(path, rowFolder), 0o777); err != nil {
		return nil, d.unwritable(err)
	}
	return d, nil
}

// Path returns where it lies, "" for nil.
func (d *Dir) Path() string {
	if d == nil {
		return ""
	}
	return d.path
}

// Discard removes a directory that holds no row. One with rows it leaves.
func (d *Dir) Discard() error {
	if d == nil {
		return nil
	}
	folder := filepath.Join(d.path, rowFolder)
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		return err
	}
	return errors.Join(os.Remove(folder), os.Remove(filepath.Join(d.path, tableFile)), os.Remove(d.path))
}

// Finish writes the table.
func (d *Dir) Finish(t *Table) error {
	if d == nil {
		return nil
	}
	return d.write(tableFile, t)
}

// find fills a row from an earlier sweep: one that came to its end. A file that is no such row is
// as good as none.
func (d *Dir) find(row *Row) bool {
	if d == nil {
		return false
	}
	b, err := os.ReadFile(d.rowPath(row.Key))
	if err != nil {
		return false
	}
	var old Row
	if json.Unmarshal(b, &old) != nil || old.Key != row.Key || old.State != result.Complete {
		return false
	}
	old.Set, old.Seed = row.Set, row.Seed
	*row = old
	return true
}

// keep writes a row.
func (d *Dir) keep(row *Row) error {
	if d == nil {
		return nil
	}
	return d.write(filepath.Join(rowFolder, row.Key+".json"), row)
}

func (d *Dir) rowPath(key string) string { return filepath.Join(d.path, rowFolder, key+".json") }

func (d *Dir) write(name string, v any) error {
	if err := result.WriteJSON(filepath.Join(d.path, name), v); err != nil {
		return d.unwritable(err)
	}
	return nil
}

func (d *Dir) unwritable(err error) error {
	return fmt.Errorf("sweep directory %s: cannot write there: %w", d.path, plain(err))
}

// plain drops operation and path of a file error: the caller names the thing.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
