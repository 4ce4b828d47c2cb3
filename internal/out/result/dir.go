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

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/shown"
	"railyard/internal/net/telemetry"
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
	folder  *output.Folder // held until Finish or Discard
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
	telemetry  *Table[telemetry.Row]
	gradients  *Table[GradientRow]
	experts    *Table[ExpertRow]
	open       []closer // in order of opening

	group  int   // rows of a part; RowGroupRows, but in tests
	keepAt int64 // rows of all tables together at which Keep closes parts
	stop   bool  // a table has failed

	weights error    // the first of writing weights
	capture *capture // nil: there is none
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
	dir, err := output.Next(root, name)
	if err != nil {
		return "", unwritable(dir, err)
	}
	return dir, nil
}

// Create starts a run directory at path, which must not exist or be an empty
// folder, and marks it as a run that has begun and not ended. Until Finish or Discard nobody else
// may write there.
func Create(path string) (*Dir, error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	folder, fresh, err := output.Hold(path)
	if err != nil {
		return nil, untaken(path, err)
	}
	d, err := begin(folder)
	if err != nil && fresh {
		output.Prune(path)
	}
	return d, err
}

// CreateIn is Create in a folder that is open, below one that is a stranger's perhaps. The folder is closed with the
// directory, or if there is an error.
func CreateIn(folder *output.Folder) (*Dir, error) {
	if err := folder.Hold(); err != nil {
		folder.Close()
		return nil, untaken(folder.Path(), err)
	}
	return begin(folder)
}

// untaken says why a folder cannot be held.
func untaken(path string, err error) error {
	var busy *output.Busy
	if errors.As(err, &busy) {
		return fmt.Errorf("run directory %s: %w: want a new or an empty folder", path, err)
	}
	return unwritable(path, err)
}

// begin marks a folder that is held.
func begin(folder *output.Folder) (*Dir, error) {
	path := folder.Path()
	d := &Dir{path: path, folder: folder, group: RowGroupRows, keepAt: keepLeast}
	err := vacant(path)
	if err == nil {
		if err = d.write(&Summary{State: Running, Version: Version, FormatVersion: FormatVersion}); err != nil {
			err = unwritable(path, err)
		}
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return d, nil
}

// vacant refuses a folder that holds something.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(path, err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return output.Ours(e.Name()) })
	if len(entries) == 0 {
		return nil
	}
	if err := output.Owned(path); err != nil {
		return fmt.Errorf("run directory %s: %w: want a new or an empty folder", path, err)
	}
	if r, err := OpenIncomplete(path); err == nil && r.Summary.State == Running {
		return killed(path)
	}
	return fmt.Errorf("run directory %s: holds %s already, want a new or an empty folder", path, entries[0].Name())
}

func killed(path string) error {
	return fmt.Errorf("run directory %s: holds a run that was killed: want a new or an empty folder", path)
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
	if err := d.folder.Write(reserveFile, make([]byte, reserveSize)); err != nil {
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

// Telemetry returns the table of what devices show.
func (d *Dir) Telemetry() *Table[telemetry.Row] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.telemetry, "telemetry")
}

// Gradients returns the table of gradients back through time.
func (d *Dir) Gradients() *Table[GradientRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.gradients, "gradients")
}

// Experts returns the table of the experts' tokens.
func (d *Dir) Experts() *Table[ExpertRow] {
	if d == nil {
		return nil
	}
	return lazily(d, &d.experts, "experts")
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
		*t = createTable[R](d.folder, name, d.group, &d.stop)
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
	_ = d.folder.Remove(reserveFile) // not there if the run never began
	defer d.folder.Close()
	if e := d.write(s); err == nil && e != nil {
		return fmt.Errorf("run directory %s: cannot write %s: %w; it stays marked as unfinished",
			d.path, runFile, input.Cause(e))
	}
	return err
}

// sync puts the tables on the disk before run.json calls the run complete: after a
// crash of the machine the one is not there without the others.
func (d *Dir) sync() error {
	failed := func(name string, err error) error {
		return fmt.Errorf("run directory %s: cannot write %s to the disk: %w", d.path, name, input.Cause(err))
	}
	if err := d.folder.Sync(); err != nil {
		return failed(filepath.Base(d.path), err)
	}
	for _, t := range d.open {
		f, err := d.folder.Open(t.finished())
		if err == nil {
			err = output.Flush(f)
			f.Close()
		}
		if err != nil {
			return failed(t.finished(), err)
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
				t.finished(), err)
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
	err := d.folder.Remove(runFile)
	d.folder.Close()
	output.Prune(d.path)
	return err
}

// write replaces run.json: a reader sees the old one or the new one, whole.
func (d *Dir) write(s *Summary) error {
	in := *s
	in.Dir = ""
	b, err := Marshal(&in)
	if err != nil {
		return err
	}
	return d.folder.Write(runFile, b)
}

// WriteJSON writes a value as run.json is written: indented, whole or not at all.
func WriteJSON(folder *output.Folder, name string, v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return folder.Write(name, b)
}

// Marshal prints a summary as run.json and `railyard run --json` show it: one
// object, indented, ending in a line feed. Its lists have mostListed entries at most, or fewer where names are so long
// that it would be longer than its reader takes.
func Marshal(s *Summary) ([]byte, error) { return marshalWithin(s, mostListed, maxSummary) }

// marshalWithin is Marshal with lists of so many entries, and with fewer while there are more bytes.
func marshalWithin(s *Summary, most, size int) ([]byte, error) {
	for ; ; most /= 2 {
		b, err := marshal(s.listed(most))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", runFile, err)
		}
		if len(b) <= size || most == 0 {
			return b, nil
		}
	}
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
