package train

import (
	"fmt"

	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Config is a training job.
type Config struct {
	Model     *nn.Model
	Kernel    nn.Kernel
	Train     nn.Examples
	Replicas  int
	Batch     int    // examples per replica and step
	Epochs    int    // passes over the training set
	Steps     int64  // stop after so many steps of the training; 0: after the last epoch
	Seed      uint64 // of the parameters and of the order of examples
	Optimiser nn.Optimiser
	Work      *workload.Job // the operations to bind; OneRank needs none
	Start     *State        // go on from here; nil: from step 0, with parameters drawn from the seed
	Norms     bool          // keep how long gradients are back through time: TakeNorms
	Routes    bool          // keep where positions go that experts take: TakeRoutes
	Ranks     []int32       // of this process, each once; nil: all. Of the others see Say and Hear
	Room      Room          // where buffers of ranks lie; nil: anywhere

	poison bool // memory that nobody has written is NaN
}

// Room returns so many elements of memory, all 0.
type Room func(elems int64) []float32

// Job is a training job in progress: the bodies and the memory of all its ranks.
type Job struct {
	cfg    Config
	plan   plan
	counts *counts
	work   *workload.Training
	layers []nn.Layer
	ranks  []rank
}

var (
	_ exec.Body   = (*Job)(nil)
	_ exec.Memory = (*Job)(nil)
)

// New returns a job at its first step, or an error for what cannot be trained.
func New(cfg Config) (*Job, error) {
	p, err := newPlan(&cfg)
	if err != nil {
		return nil, err
	}
	if err := fits(&cfg); err != nil {
		return nil, err
	}
	if cfg.Room == nil {
		cfg.Room = func(elems int64) []float32 { return make([]float32, elems) }
	}
	j := &Job{cfg: cfg, plan: p, work: cfg.Work.Training, ranks: make([]rank, cfg.Work.Ranks())}
	j.counts = newCounts(&j.cfg, &j.plan, cfg.Replicas, cfg.Batch, j.work.Layout)
	for l := range cfg.Model.Layers() {
		j.layers = append(j.layers, cfg.Model.Layer(l, cfg.Kernel))
	}
	here, err := cfg.here()
	if err != nil {
		return nil, err
	}
	var params []float32
	var state [][]float32
	for id := range j.ranks {
		if !here[id] {
			j.ranks[id] = rank{at: j.work.Layout.Coord(id), elsewhere: true}
			continue
		}
		if params == nil {
			params, state = cfg.params(), cfg.state()
		}
		j.ranks[id] = j.newRank(int32(id), params, state)
	}
	return j, nil
}

// fits reports a job whose operations are not those of the model.
func fits(cfg *Config) error {
	w := cfg.Work
	if w == nil || w.Training == nil {
		return fmt.Errorf("train: no job to bind, want that of workload.Lower")
	}
	t := w.Training
	if t.Layout.DP != cfg.Replicas || t.Batch != cfg.Batch || w.Ranks() != t.Layout.World() {
		return fmt.Errorf("train: a job of %d ranks with %d replicas and batch %d to bind, want %d replicas and batch %d",
			w.Ranks(), t.Layout.DP, t.Batch, cfg.Replicas, cfg.Batch)
	}
	if clip := cfg.Optimiser.Clip > 0; clip != t.Clip {
		return fmt.Errorf("train: an optimiser that clips gradients, %v, and a job that finds their norm, %v: want both or "+
			"none", clip, t.Clip)
	}
	if p := t.Precision; p.Gradients != workload.Float32 || p.State != workload.Float32 || p.Kept != workload.Float32 {
		return fmt.Errorf("train: gradients of %v, a state of %v, %v kept within layers: want fp32", p.Gradients, p.State,
			p.Kept)
	}
	layers := 0
	for _, s := range t.Stages {
		for _, h := range s.Layers {
			layers++
			if err := holds(cfg, &h); err != nil {
				return err
			}
		}
		if want := cfg.Optimiser.State(); len(s.State) != len(want) {
			return fmt.Errorf("train: a job with %d vectors of state for each parameter, %v keeps %d", len(s.State),
				cfg.Optimiser.Method, len(want))
		}
	}
	if layers != cfg.Model.Layers() {
		return fmt.Errorf("train: the job has %d layers, the model has %d", layers, cfg.Model.Layers())
	}
	return nil
}

// holds reports a layer of which the job has another number of parameters than the model.
func holds(cfg *Config, h *workload.Held) error {
	if h.Layer < 0 || h.Layer >= cfg.Model.Layers() {
		return fmt.Errorf("train: the job has layer %d, the model has %d", h.Layer+1, cfg.Model.Layers())
	}
	layer := cfg.Model.Layer(h.Layer, cfg.Kernel)
	if h.Way != workload.Whole {
		if s, ok := layer.(nn.Splitter); !ok || s.Split(nn.Way(h.Way)) == nil {
			return fmt.Errorf("train: the job splits layer %d, which the model cannot", h.Layer+1)
		}
	}
	part, _ := partOf(layer, h.Way, 0, partsOf(h.Way, &cfg.Work.Training.Layout))
	if h.Elems != int64(part.Params) {
		return fmt.Errorf("train: the job has layer %d with %d parameters, the model has %d", h.Layer+1, h.Elems,
			part.Params)
	}
	return nil
}

// Steps returns how many steps the job takes, from its start on. Steps are counted from there, but
// for those of a State.
func (j *Job) Steps() int64 { return j.plan.steps }

// EpochSteps returns how many steps an epoch takes.
func (j *Job) EpochSteps() int64 { return j.plan.perEpoch }

// LeftOut returns how many examples of each epoch do not fill a global batch.
func (j *Job) LeftOut() int { return j.plan.leftOut() }

// RankLoss returns the mean loss of a rank's replica at a step that the rank has ended: its last
// stage computes it before another ends the step.
func (j *Job) RankLoss(id int32, step int64) float64 {
	l := j.work.Layout
	at := l.Coord(int(id))
	at.Stage = l.PP - 1
	r := &j.ranks[l.Rank(at)]
	if r.losses == nil {
		panic(fmt.Sprintf("train: rank %d is in another process and has told no loss", l.Rank(at)))
	}
	return r.losses[step] / float64(l.MicroBatches)
}

// Loss returns the mean loss of the global batch at a step that all ranks have ended.
func (j *Job) Loss(step int64) float64 {
	sum := 0.0
	for d := range j.cfg.Replicas {
		sum += j.RankLoss(int32(j.work.Layout.Rank(workload.Coord{Data: d})), step)
	}
	return sum / float64(j.cfg.Replicas)
}

// EpochLoss returns the mean loss over the steps of the epoch to which step
// last belongs, up to and including it.
func (j *Job) EpochLoss(last int64) float64 {
	sum, n := j.epochLoss(last)
	return sum / float64(n)
}
