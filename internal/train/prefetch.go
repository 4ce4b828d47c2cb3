package train

import (
	"railyard/internal/nn"
	"railyard/internal/workload"
)

// batch is what a rank has of a step's batch because a copy brought it.
type batch struct {
	inputs []float32 // on the first stage
	labels []uint8   // on the last
}

// makeBatches makes room for two batches, if the program of the rank copies any.
func (j *Job) makeBatches(r *rank, p *workload.Program) {
	if len(p.Start) == 0 || p.Start[0].Kind != workload.Copy {
		return
	}
	for i := range r.batches {
		if r.at.Stage == 0 {
			r.batches[i].inputs = make([]float32, j.cfg.Batch*j.cfg.Model.Inputs())
		}
		if r.at.Stage == j.work.Layout.PP-1 {
			r.batches[i].labels = make([]uint8, j.cfg.Batch)
		}
	}
}

// load brings the batch of a step.
func (j *Job) load(r *rank, step int64) {
	b, rows := &r.batches[step&1], j.plan.rows(step, r.at.Data*j.cfg.Batch, j.cfg.Batch)
	if b.inputs != nil {
		nn.Pixels(b.inputs, j.cfg.Train.Pixels, rows, j.cfg.Model.Inputs())
	}
	if b.labels != nil {
		j.readLabels(b.labels, rows)
	}
}

// readLabels reads the labels of images.
func (j *Job) readLabels(to []uint8, rows []int) {
	for i, row := range rows {
		to[i] = j.cfg.Train.Labels[row]
	}
}

// inputs makes the network's input of a micro-batch.
func (j *Job) inputs(x []float32, r *rank, micro int, step int64) {
	if b := &r.batches[step&1]; b.inputs != nil {
		copy(x, b.inputs[micro*len(x):])
		return
	}
	nn.Pixels(x, j.cfg.Train.Pixels, j.rows(r.at.Data, micro, step), j.cfg.Model.Inputs())
}

// labels are those of a micro-batch.
func (j *Job) labels(r *rank, micro int, step int64) []uint8 {
	n := j.work.Rows()
	if b := &r.batches[step&1]; b.labels != nil {
		return b.labels[micro*n : (micro+1)*n]
	}
	j.readLabels(r.labels, j.rows(r.at.Data, micro, step))
	return r.labels
}
