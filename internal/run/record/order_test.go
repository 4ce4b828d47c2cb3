package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// Spans have an order of their own, whatever a map's is: by cause, then by place, queue pair and rank, then what starts kernels behind what
// computes, and what stood still behind what did not.
func TestSpansHaveAnOrder(t *testing.T) {
	e := &evidence{spans: map[spanKey]unit.Duration{}}
	var want []spanKey
	both := []bool{false, true}
	for _, why := range []cause.Cause{cause.Compute, cause.Pause} {
		for _, port := range []int32{-1, 4} {
			for _, pair := range []int32{-1, 0, 7} {
				for rank := range int32(2) {
					for _, launch := range both {
						for _, stood := range both {
							k := spanKey{why, port, pair, rank, launch, stood}
							want = append(want, k)
							e.spans[k] = 1
						}
					}
				}
			}
		}
	}
	if cause.Compute > cause.Pause {
		slices.Reverse(want)
	}
	if got := e.keys(); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Where frames of a queue pair were lost is told in the order of ports, each port once, data apart from what comes back; of a port by
// kinds, in the order in which these came.
func TestWhereFramesWereLost(t *testing.T) {
	r := training(t)
	for _, l := range []fabric.Loss{
		{Port: 3, Why: fabric.LostOnLink, Kind: fabric.Data}, {Port: 1, Why: fabric.LostInBuffer, Kind: fabric.Data},
		{Port: 2, Why: fabric.LostOnLink, Kind: fabric.Ack}, {Port: 3, Why: fabric.LostInNIC, Kind: fabric.Data},
		{Port: 3, Why: fabric.LostOversize, Kind: fabric.Data}, {Port: 3, Why: fabric.LostInBuffer, Kind: fabric.Data},
	} {
		r.lost(&l)
	}
	p := r.pair(0)
	if data, back := p.lostAt(false), p.lostAt(true); !slices.Equal(data, []topo.PortID{1, 3}) || !slices.Equal(back, []topo.PortID{2}) {
		t.Errorf("data at %v, what comes back at %v", data, back)
	}
	want := []diagnose.Lost{{Kind: diagnose.LossyLink, Frames: 2}, {Kind: diagnose.FullBuffer, Frames: 1}}
	if got := p.hops[hopKey{3, false}]; !slices.Equal(got, want) {
		t.Errorf("%+v at port 3, want %+v", got, want)
	}
	if !r.dataLost[1] || !r.dataLost[3] || r.dataLost[2] || r.losses[fabric.LostOnLink] != 2 {
		t.Errorf("data was lost at %v; %d frames on links", r.dataLost, r.losses[fabric.LostOnLink])
	}
}

// Of open messages four are named, each queue pair once; of more, that there are others. Twenty are listed, and how many there are.
func TestOpenMessagesAreNamed(t *testing.T) {
	var open []result.OpenMessage
	for i := range 21 {
		open = append(open, result.OpenMessage{Name: fmt.Sprint("q", i), Src: "a", Dst: "b"})
	}
	twice := append(open[:2:2], open[1])
	for _, c := range []struct {
		of   []result.OpenMessage
		want string
	}{
		{twice, "q0 (a to b), q1 (a to b)"}, {open[:4], "q0 (a to b), q1 (a to b), q2 (a to b), q3 (a to b)"},
		{open[:5], "q0 (a to b), q1 (a to b), q2 (a to b), q3 (a to b), and others"},
	} {
		if got := someOf(c.of); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for _, n := range []int{19, 20, 21} {
		for state, listed := range map[result.State]int{result.Failed: min(n, 20), result.Unfinished: min(n, 20), result.Complete: 0,
			result.Interrupted: 0} {
			s := &result.Summary{State: state}
			(&Recorder{stuck: open[:n]}).finishOpen(s)
			if len(s.Unfinished) != listed || listed > 0 != (s.UnfinishedAll == int64(n)) {
				t.Errorf("of %d in a run that is %s %d are listed, and %d counted", n, state, len(s.Unfinished), s.UnfinishedAll)
			}
		}
	}
}

// The paths of the first ten steps are kept, and of each hundredth.
func TestStepsWhosePathIsKept(t *testing.T) {
	for step, want := range map[int64]bool{0: true, 9: true, 10: false, 11: false, 99: false, 100: true, 101: false, 1000: true} {
		if kept(step) != want {
			t.Errorf("step %d is kept: %v", step, !want)
		}
	}
}

// What held others up is named by the port from whose queue most of a port's pauses spread, of two alike the first; a pause that spread
// from none has no name.
func TestWhoPausedAPort(t *testing.T) {
	r, n := training(t), newTold()
	r.network, n.plan = n, r.plan
	name := func(id topo.PortID) string { return r.plan.Graph.Ports[id].Name }
	for i, c := range []struct {
		roots []fabric.RootTime
		want  string
	}{
		{nil, ""}, {[]fabric.RootTime{{Root: -1, Time: 5}}, ""},
		{[]fabric.RootTime{{Root: 2, Time: 5}, {Root: 4, Time: 9}, {Root: 1, Time: 9}}, name(4)},
		{[]fabric.RootTime{{Root: -1, Time: 50}, {Root: 2, Time: 5}}, name(2)},
	} {
		n.port(topo.PortID(i)).roots = c.roots
		if got := r.pausedBy(topo.PortID(i)); got != c.want {
			t.Errorf("of %+v %q, want %q", c.roots, got, c.want)
		}
	}
}

// A job that is given up, or done, is waited for no more, once; one that is to end sooner ends there, not later than it would.
func TestGoingOn(t *testing.T) {
	r := training(t)
	j := r.Job(0)
	var done []unit.Time
	r.hooks.Done = func(at unit.Time) { done = append(done, at) }
	j.done, r.open, j.limit = false, 2, 7
	if j.StopAfter(9); j.limit != 7 {
		t.Errorf("ends after %d steps, want 7 as before", j.limit)
	}
	if j.StopAfter(5); j.limit != 5 {
		t.Errorf("ends after %d steps, want 5", j.limit)
	}
	for range 2 {
		if j.GiveUp(); !j.Done() || r.Going() != 1 {
			t.Errorf("given up %v, %d go on, want 1", j.Done(), r.Going())
		}
	}
	if j.end(3); len(done) != 0 || r.Going() != 1 {
		t.Errorf("a job that was given up ends at %v, %d go on", done, r.Going())
	}
	j.done = false
	for range 2 {
		if j.end(5); r.Going() != 0 || len(done) != 1 || done[0] != 5 {
			t.Errorf("the run is done at %v, %d go on, want one end at 5", done, r.Going())
		}
	}
}

// Things are counted as they are read.
func TestCounts(t *testing.T) {
	got := strings.Join([]string{countOf(0, "frame"), countOf(1, "frame"), countOf(2, "frame"), wereOf(0), wereOf(1), wereOf(2)}, "; ")
	if want := "0 frames; 1 frame; 2 frames; 0 were; 1 was; 2 were"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
