package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// rowFormat changes when a row has other figures, or they mean something else: older rows are run again.
const rowFormat = 5

// maxRow bounds rows/KEY.json: a row has some hundred bytes, and a thousand for each key that a sweep sets.
const maxRow = 1 << 20

// Files of a sweep directory.
const (
	tableFile = "sweep.json" // marks the directory, and holds the table when the sweep is over
	rowFolder = "rows"
	wideFile  = "sweep.parquet"
	costFile  = "costs.parquet"
)

// Dir is a directory in which a sweep keeps its rows, a file for each, named by the row's key. A
// nil *Dir keeps nothing.
type Dir struct {
	path         string
	folder, rows *output.Folder // held until Close; where it lies below one that is held, only open
}

// OpenDir takes a directory for a sweep: a new or empty folder, or that of an earlier sweep, whose
// rows are then not run again. Until Close, Finish or Discard nobody else may write there.
func OpenDir(path string) (*Dir, error) {
	if _, err := vacant(path); err != nil { // before anything is made there
		return nil, err
	}
	var err error
	d := &Dir{path: path}
	if d.folder, _, err = output.Hold(path); err != nil {
		return nil, d.unwritable(err)
	}
	fresh := false
	// What marks the folder comes first: one that is killed behind it is a sweep's.
	if fresh, err = vacant(path); err == nil && fresh {
		err = d.write(d.folder, tableFile, struct {
			State   result.State `json:"state"`
			Version string       `json:"version"`
		}{result.Running, result.Version})
	}
	if err == nil {
		if d.rows, err = d.folder.Below(rowFolder); err == nil {
			err = errors.Join(d.folder.ClearUnfinished(), d.rows.ClearUnfinished())
		}
		if err != nil {
			err = d.unwritable(err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// vacant reports whether a folder is new or empty, and refuses one that is neither that nor a sweep's.
func vacant(path string) (fresh bool, err error) {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("sweep directory %s: %w", path, input.Cause(err))
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return output.Ours(e.Name()) })
	if len(entries) > 0 && !IsDir(path) {
		return false, fmt.Errorf("sweep directory %s: holds %s and no %s, want a new or an empty folder, or one "+
			"of an earlier sweep", path, entries[0].Name(), tableFile)
	}
	return len(entries) == 0, nil
}

// OpenRows is OpenDir for a folder below one that somebody else holds: who says what it is, and keeps rows there.
func OpenRows(within *output.Folder, name string) (*Dir, error) {
	d := &Dir{path: filepath.Join(within.Path(), name)}
	var err error
	if d.folder, err = within.Below(name); err == nil {
		d.rows, err = d.folder.Below(rowFolder)
	}
	if err != nil {
		return nil, errors.Join(d.unwritable(err), d.Close())
	}
	return d, nil
}

// Close lets go of the directory.
func (d *Dir) Close() error {
	if d == nil {
		return nil
	}
	for _, f := range []*output.Folder{d.rows, d.folder} {
		if f != nil {
			f.Close() //nolint:errcheck // nothing is left to be written
		}
	}
	d.rows, d.folder = nil, nil
	return nil
}

// Path returns where it lies, "" for nil.
func (d *Dir) Path() string {
	if d == nil {
		return ""
	}
	return d.path
}

// Below opens a folder below the directory, and makes it where it is missing. No link is followed.
func (d *Dir) Below(name string) (*output.Folder, error) {
	f, err := d.folder.Below(name)
	if err != nil {
		return nil, d.unwritable(err)
	}
	return f, nil
}

// Discard removes a directory that holds no row. One with rows it leaves.
func (d *Dir) Discard() error {
	if d == nil {
		return nil
	}
	defer d.Close()
	if names, err := d.rows.Names(); err != nil || len(names) > 0 {
		return err
	}
	err := d.folder.Remove(rowFolder)
	for _, name := range []string{tableFile, wideFile, costFile} {
		if d.folder.Has(name) {
			err = errors.Join(err, d.folder.Remove(name))
		}
	}
	if err != nil {
		return err
	}
	d.Close()
	output.Prune(d.path)
	return nil
}

// Finish writes the table, with all figures as Parquet and without them as JSON, and what rows cost, and lets go of the
// directory.
func (d *Dir) Finish(t *Table) error {
	if d == nil {
		return nil
	}
	defer d.Close()
	if err := errors.Join(t.writeColumns(d.folder), t.writeCosts(d.folder)); err != nil {
		return d.unwritable(err)
	}
	short := *t
	short.Rows = slices.Clone(t.Rows)
	for i := range short.Rows {
		short.Rows[i].Figures = nil
	}
	return d.write(d.folder, tableFile, &short)
}

// find fills a row from an earlier sweep: one that came to its end. A file that is no such row is
// as good as none.
func (d *Dir) find(ctx context.Context, row *Row) bool {
	if d == nil {
		return false
	}
	b, err := input.ReadIn(ctx, d.path, filepath.Join(rowFolder, row.Key+".json"), maxRow)
	if err != nil {
		return false
	}
	var old KeptRow
	if json.Unmarshal(b, &old) != nil || old.Key != row.Key || old.State != result.Complete || old.Digest != old.digest() {
		return false
	}
	old.Digest = ""
	old.Set, old.Seed = row.Set, row.Seed
	*row, row.Cost = old.Row, old.Cost
	return true
}

// keep writes a row.
func (d *Dir) keep(row *Row) error {
	if d == nil {
		return nil
	}
	return d.write(d.rows, row.Key+".json", row.Sealed())
}

// A KeptRow is a row as its file has it.
type KeptRow struct {
	Row
	Cost
}

// Sealed is a row as its file has it: with the digest without which it is not believed.
func (r *Row) Sealed() *KeptRow {
	kept := &KeptRow{*r, r.Cost}
	kept.Digest = kept.digest()
	return kept
}

// digest is that of a row without its own.
func (r *KeptRow) digest() string {
	bare := *r
	bare.Digest = ""
	text, err := json.Marshal(&bare)
	if err != nil {
		return "" // no row has a figure that is no number
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (d *Dir) write(folder *output.Folder, name string, v any) error {
	if err := result.WriteJSON(folder, name, v); err != nil {
		return d.unwritable(err)
	}
	return nil
}

func (d *Dir) unwritable(err error) error {
	var busy *output.Busy
	if errors.As(err, &busy) {
		return fmt.Errorf("sweep directory %s: %w: want another, or to wait until it is through", d.path, err)
	}
	return fmt.Errorf("sweep directory %s: cannot write there: %w", d.path, input.Cause(err))
}

// diskOf is what a row takes: a file of its own, in blocks of 4 KiB as file systems have them, and its lines in the tables. A
// row has a thousand bytes and some for each key that was set.
func diskOf(set []Value) unit.Bytes {
	const block, bare, tables = 4 * unit.Kibibyte, 1000, 900
	keys := unit.Bytes(0)
	for _, v := range set {
		keys += unit.Bytes(len(v.Path) + len(v.Text) + 50)
	}
	return (bare+keys+block-1)/block*block + tables + keys
}
