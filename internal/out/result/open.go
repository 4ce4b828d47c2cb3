package result

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// Run is a run directory that is read.
type Run struct {
	Path    string
	Summary *Summary
	Damaged bool // read tables, too, that are not as run.json says that they were written
}

// IncompleteError says that the run of a directory never ended.
type IncompleteError struct{ Path string }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("run directory %s: incomplete: its run was killed or is still going (state %q in %s)",
		e.Path, Running, runFile)
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
	return fmt.Sprintf("run directory %s: format version %d of Railyard %s is %s than this one reads (%d): use that "+
		"version, or run the scenario again",
		e.Path, e.Format, e.Version, age, FormatVersion)
}

// Held reports whether some process is writing the directory: a run that is Running and not held was killed. (Where the system
// has no flock, one that was killed is held, too.)
func (r *Run) Held() bool { return output.Owned(r.Path) != nil }

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
	b, err := readBounded(path, runFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("run directory %s: %w", path, input.Cause(err))
		}
		return nil, fmt.Errorf("run directory %s: holds no %s, so it is no run directory%s",
			path, runFile, cmp.Or(unborn(path), inside(path)))
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("run directory %s: not a directory; of a scenario railyard run makes one", path)
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %w", path, input.Cause(err))
	}
	s, err := parseSummary(path, b)
	if err != nil {
		return nil, err
	}
	if s.FormatVersion != FormatVersion {
		return nil, &VersionError{path, s.FormatVersion, s.Version}
	}
	return &Run{Path: path, Summary: s}, nil
}

// inside names a run directory in a folder that is none itself, and how many more there are.
func inside(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	first, more := "", 0
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(path, e.Name(), runFile)); !e.IsDir() || err != nil {
			continue
		}
		if first == "" {
			first = e.Name()
		} else {
			more++
		}
	}
	switch {
	case first == "":
		return ""
	case more == 0:
		return "; one is in it: " + filepath.Join(path, first)
	}
	return fmt.Sprintf("; want one in it: %s, or one of %s", filepath.Join(path, first), unit.CountOf(int64(more), "other"))
}

// unborn tells of a folder that a run made and was killed at once.
func unborn(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !output.Ours(e.Name()) }) {
		return ""
	}
	return ", or its run was killed before it began"
}

// Steps reads the rows of steps.parquet in the order in which they were written;
// an error is the last pair. So do the others. Of a run that did not end these are
// the first rows: those of the parts that were closed.
func (r *Run) Steps() iter.Seq2[StepRow, error] { return rows(r, "steps", checkSteps) }

// Operations reads operations.parquet.
func (r *Run) Operations() iter.Seq2[OperationRow, error] {
	return rows(r, "operations", checkOperations)
}

// Flows reads flows.parquet.
func (r *Run) Flows() iter.Seq2[FlowRow, error] { return rows(r, "flows", checkFlows) }

// Links reads links.parquet.
func (r *Run) Links() iter.Seq2[LinkRow, error] { return rows(r, "links", checkLinks) }

// Queues reads queues.parquet.
func (r *Run) Queues() iter.Seq2[QueueRow, error] { return rows(r, "queues", checkQueues) }

// Hops reads hops.parquet.
func (r *Run) Hops() iter.Seq2[HopRow, error] { return rows(r, "hops", checkHops) }

// Losses reads losses.parquet.
func (r *Run) Losses() iter.Seq2[LossRow, error] { return rows(r, "losses", checkLosses) }

// Shares reads shares.parquet.
func (r *Run) Shares() iter.Seq2[ShareRow, error] { return rows(r, "shares", checkShares) }

// Events reads events.parquet.
func (r *Run) Events() iter.Seq2[EventRow, error] { return rows(r, "events", checkEvents) }

// Telemetry reads telemetry.parquet.
func (r *Run) Telemetry() iter.Seq2[telemetry.Row, error] {
	return rows(r, "telemetry", checkTelemetry)
}

// Told is all that devices showed; a run without telemetry is an error.
func (r *Run) Told() (*telemetry.Telemetry, error) {
	if !slices.Contains(r.Tables(), "telemetry") {
		return nil, fmt.Errorf("run directory %s: has no telemetry: run the scenario with --set output.telemetry=20us", r.Path)
	}
	var b telemetry.Builder
	for row, err := range r.Telemetry() {
		if err != nil {
			return nil, err
		}
		b.Add(&row)
	}
	return b.Telemetry(), nil
}

// Series reads series.parquet.
func (r *Run) Series() iter.Seq2[SeriesRow, error] { return rows(r, "series", checkSeries) }

// Experts reads experts.parquet.
func (r *Run) Experts() iter.Seq2[ExpertRow, error] { return rows(r, "experts", checkExperts) }

// Gradients reads gradients.parquet.
func (r *Run) Gradients() iter.Seq2[GradientRow, error] { return rows(r, "gradients", checkGradients) }

// Paths reads paths.parquet.
func (r *Run) Paths() iter.Seq2[PathRow, error] { return rows(r, "paths", checkPaths) }

// Tables lists the tables that have rows to read, in the order of TableNames. A run need not write
// all of them.
func (r *Run) Tables() []string {
	var names []string
	for _, n := range TableNames() {
		if len(partsOf(r.Path, n)) > 0 {
			names = append(names, n)
		}
	}
	return names
}
