package result

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
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
		parts[i] = filepath.Join(t.dir, partName(t.name, i+1))
	}
	if len(parts) == 1 {
		return os.Rename(parts[0], path)
	}
	if err := t.joinTo(path+unfinished, parts); err != nil {
		os.Remove(path + unfinished)
		return err
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return err
	}
	for _, p := range parts {
		if err := os.Remove(p); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table[R]) joinTo(path string, parts []string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	j := joiner[R]{file: f, group: t.group}
	for i, p := range parts {
		if err = j.add(p, i == len(parts)-1); err != nil {
			break
		}
	}
	if err == nil {
		err = j.end()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// A joiner writes the rows of parts into one file in row groups of group rows,
// whatever the sizes of the parts: those depend on all tables together, and the file
// must not. Full parts are copied as they are, without decoding; from the first
// one on that is not full, rows are encoded again.
type joiner[R any] struct {
	file  *os.File
	group int
	w     *parquet.GenericWriter[R] // of file; nil: no row group yet

	again   bytes.Buffer // a part in memory
	encoder *parquet.GenericWriter[R]
	batch   []R // rows that it is still to be given
	pending int // rows in it and in the batch
}

// add takes the rows of one part.
func (j *joiner[R]) add(path string, last bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	pf, err := openParquet(f)
	if err != nil {
		return err
	}
	if err := j.copyFull(); err != nil {
		return err
	}
	if groups := pf.RowGroups(); j.pending == 0 && len(groups) == 1 &&
		(pf.NumRows() == int64(j.group) || last && j.w != nil) {
		return j.copy(groups[0])
	}
	r := parquet.NewGenericReader[R](pf)
	defer r.Close()
	for read := int64(0); read < pf.NumRows(); {
		if err := j.copyFull(); err != nil {
			return err
		}
		n, err := r.Read(j.room())
		read += int64(n)
		if e := j.take(n); e != nil {
			return e
		}
		if err != nil && err != io.EOF || n == 0 {
			return fmt.Errorf("%s: row %d of %d: %w", filepath.Base(path), read, pf.NumRows(),
				cmp.Or(err, io.ErrNoProgress))
		}
	}
	return nil
}

// room is where the next rows go: up to a whole batch, or to the end of the row group.
func (j *joiner[R]) room() []R {
	if j.batch == nil {
		j.batch = make([]R, 0, batchRows)
	}
	free := j.batch[len(j.batch):min(batchRows, len(j.batch)+j.group-j.pending)]
	clear(free)
	return free
}

// take adds n rows that lie in the room, and encodes the batch if it is whole: in the same batches
// in which a table writes them, because where a page ends depends on those.
func (j *joiner[R]) take(n int) error {
	j.batch = j.batch[:len(j.batch)+n]
	j.pending += n
	if len(j.batch) < batchRows && j.pending < j.group {
		return nil
	}
	return j.encode()
}

// encode encodes the batch.
func (j *joiner[R]) encode() error {
	if len(j.batch) == 0 {
		return nil
	}
	if j.pending == len(j.batch) { // the first of the row group
		j.again.Reset()
		if j.encoder == nil {
			j.encoder = newWriter[R](&j.again)
		} else {
			j.encoder.Reset(&j.again)
		}
	}
	_, err := j.encoder.Write(j.batch)
	j.batch = j.batch[:0]
	return err
}

// copyFull copies the part in memory if it is full. It is called when more rows
// may come: a table of just one full row group is end's.
func (j *joiner[R]) copyFull() error {
	if j.pending < j.group {
		return nil
	}
	if err := j.encoder.Close(); err != nil {
		return err
	}
	return j.copyPending()
}

func (j *joiner[R]) copyPending() error {
	j.pending = 0
	pf, err := parquet.OpenFile(bytes.NewReader(j.again.Bytes()), int64(j.again.Len()))
	if err != nil {
		return err
	}
	return j.copy(pf.RowGroups()[0])
}

// copy appends a row group, its compressed bytes as they are.
func (j *joiner[R]) copy(g parquet.RowGroup) error {
	if j.w == nil {
		j.w = newWriter[R](j.file)
	}
	_, err := j.w.WriteRowGroup(g)
	return err
}

// end writes what is left and the footer. Rows that fill no more than one row
// group are written as the part in memory stands: as a run would have written
// them that never closed a part early.
func (j *joiner[R]) end() error {
	if j.pending > 0 {
		if err := j.encode(); err != nil {
			return err
		}
		if err := j.encoder.Close(); err != nil {
			return err
		}
		if j.w == nil {
			_, err := j.file.Write(j.again.Bytes())
			return err
		}
		if err := j.copyPending(); err != nil {
			return err
		}
	}
	return j.w.Close()
}

func openParquet(f *os.File) (*parquet.File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parquet.OpenFile(f, st.Size())
}
