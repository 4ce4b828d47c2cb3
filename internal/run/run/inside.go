package run

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/inside"
)

// small reports a network that shall be looked into and is too large for it.
func small(j *scenario.Job, m *nn.Model) error {
	if j.Train == nil || !j.Train.Inside || m.Params() <= inside.MaxParameters {
		return nil
	}
	return &plan.FieldError{Path: j.Path() + ".train.inside",
		Err: fmt.Errorf("the network has %s parameters, want at most "+
			"%s to look inside, or false", unit.Count(int64(m.Params())), unit.Count(inside.MaxParameters))}
}

// keepInside writes what the network of a training looks like inside, if that is wanted, for the first
// test example. It returns a sentence where there is nothing to be seen.
func (j *job) keepInside() []string {
	if j.train == nil || !j.plan.Spec.Train.Inside || j.run.opt.Dir == nil || j.kept.Params == nil || j.nan {
		return nil
	}
	s := j.subject()
	in, err := inside.Look(s)
	if err != nil {
		return []string{"nothing is kept of what the network looks like inside: " + err.Error()}
	}
	_ = j.run.opt.Dir.KeepInside(j.folder(), in) // an error stops the run: the directory remembers it
	return nil
}

func (j *job) subject() *inside.Subject {
	kernel, err := nn.KernelNamed(j.kernel)
	if err != nil {
		panic("run: kernel " + j.kernel) // that the training has
	}
	m := j.plan.Model
	s := &inside.Subject{Model: m, Kernel: kernel,
		After: inside.At{Step: j.kept.Step, Params: j.kept.Params}, Examples: j.data.test, Of: "test " + j.data.are,
		Image: nn.Volume{Channels: max(j.data.size.Channels, 1), Height: j.data.size.Rows, Width: j.data.size.Cols}}
	if s.Examples.Len() == 0 {
		s.Examples, s.Of = j.data.train, "training "+j.data.are
	}
	if j.from != nil {
		s.Before.Step, s.Before.Params = j.from.Step, j.from.Params
	} else {
		s.Before.Params = m.Init(j.run.plan.Scenario.Seed)
	}
	if j.data.text != nil {
		s.Name, s.Tokens = j.data.text.Vocabulary.Piece, j.data.text.Vocabulary.Size()
	}
	return s
}
