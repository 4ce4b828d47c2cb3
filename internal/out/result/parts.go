package result

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"railyard/internal/base/output"
)

// unfinished marks a file that is being written.
const unfinished = ".part"

// tableName returns the file of a finished table.
func tableName(table string) string { return table + ".parquet" }

// partName returns the file of part n, from 1. Four digits, so that the names of
// up to 9999 parts sort in the order of their rows.
func partName(table string, n int) string { return fmt.Sprintf("%s.%04d.parquet", table, n) }

// partsOf lists the files that hold the rows of a table, in order: the finished
// table, or else its closed parts. None: nothing of the table can be read.
func partsOf(dir, table string) []string {
	path := filepath.Join(dir, tableName(table))
	if _, err := os.Stat(path); err == nil {
		return []string{path}
	}
	var parts []string
	for {
		path := filepath.Join(dir, partName(table, len(parts)+1))
		if _, err := os.Stat(path); err != nil {
			return parts
		}
		parts = append(parts, path)
	}
}

// join makes one file of the closed parts. They go away when that file has its
// name, so at each instant either they or it hold all rows.
func (t *Table[R]) join() error {
	path := t.finished()
	parts := make([]string, t.closed)
	for i := range parts {
		parts[i] = partName(t.name, i+1)
	}
	if len(parts) == 1 {
		return t.dir.Rename(parts[0], path)
	}
	if err := t.joinTo(path+unfinished, parts); err != nil {
		_ = t.dir.Remove(path + unfinished)
		return err
	}
	if err := t.dir.Rename(path+unfinished, path); err != nil {
		return err
	}
	for _, p := range parts {
		if err := t.dir.Remove(p); err != nil {
			return err
		}
	}
	return nil
}

// joinTo writes the row groups of parts into one file: their compressed bytes as they are, without
// decoding.
func (t *Table[R]) joinTo(path string, parts []string) error {
	f, err := t.dir.New(path)
	if err != nil {
		return err
	}
	w := newWriter[R](f)
	for _, p := range parts {
		if err = copyGroups(w, t.dir, p); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Close()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// copyGroups appends the row groups of a part.
func copyGroups[R any](w *parquet.GenericWriter[R], dir *output.Folder, name string) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	pf, err := openParquet(f)
	if err != nil {
		return err
	}
	for _, g := range pf.RowGroups() {
		if _, err := w.WriteRowGroup(g); err != nil {
			return err
		}
	}
	return nil
}

func openParquet(f *os.File) (*parquet.File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parquet.OpenFile(f, st.Size())
}
