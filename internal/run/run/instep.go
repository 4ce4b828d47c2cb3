package run

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/reuse"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/run/record"
)

// inStep has parts of a step told that would be simulated again: layers and micro-batches are alike. Whenever a rank has
// ended a collective and the network is at rest its state is compared with those of before. If it is one of them, and the
// operations that each rank comes to are like those since then, all will be as it was: that part is told again as often as the programs
// have it in a row, and the ranks go on behind it.
//
//	layers     1 2 3 4 5 ... 32 loss
//	simulated  1 2              loss     after layer 2 all is as after layer 1
//	told       1 2 3 4 5 ... 32 loss
//
// What happens goes on being recorded, with what was told again in it: micro-batches may be told again, too.
type inStep struct {
	*repetition
	waits    bool // for a look
	tries    int
	hops     int64 // when something was looked at last
	restless bool  // and that was not at rest, though no message was on its way
	size     int64 // values of the last state
	stood    int   // stops of this step since what happens is recorded
	spent    int64 // values that were looked at, less what looks may cost
	more     int64 // of looks that cost more, since ranks computed what they had computed before
	looks    int64
	heavy    bool // a step has more to be told than is kept
	underway bool // ranks were, at a stop of this step: what they did no longer began with it

	agendas map[uint64]bool // what ranks were computing

	lookedAt *reuse.Digest // at the last look
	drew     int           // looks in a row before which random numbers were drawn
	steered  int           // looks in a row before which congestion control came to a state that was not seen

	seen     map[reuse.Digest]bool
	stops    []mark // the newest last; what happened since the first is recorded
	patience int    // looks that find nothing, for as long as what happens is recorded
	misses   int    // looks in a row at rest after which nothing was told again
	passed   int    // ends of collectives at which nothing was looked at, since there were so many
}

// Bounds of reuse within steps.
const (
	freshLooks  = 24 // what happens is recorded for so many looks behind one that found a state that was seen
	mostStops   = 64
	mostDrawn   = 2 // behind so many looks in a row before which random numbers were drawn nothing is recorded,
	mostSteered = 4 // or congestion control came to a state that was not seen
	earlyLooks  = 4 // of a step behind one that is recorded
	eagerSteps  = 4 // each of these may be told from the one before, of others every second
	restTries   = 7 // looks for a rest behind the end of a collective, each twice as late: some tens of us

	mostSeenWithin = 1 << 12 // states
	hopsAValue     = 16      // packet-hops for each value that is looked at: some hundredths of their time,
	hopsAValueMore = 8       // and of those at which something was as before
)

// spoke takes it that a rank has ended a collective. The network may be at rest behind one that sent something; one that did
// not says nothing of that, but for what is left.
func (r *runner) spoke(at unit.Time, sent bool) {
	x := r.reuse
	if x == nil || x.inStep == nil {
		return
	}
	w := x.inStep
	switch pass := w.misses / freshLooks; {
	case sent:
		w.tries = 0
	case w.passed < pass*pass && !w.job.ranks[0].LeftToCompute():
		w.passed++
		return
	default:
		w.passed = 0
	}
	if !w.waits {
		w.waits, w.tries = true, 0
		w.after(at.Add(x.run.linger - x.behind))
	}
}

func (w *inStep) after(at unit.Time) { w.run.later(at, orderRun, w.look) }

// earn counts what looks may cost more since something was looked at last: a share of the packet-hops, of those that were told again,
// too.
func (w *inStep) earn() {
	hops := w.run.fab.Hops() - w.hops
	w.spent -= hops / hopsAValue
	w.more -= hops / hopsAValueMore
	w.hops += hops
}

// mayBeAgain reports whether ranks have computed the same before: else no state is one that was. That is soon asked.
func (w *inStep) mayBeAgain(now unit.Time) bool {
	if w.agendas == nil {
		w.agendas = map[uint64]bool{}
	}
	sum := w.run.hosts.Agenda(now)
	known := w.agendas[sum]
	if len(w.agendas) < mostSeenWithin {
		w.agendas[sum] = true
	}
	return known
}

// wait has a look at a network that is not at rest be repeated, or given up.
func (w *inStep) wait(now unit.Time) {
	if w.tries++; w.tries < restTries {
		w.after(now.Add(w.run.linger << w.tries))
		return
	}
	w.waits = false
	w.missed("the network was not at rest")
	w.wane()
}

// look compares the network with what it was, if it is at rest.
func (w *inStep) look(now unit.Time) {
	r := w.run
	if w.onTheWay() {
		w.wait(now)
		return
	}
	if now < w.calm || r.fab.Hops() == w.hops && !w.restless {
		w.waits = false
		return
	}
	w.earn()
	together, left := w.standing()
	again := w.mayBeAgain(now)
	if w.looks++; w.looks > freshLooks && w.spent > 0 && !left && !(again && (w.more <= 0 || w.wasHere())) {
		w.waits = false
		w.wane()
		return
	}
	if again {
		w.patience = freshLooks
	}
	d, err := w.state(now)
	switch cost := max(w.size, d.Values()); {
	case w.looks <= freshLooks:
	case w.spent > 0:
		w.more += cost
	default:
		w.spent += cost
	}
	if w.restless = err != nil; err != nil {
		if err.(*reuse.NotAtRest).Never {
			w.refused, w.inStep = err.Error(), nil
			w.forget()
			return
		}
		w.wait(now)
		return
	}
	w.waits = false
	w.size = d.Values()
	w.unlike(&d)
	seen := w.sighting(now, w.job.ranks[0].Step()+w.steps, &d)
	w.outlive(seen.step)
	seen.together, seen.left = together, left
	if w.wholeSteps(now, &seen) {
		return
	}
	if why := w.again(now, &d); why != "" {
		w.missed(why)
	} else {
		w.misses = 0
	}
	w.note(now, &seen)
}

// onTheWay reports whether a message is, what it answers for included: then nothing more is looked at.
func (w *inStep) onTheWay() bool {
	return w.run.net.Busy() || w.run.hosts.Busy() || slices.ContainsFunc(w.job.ranks, exec.Unsettled)
}

// standing reports whether all ranks are in one step, and whether that has nothing left but computing.
func (w *inStep) standing() (together, left bool) {
	together, left = true, true
	for _, rank := range w.job.ranks {
		together = together && rank.Step() == w.job.ranks[0].Step()
		left = left && rank.LeftToCompute()
	}
	return together, left && together
}

// wasHere reports whether ranks were at this place in the step before, at a stop that may have all that followed told: there are
// few of these.
func (w *inStep) wasHere() bool {
	here := func(m *mark) bool {
		for id, rank := range w.job.ranks {
			if !exec.Stands(rank, m.places[id]) {
				return false
			}
		}
		return true
	}
	step := w.job.ranks[0].Step() + w.steps
	return slices.ContainsFunc(w.stops, func(m mark) bool { return m.past != nil && m.step == step-1 && here(&m) })
}

// missed counts a look after which nothing was told again.
func (w *inStep) missed(why string) {
	w.misses++
	if w.parted == nil {
		w.parted = map[string]int64{}
	}
	w.parted[why]++
}

// unlike forgets what was before random numbers were drawn, and what is recorded where congestion control goes on from one
// state to another: a window that grows.
func (w *inStep) unlike(d *reuse.Digest) {
	was := w.lookedAt
	w.lookedAt = d
	if w.drew++; was == nil || !d.Drew(was) {
		w.drew = 0
	}
	if w.steered++; was == nil || !d.Steered(was) {
		w.steered = 0
	}
	if stood := w.stood; len(w.stops) > 0 && (w.drew > 0 || w.steered > mostSteered) {
		w.forget()
		w.stood = stood
	}
}

// again looks for a state that was the same, and has what followed told again, or says why nothing was.
func (w *inStep) again(now unit.Time, d *reuse.Digest) (why string) {
	switch {
	case len(w.stops) > 0:
		why = d.Differ(&w.stops[len(w.stops)-1].state) + anotherState
	case w.drew > 0:
		why = reuse.Generators + anotherState
	default:
		why = "there was nothing to compare it with"
	}
	stands := d.Standing()
	for i := len(w.stops) - 1; i >= 0; i-- {
		m := &w.stops[i]
		if m.state.Standing() != stands {
			continue
		}
		if why := w.disturbed(m); why != "" {
			return why
		}
		if w.reminded(m, d) {
			why = reminded
			continue
		}
		if periods, n := w.periods(now, m); n > 0 {
			w.tell(now, m, periods, n)
			w.stops = w.stops[:i+1] // what lies between comes again with it
			return ""
		}
		why = "what follows is not like what went before"
	}
	return why
}

// periods returns what ranks have done since a stop, and how often they all have it before them in a row. Some may stand still.
func (w *inStep) periods(now unit.Time, m *mark) (all []exec.Period, n int64) {
	ranks, work, took := w.job.ranks, w.job.plan.Work, w.took(now, m)
	last := map[*workload.Program]*exec.Period{}
	all = make([]exec.Period, len(ranks))
	for id, rank := range ranks {
		program := work.Program(int32(id))
		all[id] = rank.PeriodSince(now, m.places[id], took, last[program])
		last[program] = &all[id]
		if id == 0 || all[id].Times < n {
			n = all[id].Times
		}
		if n == 0 {
			return nil, 0
		}
	}
	if n == exec.Ever {
		return nil, 0
	}
	for g := range work.Groups {
		members := work.Groups[g].Ranks
		for _, id := range members {
			if ranks[id].InGroup(&all[id], int32(g)) != ranks[members[0]].InGroup(&all[members[0]], int32(g)) {
				return nil, 0
			}
		}
	}
	return all, n
}

// tell has the part since a stop told n times more, or until the run is interrupted.
func (w *inStep) tell(now unit.Time, m *mark, periods []exec.Period, n int64) {
	took := w.took(now, m)
	n = w.repetition.tell(now, m, n, 0, func(k int64) record.Moved {
		return record.Moved{Operation: func(o *exec.OperationRecord) { periods[o.Rank].Moved(o, k) }}
	})
	for id, rank := range w.job.ranks {
		rank.Repeat(&periods[id], n, took)
	}
	w.parts += n
	w.earn()
	w.patience = freshLooks
}

// forget ends the recording of what happens.
func (w *inStep) forget() {
	if w.stood = 0; len(w.stops) > 0 {
		w.stops = nil
		w.stopRecording()
	}
}

// giveUp ends the recording of what has become too much, until a state comes again.
func (w *inStep) giveUp() {
	w.missed("a part has more to be told than is kept")
	w.patience, w.heavy = 0, true
	w.forget()
}

// ended takes it that all ranks have ended a step. If nothing was told again in the first, then whole steps are what may be. Of
// two steps the first is still recorded in the second, which may do the same: see wholeSteps.
func (w *inStep) ended(step int64) {
	w.stood, w.underway = 0, false
	if step >= eagerSteps && step%2 != 0 {
		w.forget()
	} else if w.first && len(w.stops) > 0 {
		w.patience, w.looks = freshLooks, min(w.looks, freshLooks-earlyLooks)
	}
	if w.parts == 0 && !w.repetition.over && (step > 0 || len(w.stops) == 0 && w.drew == 0) {
		w.forget()
		w.repetition.inStep = nil
	}
}

// outlive forgets stops of steps before the one before: no step is told from them. What was recorded since is forgotten with
// them only if it has become much.
func (w *inStep) outlive(step int64) {
	switch last := len(w.stops) - 1; {
	case last < 0 || w.stops[0].step >= step-1:
	case w.stops[last].step < step-1 || w.recorded() > w.most/2:
		w.forget()
	default:
		w.stops = slices.DeleteFunc(w.stops, func(m mark) bool { return m.step < step-1 })
	}
}

// note notes a state at rest.
func (w *inStep) note(now unit.Time, seen *sighting) {
	if w.seen == nil {
		w.seen = map[reuse.Digest]bool{}
	}
	if stands := seen.state.Standing(); w.seen[stands] {
		w.patience, w.steered = freshLooks, 0
	} else if len(w.seen) < mostSeenWithin {
		w.seen[stands] = true
	}
	last := len(w.stops) - 1
	seen.unsent = w.first && seen.together && last >= 0 && w.stops[last].step == seen.step-1 &&
		!slices.ContainsFunc(w.job.ranks, func(r *exec.Rank) bool { return !exec.Unsent(r) })
	patient := w.wane()
	w.stood++
	few := w.stood&(w.stood-1) == 0 // what comes late in a step has much of it behind it
	if !w.underway && !slices.ContainsFunc(w.job.ranks, func(r *exec.Rank) bool { return !exec.Underway(r) }) {
		w.underway, few = true, true
	}
	if w.drew > mostDrawn || w.steered > mostSteered || !patient && !(w.lasts(seen) && (few || seen.left)) && !seen.unsent {
		return
	}
	if len(w.stops) >= mostStops {
		w.thin()
	}
	if few {
		seen.past = w.past(now)
	}
	w.stops = append(w.stops, w.from(now, *seen))
	w.weighFrom(now)
}

// lasts reports whether a stop may be kept up to the step behind it, which may be told from there.
func (w *inStep) lasts(seen *sighting) bool {
	return w.first && !w.heavy && seen.together && seen.step+1 < w.job.steps() && (seen.step < eagerSteps || seen.step%2 == 0)
}

// thin forgets stops but for those that last: few from which the next step may be told, and the last behind which ranks only compute.
func (w *inStep) thin() {
	n := 0
	for i := range w.stops {
		m := &w.stops[i]
		last := i+1 == len(w.stops) || w.stops[i+1].step != m.step
		if w.lasts(&m.sighting) && (m.past != nil || last && m.left) || m.unsent {
			w.stops[n] = w.stops[i]
			n++
		}
	}
	if n == 0 {
		w.forget()
		return
	}
	clear(w.stops[n:])
	w.stops = w.stops[:n]
}

// wane counts a look, and reports whether what happens is still recorded for parts of the step.
func (w *inStep) wane() bool {
	if w.patience == 0 {
		w.thin()
		return false
	}
	w.patience--
	return true
}
