package record

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// startPhase is what is known of what ranks do once, before step 0.
type startPhase struct {
	ranks int       // that have ended it
	begin unit.Time // of the job
	end   unit.Time // of the last of them; begin without a start phase
	last  exec.StepRecord
	path  *result.Causes // nil: its critical path was not traced
	stood stood
}

// stood is the longest that one thing alone kept a job from its first step, and the ranks that had a part in it: what did it, or
// both ends of a message.
type stood struct {
	ranks []int32
	time  unit.Duration
}

// keeps notes the longest such stretch of the start phase's critical path.
func (p *startPhase) keeps(parts []exec.PathPart) {
	for i := range parts {
		if q := &parts[i]; q.Until.Sub(q.From) > p.stood.time {
			p.stood = stood{[]int32{q.Rank, q.Src, q.Dst}, q.Until.Sub(q.From)}
		}
	}
}

// notes says that a fault kept ranks from their first step for most of the start phase: no step's time has that.
func (p *startPhase) notes(j *Job) []string {
	whole := p.end.Sub(p.begin)
	if 2*p.stood.time <= whole {
		return nil
	}
	for _, rank := range p.stood.ranks {
		if rank < 0 {
			continue
		}
		b := &diagnose.Blame{Kind: diagnose.SlowRank, Rank: &rank}
		if nameFaultsOf(j, b, func(*diagnose.Blame) bool { return false }); len(b.Faults) > 0 {
			return []string{fmt.Sprintf("before the first step %s kept the others waiting for %s of the start phase's %s, by %s: "+
				"no step's time has that", j.rankNames([]int32{rank}), p.stood.time.Human(), whole.Human(), strings.Join(b.Faults, ", "))}
		}
	}
	return nil
}

// started takes the start phase of a rank that has ended it.
func (j *Job) started(s *exec.StepRecord) {
	p := &j.start
	if j.train != nil {
		j.train.Started(s.Rank)
	}
	if p.ranks == 0 || s.End > p.end || s.End == p.end && s.Rank < p.last.Rank {
		p.end, p.last = s.End, *s
	}
	if p.ranks++; p.ranks < j.starting() {
		return
	}
	j.sumCollectives(j.open(workload.StartStep))
	delete(j.unended, workload.StartStep)
}

// starting is how many ranks do something in the start phase.
func (j *Job) starting() (n int) {
	for rank := range j.ranks() {
		if len(j.plan.Work.Program(int32(rank)).Start) > 0 {
			n++
		}
	}
	return n
}

// first is the start phase of the job's first life.
func (j *Job) first() *startPhase {
	if j.firstStart != nil {
		return j.firstStart
	}
	return &j.start
}

// finishStart fills in the start phase, if all ranks have ended it.
func (j *Job) finishStart(s *result.JobFigures) {
	p := j.first()
	if p.ranks == 0 || p.ranks < j.starting() {
		return
	}
	s.Start = &result.StartPhase{Time: p.end.Sub(p.begin), LastRank: result.CausesOf(p.last.Split), CriticalPath: p.path}
	for i := range j.plan.Work.Collectives {
		if c := &j.plan.Work.Collectives[i]; c.Once {
			s.Start.Bytes += c.Bytes()
		}
	}
}
