package exec_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// byHand is a driver for one rank whose operations end when a test says so.
type byHand struct {
	quiet
	exectest.Floats
	running []exec.Token
}

func (b *byHand) Run(_ int32, tok exec.Token, _ unit.Duration, w exec.Work) {
	w.Do()
	b.running = append(b.running, tok)
}

// once also says that slots are read once.
type once struct{ *byHand }

func (once) Read(int32, exec.Ref) {}

// twoByHand is rank 0 of an all-reduce of 10 elements with rank 1.
func twoByHand(t *testing.T, steps int64, stages bool) (*exec.Rank, *byHand, int32) {
	t.Helper()
	job, memory, err := exectest.TwoRanks(10)
	if err != nil {
		t.Fatal(err)
	}
	job.Programs[0].Device = workload.Device{MemoryBandwidth: gbps, MemoryEff: unit.Ratio{Num: 1, Den: 1}}
	b := &byHand{Floats: *memory}
	cfg := exec.Config{Job: job, Steps: steps, Transport: b, Clock: b, Body: b}
	if cfg.Observer = (&journal{}); stages {
		cfg.Body = once{b}
	}
	r := exec.NewRank(cfg)
	return r, b, r.Inlet(exec.Conn{Peer: 1})
}

// What becomes of a message is known while the rank waits for it, and only then: of the first that it is added, of the second
// that it is copied, once what it overwrites has been acknowledged.
//
// It fails if a message may land that is another, that is not waited for, or whose place is still being read.
func TestLanding(t *testing.T) {
	for _, steps := range []int64{1, 3} { // its program is not kept, or is
		r, b, in := twoByHand(t, steps, true)
		what := exec.Arrival{Bytes: 20}
		want := func(when string, kind coll.Kind, off int64, ok bool) {
			t.Helper()
			got, is := r.Landing(in, what)
			if is != ok || ok && got != (exec.Landing{Kind: kind, Dst: exec.Ref{Off: off, Len: 20}}) {
				t.Fatalf("%d steps, %s: %+v, %v", steps, when, got, is)
			}
		}
		want("before it has begun", 0, 0, false)
		r.Start(0)
		sent := b.posted[0].From.Off
		want("it waits", coll.Reduce, 20-sent, true)
		for name, other := range map[string]exec.Arrival{"fewer bytes": {Bytes: 16}, "another step": {Bytes: 20, Step: 1},
			"another collective": {Bytes: 20, Coll: 1}} {
			if got, ok := r.Landing(in, other); ok {
				t.Errorf("%s: %+v", name, got)
			}
		}
		r.Received(1, in, what, nil)
		want("it adds", 0, 0, false)
		r.Done(2, b.running[0])
		want("what it has sent is still being read", 0, 0, false)
		r.Acked(3, r.Outlet(exec.Conn{Peer: 1}), nil)
		want("it waits for the sum", coll.Copy, sent, true)
		r.Fail(4)
		want("it has failed", 0, 0, false)
	}
}

// Where something else may read the slot, a message belongs there.
func TestWhatMayBeReadAgainDoesNotLand(t *testing.T) {
	r, _, in := twoByHand(t, 1, false)
	r.Start(0)
	if got, ok := r.Landing(in, exec.Arrival{Bytes: 20}); ok {
		t.Errorf("%+v", got)
	}
}
