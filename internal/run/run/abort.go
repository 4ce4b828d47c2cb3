package run

import (
	"fmt"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/run/record"
)

// fail takes it that a queue pair gave up or a rank cannot go on, and aborts its job. Background traffic goes on.
func (r *runner) fail(f host.Failure) {
	j := r.failing(&f)
	if j == nil || j.failed || j.record.Done() {
		return
	}
	j.failed = true
	life := j.lives
	r.later(f.At.Add(r.linger), j.order(actAbort), func(now unit.Time) {
		if j.record.Done() || j.lives != life {
			return
		}
		if ranks := j.standing(); f.QP >= 0 {
			j.record.GaveUp(f.At, f.QP, f.Err, ranks)
		} else {
			j.record.CannotGoOn(f.At, f.Rank, f.Err, ranks)
		}
		j.end(now, f.At)
	})
}

// failing is the job that a failure belongs to, nil of background traffic.
func (r *runner) failing(f *host.Failure) *job {
	if f.QP >= 0 {
		if i := r.plan.Pairs[f.QP].Job; i >= 0 {
			return r.jobs[i]
		}
		return nil
	}
	for _, j := range r.jobs {
		if j.driver == f.Job {
			return j
		}
	}
	return nil
}

// standing is where the ranks of the job stand.
func (j *job) standing() []record.Standing {
	all := make([]record.Standing, len(j.ranks))
	for i, rank := range j.ranks {
		s := &all[i]
		if s.Step, s.Over = rank.Step(), rank.Finished(); s.Step >= 0 {
			s.Step += j.first
		}
		s.Coll, s.Since, s.In = rank.Communicates()
	}
	return all
}

// end ends a life of a job that was aborted, and the job if it has no other. With the last job the run is over.
func (j *job) end(now, aborted unit.Time) {
	r := j.run
	for _, rank := range j.ranks {
		rank.Fail(now)
	}
	for _, id := range j.flows {
		r.hosts.EndFlow(id)
	}
	for id := range r.plan.Pairs {
		if q := &r.plan.Pairs[id]; int(q.Job) == j.index {
			r.net.Close(int32(id))
		}
	}
	revived, why, err := j.revive(now, aborted)
	if err != nil {
		why = fmt.Sprintf("; it cannot start again: %v", err)
	}
	if j.failed = !revived; revived {
		return
	}
	j.record.Ended(why, j.leave(aborted))
	if r.record.Going() == 0 {
		r.eng.StopAt(now)
	}
}

// watch looks when a rank may have been in a collective for as long as the watchdog waits. What it sees, it sees at that
// very instant: a collective that begins after this look is overdue no sooner than the next look.
func (j *job) watch(now unit.Time) {
	limit := j.plan.Spec.Watchdog
	if !limit.Set || len(j.ranks) == 0 || j.record.Done() {
		return
	}
	first, ranks := unit.Never, j.standing()
	for i := range ranks {
		if ranks[i].In {
			first = min(first, ranks[i].Since)
		}
	}
	switch {
	case first != unit.Never && now.Sub(first) >= limit.Value:
		j.record.Hung(now, ranks)
		j.run.hosts.Idle(now) // nothing may have happened since long before
		j.end(now, now)
		return
	case first == unit.Never && j.run.dry:
		return // nothing is left to happen, so no collective begins
	case first == unit.Never:
		first = now
	}
	life := j.lives
	j.run.later(first.Add(limit.Value), j.order(actWatch), func(now unit.Time) {
		if j.lives == life {
			j.watch(now)
		}
	})
}

// diverge ends a training whose loss is not a number, and makes the others end their steps: each the
// step that its foremost rank is in, because ranks have begun it.
func (r *runner) diverge(index int, step int64, at unit.Time, loss float64) {
	if !math.IsNaN(loss) && !math.IsInf(loss, 0) {
		return
	}
	j := r.jobs[index]
	if j.nan = true; r.diverged != nil {
		return
	}
	r.later(at.Add(r.linger), orderRun, func(unit.Time) { r.stop() })
	r.diverged = j.divergence(step, loss)
}
