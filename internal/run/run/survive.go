package run

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/plan/spares"
	"railyard/internal/run/record"
)

// safe is a state that a job can go on from.
type safe struct {
	steps int64        // of the job that are done
	since unit.Time    // when all ranks had done them
	state *train.State // of a training; nil: as it begins
}

// survival is what a job does so that it lives through an abort.
type survival struct {
	saves exec.Checkpoint // of this life
	first int64           // steps of the job before this life
	begun unit.Time       // its ranks start
	lives int             // before this one
	safe  []safe          // the oldest of which is there, the others may be on their way to the storage
	fresh bool            // no step of this life is kept: what is kept is what it begins with
}

// beginLife prepares for a life from a state on, whose ranks start at a time.
func (j *job) beginLife(from safe, at unit.Time) {
	j.driver, j.saves = j.run.hosts.AddJob(), j.plan.Checkpoint()
	j.plan.Saving = j.saves.Takes
	j.first, j.begun, j.fresh = from.steps, at, true
	j.safe = []safe{{from.steps, at, from.state}}
	j.saveLater(at)
}

// saveLater has the ranks write a checkpoint some time after an instant, if that is how the job is to do it.
func (j *job) saveLater(from unit.Time) {
	every := j.plan.Spec.Survival.Interval
	if !every.Set {
		return
	}
	life := j.lives
	j.run.later(from.Add(max(every.Value, j.run.linger)), j.order(actSave), func(unit.Time) {
		if j.record.Done() || j.lives != life {
			return
		}
		next := int64(0)
		for _, rank := range j.ranks {
			next = max(next, rank.Steps()+1)
		}
		j.saves.Next = next
		for _, rank := range j.ranks {
			rank.CheckpointAfter(next)
		}
	})
}

// saved takes a step of this life that all ranks have ended, and keeps the state after it if they write it now.
func (j *job) saved(step int64, at unit.Time) {
	own := step + 1
	if !j.saves.After(own) || own == j.left() || j.nan {
		return
	}
	s := safe{steps: j.first + own, since: at}
	if j.train != nil {
		j.train.Gather(&j.kept.State)
		s.state = cloneState(&j.kept.State)
	}
	j.safe = append(j.there(at), s)
	j.record.Saved(own)
	j.saveLater(at.Add(j.saves.Takes))
}

// there are the states of which the last that is written by an instant is the first.
func (j *job) there(at unit.Time) []safe {
	i := len(j.safe) - 1
	for i > 0 && j.safe[i].since.Add(j.saves.Takes) > at {
		i--
	}
	return j.safe[i:]
}

// leave says since when the state is there that is left of a job which was aborted and does not start again.
func (j *job) leave(aborted unit.Time) unit.Time {
	if len(j.safe) == 0 {
		return 0
	}
	states := j.there(aborted)
	for range states[1:] {
		j.record.Lost()
	}
	if states[0].steps == j.first {
		return states[0].since
	}
	return states[0].since.Add(j.saves.Takes)
}

// left is how many steps a life has that begins where this one does.
func (j *job) left() int64 { return j.steps() - j.first }

func cloneState(s *train.State) *train.State {
	c := *s
	c.Params = slices.Clone(s.Params)
	c.Optimiser = nil
	for _, v := range s.Optimiser {
		c.Optimiser = append(c.Optimiser, slices.Clone(v))
	}
	return &c
}

// revive has a job that was aborted start again from its last checkpoint. If it does not, why says why.
func (j *job) revive(now, aborted unit.Time) (revived bool, why string, err error) {
	s, r := &j.plan.Spec.Survival, j.run
	switch {
	case !s.Restart.Set:
		return false, "", nil
	case j.lives >= s.Restarts:
		return false, fmt.Sprintf("; it started again %s before, as often as %s.restarts lets it", unit.CountOf(int64(s.Restarts), "time"),
			j.plan.Spec.Path()), nil
	}
	at, moves, ok := spares.Fit(r.plan, j.plan, max(aborted.Add(s.Restart.Value), now.Add(1)))
	if !ok {
		return false, "; it does not start again: a host of its is not there any more, and no spare host is left that is", nil
	}
	states := j.there(aborted)
	for range states[1:] {
		j.record.Lost()
	}
	from := states[0]
	first, err := r.plan.Reconnect(j.plan, moves)
	if err != nil {
		return false, "", err
	}
	j.lives++
	j.beginLife(from, at)
	if j.train != nil {
		j.kept.State = train.State{}
		if from.state != nil {
			j.kept.State = *cloneState(from.state)
		}
		if err := j.buildTraining(from.state); err != nil {
			return false, "", err
		}
	}
	r.addPairs(first)
	j.record.Again(record.Again{At: at, Steps: from.steps, Since: from.since, Train: j.train, Moves: moves,
		Parted: aborted}, first)
	if err := j.buildRanks(); err != nil {
		return false, "", err
	}
	j.startRanks()
	return true, "", nil
}
