package result

import (
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// RowGroupRows is how many rows a table gathers before it writes them out: the
// rows of a row group of the finished table, and of a part of a growing one.
const RowGroupRows = 1 << 16

// batchRows is how many rows Add gathers before it hands them to the encoder.
const batchRows = 512

// earlyRows is how many rows of the first row group a table holds that no closed part has.
const earlyRows = 1 << 13

// Table writes the rows of one table in the order in which they are added. A nil
// table takes rows and drops them, so that a run without a directory needs no
// branches. Not for concurrent use.
//
//	Add ... 65536 rows   flows.0001.parquet.part -> flows.0001.parquet
//	Add ... 65536 rows   flows.0002.parquet.part -> flows.0002.parquet
//	Add ... 100 rows     flows.0003.parquet.part
//	close                flows.0003.parquet, then all three -> flows.parquet
//
// Rows of the first row group are there before it is full, in early parts that take its place until
// then. They are written beside it, once more, so that nothing is read back.
//
//	Add ... 1000 rows    flows.0001.parquet.part grows
//	keep                 flows.0001.parquet: the 1000 rows
//	Add ... 300, keep    flows.0002.parquet: the 300 rows
//	Add ... 65536 rows   flows.0002.parquet goes, flows.0001.parquet.part -> flows.0001.parquet
//
// Invariant: the closed parts hold a prefix of the rows, in order.
type Table[R any] struct {
	dir    *output.Folder
	name   string
	group  int      // rows of a full part: RowGroupRows, but in tests
	file   *os.File // of the part that is open; nil: none is
	part   string   // its name
	w      *parquet.GenericWriter[R]
	batch  []R
	early  []R // rows of the first row group that no closed part holds
	small  *parquet.GenericWriter[R]
	rows   int64
	closed int   // parts; while the first row group is open, early ones
	err    error // the first one
	stop   *bool // of the directory: a table has failed, no table takes more rows
}

// A closer is a table, whatever its rows.
type closer interface {
	close()
	keep()
	forget()
	Rows() int64
	firstErr() (table string, err error)
	finished() string
	measure() (TableFile, error)
}

// compression is one for all tables: an encoder holds 16 MB, and what it writes depends on nothing
// that it has seen before.
var compression = &zstd.Codec{Level: zstd.SpeedDefault}

// createTable opens the first part in dir. A failure is kept for Err and close.
func createTable[R any](dir *output.Folder, name string, group int, stop *bool) *Table[R] {
	t := &Table[R]{dir: dir, name: name, group: group, stop: stop, batch: make([]R, 0, batchRows)}
	t.openPart()
	return t
}

// newWriter returns an encoder: one place, so that all parts have the same bytes. Large pages
// and the codec's default level halve a table of flows, and take no more time than small ones.
func newWriter[R any](w io.Writer) *parquet.GenericWriter[R] {
	return parquet.NewGenericWriter[R](w, writing()...)
}

// writing is how tables are encoded.
func writing() []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(RowGroupRows),
		parquet.PageBufferSize(256 << 10),
		parquet.Compression(compression),
		parquet.CreatedBy("railyard", Version, ""),
		parquet.KeyValueMetadata("railyard.format_version", strconv.Itoa(FormatVersion)),
	}
}

// newSmallWriter returns an encoder of early parts, which seldom outlive the run: what takes little
// time and memory.
func newSmallWriter[R any](w io.Writer) *parquet.GenericWriter[R] {
	return parquet.NewGenericWriter[R](w, parquet.PageBufferSize(16<<10),
		parquet.CreatedBy("railyard", Version, ""),
		parquet.KeyValueMetadata("railyard.format_version", strconv.Itoa(FormatVersion)))
}

// Add appends one row. It is cheap: rows are copied and encoded in batches. An
// error, such as a full disk, is reported by Dir.Err and Dir.Finish.
func (t *Table[R]) Add(row R) {
	if t == nil || *t.stop {
		return
	}
	t.rows++
	t.batch = append(t.batch, row)
	if t.rows < int64(t.group) {
		if t.early = append(t.early, row); len(t.early) == earlyRows {
			t.keep()
		}
	}
	if len(t.batch) == batchRows || t.full() {
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

// full reports whether the rows fill row groups, and so the open part ends here.
func (t *Table[R]) full() bool { return t.rows%int64(t.group) == 0 }

// flush encodes the rows that were gathered, and closes the part if it is full.
func (t *Table[R]) flush() {
	if len(t.batch) == 0 {
		return
	}
	if t.file == nil {
		t.openPart()
	}
	if t.err == nil {
		if _, err := t.w.Write(t.batch); err != nil {
			t.fail(err)
		}
	}
	clear(t.batch) // nil the pointers
	t.batch = t.batch[:0]
	if t.err == nil && t.full() {
		t.closePart()
	}
}

// keep writes the rows of the first row group that no closed part holds to an early part: they
// outlive the process from then on. Past the first row group parts close when they are full.
func (t *Table[R]) keep() {
	if t.err != nil || len(t.early) == 0 {
		return
	}
	path := partName(t.name, t.closed+1)
	if err := t.writeEarly(path); err != nil {
		t.fail(err)
		return
	}
	t.closed++
	clear(t.early)
	t.early = t.early[:0]
}

func (t *Table[R]) writeEarly(path string) error {
	temp := path + ".early" + unfinished // beside the part of the same number
	f, err := t.dir.New(temp)
	if err != nil {
		return err
	}
	if t.small == nil {
		t.small = newSmallWriter[R](f)
	} else {
		t.small.Reset(f)
	}
	if _, err = t.small.Write(t.early); err == nil {
		err = t.small.Close()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = t.dir.Rename(temp, path)
	}
	if err != nil {
		_ = t.dir.Remove(temp)
	}
	return err
}

func (t *Table[R]) openPart() {
	part := partName(t.name, t.closed+1) + unfinished // none is early here
	f, err := t.dir.New(part)
	if err != nil {
		t.fail(err)
		return
	}
	t.file, t.part = f, part
	if t.w == nil {
		t.w = newWriter[R](f)
	} else {
		t.w.Reset(f)
	}
}

// closePart ends the open part's file and gives it its number. The first row group takes the place
// of its early parts, the last of which goes first: at each instant the parts hold a prefix.
func (t *Table[R]) closePart() {
	if err := t.w.Close(); err != nil {
		t.fail(err)
		return
	}
	f := t.file
	t.file = nil
	err := f.Close()
	if t.rows <= int64(t.group) {
		t.early, t.small = nil, nil
		for ; t.closed > 1 && err == nil; t.closed-- {
			err = t.dir.Remove(partName(t.name, t.closed))
		}
		t.closed = 0
	}
	if err == nil {
		err = t.dir.Rename(t.part, partName(t.name, t.closed+1))
	}
	if err != nil {
		_ = t.dir.Remove(t.part)
		t.fail(err)
		return
	}
	t.closed++
}

// fail keeps the first error, stops all tables, and removes the part that nobody
// can read: on a full disk its place is needed for what the other tables hold and
// for run.json, which is to say what happened.
func (t *Table[R]) fail(err error) {
	*t.stop = true
	if t.err == nil {
		t.err = input.Cause(err)
	}
	if t.file != nil {
		t.file.Close()
		_ = t.dir.Remove(t.part)
		t.file = nil
	}
}

// firstErr returns the table's name, and the error if there was one.
func (t *Table[R]) firstErr() (string, error) { return t.name, t.err }

// finished returns the name that the table gets when it is closed.
func (t *Table[R]) finished() string { return tableName(t.name) }

// measure measures the finished table.
func (t *Table[R]) measure() (TableFile, error) {
	f, err := measured(t.dir.Open(t.finished()))
	f.Name, f.Rows = t.name, t.rows
	return f, err
}

// close writes what is left and makes one file of the parts. After an error, of
// whatever table, parts stay parts: joining them takes the space of both.
func (t *Table[R]) close() {
	if t.err == nil {
		t.flush()
	}
	if t.err == nil && t.file != nil {
		t.closePart()
	}
	t.w = nil // its memory is for the joiner's
	if t.err == nil && (t.closed == 1 || !*t.stop) {
		if err := t.join(); err != nil {
			t.fail(err)
		}
	}
}
