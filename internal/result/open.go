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
// no figures, and tables that were not closed cannot be read.
func OpenIncomplete(path string) (*Run, error) {
	b, err := os.ReadFile(filepath.Join(path, runFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("run directory %s: %w", path, plain(err))
		}
		return nil, fmt.Errorf("run directory %s: holds no %s, so it is no run directory", path, runFile)
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

// Steps reads the rows of steps.parquet in the order in which they were written;
// an error is the last pair. So do the others.
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

// rows streams a table, a batch in memory at a time.
func rows[R any](dir, name string) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var zero R
		t, err := openTable[R](dir, name)
		if err != nil {
			yield(zero, err)
			return
		}
		defer t.file.Close()
		defer t.Close()
		batch := make([]R, batchRows)
		for {
			clear(batch) // nil the pointers: rows handed out keep theirs
			n, err := t.Read(batch)
			for _, row := range batch[:n] {
				if !yield(row, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(zero, fmt.Errorf("table %s: %w", filepath.Join(dir, name+".parquet"), err))
				return
			}
		}
	}
}

type tableReader[R any] struct {
	*parquet.GenericReader[R]
	file *os.File
}

func openTable[R any](dir, name string) (*tableReader[R], error) {
	path := filepath.Join(dir, name+".parquet")
	f, err := os.Open(path)
	if err != nil {
		if _, e := os.Stat(path + partSuffix); e == nil {
			return nil, fmt.Errorf("table %s: was not finished: the run was killed or is still going", path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("table %s: the run wrote none", path)
		}
		return nil, fmt.Errorf("table %s: %w", path, plain(err))
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("table %s: %w", path, plain(err))
	}
	pf, err := parquet.OpenFile(f, st.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("table %s: is damaged: %w", path, err)
	}
	return &tableReader[R]{parquet.NewGenericReader[R](pf), f}, nil
}
