package result

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// RowGroupRows is how many rows a table gathers before it writes them out.
const RowGroupRows = 1 << 16

// batchRows is how many rows Add gathers before it hands them to the encoder.
const batchRows = 512

// partSuffix marks a table that is not closed.
const partSuffix = ".part"

// Table writes the rows of one table in the order in which they are added. A nil
// table takes rows and drops them, so that a run without a directory needs no
// branches. Not for concurrent use.
type Table[R any] struct {
	path  string // of the finished table
	file  *os.File
	w     *parquet.GenericWriter[R]
	batch []R
	rows  int64
	err   error // the first one; everything after it is dropped
}

// createTable opens NAME.parquet.part in dir. A failure is kept for Err and close.
func createTable[R any](dir, name string) *Table[R] {
	t := &Table[R]{path: filepath.Join(dir, name+".parquet"), batch: make([]R, 0, batchRows)}
	f, err := os.OpenFile(t.path+partSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		t.err = fmt.Errorf("table %s: %w", name, plain(err))
		return t
	}
	t.file = f
	t.w = parquet.NewGenericWriter[R](f,
		parquet.MaxRowsPerRowGroup(RowGroupRows),
		parquet.PageBufferSize(64<<10),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("railyard", Version, ""),
		parquet.KeyValueMetadata("railyard.format_version", strconv.Itoa(FormatVersion)))
	return t
}

// Add appends one row. It is cheap: rows are copied and encoded in batches. An
// error, such as a full disk, is reported by Dir.Err and Dir.Finish.
func (t *Table[R]) Add(row R) {
	if t == nil || t.err != nil {
		return
	}
	t.rows++
	t.batch = append(t.batch, row)
	if len(t.batch) == batchRows {
		t.flush()
	}
}

// Rows returns how many rows were added.
func (t *Table[R]) Rows() int64 {
	if t == nil {
		return 0
	}
	return t.rows
}

func (t *Table[R]) flush() {
	if _, err := t.w.Write(t.batch); err != nil {
		t.fail(err)
	}
	t.batch = t.batch[:0]
}

func (t *Table[R]) fail(err error) {
	if t.err == nil {
		t.err = fmt.Errorf("table %s: %w", t.path, plain(err))
	}
}

func (t *Table[R]) firstErr() error { return t.err }

// close writes what is left, ends the file and gives it its name. After an error
// the file keeps the name of an unfinished one.
func (t *Table[R]) close() error {
	if t.file == nil {
		return t.err
	}
	if t.err == nil {
		t.flush()
	}
	if t.err == nil {
		if err := t.w.Close(); err != nil {
			t.fail(err)
		}
	}
	if err := t.file.Close(); err != nil {
		t.fail(err)
	}
	t.file = nil
	if t.err == nil {
		if err := os.Rename(t.path+partSuffix, t.path); err != nil {
			t.fail(err)
		}
	}
	return t.err
}
