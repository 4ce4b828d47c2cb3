package train

import (
	"railyard/internal/job/workload"
)

// batch is what a rank has of a step's batch because a copy brought it.
type batch struct {
	inputs []float32 // on the first stage
	labels []int32   // on the last
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
			r.batches[i].labels = make([]int32, j.cfg.Batch*j.cfg.Model.Targets())
		}
	}
}

// load brings the batch of a step.
func (j *Job) load(r *rank, step int64) {
	b, rows := &r.batches[step&1], j.plan.rows(step, r.at.Data*j.cfg.Batch, j.cfg.Batch)
	if b.inputs != nil {
		j.cfg.Train.ReadInputs(b.inputs, rows)
	}
	if b.labels != nil {
		j.cfg.Train.ReadLabels(b.labels, rows)
	}
}

// inputs makes the network's input of a micro-batch.
func (j *Job) inputs(x []float32, r *rank, micro int, step int64) {
	if b := &r.batches[step&1]; b.inputs != nil {
		copy(x, b.inputs[micro*len(x):])
		return
	}
	j.cfg.Train.ReadInputs(x, j.rows(r.at.Data, micro, step))
}

// labels are those of a micro-batch.
func (j *Job) labels(r *rank, micro int, step int64) []int32 {
	n := j.work.Rows() * j.cfg.Model.Targets()
	if b := &r.batches[step&1]; b.labels != nil {
		return b.labels[micro*n : (micro+1)*n]
	}
	j.cfg.Train.ReadLabels(r.labels, j.rows(r.at.Data, micro, step))
	return r.labels
}
