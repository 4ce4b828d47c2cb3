package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// inputs are the files that jobs of a worker read, and that were sent along. Most jobs of a sweep read the same ones, so what the
// last job took stays for the next.
type inputs struct {
	mu   sync.Mutex
	last *files
}

// files are those of jobs that read the same.
type files struct {
	of    *inputs
	sent  []inputRef
	dir   string // they lie here; "": there are none
	clear func()
	users int // guarded by of.mu
}

// of returns the files of a job, on this machine until they are freed.
func (all *inputs) of(ctx context.Context, q *queue, j *job) (*files, error) {
	var sent []inputRef
	for _, in := range j.Inputs {
		if in.Sent {
			sent = append(sent, in)
		}
	}
	if len(sent) == 0 {
		return &files{}, nil
	}
	if f := all.there(sent); f != nil {
		return f, nil
	}
	f, err := fetch(ctx, q, sent)
	if err != nil {
		return nil, err
	}
	f.of, f.users = all, 1
	all.keep(f)
	return f, nil
}

// there returns what the last job had, if it is the same and still whole; nil: it is not.
func (all *inputs) there(sent []inputRef) *files {
	all.mu.Lock()
	defer all.mu.Unlock()
	f := all.last
	if f == nil || !slices.Equal(f.sent, sent) || !f.whole() {
		return nil
	}
	f.users++
	return f
}

// keep has files stay when their job ends, in place of others; nil: none.
func (all *inputs) keep(f *files) {
	all.mu.Lock()
	defer all.mu.Unlock()
	old := all.last
	if all.last = f; old != nil && old.users == 0 {
		old.clear()
	}
}

// remove removes what the last job left; no job is under way.
func (all *inputs) remove() { all.keep(nil) }

// free says that a job has ended.
func (f *files) free() {
	if f.of == nil {
		return
	}
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if f.users--; f.users == 0 && f.of.last != f {
		f.clear()
	}
}

// fetch writes files into a folder of their own.
func fetch(ctx context.Context, q *queue, sent []inputRef) (*files, error) {
	store, err := q.js.ObjectStore(ctx, inputStore+q.id)
	if err != nil {
		return nil, err
	}
	f := &files{sent: sent}
	if f.dir, f.clear, err = output.Temporary("inputs"); err != nil {
		return nil, err
	}
	for _, in := range sent {
		text, err := store.GetBytes(ctx, in.SHA256)
		switch {
		case err != nil:
		case (result.Input{Text: text}).Digest().SHA256 != in.SHA256:
			err = fmt.Errorf("input %s is damaged", in.Name)
		case !filepath.IsLocal(in.Name):
			err = fmt.Errorf("input %q has no name of ours", in.Name)
		default:
			err = keep(filepath.Join(f.dir, in.Name), text)
		}
		if err != nil {
			f.clear()
			return nil, err
		}
	}
	return f, nil
}

// whole reports whether the files are as they were sent: folders of temporary files are cleared by others, too.
func (f *files) whole() bool {
	for _, in := range f.sent {
		text, err := input.ReadIn(context.Background(), f.dir, in.Name, maxInput)
		if err != nil || (result.Input{Text: text}).Digest().SHA256 != in.SHA256 {
			return false
		}
	}
	return true
}

// in returns a scenario that reads the files where they are.
func (f *files) in(sc *scenario.Scenario) (*scenario.Scenario, error) {
	var changes []scenario.Change
	for _, in := range f.sent {
		change := scenario.Change{Path: run.InputKey(sc, in.Name), Text: strconv.Quote(filepath.Join(f.dir, run.InputRoot(in.Name)))}
		if !slices.Contains(changes, change) {
			changes = append(changes, change)
		}
	}
	if len(changes) == 0 {
		return sc, nil
	}
	return sc.With(changes...)
}

// keep writes a file in a folder of our own.
func keep(path string, text []byte) error {
	folder, err := output.Make(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Write(filepath.Base(path), text), folder.Close())
}
