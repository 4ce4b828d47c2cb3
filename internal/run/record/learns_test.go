package record

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
)

// training makes the training of a job. Its ranks are in other processes: said says what they tell. It learns from
// so many black images of 2 x 2 pixels, and is tested with four, of which one is of class 1.
func (s *stage) training(i int, examples int64) JobParts {
	images, j := &dataset.Set{}, &s.plan.Jobs[i]
	black := func(n int64) dataset.Images {
		return dataset.Images{N: int(n), Rows: 2, Cols: 2, Pixels: make([]byte, 4*n), Labels: make([]byte, n)}
	}
	images.Train, images.Test = black(examples), black(4)
	images.Test.Labels[2] = 1
	t := j.Spec.Train
	if text := t.Data.Text; text != nil {
		return s.reading(i, words{int(examples), text.Window, text.Vocabulary})
	}
	job, err := train.New(train.Config{Model: j.Model, Kernel: nn.Portable, Train: &images.Train, Replicas: j.Replicas(), Batch: t.Batch,
		Epochs: t.Epochs, Steps: int64(t.Steps.Or(0)), Optimiser: j.Optimiser, Work: j.Work, Ranks: []int32{}})
	s.must(err)
	return JobParts{Train: job, Steps: job.Steps(), Data: Data{Train: &images.Train, Test: &images.Test, Are: "images"}}
}

// said tells what a rank has computed in a step: said RANK STEP loss=LOSS [weights=W]. With weights it tells its
// own, all of them W but the last, which is greater: so the network takes every image for one of the last class.
func (s *stage) said(words []string, fields []field) {
	j := s.job(&fields)
	in := struct{ Loss, Weights float64 }{}
	held := slices.ContainsFunc(fields, func(f field) bool { return f.name == "weights" })
	s.set(&in, fields)
	rank, work := int32(s.number(words[0])), j.plan.Work
	x := train.Said{Step: s.number(words[1]), Loss: in.Loss, Held: held}
	if held {
		x.Digest = sha256.Sum256(fmt.Append(nil, in.Weights))
		if at := work.Training.Layout.Coord(int(rank)); at.Data == 0 {
			x.Params = slices.Repeat([]float32{float32(in.Weights)}, int(work.Buffers[work.Training.Stages[at.Stage].Parameters].Elems))
			x.Params[len(x.Params)-1]++
		}
	}
	s.must(j.train.Hear(rank, x))
}

// words are texts that count, modulo a number.
type words struct{ n, window, classes int }

func (w words) Len() int     { return w.n }
func (w words) Width() int   { return w.window }
func (w words) Targets() int { return w.window }
func (w words) Classes() int { return w.classes }

func (w words) ReadInputs(x []float32, rows []int) {
	for i := range x {
		x[i] = float32((rows[i/w.window] + i) % w.classes)
	}
}

func (w words) ReadLabels(to []int32, rows []int) {
	for i := range to {
		to[i] = int32((rows[i/w.window] + i + 1) % w.classes)
	}
}

// reading makes the training of a job of one rank, which computes really: see compute.
func (s *stage) reading(i int, of words) JobParts {
	j := &s.plan.Jobs[i]
	job, err := train.New(train.Config{Model: j.Model, Kernel: nn.Portable, Train: of, Replicas: 1, Batch: j.Spec.Train.Batch,
		Epochs: j.Spec.Train.Epochs, Optimiser: j.Optimiser, Work: j.Work, Norms: true, Routes: true})
	s.must(err)
	return JobParts{Train: job, Steps: job.Steps(), Data: Data{Train: of, Test: of, Are: "windows", Text: true}}
}

// compute has the only rank of a job compute a step: compute STEP.
func (s *stage) compute(words []string, fields []field) {
	j := s.job(&fields)
	ops := j.plan.Work.Program(0).Ops
	for i := range ops {
		if ops[i].Kind == workload.Compute {
			j.train.Compute(0, s.number(words[0]), &ops[i])
		}
	}
}
