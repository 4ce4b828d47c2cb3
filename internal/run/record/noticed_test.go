package record

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// What passed between hosts is the sum of the causes there; NVLink and PCIe are inside.
func TestTimeBetweenHosts(t *testing.T) {
	var s cause.Split
	s[cause.Serialisation], s[cause.Pause], s[cause.NIC] = 5, 7, 11
	s[cause.NVLink], s[cause.PCIe], s[cause.Compute] = 100, 100, 100
	if got := onNetwork(&s); got != 23 {
		t.Errorf("%d", got)
	}
}

// Of ranks on real time no events and no packets are known.
func TestNothingIsKnownOfARealNetwork(t *testing.T) {
	if m := (measured{}); m.Events() != 0 || m.Hops() != 0 || m.CNPs() != 0 || m.GaveUp() != 0 {
		t.Error("counts of a network that nobody saw")
	}
}

// Each of the ranks that take the first weights starts.
func TestRanksThatStart(t *testing.T) {
	r := training(t)
	ops := len(r.jobs[0].plan.Work.Program(3).Start)
	if n := r.jobs[0].starting(); n != 8 || ops != 1 {
		t.Errorf("%d ranks start, with %d operations; want 8 with one", n, ops)
	}
}

// What something takes longer than it does is kept apart; what is not longer adds nothing.
func TestWhatStoodIsKeptApart(t *testing.T) {
	e := &evidence{spans: map[spanKey]unit.Duration{}}
	k := spanKey{why: cause.Compute, port: 4, pair: -1, rank: 2}
	if a, b := e.stood(k, -5), e.stood(k, 7); a != 0 || b != 7 {
		t.Errorf("%d and %d, want 0 and 7", a, b)
	}
	apart := k
	apart.stood = true
	if len(e.spans) != 1 || e.spans[apart] != 7 || e.places() != 5 {
		t.Errorf("%+v of %d places, want 7 and 5", e.spans, e.places())
	}
}

// Images that fill no global batch are left out, and that is said.
func TestImagesThatAreLeftOut(t *testing.T) {
	for images, want := range map[int]string{8: "", 11: "3 of 11 training images were left out", 15: "7 of 15 "} {
		got := strings.Join(trainingOn(t, images).Job(0).leftOutNotes(), "\n")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("of %d images: %q, want %q", images, got, want)
		}
	}
}
