package run

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/run/record"
)

// A step that comes to a state at which the one before was, at the same place, goes on as it did, and so do all that follow: they are
// told whole. How ranks began it may be another way, since some waited for others that had just begun to run: that is in
// the row of the step, which has its own beginning then. Of the last one all is
// known, too, if at some instant of the step that was recorded nothing but computing was left of it: then it is told up to its end,
// and the run is over. What the network and the ranks would have come to nobody asks for.
//
//	steps      0          1          2          3
//	simulated  . P ... Q .. P
//	told                      ... Q .. P ... Q .. P ... Q .     Q: all that is left of the step is to compute

// wholeSteps has what is left of the run told again from the step before, and reports whether anything was.
func (w *inStep) wholeSteps(now unit.Time, seen *sighting) bool {
	at := w.stepBefore(now, seen)
	if at < 0 || w.disturbed(&w.stops[at]) != "" {
		return false
	}
	m, rest, others := &w.stops[at], w.lastRest(at), seen.otherwise(&w.stops[at].sighting)
	if !w.run.record.Whole(m.record, rest.recorded(), seen.alike(&m.sighting, m.at)) {
		return false
	}
	if rest == nil {
		rest = w.nextUnsent(seen.step)
	}
	moved := w.begunAs(now, m, others)
	n := w.job.steps() - 1 - seen.step
	if n == 0 && rest == nil {
		return false
	}
	told := w.tellSteps(now, m, n, 1, moved)
	switch {
	case told == n && rest != nil && w.run.ctx.Err() == nil:
		w.conclude(now, m, rest, moved)
	case told == n:
		w.repetition.end() // parts of the last step may still be told again
		w.forget()
	}
	return true
}

// begunAs has steps that are told begin as the one in progress did, of ranks that began it otherwise than the one that is recorded
// since a mark.
func (w *inStep) begunAs(now unit.Time, m *mark, others []int32) func(k int64) record.Moved {
	if len(others) == 0 {
		return asHeard
	}
	began := map[int32]exec.Beginning{}
	for _, id := range others {
		began[id] = exec.BeginningOf(w.job.ranks[id], now)
	}
	at, took, step, places := m.at, w.took(now, m), m.step, m.places
	return func(k int64) record.Moved {
		return record.Moved{Step: func(s *exec.StepRecord, waits []exec.Wait) []exec.Wait {
			if b, is := began[s.Rank]; is && s.Step == step+k {
				return b.Replace(places[s.Rank], at.Add(unit.Duration(k)*took), s, waits)
			}
			return waits
		}}
	}
}

// stepBefore is which stop was at this state and place in the step before; -1: none. No rank with another past is midway in a collective.
func (w *inStep) stepBefore(now unit.Time, seen *sighting) int {
	if !w.first || !seen.together {
		return -1
	}
	for i := range w.stops {
		m := &w.stops[i]
		if m.step < 0 || m.step != seen.step-1 || m.past == nil || m.state.Differ(&seen.state) != "" || !m.together {
			continue
		}
		if !m.samePlace(seen) || w.reminded(m, &seen.state) || !w.sameTotals(m) {
			continue
		}
		if seen.past == nil {
			seen.past = w.past(now)
		}
		if !slices.ContainsFunc(seen.otherwise(&m.sighting), func(id int32) bool { return exec.Midway(w.job.ranks[id]) }) {
			return i
		}
	}
	return -1
}

// sameTotals reports whether traces of critical paths will be kept as totals from where they were behind a mark of the step before.
func (w *inStep) sameTotals(m *mark) bool {
	for id, rank := range w.job.ranks {
		if !exec.SameTotals(rank, m.places[id]) {
			return false
		}
	}
	return true
}

// lastRest is the last stop behind one in its step, if ranks have only to compute from then on; else nil.
func (w *inStep) lastRest(from int) (last *mark) {
	for i := from; i < len(w.stops) && w.stops[i].step == w.stops[from].step; i++ {
		last = &w.stops[i]
	}
	if !last.left {
		return nil
	}
	return last
}

// nextUnsent is the stop of a step at which nothing had been sent in it, nil if there was none.
func (w *inStep) nextUnsent(step int64) *mark {
	i := slices.IndexFunc(w.stops, func(m mark) bool { return m.step == step && m.unsent })
	if i < 0 {
		return nil
	}
	return &w.stops[i]
}

// recorded is the mark's in what is recorded, nil of none.
func (m *mark) recorded() *record.Mark {
	if m == nil {
		return nil
	}
	return m.record
}

// conclude tells the last step from the one that is recorded from a mark on, in which all ranks are as they are now, and ends the run.
func (w *inStep) conclude(now unit.Time, from, until *mark, moved func(k int64) record.Moved) {
	r, hops := w.run, w.run.fab.Hops()
	samples := r.fab.Conclude(now, from.fab, until.fab)
	k := w.job.steps() - 1 - from.step
	r.record.Conclude(from.record, until.record, w.took(now, from), k, from.step, moved(k), r.images.samples(samples))
	r.net.Repeat(from.net, until.net, 0, 1)
	w.repetition.hops += r.fab.Hops() - hops
	w.repetition.again++
	w.last, r.end = true, r.last
	w.forget()
	w.repetition.end()
	w.repetition.inStep = nil
}

// concluded reports whether the last step has been told without being simulated: then the run is over.
func (x *repetition) concluded() bool { return x != nil && x.last }
