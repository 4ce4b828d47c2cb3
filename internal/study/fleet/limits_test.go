package fleet

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/study/sweep"
)

// A worker begins a job where what is under way leaves memory for it, and one that takes more than there is where nothing is under way.
// Where nobody knows how much there is, it begins all.
func TestRoom(t *testing.T) {
	const waits = 50 * time.Millisecond
	for _, c := range []struct {
		name               string
		memory, used, need unit.Bytes
		begins             bool
	}{
		{"nothing under way", 100, 0, 60, true},
		{"as much as there is", 100, 0, 100, true},
		{"more than there is, alone", 100, 0, 200, true},
		{"beside another", 100, 60, 30, true},
		{"beside another, to the last byte", 100, 60, 40, true},
		{"too much beside another", 100, 60, 41, false},
		{"more than there is, beside another", 100, 1, 200, false},
		{"memory that is not known", 0, 60, 41, true},
	} {
		s := &serving{Worker: &Worker{Limits: sweep.Limits{Memory: c.memory}}, used: c.used}
		s.free.L = &s.mu
		ctx, stop := context.WithTimeout(t.Context(), waits)
		if c.begins { // at once, on a machine with time
			ctx, stop = context.WithTimeout(t.Context(), 10*time.Second)
		}
		after := context.AfterFunc(ctx, s.wake)
		begins := s.room(ctx, c.need)
		if want := c.used + c.need; begins != c.begins || begins && s.used != want || !begins && s.used != c.used {
			t.Fatalf("%s: begins %v, %d bytes in use", c.name, begins, s.used)
		}
		after()
		stop()
	}
	// What waits begins when another ends.
	s := &serving{Worker: &Worker{Limits: sweep.Limits{Memory: 100}}, active: 2, used: 60}
	s.free.L = &s.mu
	begun := make(chan bool)
	go func() { begun <- s.room(t.Context(), 50) }()
	s.release(60)
	if !<-begun || s.used != 50 || s.active != 1 {
		t.Errorf("%d bytes in use by %d", s.used, s.active)
	}
}

// A worker without limits takes as many jobs at once as there are cores, no more and no fewer.
func TestAWorkerTakesAsManyJobsAsThereAreCores(t *testing.T) {
	const cores = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	b := start(t)
	e := b.engine()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at, most atomic.Int32
	full, open := make(chan struct{}), sync.Once{}
	w := Worker{Name: "w", Own: func(key string) *sweep.Job {
		n := at.Add(1)
		defer at.Add(-1)
		for {
			if was := most.Load(); n <= was || most.CompareAndSwap(was, n) {
				break
			}
		}
		if n == cores {
			time.Sleep(200 * time.Millisecond) // one more would come meanwhile
			open.Do(func() { close(full) })
		}
		select {
		case <-full:
		case <-time.After(30 * time.Second):
			t.Error("cores have nothing to do")
		}
		return e.Own(key)
	}}
	done := make(chan error, 1)
	nc := b.connect("w")
	go func() { done <- w.Serve(ctx, nc) }()
	if rows, err := b.away(e, variants(t, small, cores+2)); err != nil || len(rows) != cores+2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if got := most.Load(); got != cores {
		t.Errorf("%d jobs at once on %d cores", got, cores)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A server of this process listens at an address; what is none is refused with what would be one, and leaves nothing behind.
func TestWhereAServerListens(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:4222:1"} {
		s, err := Start(listen, "token")
		if err == nil {
			t.Errorf("%s: it listens at %s", listen, s.Address())
			s.Stop()
		} else if !strings.Contains(err.Error(), `"`+listen+`": want an address such as 127.0.0.1:4222`) {
			t.Errorf("%s: %v", listen, err)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v: something is left", left, err)
	}
	s, err := Start("127.0.0.1:0", "token")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	if at := s.Address(); !strings.HasPrefix(at, "127.0.0.1:") || strings.HasSuffix(at, ":0") {
		t.Errorf("any port is %s", at)
	}
}
