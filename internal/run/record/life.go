package record

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// life is the time of a job between two aborts. Its ranks count steps from 0; rows count those of the job.
type life struct {
	number int64         // 0: the first
	first  int64         // steps of the job before its own
	ended  int64         // of its own that all ranks have ended
	past   int64         // that all ranks ended in lives before, those that were lost too
	before unit.Duration // what they took
	saves  int64         // checkpoints of this life
	saved  int64         // steps of its own after which the last of them was
}

// keepStart takes the start phase of the life that ends, unless it is lost with all that the life did: since is when the state
// was reached that is left of the job.
func (j *Job) keepStart(since unit.Time) {
	took := unit.Duration(0)
	if since > j.start.begin {
		took = j.start.end.Sub(j.start.begin)
	}
	j.starts = append(j.starts, took)
}

// step is a step of the life as rows count it; the start phase is that of each life.
func (l *life) step(own int64) int32 {
	if own == workload.StartStep {
		return int32(own)
	}
	return int32(l.first + own)
}

// all is how many steps all ranks have ended, those that were lost too.
func (l *life) all() int64 { return l.past + l.ended }

// worked is how long ranks took for the steps of this life, without checkpoints.
func (j *Job) worked() unit.Duration {
	if j.life.ended == 0 {
		return 0
	}
	saves := j.life.saves
	if j.life.saved == j.life.ended { // it is behind what counts here
		saves = max(saves-1, 0)
	}
	return j.wholeUntil.Sub(j.start.end) - unit.Duration(saves)*j.plan.Saving
}

// Again is another life of a job.
type Again struct {
	At     unit.Time  // its ranks start
	Steps  int64      // of the job that are not lost
	Since  unit.Time  // when these were done: from then until the abort all was lost
	Train  *train.Job // of a training
	Moves  []plan.Move
	Parted unit.Time // of the abort
}

// Again begins another life of a job, whose queue pairs are now others: those of the plan from the first-th on.
func (j *Job) Again(a Again, first int32) {
	r, was := j.r, j.life
	x := result.Restart{At: a.At, Step: a.Steps, Lost: was.first + was.ended - a.Steps, LostTime: a.Parted.Sub(a.Since),
		Down: a.At.Sub(a.Parted)}
	for _, m := range a.Moves {
		x.Replaced = append(x.Replaced, result.Replaced{Host: r.plan.Graph.Hosts[m.From].Name, By: r.plan.Graph.Hosts[m.To].Name})
	}
	j.restarts = append(j.restarts, x)
	j.keepStart(a.Since)
	j.closeLife()
	if j.firstStart == nil {
		j.firstStart = new(j.start)
	}
	j.life = life{number: was.number + 1, first: a.Steps, past: was.all(), before: was.before + j.worked()}
	j.train, j.start = a.Train, startPhase{begin: a.At, end: a.At}
	j.stepTimes = j.stepTimes[:a.Steps]
	j.unended = map[int64]*openStep{}
	r.addPairs(first, j.life)
	j.evidence.connect(j.plan)
}

// addPaths names the paths of queue pairs that are new in the plan.
func (r *Recorder) addPaths() {
	for _, q := range r.plan.Pairs[len(r.paths):] {
		r.paths = append(r.paths, r.plan.PathText(q.Path))
	}
}

// addPairs makes room for queue pairs that are new in the plan.
func (r *Recorder) addPairs(first int32, of life) {
	n := len(r.plan.Pairs) - int(first)
	r.pairs = append(r.pairs, slices.Repeat([]pairStats{{life: of}}, n)...)
	r.known = append(r.known, make([]*pairEvidence, n)...)
	r.ends = append(r.ends, make([]endNames, n)...)
	if r.events.tallies != nil {
		r.events.tallies = append(r.events.tallies, make([]tally, n*pairKinds)...)
	}
	if r.series.table != nil {
		r.series.flows, r.series.cnps = append(r.series.flows, make([]flowState, n)...), append(r.series.cnps, make([]int64, n)...)
	}
	r.addPaths()
}

// Saved counts a checkpoint that ranks write after so many steps of this life.
func (j *Job) Saved(steps int64) {
	j.life.saves, j.life.saved = j.life.saves+1, steps
	j.saves++
}

// Lost takes back a checkpoint: the job was aborted before it was written.
func (j *Job) Lost() { j.saves-- }

// Ended takes it that the job does not start again after its last abort, why not, and when the state was reached that is left
// of it.
func (j *Job) Ended(why string, since unit.Time) {
	j.gaveUp, j.final, j.leftSince = true, why, since
	j.GiveUp()
}

// survivalNotes tells of the aborts that the job has lived through.
func (j *Job) survivalNotes() (notes []string) {
	for i := range j.restarts {
		a, x := &j.aborts[i], &j.restarts[i]
		t := fmt.Sprintf("aborted and started again: %s. %s later, at %s, ranks went on from step %d: %s, %s of work, had been lost",
			a.Text, x.Down.Human(), unit.Duration(x.At).Human(), x.Step, unit.CountOf(x.Lost, "step"), x.LostTime.Human())
		for _, m := range x.Replaced {
			t += fmt.Sprintf("; %s took the place of %s", m.By, m.Host)
		}
		notes = append(notes, t)
	}
	return notes
}

// abortKinds are the kinds of abort as a diagnosis knows them.
var abortKinds = map[string]diagnose.Kind{result.AbortRetries: diagnose.RetryExceeded, result.AbortWatchdog: diagnose.JobWatchdog,
	result.AbortRank: diagnose.Broken}

// lastEnd is when the job's last step or message ended, or when it was aborted for good.
func (j *Job) lastEnd() unit.Time {
	if n := len(j.aborts); n > len(j.restarts) {
		return max(j.latest, j.aborts[n-1].At)
	}
	return j.latest
}

// lifetime says where the time of the job went, nil where nothing but steps took any.
func (j *Job) lifetime() *diagnose.Diagnosis {
	start, end := unit.Time(j.plan.Spec.Start), j.lastEnd()
	if !j.plan.Spec.Survival.Saves() && len(j.aborts) == 0 || end <= start {
		return nil
	}
	left := end
	if len(j.aborts) > len(j.restarts) {
		left = j.leftSince
	}
	j.keepStart(left)
	costs, kept := []diagnose.Cost{}, int64(0)
	if j.starts[0] > 0 {
		costs = append(costs, diagnose.Cost{Kind: diagnose.Steps, Felt: []diagnose.Felt{{Cause: diagnose.Starting, Time: j.starts[0]}}})
	}
	for i := range j.aborts {
		a := &j.aborts[i]
		c := diagnose.Cost{Kind: abortKinds[a.Why], Port: a.Port, Lost: a.Lost, Faults: entriesOf(a.Faults)}
		switch {
		case len(a.Absent) > 0:
			c.Rank = &a.Absent[0]
		case a.Why == result.AbortRank:
			c.Rank = a.Rank
		}
		if i < len(j.restarts) {
			x := &j.restarts[i]
			lost := x.LostTime
			if x.Step > kept { // the checkpoint was written in that time
				lost -= j.plan.Saving
			}
			kept = x.Step
			c.Felt = []diagnose.Felt{{Cause: diagnose.LostWork, Time: lost}, {Cause: diagnose.Down, Time: x.Down}}
			if again := j.starts[i+1]; again > 0 {
				c.Felt = append(c.Felt, diagnose.Felt{Cause: diagnose.Starting, Time: again})
			}
		} else {
			c.Felt = []diagnose.Felt{{Cause: diagnose.LostWork, Time: a.At.Sub(max(j.leftSince, start))}}
		}
		costs = append(costs, c)
	}
	if saved := unit.Duration(j.saves) * j.plan.Saving; saved > 0 {
		costs = append(costs, diagnose.Cost{Kind: diagnose.Checkpoints, Felt: []diagnose.Felt{{Cause: diagnose.Writing, Time: saved}}})
	}
	return diagnose.Lifetime(end.Sub(start), costs)
}

// entriesOf are the entries of the scenario's faults in texts about them.
func entriesOf(texts []string) (all []string) {
	for _, t := range texts {
		entry, _, _ := strings.Cut(t, " ")
		all = append(all, entry)
	}
	return all
}

// finishSurvival fills in what it took to live through aborts.
func (j *Job) finishSurvival(s *result.JobFigures) {
	s.Lifetime, s.Took = j.lifetime(), max(0, j.lastEnd().Sub(unit.Time(j.plan.Spec.Start)))
	v := &j.plan.Spec.Survival
	if !v.Saves() && len(j.restarts) == 0 {
		return
	}
	x := &result.Survival{Checkpoints: j.saves, CheckpointBytes: j.plan.CheckpointBytes(), CheckpointTime: j.plan.Saving,
		Written: unit.Duration(j.saves) * j.plan.Saving, Restarts: j.restarts}
	for i := range j.restarts {
		t := &j.restarts[i]
		x.LostSteps, x.LostTime, x.DownTime = x.LostSteps+t.Lost, x.LostTime+t.LostTime, x.DownTime+t.Down
	}
	if whole := j.latest.Sub(unit.Time(j.plan.Spec.Start)); whole > 0 {
		x.Goodput = float64(s.Steps) * float64(s.StepTime) / float64(whole)
	}
	s.Survival = x
}
