package record

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
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

// Of ranks on real time no events and no packets are known, of ports and queue pairs nothing.
func TestNothingIsKnownOfARealNetwork(t *testing.T) {
	m := measured{now: func() unit.Time { return 7 }}
	for what, n := range map[string]int64{"events": m.Events(), "hops": m.Hops(), "CNPs": m.CNPs(), "tails": m.GaveUp(),
		"retransmissions": m.Retransmits(), "moves": m.Moves(), "delivered": m.Delivered(0), "waiting": int64(m.Waiting(0, 0)),
		"a peak": int64(m.Peak(0, 0)), "drops": m.LosslessDrops(0)} {
		if n != 0 {
			t.Errorf("%s of a network that nobody saw: %d", what, n)
		}
	}
	used, size := m.MaxShared(0)
	if used != 0 || size != 0 || m.Open(0) || m.Completed(nil) != -1 || m.Now() != 7 || m.NowIn(3) != 7 {
		t.Error("more than a clock is known")
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

// Another choice saves what lies between what a collective took and what the other takes, and no more than one model has between both.
func TestWhatAnotherChoiceSaves(t *testing.T) {
	for _, c := range []struct {
		x    faster
		want float64
	}{{faster{took: 10, best: 4}, 0.6}, {faster{took: 10, best: 4, own: 8}, 0.4}, {faster{took: 10, best: 4, own: 20}, 0.6}} {
		if got := c.x.saves(); got != c.want {
			t.Errorf("%+v saves %v, want %v", c.x, got, c.want)
		}
	}
}

// A fault that kept ranks from their first step for more than half of the start phase is named: also one of rank 0's GPU.
func TestWhoKeptOthersFromTheFirstStep(t *testing.T) {
	sc, err := scenario.Parse("test.yaml", []byte(`
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
job: {train: {layers: [4, 3, 2], data: nowhere, batch: 1, lr: 0.2}, parallel: {dp: 2}}
faults: [{gpu: host1/gpu0, hang: 10us}]
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := New(p, nil, 1, Hooks{}).Job(0)
	us := unit.Time(unit.Microsecond)
	for _, c := range []struct {
		ranks []int32
		time  unit.Duration
		want  string
	}{
		{[]int32{0, -1, -1}, 6 * unit.Microsecond, "before the first step rank 0 on host1/gpu0 kept the others waiting for 6 us of " +
			"the start phase's 10 us, by faults[0]: no step's time has that"},
		{[]int32{1, -1, 0}, 6 * unit.Microsecond, "before the first step rank 0 on"},
		{[]int32{1, -1, 1}, 6 * unit.Microsecond, ""},
		{[]int32{0, -1, -1}, 5 * unit.Microsecond, ""},
	} {
		phase := startPhase{begin: 2 * us, end: 12 * us, stood: stood{c.ranks, c.time}}
		got := strings.Join(phase.notes(j), "\n")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v for %v: %q, want %q", c.ranks, c.time, got, c.want)
		}
	}
}
