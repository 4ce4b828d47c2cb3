package host

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// Failure is why a queue pair has given up, or a rank cannot go on.
type Failure struct {
	At   unit.Time
	Err  error
	QP   int32 // -1: a rank
	Job  *Job  // of the rank; nil: of a queue pair
	Rank int32 // of the job
}

// before orders failures: a queue pair that fails at the same instant as another has the lower number or comes later, and
// ranks come after all queue pairs, because the order in which they are handled depends on the partition.
func (f *Failure) before(g *Failure) int {
	ofRank := func(f *Failure) int {
		if f.QP < 0 {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(f.At, g.At), cmp.Compare(ofRank(f), ofRank(g)), cmp.Compare(f.QP, g.QP), cmp.Compare(f.index(), g.index()))
}

// index is the number of a rank among those of all jobs.
func (f *Failure) index() int32 {
	if f.Job == nil {
		return -1
	}
	return f.Job.ranks[f.Rank]
}

// OnFail sets who is told of failures: after the window in which they happen, in order of time. By default the run
// ends after the first.
func (h *Hosts) OnFail(f func(Failure)) { h.onFail = f }

// Fail says that queue pair qp has given up.
func (h *Hosts) Fail(isl *sim.Island, now unit.Time, qp int32, err error) {
	h.fail(isl, Failure{At: now, Err: err, QP: qp})
}

func (h *Hosts) fail(isl *sim.Island, f Failure) {
	h.failures[isl.Index()] = append(h.failures[isl.Index()], f)
	if len(h.failures) == 1 {
		h.join()
	}
}

// join tells of the failures of all islands.
func (h *Hosts) join() {
	var all []Failure
	for i, of := range h.failures {
		all = append(all, of...)
		h.failures[i] = of[:0]
	}
	slices.SortFunc(all, func(a, b Failure) int { return a.before(&b) })
	for _, f := range all {
		h.onFail(f)
	}
}

// end ends the run after the first failure.
func (h *Hosts) end(f Failure) {
	if h.failed.Err == nil || f.before(&h.failed) < 0 {
		h.failed = f
	}
	h.eng.StopAt(h.failed.At.Add(h.net.Linger()))
}

// Err returns why the run failed, if it did and nobody listens.
func (h *Hosts) Err() error { return h.failed.Err }
