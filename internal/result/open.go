package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Run is a run directory that is read.
type Run struct {
	Path    string
	Summary *Summary
}

// IncompleteError says that the run of a directory never ended.
type IncompleteError struct{ Path string }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("run directory %s: incomplete: its run was killed or is still going (state %q in %s)", e.Path, Running, runFile)
}

// VersionError says that a directory has the format of another Railyard.
type VersionError struct {
	Path    string
	Format  int    // its format_version
	Version string // the Railyard that wrote it
}

func (e *VersionError) Error() string {
	age := "newer"
	if e.Format < FormatVersion {
		age = "older"
	}
	return fmt.Sprintf("run directory %s: format version %d of Railyard %s is %s than this one reads (%d): use that version, or run the scenario again",
		e.Path, e.Format, e.Version, age, FormatVersion)
}

// Open reads run.json of a directory whose run ended, be it completely,
// interrupted or failed. Of one that did not end it returns an IncompleteError,
// of another format a VersionError.
func Open(path string) (*Run, error) {
	r, err := OpenIncomplete(path)
	if err != nil {
		return nil, err
	}
	if r.Summary.State == Running {
		return nil, &IncompleteError{path}
	}
	return r, nil
}

// OpenIncomplete is Open, but takes a run that never ended, too: its summary has
// no figures, and of its tables the parts that were closed can be read.
func OpenIncomplete(path string) (*Run, error) {
	b, err := os.ReadFile(filepath.Join(path, runFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("run directory %s: %w", path, plain(err))
		}
		return nil, fmt.Errorf("run directory %s: holds no %s, so it is no run directory%s", path, runFile, unborn(path))
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", path, plain(err))
	}
	var head struct {
		Version       string `json:"version"`
		FormatVersion int    `json:"format_version"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("run directory %s: %s is damaged: %w", path, runFile, err)
	}
	if head.FormatVersion != FormatVersion {
		return nil, &VersionError{path, head.FormatVersion, head.Version}
	}
	s := &Summary{Dir: path}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("run directory %s: %s is damaged: %w", path, runFile, err)
	}
	return &Run{Path: path, Summary: s}, nil
}

// unborn tells of a folder that a run made and was killed at once.
func unborn(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) > 1 || len(entries) == 1 && !strings.HasPrefix(entries[0].Name(), runFile+".") {
		return ""
	}
	return ", or its run was killed before it began"
}

// Steps reads the rows of steps.parquet in the order in which they were written;
// an error is the last pair. So do the others. Of a run that did not end these are
// the first rows: those of the parts that were closed.
func (r *Run) Steps() iter.Seq2[StepRow, error] { return rows[StepRow](r.Path, "steps") }

// Operations reads operations.parquet.
func (r *Run) Operations() iter.Seq2[OperationRow, error] {
	return rows[OperationRow](r.Path, "operations")
}

// Flows reads flows.parquet.
func (r *Run) Flows() iter.Seq2[FlowRow, error] { return rows[FlowRow](r.Path, "flows") }

// Links reads links.parquet.
func (r *Run) Links() iter.Seq2[LinkRow, error] { return rows[LinkRow](r.Path, "links") }

// Queues reads queues.parquet.
func (r *Run) Queues() iter.Seq2[QueueRow, error] { return rows[QueueRow](r.Path, "queues") }

// Hops reads hops.parquet.
func (r *Run) Hops() iter.Seq2[HopRow, error] { return rows[HopRow](r.Path, "hops") }

// Losses reads losses.parquet.
func (r *Run) Losses() iter.Seq2[LossRow, error] { return rows[LossRow](r.Path, "losses") }

// Shares reads shares.parquet.
func (r *Run) Shares() iter.Seq2[ShareRow, error] { return rows[ShareRow](r.Path, "shares") }

// Paths reads paths.parquet.
func (r *Run) Paths() iter.Seq2[PathRow, error] { return rows[PathRow](r.Path, "paths") }

// Tables lists the tables of which there are rows to read, in the order of
// TableNames. A run need not write all of them.
func (r *Run) Tables() []string {
	var names []string
	for _, n := range TableNames() {
		if len(partsOf(r.Path, n)) > 0 {
			names = append(names, n)
		}
	}
	return names
}

// rows streams a table, a batch in memory at a time.
func rows[R any](dir, name string) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var zero R
		parts := partsOf(dir, name)
		if len(parts) == 0 {
			yield(zero, noTable(dir, name))
			return
		}
		batch := make([]R, batchRows)
		for _, path := range parts {
			t, err := openPart[R](path)
			if err != nil {
				yield(zero, err)
				return
			}
			if !t.each(batch, yield) {
				return
			}
		}
	}
}

// noTable says why there are no rows.
func noTable(dir, name string) error {
	path := filepath.Join(dir, tableName(name))
	if _, err := os.Stat(filepath.Join(dir, partName(name, 1)+unfinished)); err == nil {
		return fmt.Errorf("table %s: was not finished: the run was killed before its first part was closed, or is still going", path)
	}
	return fmt.Errorf("table %s: the run wrote none", path)
}

type partReader[R any] struct {
	*parquet.GenericReader[R]
	parquet *parquet.File
	file    *os.File
}

func openPart[R any](path string) (*partReader[R], error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", path, plain(err))
	}
	pf, err := openParquet(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("table %s: is damaged: %w", path, err)
	}
	return &partReader[R]{parquet.NewGenericReader[R](pf), pf, f}, nil
}

// each hands out the rows and closes the file. It reports whether to go on.
func (t *partReader[R]) each(batch []R, yield func(R, error) bool) bool {
	defer t.file.Close()
	defer t.Close()
	for {
		clear(batch) // nil the pointers: rows handed out keep theirs
		n, err := t.Read(batch)
		for _, row := range batch[:n] {
			if !yield(row, nil) {
				return false
			}
		}
		if err == io.EOF {
			return true
		}
		if err != nil {
			var zero R
			yield(zero, fmt.Errorf("table %s: %w", t.file.Name(), err))
			return false
		}
	}
}
