package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"railyard/internal/input"
	"railyard/internal/shown"
)

const runFile = "run.json"

// reserveFile keeps room on the disk for the last run.json, so that a full disk does not
// leave a run that cannot say why it ended.
const (
	reserveFile = "reserve" + unfinished
	reserveSize = 64 << 10 // more than what a run adds to run.json, but for very many flows
)

// Dir is a run directory that is being written. A nil *Dir is a run that leaves
// nothing: its tables are nil, its methods do nothing. Not for concurrent use.
type Dir struct {
	path    string
	begun   bool
	summary *Summary // as given to Begin

	steps      *Table[StepRow]
	operations *Table[OperationRow]
	flows      *Table[FlowRow]
	links      *Table[LinkRow]
	queues     *Table[QueueRow]
	paths      *Table[PathRow]
	hops       *Table[HopRow]
	losses     *Table[LossRow]
	shares     *Table[ShareRow]
	events     *Table[EventRow]
	series     *Table[SeriesRow]
	gradients  *Table[GradientRow]
	open       []closer // in order of opening

	group  int   // rows of a part; RowGroupRows, but in tests
	keepAt int64 // rows of all tables together at which Keep closes parts
	stop   bool  // a table has failed

	weights error    // the first of writing weights
	capture *capture // nil: there is none
}

// A closer is a table, whatever its rows.
type closer interface {
	close()
	keep()
	Rows() int64
	firstErr() (table string, err error)
	finished() string
	measure() (TableFile, error)
}

// When Keep closes parts, in rows of all tables together: so that tables that grow slowly, such as
// steps, are kept along with the others. The interval grows with the rows, and so the number of
// parts only with their logarithm; its bound keeps a long run from losing more than it took minutes
// to make.
const (
	keepLeast = 1 << 10
	keepShare = 4 // one row for so many that there are
	keepMost  = 1 << 20
)

// NextDir makes root/NAME-N for the smallest free N from 1 and returns its path.
// Two runs that start together get two directories.
func NextDir(root, name string) (string, error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", unwritable(root, err)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(root, fmt.Sprintf("%s-%d", name, n))
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", unwritable(dir, err)
		}
	}
}

// Create starts a run directory at path, which must not exist or be an empty
// folder, and marks it as a run that has begun and not ended.
func Create(path string) (*Dir, error) {
	entries, err := os.ReadDir(path)
	switch {
	case err == nil && busy(path, entries):
		return nil, taken(path)
	case err == nil && len(entries) > 0:
		return nil, fmt.Errorf("run directory %s: holds %s already, want a new or an empty folder",
			path, entries[0].Name())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, unwritable(path, err)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, unwritable(path, err)
	}
	fresh := err != nil
	d := &Dir{path: path, group: RowGroupRows, keepAt: keepLeast}
	if err := d.claim(); err != nil {
		if fresh {
			os.Remove(path)
		}
		if errors.Is(err, fs.ErrExist) {
			return nil, taken(path)
		}
		return nil, unwritable(path, err)
	}
	return d, nil
}

// busy reports whether a run is writing to the folder that holds entries, or was killed as it did.
func busy(path string, entries []fs.DirEntry) bool {
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasPrefix(e.Name(), runFile+".") && strings.HasSuffix(e.Name(), ".tmp")
	}) {
		return true
	}
	r, err := OpenIncomplete(path)
	return err == nil && r.Summary.State == Running
}

func taken(path string) error {
	return fmt.Errorf("run directory %s: another run is writing there, or was killed as it did: "+
		"want a new or an empty folder", path)
}

// link is os.Link; tests have a file system without links.
var link = os.Link

// claim writes the first run.json. Of two runs that find the folder empty at once
// only one can give its file that name.
func (d *Dir) claim() error {
	b, err := Marshal(&Summary{State: Running, Version: Version, FormatVersion: FormatVersion})
	if err != nil {
		return err
	}
	path := filepath.Join(d.path, runFile)
	f, err := os.CreateTemp(d.path, runFile+".*.tmp")
	if err != nil {
		return err
	}
	f.Close()
	defer os.Remove(f.Name())
	if err := writeSynced(f.Name(), b); err != nil {
		return err
	}
	err = link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	own, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	own.Close()
	if err = os.Rename(f.Name(), path); err != nil {
		os.Remove(path)
	}
	return err
}

// Path returns where the directory is; "" for a nil Dir.
func (d *Dir) Path() string {
	if d == nil {
		return ""
	}
	return d.path
}

// Begin records what is about to run: s holds the name, seed, kernel and the
// resolved scenario, no figures yet. It sets state and versions of s.
func (d *Dir) Begin(s *Summary) error {
	if err := s.stamp(Running); err != nil {
		return err
	}
	if d == nil {
		return nil
	}
	keep := *s
	d.summary, d.begun = &keep, true
	if err := d.write(s); err != nil {
		return unwritable(d.path, err)
	}
	if err := writeSynced(filepath.Join(d.path, reserveFile), make([]byte, reserveSize)); err != nil {
		return unwritable(d.path, err)
	}
	return nil
}

// Begun tells whether Begin was called.
func (d *Dir) Begun() bool { return d != nil && d.begun }

// Steps returns the table of steps, opened at the first call; so do the others.
func (d *Dir) Steps() *Table[StepRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.steps, "steps")
}

// Operations returns the table of operations.
func (d *Dir) Operations() *Table[OperationRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.operations, "operations")
}

// Flows returns the table of flows.
func (d *Dir) Flows() *Table[FlowRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.flows, "flows")
}

// Links returns the table of links.
func (d *Dir) Links() *Table[LinkRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.links, "links")
}

// Queues returns the table of queues; see NewQueueLog.
func (d *Dir) Queues() *Table[QueueRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.queues, "queues")
}

// Hops returns the table of waits of messages at ports.
func (d *Dir) Hops() *Table[HopRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.hops, "hops")
}

// Losses returns the table of lost frames and timeouts.
func (d *Dir) Losses() *Table[LossRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.losses, "losses")
}

// Shares returns the table of whose bytes waited at ports.
func (d *Dir) Shares() *Table[ShareRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.shares, "shares")
}

// Events returns the table of events.
func (d *Dir) Events() *Table[EventRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.events, "events")
}

// Series returns the table of links, queues and queue pairs over time.
func (d *Dir) Series() *Table[SeriesRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.series, "series")
}

// Gradients returns the table of gradients back through time.
func (d *Dir) Gradients() *Table[GradientRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.gradients, "gradients")
}

// Paths returns the table of critical paths.
func (d *Dir) Paths() *Table[PathRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.paths, "paths")
}

func lazily[R any](d *Dir, t **Table[R], name string) *Table[R] {
	if *t == nil {
		*t = createTable[R](d.path, name, d.group, &d.stop)
		d.open = append(d.open, *t)
	}
	return *t
}

// Err returns the first error of a table, such as a full disk: a long run looks
// here now and then and stops.
func (d *Dir) Err() error {
	if d == nil {
		return nil
	}
	return d.failed()
}

// failed is the first error of a table, or else of weights or of the capture.
func (d *Dir) failed() error { return cmp.Or(d.tableErr(), d.weights, d.captureErr()) }

// Keep makes rows outlive the process once there are enough new ones, and returns Err. A long run
// calls it now and then; it costs next to nothing. If the process is killed, a table has lost at
// most a row group, and of all rows a fifth or keepLeast, whichever is more, if that is less. When
// Keep is called changes nothing in the finished tables.
func (d *Dir) Keep() error {
	if d == nil {
		return nil
	}
	rows := int64(0)
	for _, t := range d.open {
		rows += t.Rows()
	}
	if rows >= d.keepAt {
		d.keep()
		d.keepAt = rows + min(max(keepLeast, rows/keepShare), keepMost)
	}
	return d.failed()
}

func (d *Dir) keep() {
	for _, t := range d.open {
		t.keep()
	}
}

// tableErr joins the errors of all tables in one line: a full disk is one problem,
// however many tables meet it.
func (d *Dir) tableErr() error {
	var first error
	var tables []string // that met the first one
	others := ""
	for _, t := range d.open {
		switch name, err := t.firstErr(); {
		case err == nil:
		case first == nil || err.Error() == first.Error():
			first, tables = cmp.Or(first, err), append(tables, name)
		default:
			others += fmt.Sprintf("; table %s: %v", name, err)
		}
	}
	if first == nil {
		return nil
	}
	noun := "table"
	if len(tables) > 1 {
		noun = "tables"
	}
	return fmt.Errorf("run directory %s: cannot write %s %s: %w%s", d.path, noun,
		strings.Join(tables, ", "), first, others)
}

// Finish closes the tables and then writes the summary with its state: complete,
// interrupted, unfinished or failed. If a table cannot be closed the state is failed.
func (d *Dir) Finish(s *Summary) error {
	if s.State == Running || s.State == "" {
		panic("result: a run that ends needs a state")
	}
	if err := s.stamp(s.State); err != nil {
		return err
	}
	if d == nil {
		return nil
	}
	for _, t := range d.open {
		t.close()
	}
	if d.capture != nil {
		d.capture.finish()
	}
	err := d.failed()
	s.Tables = nil
	if err == nil {
		err = d.sync()
	}
	if err == nil {
		s.Tables, err = d.files()
	}
	d.open = nil
	if err != nil {
		s.State, s.Error = Failed, err.Error()
	}
	os.Remove(filepath.Join(d.path, reserveFile)) // not there if the run never began
	if e := d.write(s); err == nil && e != nil {
		return fmt.Errorf("run directory %s: cannot write %s: %w; it stays marked as unfinished",
			d.path, runFile, input.Cause(e))
	}
	return err
}

// sync puts the tables on the disk before run.json calls the run complete: after a
// crash of the machine the one is not there without the others.
func (d *Dir) sync() error {
	paths := []string{d.path}
	for _, t := range d.open {
		paths = append(paths, t.finished())
	}
	for _, path := range paths {
		if err := syncFile(path); err != nil {
			return fmt.Errorf("run directory %s: cannot write %s to the disk: %w", d.path,
				filepath.Base(path), input.Cause(err))
		}
	}
	return nil
}

// files measures the finished tables, in the order of TableNames.
func (d *Dir) files() ([]TableFile, error) {
	var all []TableFile
	for _, t := range d.open {
		f, err := t.measure()
		if err != nil {
			return nil, fmt.Errorf("run directory %s: cannot read back %s: %w", d.path,
				filepath.Base(t.finished()), err)
		}
		all = append(all, f)
	}
	order := TableNames()
	slices.SortFunc(all, func(a, b TableFile) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	return all, nil
}

// Fail ends a run for which there is no summary: the one given to Begin gets the
// state and the reason. A run that had not begun leaves nothing behind.
func (d *Dir) Fail(state State, reason error) error {
	if d == nil {
		return nil
	}
	if !d.begun {
		return d.Discard()
	}
	s := *d.summary
	s.State, s.Error = state, reason.Error()
	return d.Finish(&s)
}

// Discard removes a directory in which nothing but run.json was written.
func (d *Dir) Discard() error {
	if d == nil {
		return nil
	}
	if err := os.Remove(filepath.Join(d.path, runFile)); err != nil {
		return err
	}
	return os.Remove(d.path)
}

// write replaces run.json: a reader sees the old one or the new one, whole.
func (d *Dir) write(s *Summary) error {
	in := *s
	in.Dir = ""
	b, err := Marshal(&in)
	if err != nil {
		return err
	}
	return replace(filepath.Join(d.path, runFile), b)
}

// replace gives a file new contents: a reader sees the old ones or the new ones, whole.
func replace(path string, b []byte) error {
	err := writeSynced(path+".tmp", b)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
	}
	return err
}

// WriteJSON writes a value as run.json is written: indented, whole or not at all.
func WriteJSON(path string, v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return replace(path, b)
}

// writeSynced writes a file through to the disk: if it is renamed before, a crash
// of the machine may leave it empty.
func writeSynced(path string, b []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// Marshal prints a summary as run.json and `railyard run --json` show it: one
// object, indented, ending in a line feed.
func Marshal(s *Summary) ([]byte, error) {
	b, err := marshal(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", runFile, err)
	}
	return b, nil
}

func marshal(v any) ([]byte, error) {
	var compact, b bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false) // paths contain ">"
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	// The encoder's own SetIndent copies a large text over and over.
	err := json.Indent(&b, shown.JSON(compact.Bytes()), "", "  ")
	return b.Bytes(), err
}

// EncodeJSON writes a value as run.json is written.
func EncodeJSON(w io.Writer, v any) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func unwritable(path string, err error) error {
	return fmt.Errorf("run directory %s: cannot write there: %w; choose another place with --out DIR",
		path, input.Cause(err))
}
