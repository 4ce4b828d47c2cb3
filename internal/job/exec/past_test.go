package exec

import (
	"crypto/sha256"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// withPast is a rank in a step: it has computed, run a collective of two messages of which the first was held up, and computes.
func withPast() *Rank {
	r, _ := paused([]string{"a:1 b:1 c:1* | | d:1", "A:1<a | | B:1<c"})
	ring := &workload.Collective{}
	l := &pathLayout{program: &workload.Program{}, local: &lists.Index[int32]{}, most: 100,
		colls: []pathColl{{collRun: &collRun{Collective: ring, exchange: &exchange{}}, recorded: true,
			channels: []extent{{0, 3}}}}}
	l.local.Add(7)
	r.path = &rankPath{layout: l, released: make([]release, 1), program: make([]programOp, 3), freed: make([]int32, 3)}
	r.in.Coll[r.in.Queues[1][0]] = 0
	r.colls = []collRun{{Collective: ring, exchange: &exchange{channels: []channelRun{{pc: 2, length: 2}}}, id: 7}}
	r.path.program[0] = programOp{start: 3, done: 9, message: 0}
	r.path.program[1] = programOp{start: 9, done: 12, message: -1}
	r.path.messages = []pathMessage{{posted: 0, placed: 5, n: 1}}
	r.path.segments = []pathSegment{{until: 5, cause: cause.Serialisation, at: 4}}
	r.ledger.waits = []Wait{{Op: 1, From: 5, To: 7}}
	return r
}

func pastOf(r *Rank, now unit.Time, paths bool) string {
	h := sha256.New()
	r.Past(now, paths, h)
	return string(h.Sum(nil))
}

// What a rank has done of its step is the same later, where all of it is as long ago, and is not where anything that rows or critical
// paths are made from is another.
func TestAPastIsTheSameOnlyIfAllOfItIs(t *testing.T) {
	const now = unit.Time(40)
	was, pathless := pastOf(withPast(), now, true), pastOf(withPast(), now, false)
	later := withPast()
	const d = 1000
	later.path.moved(d)
	for i := range later.ops {
		later.ops[i].start, later.ops[i].end = later.ops[i].start.Add(d), later.ops[i].end.Add(d)
	}
	l := &later.ledger
	l.start, l.at, l.idle = l.start.Add(d), l.at.Add(d), l.idle.Add(d)
	l.waits[0] = l.waits[0].later(d)
	if pastOf(later, now.Add(d), true) != was || pastOf(later, now.Add(d), false) != pathless {
		t.Error("it is another a while later")
	}
	if pastOf(later, now, false) == pathless {
		t.Error("it is the same although it was later")
	}
	stale := withPast()
	stale.path.program[2] = programOp{start: 99} // not come to yet
	stale.ops[stale.in.Queues[0][2]].end = 99    // likewise
	stale.ops[stale.in.Queues[0][3]].start = 99
	if pastOf(stale, now, true) != was {
		t.Error("what was before counts where nothing has happened yet")
	}
	for name, x := range map[string]struct {
		change func(r *Rank)
		paths  bool // only paths are made from it
	}{
		"the step's start":             {func(r *Rank) { r.ledger.start++ }, false},
		"the last change":              {func(r *Rank) { r.ledger.at++ }, false},
		"a cause":                      {func(r *Rank) { r.ledger.split[cause.Dependency]++ }, false},
		"communication":                {func(r *Rank) { r.ledger.comm++ }, false},
		"overlap":                      {func(r *Rank) { r.ledger.overlap++ }, false},
		"computing":                    {func(r *Rank) { r.ledger.computing++ }, false},
		"the operation that ended":     {func(r *Rank) { r.ledger.last++ }, false},
		"when a wait began":            {func(r *Rank) { r.ledger.waits[0].From++ }, false},
		"when it ended":                {func(r *Rank) { r.ledger.waits[0].To++ }, false},
		"for what":                     {func(r *Rank) { r.ledger.waits[0].Op++ }, false},
		"one wait more":                {func(r *Rank) { r.ledger.waits = append(r.ledger.waits, Wait{}) }, false},
		"an operation's start":         {func(r *Rank) { r.ops[r.in.Queues[0][0]].start++ }, false},
		"its end":                      {func(r *Rank) { r.ops[r.in.Queues[0][1]].end++ }, false},
		"what released it":             {func(r *Rank) { r.ops[r.in.Queues[0][1]].by++ }, false},
		"one in progress":              {func(r *Rank) { r.ops[r.in.Queues[0][2]].start++ }, false},
		"the channel that ended last":  {func(r *Rank) { r.path.released[0].channel++ }, true},
		"the acknowledgement that did": {func(r *Rank) { r.path.released[0].acked++ }, true},
		"how far a channel came":       {func(r *Rank) { r.colls[0].channels[0].pc-- }, true},
		"when a message's turn came":   {func(r *Rank) { r.path.program[0].start++ }, true},
		"when it was done":             {func(r *Rank) { r.path.program[1].done++ }, true},
		"that it was empty":            {func(r *Rank) { r.path.program[1].message = unsent }, true},
		"the credit that it waited on": {func(r *Rank) { r.path.freed[1] = 1 }, true},
		"when it was posted":           {func(r *Rank) { r.path.messages[0].posted++ }, true},
		"when it came":                 {func(r *Rank) { r.path.messages[0].placed++ }, true},
		"on which queue pair":          {func(r *Rank) { r.path.messages[0].lane++ }, true},
		"what held it up how long":     {func(r *Rank) { r.path.segments[0].until++ }, true},
		"why":                          {func(r *Rank) { r.path.segments[0].cause++ }, true},
		"where":                        {func(r *Rank) { r.path.segments[0].at++ }, true},
	} {
		r := withPast()
		x.change(r)
		if pastOf(r, now, true) == was {
			t.Errorf("%s has no say", name)
		}
		if (pastOf(r, now, false) == pathless) != x.paths {
			t.Errorf("%s has a say without paths: %v", name, !x.paths)
		}
	}
}

// All that is left of a step is to compute once nothing else is to begin or in progress.
func TestWhatIsLeftIsToCompute(t *testing.T) {
	for text, want := range map[string]bool{"A:1 | | ": true, "A:1* | | ": false, "A:1 | | B:1": false, "| | A:1": false, "| |": true} {
		r, _ := paused([]string{"a:1 b:1* | | c:1", text})
		for i := range r.in.ops {
			if r.in.ops[i].Stream == 1 {
				r.in.ops[i].Kind = workload.Communication
			}
		}
		if got := r.LeftToCompute(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
