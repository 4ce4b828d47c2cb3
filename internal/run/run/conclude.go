package run

import (
	"railyard/internal/base/unit"
	"railyard/internal/run/record"
)

// A step that begins as the one before did goes on as it did, and so do all that follow: they are told whole. Of the last one all is
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
	m, rest := &w.stops[at], w.lastRest(at)
	if !w.run.record.Whole(m.record, rest.recorded()) {
		return false
	}
	n := w.job.steps() - 1 - seen.step
	if n == 0 && rest == nil {
		return false
	}
	told := w.tellSteps(now, m, n, 1)
	switch {
	case told == n && rest != nil && w.run.ctx.Err() == nil:
		w.conclude(now, m, rest)
	case told == n:
		w.repetition.end() // parts of the last step may still be told again
	}
	return true
}

// stepBefore is which stop was at this state and place in the step before, with the same past; -1: none.
func (w *inStep) stepBefore(now unit.Time, seen *sighting) int {
	if !w.first || !seen.together {
		return -1
	}
	for i := range w.stops {
		m := &w.stops[i]
		if m.step < 0 || m.step != seen.step-1 || m.past == nil || m.state != seen.state || !m.together {
			continue
		}
		if seen.past == nil {
			seen.past = w.past(now)
		}
		if m.differs(seen) == "" {
			return i
		}
	}
	return -1
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

// recorded is the mark's in what is recorded, nil of none.
func (m *mark) recorded() *record.Mark {
	if m == nil {
		return nil
	}
	return m.record
}

// conclude tells the last step from the one that is recorded from a mark on, in which all ranks are as they are now, and ends the run.
func (w *inStep) conclude(now unit.Time, from, until *mark) {
	r, hops := w.run, w.run.fab.Hops()
	samples := r.fab.Conclude(now, from.fab, until.fab)
	r.record.Conclude(from.record, until.record, w.took(now, from), w.job.steps()-1-from.step, from.step, r.images.samples(samples))
	r.net.Repeat(from.net, until.net, 1)
	w.repetition.hops += r.fab.Hops() - hops
	w.repetition.again++
	w.last, r.end = true, r.last
	w.forget()
	w.repetition.end()
	w.repetition.inStep = nil
}

// concluded reports whether the last step has been told without being simulated: then the run is over.
func (x *repetition) concluded() bool { return x != nil && x.last }
