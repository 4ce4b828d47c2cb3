package result

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"railyard/internal/base/input"
	"railyard/internal/out/parquet"
)

// Groups is a table that is read by row groups, in any order and more than once, from files that stay
// open: what is looked at again and again is not read from its beginning each time, and a file that goes
// away meanwhile is still there. The digest of what was opened is compared once; after that a file to which somebody has
// written is not read any more: pages of another table have checksums that are right.
//
//	parts   NAME.0001.parquet   NAME.0002.parquet        or NAME.parquet
//	groups  0                   1                        0, 1, 2, ...
//
// Its methods but Close may be called at the same time.
type Groups[R any] struct {
	run    *Run
	check  func(*bounds) func(*R) error
	parts  []part
	groups []spot

	mu   sync.Mutex
	idle map[*Leave][]*parquet.Reader[R] // of the last part alone, which of a finished table is the only one
}

// Leave names columns that a second reading of a table passes over.
type Leave struct{ columns []string }

// LeaveOut is for columns that nobody looks at; one for all readings that do not look at them.
func LeaveOut(columns ...string) *Leave { return &Leave{columns} }

type part struct {
	path string
	file *os.File
	read *parquet.File
	info os.FileInfo // when it was opened
}

// spot is where a row group lies.
type spot struct{ part, group int }

// mostParts bounds the parts of a table that are open at a time: of a run that goes on, some 67 million rows.
const mostParts = 1024

// groupsOf opens a table. One that a run that goes on is just joining is an error, and there at the next try.
func groupsOf[R any](r *Run, name string, check func(*bounds) func(*R) error) (*Groups[R], error) {
	parts := partsOf(r.Path, name)
	before := make([]os.FileInfo, len(parts)) // the digest is that of what is opened
	for i, path := range parts {
		before[i], _ = os.Lstat(path)
	}
	if err := r.whole(name, parts); err != nil {
		return nil, err
	}
	g := &Groups[R]{run: r, check: check}
	for i, path := range parts[:min(len(parts), mostParts)] {
		file, size, err := input.OpenIn(r.Path, filepath.Base(path))
		if err == nil {
			g.parts = append(g.parts, part{path: path, file: file, info: before[i]})
			err = g.parts[i].same()
		}
		if err == nil {
			g.parts[i].read, err = parquet.Open(file, size, tableLimits)
		}
		if err != nil {
			g.Close()
			return nil, fmt.Errorf("table %s: %w", path, err)
		}
		for n := range g.parts[i].read.Groups() {
			g.groups = append(g.groups, spot{i, n})
		}
	}
	return g, nil
}

// same says that a file is another, or has been written to, since its digest was taken.
func (p *part) same() error {
	now, err := p.file.Stat()
	if err != nil {
		return input.Cause(err)
	}
	if p.info == nil || !os.SameFile(now, p.info) || now.Size() != p.info.Size() || !now.ModTime().Equal(p.info.ModTime()) {
		return errors.New("has been written to since it was opened")
	}
	return nil
}

// still is same, of rows that have been handed on.
func (p *part) still() error {
	if err := p.same(); err != nil {
		return fmt.Errorf("table %s: %w", p.path, err)
	}
	return nil
}

// Len returns how many row groups there are.
func (g *Groups[R]) Len() int { return len(g.groups) }

// Close lets go of the files.
func (g *Groups[R]) Close() {
	for i := range g.parts {
		if g.parts[i].read != nil {
			g.parts[i].read.Close()
		}
		_ = g.parts[i].file.Close() // it was only read
	}
}

// Each hands the rows of row group i to f, in order, until f has enough; a row is valid until f returns.
// Each row is checked as those of Run are, but against those of its own group alone. If the file has been written to, the last
// word is an error.
func (g *Groups[R]) Each(i int, f func(*R) (more bool)) error { return g.EachFrom(i, 0, f) }

// EachFrom is Each without the first rows of the group, which are not checked either.
func (g *Groups[R]) EachFrom(i, skip int, f func(*R) (more bool)) error {
	return g.each(i, skip, nil, g.check(boundsOf(g.run.Summary)), f)
}

// EachOf is Each without some columns, which are 0 or "". It is for row groups that Each has handed on before, from the same file: rows
// are not checked again.
func (g *Groups[R]) EachOf(i int, without *Leave, f func(*R) (more bool)) error {
	return g.each(i, 0, without, func(*R) error { return nil }, f)
}

func (g *Groups[R]) each(i, skip int, without *Leave, one func(*R) error, f func(*R) (more bool)) error {
	at := g.groups[i]
	p := &g.parts[at.part]
	reader, err := g.reader(at.part, without)
	if err != nil {
		return fmt.Errorf("table %s: %w", p.path, err)
	}
	reader.Seek(at.group)
	n := skip
	if err := reader.Skip(int64(skip)); err != nil {
		return fmt.Errorf("table %s: is damaged: %w", p.path, err)
	}
	for skip == 0 || reader.Rest() > 0 {
		batch, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("table %s: is damaged: %w", p.path, err)
		}
		for k := range batch {
			if err := one(&batch[k]); err != nil {
				return fmt.Errorf("table %s: is damaged: row group %d, row %d: %w", p.path, at.group, n+k, err)
			}
			if !f(&batch[k]) {
				g.put(at.part, without, reader)
				return p.still()
			}
		}
		n += len(batch)
		if reader.Rest() == 0 {
			break
		}
	}
	g.put(at.part, without, reader)
	return p.still()
}

// reader takes an idle reader, or makes one.
func (g *Groups[R]) reader(part int, without *Leave) (*parquet.Reader[R], error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if all := g.idle[without]; len(all) > 0 && part == len(g.parts)-1 {
		r := all[len(all)-1]
		g.idle[without] = all[:len(all)-1]
		return r, nil
	}
	r, err := parquet.NewReader[R](g.parts[part].read, g.run.Summary.FormatVersion == FormatVersion, clean)
	if err == nil && without != nil {
		r.LeaveOut(without.columns...)
	}
	return r, err
}

func (g *Groups[R]) put(part int, without *Leave, r *parquet.Reader[R]) {
	const most = 2
	g.mu.Lock()
	defer g.mu.Unlock()
	if part != len(g.parts)-1 || len(g.idle[without]) >= most {
		return
	}
	if g.idle == nil {
		g.idle = map[*Leave][]*parquet.Reader[R]{}
	}
	g.idle[without] = append(g.idle[without], r)
}

// SeriesGroups opens series.parquet by row groups.
func (r *Run) SeriesGroups() (*Groups[SeriesRow], error) { return groupsOf(r, "series", checkSeries) }

// EventGroups opens events.parquet by row groups.
func (r *Run) EventGroups() (*Groups[EventRow], error) { return groupsOf(r, "events", checkEvents) }

// QueueGroups opens queues.parquet by row groups.
func (r *Run) QueueGroups() (*Groups[QueueRow], error) { return groupsOf(r, "queues", checkQueues) }

// OperationGroups opens operations.parquet by row groups.
func (r *Run) OperationGroups() (*Groups[OperationRow], error) {
	return groupsOf(r, "operations", checkOperations)
}

// Parts returns how many closed files hold the rows of a table now: of a run that goes on it grows, and
// is 1 when the table is finished.
func (r *Run) Parts(table string) int { return len(partsOf(r.Path, table)) }
