package run

import (
	"railyard/internal/job/train"
	"railyard/internal/learn/nn"
)

// newTraining makes the real work of the ranks of this process, nil: all; norms: how long gradients are is kept.
func (j *job) newTraining(from *train.State, ranks []int32, norms bool) error {
	t := j.plan.Spec.Train
	kernel, err := nn.KernelNamed(t.Kernel)
	if err != nil {
		return err
	}
	j.kernel = kernel.Name
	j.train, err = train.New(train.Config{
		Model:     j.plan.Model,
		Kernel:    kernel,
		Train:     j.data.train,
		Replicas:  j.plan.Replicas(),
		Batch:     t.Batch,
		Epochs:    t.Epochs,
		Steps:     int64(t.Steps.Or(0)),
		Seed:      j.run.plan.Scenario.Seed,
		Optimiser: j.plan.Optimiser,
		Work:      j.plan.Work,
		Start:     from,
		Norms:     norms,
		Routes:    ranks == nil,
		Ranks:     ranks,
		Room:      j.room,
	})
	return err
}
