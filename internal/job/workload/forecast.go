package workload

import "railyard/internal/base/unit"

// Times are when an operation runs, from the start of the step.
type Times struct{ Start, End unit.Duration }

// Assumed is what a forecast takes for granted.
type Assumed struct {
	Step int64                                            // a step, or StartStep for the start phase
	Took func(coll int32) unit.Duration                   // a collective, from when the last of its ranks has launched it
	Copy func(rank int32, bytes unit.Bytes) unit.Duration // from host memory; nil: no time
	Only func(rank int32) bool                            // those that stand for all; nil: each
}

// Forecast returns when each rank runs each operation of a step, by rank and index in Program.OpsOf(step).
// Of a send and its receive, the receiver has it so long after the sender has launched it, but not before
// it asks. Staging slots are not counted: a sender never waits for one. A rank that others stand for has
// none. It panics where ranks wait for each other for ever, which Lower's never do.
func (j *Job) Forecast(a Assumed) [][]Times {
	f := forecast{Job: j, Assumed: a, ranks: make([]forecastRank, j.Ranks()),
		waits: make([]int, len(j.Collectives)), last: make([]unit.Duration, len(j.Collectives)),
		sent: make([]bool, len(j.Collectives))}
	for k := range j.Collectives {
		for _, r := range j.Groups[j.Collectives[k].Group].Ranks {
			if f.stands(r) {
				f.waits[k]++
			}
		}
	}
	left := 0
	for r := range f.ranks {
		if !f.stands(int32(r)) {
			continue
		}
		p := j.Program(int32(r))
		ops := p.OpsOf(a.Step)
		f.ranks[r] = forecastRank{ops: ops, spans: make([]Times, len(ops)), done: make([]bool, len(ops)),
			posted: make([]bool, len(ops)), queues: make([][]int32, len(p.Streams)),
			free: make([]unit.Duration, len(p.Streams))}
		for i := range ops {
			s := ops[i].Stream
			f.ranks[r].queues[s] = append(f.ranks[r].queues[s], int32(i))
		}
		left += len(ops)
	}
	for left > 0 {
		before := left
		for r := range f.ranks {
			left -= f.advance(int32(r))
		}
		if left == before {
			panic("workload: ranks wait for each other")
		}
	}
	spans := make([][]Times, len(f.ranks))
	for r := range spans {
		spans[r] = f.ranks[r].spans
	}
	return spans
}

type forecast struct {
	*Job
	Assumed
	ranks []forecastRank

	// By collective: members that have not launched it, when the last of those that have did, and
	// whether the first member has.
	waits []int
	last  []unit.Duration
	sent  []bool
}

type forecastRank struct {
	ops          []Op
	spans        []Times
	done, posted []bool          // by operation; posted: of a collective, launched
	queues       [][]int32       // by stream: operations that are left
	free         []unit.Duration // by stream: when the one before has ended
}

// stands reports whether a rank is among those that stand for all.
func (f *forecast) stands(rank int32) bool { return f.Only == nil || f.Only(rank) }

// advance runs what a rank can run and returns how many operations those are.
func (f *forecast) advance(rank int32) (n int) {
	r := &f.ranks[rank]
	for again := true; again; {
		again = false
		for s := range r.queues {
			for len(r.queues[s]) > 0 && f.run(rank, r.queues[s][0]) {
				r.queues[s] = r.queues[s][1:]
				n++
				again = true
			}
		}
	}
	return n
}

// run ends the first operation that is left on a stream, if it can.
func (f *forecast) run(rank, id int32) bool {
	r := &f.ranks[rank]
	op := &r.ops[id]
	start := r.free[op.Stream]
	for _, d := range op.Deps {
		if !r.done[d] {
			return false
		}
		start = max(start, r.spans[d].End)
	}
	end := start + op.Duration
	if op.Kind == Copy && f.Copy != nil {
		end += f.Copy(rank, op.Bytes)
	}
	if op.Kind == Communication {
		var known bool
		if end, known = f.communicate(rank, op, end); !known {
			return false
		}
	}
	r.spans[id], r.done[id], r.free[op.Stream] = Times{start, end}, true, end
	return true
}

// communicate returns when a collective that a rank has launched ends there, if that is known.
func (f *forecast) communicate(rank int32, op *Op, launched unit.Duration) (end unit.Duration, known bool) {
	c, posted := &f.Collectives[op.Coll], &f.ranks[rank].posted[op.ID]
	send := c.OneWay()
	first := f.Groups[c.Group].Ranks[0] == rank
	if !*posted {
		*posted = true
		f.waits[op.Coll]--
		f.sent[op.Coll] = f.sent[op.Coll] || first
		if !send || first {
			f.last[op.Coll] = max(f.last[op.Coll], launched)
		}
	}
	switch {
	case send && f.sent[op.Coll]:
		return max(f.last[op.Coll]+f.Took(op.Coll), launched), true
	case send || f.waits[op.Coll] > 0:
		return 0, false
	}
	return f.last[op.Coll] + f.Took(op.Coll), true
}
