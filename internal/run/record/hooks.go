package record

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
)

// Hooks are what a recorder tells the driver of a run.
type Hooks struct {
	Progress func(result.Progress)
	Stopped  func() bool // the driver wants the end: what can be left out is
	// All ranks of a job have ended a step of its life, the last of them at `at`. loss is that of a training.
	Step  func(job int, step int64, at unit.Time, loss float64)
	Ended func(steps int64) // all ranks of a job have ended so many
	// A rank has ended a collective of a step, which sent messages or was a formula; nil: nobody asks.
	Spoke func(at unit.Time, sent bool)
	Done  func(last unit.Time) // the jobs are done; the last event of them was then
}

// spoke takes it that a rank has ended a collective, if that is not heard again.
func (r *Recorder) spoke(p *exec.OperationRecord, sent bool) {
	if r.hooks.Spoke != nil && p.Step != workload.StartStep && !r.repeats.again {
		r.hooks.Spoke(p.End, sent)
	}
}
