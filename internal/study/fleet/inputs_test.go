package fleet

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/study/sweep"
)

// What jobs read lies on the worker's machine while one needs it, and until the next that reads something else; what others removed
// or changed there is fetched again; at the end nothing is left.
func TestFilesOfJobs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := start(t)
	q := b.queue()
	reads := func(text string) *job {
		ref := inputRef{Name: result.TopologyInput, SHA256: (result.Input{Text: []byte(text)}).Digest().SHA256, Sent: true}
		if err := q.keep(t.Context(), ref.SHA256, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return &job{Inputs: []inputRef{{Name: "elsewhere"}, ref}}
	}
	one, other := reads("one"), reads("other")
	var all inputs
	take := func(j *job, want string) *files {
		t.Helper()
		f, err := all.of(t.Context(), q, j)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(f.dir, result.TopologyInput)); err != nil || string(text) != want {
			t.Errorf("%q, %v: want %q", text, err, want)
		}
		return f
	}
	folders := func() int {
		left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(left) - 1 // the server's
	}
	a, again := take(one, "one"), take(one, "one")
	if a != again || folders() != 1 {
		t.Errorf("the same files twice, in %d folders", folders())
	}
	if a.free(); folders() != 1 {
		t.Errorf("files went while a job needs them")
	}
	if again.free(); take(one, "one") != again {
		t.Error("the files of the last job did not stay for the next")
	}
	c := take(other, "other")
	if !again.whole() {
		t.Error("files went while a job needs them, for another's")
	}
	if again.free(); folders() != 1 {
		t.Errorf("%d folders, want that of the last job", folders())
	}
	path := filepath.Join(c.dir, result.TopologyInput)
	if err := os.WriteFile(path, []byte("ether"), 0o600); err != nil || c.whole() {
		t.Errorf("%v: a file that was changed is whole", err)
	}
	take(other, "other").free()
	c.free()
	if all.remove(); folders() != 0 {
		t.Errorf("%d folders are left", folders())
	}
	if f, err := all.of(t.Context(), q, &job{Inputs: one.Inputs[:1]}); err != nil || folders() != 0 {
		t.Errorf("nothing was sent along: %v, %d folders", err, folders())
	} else {
		f.free()
	}
	one.Inputs[1].Name = "../t"
	if _, err := all.of(t.Context(), q, one); err == nil || folders() != 0 {
		t.Errorf("a name outside: %v, %d folders", err, folders())
	}
}

// Of jobs that the sweep in this process has itself, nothing is read again: the row is that of any worker.
func TestOwnJobs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := start(t)
	all := variants(t, small, 3)
	want, err := sweep.Run(t.Context(), all, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := b.engine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := make(chan bool, 100)
	w := Worker{Name: "own", Limits: sweep.Limits{Workers: 1}, Own: func(key string) *sweep.Job {
		j := e.Own(key)
		asked <- j != nil && j.Key == key
		return j
	}}
	done := make(chan error, 1)
	nc := b.connect("own")
	go func() { done <- w.Serve(ctx, nc) }()
	got, err := b.away(e, all)
	if err != nil || rowsText(t, got) != rowsText(t, want) {
		t.Errorf("%v: other rows than in this process", err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(asked) != len(all) {
		t.Errorf("asked for %d jobs, want %d", len(asked), len(all))
	}
	for range len(asked) {
		if !<-asked {
			t.Error("a job of this sweep was not found")
		}
	}
	if e.Own("x") != nil {
		t.Error("a job that nobody has")
	}
}
