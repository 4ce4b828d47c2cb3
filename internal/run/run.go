package run

import (
	"context"
	"fmt"
	"math"
	"time"

	"railyard/internal/checkpoint"
	"railyard/internal/dataset"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/machine"
	"railyard/internal/nic"
	"railyard/internal/nn"
	"railyard/internal/plan"
	"railyard/internal/record"
	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/sim"
	"railyard/internal/train"
	"railyard/internal/unit"
)

// Options is what a run needs beside its scenario.
type Options struct {
	Dir      *result.Dir           // tables go here; nil: none
	Force    bool                  // run although the estimate is over the limits
	Progress func(result.Progress) // nil: silent
	Workers  int                   // cores for the real work of ranks beside the event loop; < 0: as many as there are
	Images   *Images               // shared with other runs of this process; nil: its own
	Inputs   []result.InputDigest  // what it must read beside the scenario, nil: anything
	Resume   *Resume               // a training goes on from these weights; nil: from the beginning
	Islands  int                   // partition of the nodes, 0: by size. No value changes a result

	// For tests. Look, if set, is called at From, From+Every, ... with the state of the network at
	// that instant, its events done.
	Look        func(View)
	From, Every unit.Duration

	memory func(exec.Memory) exec.Memory // replaces the bytes that messages carry
	ended  func(*runner)                 // looks at a run that has just ended
}

// Run runs a scenario: it fills the tables of opt.Dir and returns the summary. When ctx ends it
// stops at the next safe point and returns what it has, state interrupted, and ctx's error. After a
// run that failed, or that is unfinished, the summary comes with the error.
func Run(ctx context.Context, sc *scenario.Scenario, opt Options) (*result.Summary, error) {
	if opt.Progress == nil {
		opt.Progress = func(result.Progress) {}
	}
	w := &watcher{ctx: ctx, progress: opt.Progress}
	in, err := prepare(w, sc, opt.Images, opt.Resume, func(e plan.Estimate) error {
		if opt.Force {
			return nil
		}
		return e.OverLimit(machine.Memory())
	})
	if err != nil {
		return nil, err
	}
	if err := sameInputs(opt.Inputs, in.digests()); err != nil {
		return nil, err
	}
	r := &runner{plan: in.plan, opt: opt, ctx: ctx, watcher: w}
	if in.images != nil {
		r.set = in.images.Set
		r.begun = in.start
		r.kept.Training = in.about
	}
	if err := r.build(); err != nil {
		return nil, err
	}
	sum, err := r.begin(in)
	if err != nil {
		return nil, err
	}
	r.start()
	whole := r.drive()
	if r.bodies != nil {
		r.bodies.Close()
	}
	r.keepWeights()
	err = r.record.Finish(sum, record.Ending{
		Whole:       whole,
		Stopped:     !r.stopBy.IsZero(),
		Interrupted: ctx.Err(),
		Diverged:    r.diverged,
	})
	if opt.Resume != nil {
		sum.Notes = append(sum.Notes, opt.Resume.note(in.start))
	}
	if opt.ended != nil {
		opt.ended(r)
	}
	return sum, err
}

// runner is a run in progress.
type runner struct {
	plan    *plan.Plan
	opt     Options
	ctx     context.Context
	watcher *watcher
	set     *dataset.Set
	kernel  string

	eng    *sim.Engine
	fab    *fabric.Fabric
	net    *nic.Net
	driver *nic.Job
	job    *train.Job
	ranks  []*exec.Rank
	bodies *nic.Bodies
	record *record.Recorder

	begun *train.State          // nil: the training begins
	kept  checkpoint.Checkpoint // after the last step that all ranks have ended

	stopBy   time.Time // an interrupted training is given up
	diverged error     // the loss of the training is not a number
}

// steps returns how many steps the ranks will take, 0 where there are none. All collectives of a
// benchmark are one step.
func (r *runner) steps() int64 {
	switch {
	case r.job != nil:
		return r.job.Steps()
	case len(r.plan.Jobs[0].Rows) > 0:
		return 1
	}
	return 0
}

func (r *runner) build() error {
	sc := r.plan.Scenario
	islands := r.opt.Islands
	if r.plan.AsScheduled() {
		islands = 1
	}
	islandOf, sizes, lookahead := partition(r.plan.Graph, islands)
	r.eng = sim.New(sizes, lookahead)
	if r.plan.AsScheduled() {
		r.eng.InOrderOfPushing()
	}
	r.record = record.New(r.plan, r.opt.Dir, lookahead, record.Hooks{
		Progress: r.opt.Progress,
		Step:     r.ended,
		Done:     r.done,
	})
	fc := r.plan.FabricConfig()
	if sc.Output.Sample > 0 {
		fc.SampleEvery = sc.Output.Sample
		fc.OnSample = r.record.Sample
	}
	fc.OnLoss = r.record.Lost
	var err error
	if r.fab, err = fabric.New(r.eng, r.plan.Graph, fc, islandOf); err != nil {
		return err
	}
	nc := nicConfig(r.plan)
	nc.OnTimeout = r.record.TimedOut
	if sc.Jobs[0].Train != nil {
		workers := r.opt.Workers
		if workers < 0 {
			workers = nic.DefaultWorkers()
		}
		r.bodies = nic.NewBodies(workers)
		nc.Bodies = r.bodies
	}
	r.net = nic.New(r.eng, r.fab, r.plan.Graph, nc, islandOf)
	r.driver = r.net.AddJob(admission(&sc.Jobs[0]))
	r.net.OnFlow(r.record.Flow)
	for i := range r.plan.Pairs {
		if err := r.watcher.step("building", i, len(r.plan.Pairs)); err != nil {
			return err
		}
		q := &r.plan.Pairs[i]
		r.net.AddQP(nic.QueuePair{
			Name:    q.Name,
			From:    q.From,
			To:      q.To,
			FromGPU: q.FromGPU,
			ToGPU:   q.ToGPU,
			Path:    q.Path,
			Back:    q.Back,
			Class:   q.Class,
			Log:     q.Flow == nil,
		})
	}
	r.net.Build(func(id int32) unit.Duration { return r.plan.BaseRTT(&r.plan.Pairs[id]) })
	if sc.Jobs[0].Train != nil {
		if err := r.buildTraining(); err != nil {
			return err
		}
	}
	return r.buildRanks()
}

// buildTraining gives the ranks real work.
func (r *runner) buildTraining() error {
	t := r.plan.Scenario.Jobs[0].Train
	kernel, err := nn.KernelNamed(t.Kernel)
	if err != nil {
		return err
	}
	r.kernel = kernel.Name
	cfg := train.Config{
		Model:  r.plan.Jobs[0].Model,
		Kernel: kernel,
		Train: train.Set{
			Pixels: r.set.Train.Pixels,
			Labels: r.set.Train.Labels,
		},
		Replicas: r.plan.Jobs[0].Ranks(),
		Batch:    t.Batch,
		Epochs:   t.Epochs,
		Steps:    int64(t.Steps.Or(0)),
		Seed:     r.plan.Scenario.Seed,
		SGD:      nn.SGD{LR: float32(t.LR), Momentum: float32(t.Momentum)},
		Work:     r.plan.Jobs[0].Work,
		Start:    r.begun,
	}
	if r.job, err = train.New(cfg); err != nil {
		return err
	}
	r.driver.SetMemory(r.job)
	if r.opt.memory != nil {
		r.driver.SetMemory(r.opt.memory(r.job))
	}
	return nil
}

// buildRanks adds the ranks of the job, if it has any.
func (r *runner) buildRanks() error {
	if r.plan.Jobs[0].Work == nil {
		return nil
	}
	for _, at := range r.plan.Jobs[0].Placement.Ranks {
		r.driver.AddRank(at.Host, at.GPU)
	}
	for _, l := range r.plan.Jobs[0].Links {
		r.driver.Connect(l.Way, l.Pair)
	}
	paths := r.record.PathFinder()
	var body exec.Body // nil: nothing is computed
	if r.job != nil {
		body = r.job
	}
	for id := range r.plan.Jobs[0].Placement.Ranks {
		if err := r.watcher.step("building", id, r.plan.Jobs[0].Ranks()); err != nil {
			return err
		}
		rank := exec.NewRank(exec.Config{
			Rank:      int32(id),
			Job:       r.plan.Jobs[0].Work,
			Steps:     r.steps(),
			Transport: r.driver,
			Clock:     r.driver,
			Body:      body,
			Observer:  r.record,
			Paths:     paths,
		})
		r.ranks = append(r.ranks, rank)
	}
	return nil
}

// begin writes what is known of the run before its first event, and keeps what it has read.
func (r *runner) begin(in *prepared) (sum *result.Summary, err error) {
	sc := r.plan.Scenario
	sum = &result.Summary{
		Name:         sc.Name,
		Seed:         sc.Seed,
		Kernel:       r.kernel,
		ScenarioYAML: string(sc.YAML()),
		StepsPlanned: r.steps(),
		Resumed:      r.opt.Resume.resumed(in.start),
		Inputs:       in.digests(),
	}
	if sum.Thresholds, sum.Mistakes, err = r.plan.Thresholds(); err != nil {
		return nil, err
	}
	if err := r.opt.Dir.Begin(sum); err != nil {
		return nil, err
	}
	kept := append([]result.Input{{Name: result.ScenarioInput, Text: sc.Source()}}, in.files...)
	return sum, r.opt.Dir.KeepInputs(kept)
}

// start plans the first events.
func (r *runner) start() {
	r.record.Open(record.Parts{Engine: r.eng, Fabric: r.fab, Net: r.net, Job: r.job, Steps: r.steps(), Images: r.set})
	for id, rank := range r.ranks {
		r.driver.SetRank(int32(id), rank, unit.Time(r.plan.Jobs[0].Spec.Start))
	}
	for id, q := range r.plan.Pairs {
		if f := q.Flow; q.Sends() {
			r.net.AddFlow(nic.FlowSpec{
				QP:    int32(id),
				Start: q.Start,
				Bytes: f.Bytes,
				Count: int64(f.Count),
				Every: f.Every,
			})
		}
	}
	r.eng.OnCheck(func() bool {
		r.record.Report(r.eng.Now())
		return !r.interrupted() && r.opt.Dir.Keep() == nil
	})
}

// patience is how long an interrupted training may go on to end the step it is in.
const patience = 2 * time.Second

// interrupted reports whether to stop at once. A training first ends the step that its foremost
// rank is in, so that all ranks hold the same weights.
func (r *runner) interrupted() bool {
	if r.ctx.Err() == nil {
		return false
	}
	if r.job == nil || !r.stopBy.IsZero() {
		return r.job == nil || time.Now().After(r.stopBy)
	}
	r.stopBy = time.Now().Add(patience)
	last := int64(0)
	for _, rank := range r.ranks {
		last = max(last, rank.Steps()+1)
	}
	for _, rank := range r.ranks {
		rank.StopAfter(last)
	}
	r.record.StopAfter(last)
	return false
}

// done ends the run after the job: what is on its way may still arrive.
func (r *runner) done(last unit.Time) { r.eng.StopAt(last.Add(r.net.Linger())) }

// diverge ends a training whose loss is not a number. The next step ends too, because ranks have
// begun it.
func (r *runner) diverge(step int64, loss float64) {
	if r.diverged != nil || !math.IsNaN(loss) && !math.IsInf(loss, 0) {
		return
	}
	t := r.plan.Scenario.Jobs[0].Train
	lower := fmt.Sprintf("job.train.lr (%v)", t.LR)
	if t.Momentum > 0 {
		lower += fmt.Sprintf(" or job.train.momentum (%v)", t.Momentum)
	}
	r.diverged = fmt.Errorf("the training diverged: the loss of step %d is %v, "+
		"that of step 0 was %.4g: try a smaller %s", step, loss, r.job.Loss(0), lower)
	for _, rank := range r.ranks {
		rank.StopAfter(step + 2)
	}
	r.record.StopAfter(step + 2)
}
