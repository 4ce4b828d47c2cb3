package train

import (
	"railyard/internal/coll"
	"railyard/internal/nn"
)

// Outcome is what a training without a network comes to.
type Outcome struct {
	Weights [][]float32 // by rank
	Losses  []float64   // by step: mean over the global batch
}

// Oracle trains cfg in one process and one loop: every rank's gradients, then
// each bucket's all-reduce by coll.Execute, then every rank's update. A Job that
// ran over any network must hold these weights, bit for bit.
func Oracle(cfg Config) (*Outcome, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	if err := fits(&cfg); err != nil {
		return nil, err
	}
	replicas := make([]*nn.Replica, cfg.Ranks)
	velocities := make([][]float32, cfg.Ranks)
	for r := range replicas {
		replicas[r] = cfg.Model.NewReplica(cfg.params(), cfg.Batch, cfg.Kernel)
		velocities[r] = cfg.velocity()
	}
	o := &Outcome{}
	for step := range p.steps {
		sum := 0.0
		for r, replica := range replicas {
			sum += gradients(&cfg, replica, p.rows(step, r*cfg.Batch, cfg.Batch))
		}
		o.Losses = append(o.Losses, sum/float64(cfg.Ranks))
		for _, c := range cfg.Work.Collectives {
			bufs := make([][]float32, cfg.Ranks)
			for r, replica := range replicas {
				bufs[r] = replica.Grads[c.Range.Offset : c.Range.Offset+c.Range.Elems]
			}
			coll.Execute(c.Schedule, bufs)
		}
		for r, replica := range replicas {
			update(&cfg.SGD, replica, velocities[r], 0, cfg.Model.Params(), cfg.Ranks)
		}
	}
	for _, replica := range replicas {
		o.Weights = append(o.Weights, replica.Params)
	}
	return o, nil
}

// OneRank trains cfg on a single replica that takes whole global batches.
func OneRank(cfg Config) (*Outcome, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	replica := cfg.Model.NewReplica(cfg.params(), p.global, cfg.Kernel)
	v := cfg.velocity()
	o := &Outcome{Weights: [][]float32{replica.Params}}
	for step := range p.steps {
		o.Losses = append(o.Losses, gradients(&cfg, replica, p.rows(step, 0, p.global)))
		update(&cfg.SGD, replica, v, 0, cfg.Model.Params(), 1)
	}
	return o, nil
}

// gradients runs one micro-batch forward and backward and returns its mean loss.
func gradients(cfg *Config, r *nn.Replica, rows []int) float64 {
	r.LoadPixels(cfg.Train.Pixels, cfg.Train.Labels, rows)
	for l := range cfg.Model.Layers() {
		r.Forward(l)
	}
	loss, _ := r.Loss()
	for l := cfg.Model.Layers() - 1; l >= 0; l-- {
		r.Backward(l)
	}
	return loss
}
