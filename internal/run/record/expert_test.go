package record

import (
	"fmt"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// The longer the more is sent to one rank is what links and what is before them take; NVLink only inside a host.
func TestWhatGrowsWithWhatOneRankIsSent(t *testing.T) {
	var s cause.Split
	for i, c := range cause.All() {
		s[c] = 1 << i
	}
	var want unit.Duration
	for _, c := range []cause.Cause{cause.PCIe, cause.Serialisation, cause.OwnQueueing, cause.Queueing, cause.RateLimit, cause.Pause,
		cause.Window} {
		want += s[c]
	}
	if got := sending(&s, true); got != want {
		t.Errorf("between hosts %b, want %b", got, want)
	}
	if got := sending(&s, false); got != want+s[cause.NVLink] {
		t.Errorf("inside a host %b, want %b", got, want+s[cause.NVLink])
	}
}

// What comes for a rank meets what comes for the others of its host where messages go by their channel's NIC, from
// other hosts, and not by rails.
func TestWhereWhatComesMeets(t *testing.T) {
	p := &plan.Job{Placement: coll.Placement{Ranks: []coll.Place{{Host: 7}, {Host: 7, GPU: 1}, {Host: 8}}}}
	for _, c := range []struct {
		exit    string
		by      scenario.Algorithm
		members []int32
		want    int32 // of rank 1
	}{{"channel", "direct", []int32{0, 1, 2}, 7}, {"channel", "direct", []int32{0, 1}, 1}, {"channel", "rails", []int32{0, 1, 2}, 1},
		{"own", "direct", []int32{0, 1, 2}, 1}} {
		p.Spec = &scenario.Job{}
		p.Spec.Collective.Exit, p.Spec.Collective.AllToAll = c.exit, c.by
		if got := entry(&Job{plan: p})(c.members, 1); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Experts that drop much are told of: the one that drops most, where it is, and how much of all choices that was.
func TestExpertsThatDrop(t *testing.T) {
	p := &plan.Job{Spec: &scenario.Job{Train: &scenario.Train{}}, Work: &workload.Job{}}
	p.Spec.Train.GPT.Experts.Capacity = 1.25
	for _, c := range []struct {
		dropped []int64 // by expert of the second layer; as many came to each, and 40 to each of the first
		groups  []workload.Group
		want    string
	}{
		{[]int64{0, 0, 0, 0}, nil, ""},
		{[]int64{0, 31, 0, 0}, nil, ""}, // less than a tenth of 320
		{[]int64{0, 16, 16, 0}, nil, "most at expert 1 of b job -1 0.1"},
		{[]int64{0, 10, 30, 8}, []workload.Group{{Ranks: []int32{9}}, {Kind: workload.GroupKindExpert, Ranks: []int32{4, 6}}},
			"most at expert 2 of b, rank 6 rank 6 0.15"},
	} {
		p.Work.Groups = c.groups
		even := []int64{40, 40, 40, 40}
		of := &routed{layers: map[string]*use{"b": {tokens: even, dropped: c.dropped}, "a": {tokens: even, dropped: make([]int64, 4)}}}
		got := ""
		if all := of.overflowing(p); len(all) > 0 {
			rank := int32(-1)
			if r := all[0].Place.Rank; r != nil {
				rank = *r
			}
			got = fmt.Sprintf("%s %s %d %v", all[0].By, all[0].Place.Kind, rank, all[0].Evidence[0].Value)
			if n := len(all[0].Evidence); n != 2 || all[0].Evidence[1].Value != 1.25 {
				t.Errorf("%d facts, want the capacity, too", n)
			}
		}
		if got != c.want {
			t.Errorf("%v: %s\nwant %s", c.dropped, got, c.want)
		}
	}
	if (*routed)(nil).overflowing(p) != nil {
		t.Error("a job without experts")
	}
}

// A job is done when it has ended, or is given up; another one is not.
func TestAJobThatIsDone(t *testing.T) {
	done := 0
	r := &Recorder{open: 3, hooks: Hooks{Done: func(unit.Time) { done++ }}}
	r.jobs = []*Job{{r: r}, {r: r}, {r: r}}
	r.jobs[1].GiveUp()
	r.jobs[2].end(5)
	if r.jobs[0].Done() || !r.jobs[1].Done() || !r.jobs[2].Done() || r.Going() != 1 || done != 0 {
		t.Errorf("done %v %v %v, %d go on", r.jobs[0].Done(), r.jobs[1].Done(), r.jobs[2].Done(), r.Going())
	}
	r.jobs[0].end(7)
	if r.jobs[0].end(8); !r.jobs[0].Done() || done != 1 {
		t.Errorf("the last job ended: told %d times", done)
	}
}
