package run

import (
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/reuse"
	"railyard/internal/net/cc"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/record"
)

// repetition has steps told that would be simulated again: see package reuse. Once all ranks have ended a step, and the
// network is at rest in the next, its state is compared with that of so many steps before. If it is the same then all
// will be as it was: the steps of that period are told again and again, and the ranks end as many steps sooner.
//
//	steps         0 1 2 3 | 4 5 6 7 8 9 | 10 11
//	simulated     0 1 2 3                 4  5     after step 3 all is as after step 2
//	ranks count   0 1 2 3                 4  5
//	told          0 1 2 3   4 5 6 7 8 9   10 11
//	                    ^   told again
//
// The clock of the simulation stands still meanwhile. Whatever looks at it from outside asks represented.
type repetition struct {
	run    *runner
	job    *job
	every  int64     // a period is so many steps, or a multiple
	spare  int64     // steps before the last one in which ranks know that it comes
	calm   unit.Time // from when on faults neither begin nor end
	first  bool      // all steps may be told from the first: see wholeSteps
	behind unit.Duration
	steps  int64 // that ranks are behind
	now    int64 // that are told just now, and not in these yet

	seen    []sighting // the newest last: states that were looked at
	marks   []mark     // the newest last: a period may begin at each, what followed is recorded
	weighed bool       // what is recorded is looked at: see weigh
	most    int64      // bytes of what is recorded
	until   int64      // the step in which a period should have ended, where one is recorded since its state came again
	asked   int64      // the step after which the network is to be at rest
	tries   int        // since then
	next    int64      // the step after which it is looked at again
	missed  int        // looks in a row that found another state
	over    bool
	last    bool // step has been told: nothing more is simulated

	looked, never int64            // steps after which it was looked at; that were not repeated
	again         int64            // steps told again
	parts         int64            // of steps, likewise
	parted        map[string]int64 // why looks within steps had nothing told again
	hops          int64            // packet-hops of these
	inStep        *inStep          // parts of steps; nil: none is ever told again

	why     map[string]int64
	refused string // why nothing is ever reused; "": it may be
}

// Bounds of reuse.
const (
	weighEvery = 100 * unit.Microsecond // between two looks at how many they are
	mostTries  = 8                      // looks at a network that is not at rest, each twice as late
	mostSeen   = 64                     // a period has at most so many times every steps
	freeMisses = 16                     // then each costs as many steps more as there were
	eagerMarks = 2                      // looks from which on what follows is recorded before anything has come again
)

// newRepetition prepares for reuse, nil where it is off.
func (r *runner) newRepetition() *repetition {
	if r.plan.Scenario.Run.Reuse != scenario.ReuseAuto {
		return nil
	}
	x := &repetition{run: r, why: map[string]int64{}, most: int64(foresight.MostRecorded(r.memory))}
	if x.refused = r.neverReused(); x.refused != "" {
		x.over = true
		return x
	}
	x.job = r.jobs[0]
	x.every, x.spare = foresight.Periods(x.job.plan)
	x.first = foresight.FromOneStep(x.job.plan, x.job.steps())
	x.calm = r.plan.Faults.LastTurn()
	x.inStep = &inStep{repetition: x, patience: freshLooks}
	x.over = x.job.steps() < foresight.LeastSteps
	return x
}

// neverReused says why nothing of a run is ever reused, "" where it may be.
func (r *runner) neverReused() string {
	if r.capture != nil || r.record.LogsEvents() || r.record.TakesSeries() || r.record.Watches() {
		return "each packet, or each instant, is told of (capture, output.events, output.series, output.telemetry)"
	}
	return foresight.NeverReused(r.plan)
}

// settleEnd notes when the last thing happened in a run that may be reused: its last step ended, or a frame arrived. Timers
// that mean nothing any more, each with a phase of its own, go on behind that, and are no part of the run.
func (r *runner) settleEnd(whole bool) {
	if whole && r.last > 0 && r.neverReused() == "" && r.plan.Faults.LastTurn() <= r.last {
		if end := max(r.last, r.fab.LastArrival()); end <= r.eng.Now() {
			r.end = end
		}
	}
}

// start is called when all is built.
func (x *repetition) start() {
	if x != nil && (!x.over || x.inStep != nil) {
		x.run.fab.AllowRepeats()
	}
}

// ended takes it that all ranks have ended a step, as it is told.
func (x *repetition) ended(step int64, at unit.Time) {
	if x != nil && x.inStep != nil && !x.run.record.Repeating() {
		x.inStep.ended(step)
	}
	if x == nil || x.over || x.run.record.Repeating() || step < x.next || (step+1)%x.every != 0 {
		return
	}
	if at.Add(-x.behind) < x.calm {
		x.looked++
		x.never++
		x.why["faults were to come or to go"]++
		return
	}
	x.asked, x.tries = step, 0
	x.look(at.Add(x.run.linger - x.behind))
}

// look looks at the network at an instant, between windows.
func (x *repetition) look(at unit.Time) {
	step := x.asked
	x.run.later(at, orderRun, func(now unit.Time) {
		if !x.over && x.asked == step {
			x.compare(now)
		}
	})
}

// compare looks whether the network is at rest and as it was, and has steps told again if it is.
func (x *repetition) compare(now unit.Time) {
	r := x.run
	if x.tries == 0 {
		x.looked++
	}
	d, err := x.state(now)
	if why := x.apart(); err == nil && why != "" {
		err = &reuse.NotAtRest{Field: "exec.Rank.step", Why: why}
	}
	if err != nil {
		if e := err.(*reuse.NotAtRest); e.Never {
			x.refused = e.Error()
			x.end()
			return
		}
		if x.tries++; x.tries < mostTries {
			x.look(now.Add(max(r.linger, unit.Microsecond) << x.tries))
			return
		}
		x.miss("the network was not at rest")
		x.stop()
		return
	}
	seen := x.sighting(now, x.asked+1, &d)
	seen.past = x.past(now)
	m, period, why := x.met(&seen)
	switch {
	case m != nil && why == "":
		x.repeat(now, m)
		x.end()
		return
	case m != nil: // and it will be so again: the same follows the same
		x.miss(why)
		x.end()
		return
	case why != "" && x.asked+1 >= x.until: // else a period is recorded, and not over
		x.miss(why)
	}
	x.mark(now, seen, period)
}

// state returns the digest of all that has a say in what comes.
func (x *repetition) state(now unit.Time) (d reuse.Digest, err error) {
	r := x.run
	if r.net.Busy() || r.hosts.Busy() {
		return d, &reuse.NotAtRest{Why: "a message is on its way"}
	}
	r.net.Rest(now)
	r.hosts.Rest(now)
	for _, rank := range x.job.ranks {
		rank.Rest()
	}
	return reuse.Of(now, r.fab, r.net, r.hosts)
}

// apart says that ranks are in different steps, or have done all, "" if they are in the one after that they have ended.
func (x *repetition) apart() string {
	for _, rank := range x.job.ranks {
		if rank.Step() != x.asked+1-x.steps {
			return "ranks are in different steps"
		}
	}
	return ""
}

// met returns the mark with this state, and why what followed cannot be told again, if it cannot. nil: none; then after how many
// steps the state has come again where nothing was recorded, or what kept it from being one that was seen.
func (x *repetition) met(now *sighting) (m *mark, period int64, why string) {
	for i := len(x.marks) - 1; i >= 0; i-- {
		m := &x.marks[i]
		if now.differs(&m.sighting) != "" {
			continue
		}
		if !x.reminded(m, &now.state) {
			return m, 0, x.disturbed(m)
		}
		why = reminded
	}
	if why != "" {
		return nil, 0, why
	}
	for i := len(x.seen) - 1; i >= 0; i-- {
		other := now.differs(&x.seen[i])
		if other == "" {
			return nil, now.step - x.seen[i].step, ""
		}
		if why == "" {
			why = other
		}
	}
	return nil, 0, why
}

// reminded reports whether congestion control was told of congestion since a mark, in whose state all is again, when it
// remembered something else.
func (x *repetition) reminded(m *mark, now *reuse.Digest) bool {
	return !now.Remembers(&m.state) && x.run.net.NotifiedSince(m.net)
}

const reminded = "congestion control remembered something else when it was told of congestion"

// disturbed says why what followed a mark cannot be told again, "" if it can.
func (x *repetition) disturbed(m *mark) string {
	if x.run.record.LostSince(m.record) || x.run.net.ReorderedSince(m.net) {
		return "frames were lost, or came out of order"
	}
	return ""
}

// miss counts a period that was not told again.
func (x *repetition) miss(why string) {
	x.never++
	x.why[why]++
	if x.missed++; x.missed >= freeMisses {
		x.next = x.asked + int64(x.missed)*x.every
	}
}

// mark takes note of a state, which has come again after a period, if that is not 0. What follows is recorded then, for as
// long as that takes; and behind the first looks, where most of what repeats itself does so at once. Recording costs more
// than looking.
func (x *repetition) mark(now unit.Time, seen sighting, period int64) {
	step := seen.step
	if x.job.steps()-1-x.spare-step < 2*x.every {
		x.end() // nothing is left to be told again
		return
	}
	x.seen = append(x.seen, seen)
	if len(x.seen) > mostSeen {
		x.seen = slices.Delete(x.seen, 0, 1)
	}
	eager := len(x.seen) <= eagerMarks
	if !eager && (step >= x.until || x.next > x.asked+x.every) { // a period is over, or the next look too far away for one
		x.stop()
	}
	switch {
	case period > 0 && len(x.marks) == 0:
		if x.job.steps()-1-x.spare-step < 2*period {
			x.miss("too few steps were left to do it once more")
			x.end()
			return
		}
		x.until, x.next = step+period, 0
	case !eager:
		return
	}
	x.marks = append(x.marks, x.from(now, seen))
	x.weighFrom(now)
}

// weighFrom begins to weigh what is recorded.
func (x *repetition) weighFrom(now unit.Time) {
	if !x.weighed {
		x.weighed = true
		x.weigh(now)
	}
}

// weigh looks every now and then whether what is recorded has become too much, at instants that no partition into islands changes.
func (x *repetition) weigh(now unit.Time) {
	x.run.later(now.Add(weighEvery), orderRun, func(now unit.Time) {
		if x.weighed = x.held() > 0 && !x.run.dry; !x.weighed { // of a job that hangs no more is recorded
			return
		}
		if x.recorded() <= x.most {
			x.weigh(now)
			return
		}
		x.weighed = false
		if len(x.marks) > 0 {
			x.miss("a period has more to be told than is kept")
			x.end()
		}
		if x.inStep != nil {
			x.inStep.giveUp()
		}
	})
}

// held is how many marks there are, of steps or of parts of them.
func (x *repetition) held() int {
	if x.inStep == nil {
		return len(x.marks)
	}
	return len(x.marks) + len(x.inStep.stops)
}

// recorded is how many bytes marks take with one more, and what is to be told since the first.
func (x *repetition) recorded() int64 {
	return x.run.fab.Recorded() + x.run.record.Recorded() + int64(x.held()+1)*(x.run.net.MarkSize()+x.run.fab.MarkSize())
}

// stop forgets what is recorded.
func (x *repetition) stop() {
	if len(x.marks) > 0 {
		x.marks = nil
		x.stopRecording()
	}
}

// stopRecording ends the recording of what happens, if there is no mark.
func (x *repetition) stopRecording() {
	if x.held() == 0 {
		x.run.fab.StopRecording()
		x.run.record.StopRecording()
	}
}

// end is called when nothing more is looked at.
func (x *repetition) end() {
	x.stop()
	x.over = true
}

// repeat has the period from a mark until now told as often as it will be, or until the run is interrupted.
func (x *repetition) repeat(now unit.Time, m *mark) {
	step := x.asked + 1
	steps := step - m.step
	n := (x.job.steps() - 1 - x.spare - step) / steps
	if n <= 0 {
		return
	}
	x.tellSteps(now, m, n, steps, asHeard)
}

// asHeard moves nothing.
func asHeard(int64) (m record.Moved) { return m }

// tellSteps is tell for whole steps: ranks end as many sooner.
func (x *repetition) tellSteps(now unit.Time, m *mark, n, steps int64, moved func(k int64) record.Moved) int64 {
	n = x.tell(now, m, n, steps, moved)
	x.again += n * steps
	for _, rank := range x.job.ranks {
		rank.StopAfter(x.job.steps() - x.steps)
	}
	return n
}

// tell has what followed a mark told n times more, of so many steps each, or until the run is interrupted: it returns how
// often that is. moved says what the k-th time has in place of what was heard.
func (x *repetition) tell(now unit.Time, m *mark, n, steps int64, moved func(k int64) record.Moved) int64 {
	r, took, hops := x.run, x.took(now, m), x.run.fab.Hops()
	n = r.fab.Repeat(now, m.fab, n, func(k int64, samples []fabric.Sample) bool {
		r.record.Again(m.record, unit.Duration(k)*took, k*steps, moved(k), r.images.samples(samples))
		x.now = k * steps
		r.report(r.told(now).Add(unit.Duration(k) * took))
		return r.opt.Dir.Keep() == nil && r.ctx.Err() == nil
	})
	r.record.ToldAgain(m.record, n, took, steps, moved)
	r.net.Repeat(m.net, r.net.Mark(), took, n)
	x.now = 0
	x.hops += r.fab.Hops() - hops
	x.behind += unit.Duration(n) * took
	x.steps += n * steps
	r.record.Behind(x.behind, x.steps)
	return n
}

// took is how long it is since a mark, as it is told: parts of it may have been told again.
func (x *repetition) took(now unit.Time, m *mark) unit.Duration { return x.run.told(now).Sub(m.at) }

// figures are what run.json tells of it, nil where it is off; apart says why nothing was told from images after all.
func (x *repetition) figures(hops int64, apart string) *result.Reuse {
	if x == nil {
		return nil
	}
	r := &result.Reuse{Simulated: x.run.fab.Hops() - x.hops, Represented: hops, Steps: x.again, Parts: x.parts, Notes: x.notes()}
	if x.run.images != nil {
		r.Images = int64(len(x.run.images.all))
	}
	if apart != "" && x.run.images != nil {
		r.Notes = append(r.Notes, "some parts of the network that look alike were simulated each: "+apart)
	} else if apart != "" {
		r.Notes = append(r.Notes, "parts of the network that look alike were simulated each: "+apart)
	}
	return r
}

// notes say what kept steps from being told again.
func (x *repetition) notes() (all []string) {
	if x.refused != "" {
		what := "nothing"
		if x.again+x.parts > 0 {
			what = "nothing more"
		}
		return []string{what + " was reused: " + x.refused}
	}
	for _, why := range slices.Sorted(maps.Keys(x.why)) {
		all = append(all, fmt.Sprintf("no reuse of %d of %s: %s", x.why[why], unit.CountOf(x.looked, "period"), why))
	}
	for _, why := range slices.Sorted(maps.Keys(x.parted)) {
		looks := unit.CountOf(x.parted[why], "look")
		all = append(all, fmt.Sprintf("no part of a step was told again after %s within steps: %s", looks, why))
	}
	return all
}

// represented is the network as it is told: its clock counts repetitions.
type represented struct {
	network
	run *runner
}

var _ record.Network = represented{}

func (n represented) Now() unit.Time {
	if end := n.run.end; end > 0 {
		return n.run.told(end)
	}
	return n.run.told(n.network.Now())
}

func (n represented) NowIn(island int32) unit.Time { return n.run.told(n.network.NowIn(island)) }

func (n represented) Stats(now unit.Time, id fabric.PortID) fabric.PortStats {
	return n.network.Stats(now.Add(-n.run.reuse.late()), id)
}

func (n represented) PausedFor(now unit.Time, id fabric.PortID) []fabric.RootTime {
	return n.network.PausedFor(now.Add(-n.run.reuse.late()), id)
}

func (n represented) FlushSamples(now unit.Time) {
	n.network.FlushSamples(now.Add(-n.run.reuse.late()))
}

func (n represented) ControllerState(qp int32, now unit.Time) cc.State {
	return n.network.ControllerState(qp, now.Add(-n.run.reuse.late()))
}

// told is how many steps ranks are behind those that were told.
func (x *repetition) told() int64 {
	if x == nil {
		return 0
	}
	return x.steps + x.now
}

// late is how long the clock of the simulation has stood still.
func (x *repetition) late() unit.Duration {
	if x == nil {
		return 0
	}
	return x.behind
}

// told is an instant of the simulation as the run tells it.
func (r *runner) told(at unit.Time) unit.Time { return at.Add(r.reuse.late()) }
