package run

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
)

// act is what the driver does to ranks at an instant between windows: all events up to it are done, in all islands, and
// none after. What happens at an instant that an event decides on is heard of only after the window, and how far other
// islands have come by then depends on the partition. But no window is longer than the run lingers, so the act is due
// that much later, when all of them stand where they do with any other partition.
type act struct {
	at    unit.Time
	order int // of several at one instant
	do    func(now unit.Time)
}

// later plans an act.
func (r *runner) later(at unit.Time, order int, do func(now unit.Time)) {
	a := act{at, order, do}
	i, _ := slices.BinarySearchFunc(r.acts, a, func(a, b act) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	r.acts = slices.Insert(r.acts, i, a)
	r.eng.PauseAt(at)
}

// The orders of acts: that of a run before those of its jobs.
const (
	orderRun = iota
	orderJobs
)

// order is that of one of a job's acts.
func (j *job) order(kind int) int { return orderJobs + kinds*j.index + kind }

// The kinds of a job's acts, in their order.
const (
	actAbort = iota
	actWatch
	actSave
	kinds
)

// nextAct is when the next act is due; unit.Never: none is.
func (r *runner) nextAct() unit.Time {
	if len(r.acts) == 0 {
		return unit.Never
	}
	return r.acts[0].at
}

// act does what is due at an instant.
func (r *runner) act(now unit.Time) {
	for len(r.acts) > 0 && r.acts[0].at <= now {
		a := r.acts[0]
		r.acts = slices.Delete(r.acts, 0, 1)
		a.do(now)
	}
}

// drive runs the engine, stopping for acts, for who observes and for the recorder's own look. It reports whether the run came to its
// end.
func (r *runner) drive() bool {
	look := unit.Never
	if r.opt.Observe != nil {
		look = 0
	}
	for !r.reuse.concluded() && !r.images.broken() {
		due := r.record.Due()
		more, ok := r.eng.RunUntil(min(look, due, r.nextAct()))
		next := r.nextAct() // an event may have asked for one
		switch r.dry = !more; {
		case !ok:
			return false
		case r.dry && (r.record.Going() == 0 && !r.closing || next == unit.Never):
			return true
		case r.dry:
			r.record.Idle(next)
			r.act(next)
		case next <= min(look, due):
			r.act(next)
		case due <= look:
			r.record.Look(due)
		default:
			look = look.Add(max(1, r.opt.Observe(r.ctx, View{Now: r.told(look), r: r})))
		}
	}
	return true
}
