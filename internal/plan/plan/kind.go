package plan

import (
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// A jobKind is what a job does, of one kind: a file of this package, and a line in kinds.
type jobKind interface {
	// name is what results call it: result.JobTrain and so on.
	name() string
	// work plans what the ranks do; nil where there are none, and then queue pairs have been added. It may
	// fill in what else the job has. An error names the keys that are wrong.
	work(p *Plan, j *Job) (ranksWork, error)
	// steps is how many the job takes, a training on so many examples; 0 without ranks.
	steps(j *Job, examples int) int64
}

// ranksWork is what the ranks of a job do, and how they come to be connected for it.
type ranksWork struct {
	*workload.Job
	schedules func(group int32) []coll.Schedule // by which a group sends
	protocols []*workload.Protocol              // of their messages; they may be nil
	once      bool                              // whether it can go on step after step needs no look
}

// kinds are the kinds of job.
var kinds = map[scenario.JobKind]jobKind{
	scenario.TrainJob:       learning{},
	scenario.ModelJob:       large{},
	scenario.ReplayJob:      replaying{},
	scenario.CollectivesJob: benchmark{},
	scenario.FlowsJob:       sending{},
}

func (j *Job) kind() jobKind { return kinds[j.Spec.Kind()] }

// KindName is what results call the kind of the job.
func (j *Job) KindName() string { return j.kind().name() }

// Steps returns how many steps the job takes, a training on so many examples; 0 of flows. All collectives of a
// benchmark are one.
func (j *Job) Steps(examples int) int64 { return j.kind().steps(j, examples) }

// planJob plans what a job does, and connects its ranks.
func (p *Plan) planJob(j *Job) error {
	w, err := j.kind().work(p, j)
	if err != nil || w.Job == nil {
		return err
	}
	j.Work = w.Job
	if !w.once {
		if err := j.Work.CheckRepeat(); err != nil {
			return j.wrong("collective.algorithm", err)
		}
	}
	if err := p.connectRanks(j, w.schedules); err != nil {
		return err
	}
	p.lessNetwork(j, w.protocols...)
	return nil
}

// sending is a job of flows.
type sending struct{}

func (sending) name() string { return result.JobFlows }

func (sending) work(p *Plan, j *Job) (ranksWork, error) { return ranksWork{}, p.addFlows(j) }

func (sending) steps(*Job, int) int64 { return 0 }
