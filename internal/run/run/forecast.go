package run

import (
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// A pace is how much of a run's work is done. Work is counted in packet-hops, which take nearly all of
// the time; real arithmetic goes with the steps that send them.
//
// What the whole takes is at first the plan's estimate, with what was sent again beside it. Of a job
// of steps it is what its steps have taken so far, once two have ended: whatever congestion, losses
// and background cost is then in it.
type pace struct {
	planned float64 // packet-hops of the whole run, as estimated
	path    float64 // links that a packet crosses, mean over queue pairs
	steps   int64   // of the only job that has ranks; 0: there are several, or its own flows beside it

	ended       int64 // steps that all ranks have ended, when last asked
	begun       int64 // of those, how many had ended when it was first seen that some had
	first, last int64 // packet-hops then, and when the last was seen to have ended
}

// newPace looks at the plan of a run that takes so many steps in all.
func newPace(p *plan.Plan, planned, steps int64) *pace {
	links, pairs := 0, 0
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Enabled() {
			links, pairs = links+len(q.Path), pairs+1
		}
	}
	of := &pace{planned: float64(planned), path: float64(links) / float64(max(pairs, 1))}
	if len(p.Jobs) == 1 {
		of.steps = steps
	}
	return of
}

// mostDone is the most that is said to be done while the run goes on, though it takes more than it was
// to take.
const mostDone = 0.99

// saw takes how many steps all ranks have ended after so many packet-hops.
func (p *pace) saw(hops, ended int64) {
	if ended <= p.ended {
		return
	}
	if p.ended == 0 {
		p.begun, p.first = ended, hops
	}
	p.ended, p.last = ended, hops
}

// part returns how much is done, 0 to 1; 0 where nothing tells. ended is how many steps all ranks have
// ended, again how many packets were sent again so far.
func (p *pace) part(hops, again, ended int64) float64 {
	p.saw(hops, ended)
	whole := p.planned + float64(again)*p.path
	if n := p.ended - p.begun; p.steps > 1 && n >= 1 && p.last > p.first {
		whole = float64(p.last) + float64(p.steps-p.ended)*float64(p.last-p.first)/float64(n)
	}
	if whole <= 0 || hops == 0 {
		return 0
	}
	return min(float64(hops)/whole, mostDone)
}

// progress passes on what the recorder tells of a run under way, with how much of its work is done.
func (r *runner) progress(p result.Progress) {
	switch p.Phase {
	case "training", "collectives", "flows":
		ended, planned := r.replayed()
		if planned > 0 && p.Phase == "flows" {
			p.Phase, p.Done, p.Total = "steps", ended, planned
		}
		if p.Phase == "training" || p.Phase == "steps" {
			ended = p.Done
		}
		p.Part = r.pace.part(p.PacketHops, r.net.Retransmits(), ended)
	}
	r.opt.Progress(p)
}

// report tells how far the run is, as it is told.
func (r *runner) report(at unit.Time) {
	if now := time.Now(); r.opt.often || now.Sub(r.reported) >= betweenReports {
		r.reported = now
		r.record.Report(at)
	}
}

// betweenReports is how often progress is told: no more often than somebody can read it.
const betweenReports = 100 * time.Millisecond

// replayed returns how many steps of replays all their ranks have ended, and how many there are to be.
func (r *runner) replayed() (ended, planned int64) {
	for _, j := range r.jobs {
		if j.plan.Spec.Replay == nil {
			continue
		}
		least := j.steps()
		for _, rank := range j.ranks {
			least = min(least, rank.Steps()+r.reuse.told())
		}
		ended, planned = ended+least, planned+j.steps()
	}
	return ended, planned
}
