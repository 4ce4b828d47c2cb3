package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/sim"
	"railyard/internal/job/checkpoint"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/images"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/capture"
	"railyard/internal/run/record"
)

// Run runs a scenario: it fills the tables of opt.Dir and returns the summary. When ctx ends it
// stops at the next safe point and returns what it has, state interrupted, and ctx's error. After a
// run that failed, or that is unfinished, the summary comes with the error.
func Run(ctx context.Context, sc *scenario.Scenario, opt Options) (*result.Summary, error) {
	if opt.Progress == nil {
		opt.Progress = func(result.Progress) {}
	}
	if opt.Around == nil {
		opt.Around = func(loop func()) { loop() }
	}
	w := &watcher{ctx: ctx, progress: opt.Progress, configs: opt.Configs, hostGraph: opt.HostGraph, blocks: opt.Blocks}
	in, err := prepare(w, sc, opt.Sources, opt.Resume, opt.allow)
	if err != nil {
		return nil, err
	}
	if err := sameInputs(sc, opt.Inputs, in.digests()); err != nil {
		return nil, err
	}
	resumed := opt.Resume != nil
	opt.Resume = in.from
	r, err := newRunner(ctx, w, in, opt)
	if err != nil {
		return nil, err
	}
	sum, err := r.begin(in)
	if err != nil {
		return nil, err
	}
	r, whole, apart, err := r.simulate(w, in)
	if err != nil {
		return nil, err
	}
	r.settleEnd(whole)
	if r.bodies != nil {
		r.bodies.Close()
	}
	r.record.LastLook()
	r.fab.Release() // what Finish takes has its place
	var notes []string
	for _, j := range r.jobs {
		j.keepWeights()
		notes = append(notes, j.keepInside()...)
	}
	err = r.record.Finish(sum, record.Ending{
		Whole:       whole,
		Stopped:     !r.stopBy.IsZero(),
		Interrupted: ctx.Err(),
		Diverged:    r.diverged,
	})
	sum.Notes = append(sum.Notes, notes...)
	sum.Notes = append(sum.Notes, r.finishCapture()...)
	if resumed {
		sum.Notes = append(sum.Notes, opt.Resume.note(in.start))
	}
	sum.Reuse = r.reuse.figures(sum.PacketHops, apart)
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

	islands  islands
	closing  bool          // the jobs are over, and their queue pairs are not all closed
	linger   unit.Duration // how long the run goes on after the jobs: no window is longer
	eng      *sim.Engine
	fab      *fabric.Fabric
	net      *nic.Net
	jobs     []*job // as the plan lists them
	hosts    *host.Hosts
	bodies   *host.Bodies
	record   *record.Recorder
	viewer   *record.Viewer   // nil: nobody has looked
	capture  *capture.Capture // nil: none
	pace     *pace
	memory   unit.Bytes     // that is forecast
	reuse    *repetition    // nil: what happens again is simulated again
	alike    []images.Image // parts of the network that look as others do
	images   *imaged        // nil: each part of the network is simulated
	last     unit.Time      // the jobs were done, on the clock of the simulation
	end      unit.Time      // of the run, where that is not the time of the last event
	acts     []act          // that are due, the first first
	dry      bool           // the engine has no event left
	checked  bool           // the engine has asked whether to go on since the last window
	reported time.Time      // when progress was told last
	giveUp   bool           // trainings are to end the step that they are in
	stopBy   time.Time      // interrupted trainings are given up
	diverged error          // the loss of a training is not a number
}

// job is one job of a run.
type job struct {
	run    *runner
	index  int // in the plan
	plan   *plan.Job
	data   *source // of a training
	kernel string
	driver *host.Job
	train  *train.Job // nil: the ranks compute nothing real, or there are none
	room   train.Room // of its buffers; nil: anywhere
	ranks  []*exec.Rank
	flows  []int32 // numbers of its own flows
	record *record.Job
	failed bool // it is to be aborted

	from *train.State // nil: the training begins
	survival
	kept checkpoint.Checkpoint // after the last step that all ranks have ended
	nan  bool                  // its loss is not a number
}

// steps returns how many steps the run takes, 0 where there are none. All collectives of a
// benchmark are one step.
func (j *job) steps() int64 {
	if j.train != nil {
		return j.first + j.train.Steps()
	}
	return j.plan.Steps(0)
}

func (r *runner) build() error {
	sc := r.plan.Scenario
	fc := r.plan.FabricConfig()
	r.cut(&fc)
	r.record = record.New(r.plan, r.opt.Dir, len(r.islands.sizes), record.Hooks{
		Progress: r.progress,
		Stopped:  func() bool { return r.ctx.Err() != nil },
		Step:     r.ended, Spoke: r.spoke,
		Ended: func(steps int64) { r.pace.saw(r.hops(), steps) },
		Done:  r.done,
	})
	if sc.Output.Sample > 0 {
		fc.SampleEvery = sc.Output.Sample
		fc.OnSample = r.sampled
	}
	fc.OnLoss = r.record.Lost
	if r.record.LogsEvents() {
		fc.OnEvent = r.record.PortEvent
	}
	err := r.buildCapture(&fc)
	if err != nil {
		return err
	}
	if r.fab, err = fabric.New(r.eng, r.plan.Graph, fc, r.islands.of); err != nil {
		return err
	}
	hc, nc := hostConfig(r.plan), nicConfig(r.plan)
	nc.OnTimeout, nc.OnFull = r.timedOut, r.record.Lost
	if r.record.LogsEvents() || r.record.TakesSeries() || r.record.Watches() {
		nc.OnEvent = r.record.PairEvent
	}
	if r.capture != nil {
		nc.OnPost = r.capture.Posted
	}
	if r.trains() {
		pays := host.Pay
		if r.opt.eager {
			pays = host.Pays{}
		}
		r.bodies = host.NewBodies(workers(r.opt.Workers)-1, pays) // the event loop keeps one core busy
		hc.Bodies = r.bodies
	}
	r.hosts = host.New(r.eng, r.plan.Graph, hc, r.islands.of)
	r.hosts.OnFail(r.fail)
	r.net = nic.New(r.eng, r.fab, r.plan.Graph, r.hosts, nc)
	for i, j := range r.jobs {
		j.record = r.record.Job(i)
	}
	r.net.OnFlow(r.record.Flow)
	for i := range r.plan.Pairs {
		if err := r.watcher.step("building", i, len(r.plan.Pairs)); err != nil {
			return err
		}
		r.addPair(&r.plan.Pairs[i])
	}
	r.net.Build(r.baseRTT)
	for _, j := range r.jobs {
		if err := j.build(); err != nil {
			return err
		}
	}
	return nil
}

// baseRTT is the round trip of an empty network for a queue pair.
func (r *runner) baseRTT(id int32) unit.Duration { return r.plan.BaseRTT(&r.plan.Pairs[id]) }

// addPairs adds the queue pairs of another life: those of the plan from the first-th on.
func (r *runner) addPairs(first int32) {
	r.net.Reserve(len(r.plan.Pairs) - int(first))
	for i := int(first); i < len(r.plan.Pairs); i++ {
		r.addPair(&r.plan.Pairs[i])
	}
	r.net.Extend(first, r.baseRTT)
	if r.capture != nil {
		r.capture.Extend()
	}
	r.connect(first)
}

// addPair adds a queue pair of the plan.
func (r *runner) addPair(q *plan.Pair) {
	var admits nic.Admission
	if q.Flow == nil && q.Job >= 0 {
		admits = admission(r.plan.Jobs[q.Job].Spec, q.Lanes)
	}
	chosen, back := r.plan.ChosenPath(q)
	hash, hashBack := r.plan.BondHashes(q)
	r.net.AddQP(nic.QueuePair{
		Name:       q.Name,
		From:       q.From,
		To:         q.To,
		FromGPU:    q.FromGPU,
		ToGPU:      q.ToGPU,
		Path:       q.Path,
		Back:       q.Back,
		Chosen:     chosen,
		ChosenBack: back,
		Bond:       hash,
		BondBack:   hashBack,
		Class:      q.Class,
		Log:        q.Flow == nil,
		Admission:  admits,
		Stream:     q.Stream,
	})
}

// trains reports whether a job is a training.
func (r *runner) trains() bool {
	return slices.ContainsFunc(r.jobs, func(j *job) bool { return j.plan.Spec.Train != nil })
}

func (j *job) build() error {
	j.beginLife(safe{state: j.from}, j.plan.Start())
	if j.plan.Spec.Train != nil {
		if err := j.buildTraining(j.from); err != nil {
			return err
		}
	}
	return j.buildRanks()
}

// keeps reports whether the ranks of a training hold what they have after each step.
func (j *job) keeps() bool {
	return j.train != nil && (j.run.opt.Dir != nil || j.plan.Spec.Survival.Saves())
}

// buildTraining gives the ranks of a life real work, from a state on; nil: from the beginning.
func (j *job) buildTraining(from *train.State) error {
	if err := j.newTraining(from, nil, j.run.plan.Scenario.Output.Gradients && j.run.opt.Dir != nil); err != nil {
		return err
	}
	j.driver.SetMemory(j.train)
	if replace := j.run.opt.memory; replace != nil {
		j.driver.SetMemory(replace(j.train))
	}
	return nil
}

// buildRanks adds the ranks of the job, if it has any.
func (j *job) buildRanks() error {
	if j.plan.Work == nil {
		return nil
	}
	j.ranks = nil
	for _, at := range j.plan.Placement.Ranks {
		j.driver.AddRank(at.Host, at.GPU)
	}
	if j.plan.HasClosed() {
		j.driver.SetClosed(func(c int32) (of host.Closed) {
			of.Ranks, of.Takes, of.Sender, of.Host = j.plan.Closed(c)
			return of
		})
	}
	j.driver.Reserve(len(j.plan.Links))
	for _, l := range j.plan.Links {
		j.driver.Connect(l.Way, l.Pairs()...)
	}
	paths := j.record.PathFinder()
	var body exec.Body // nil: nothing is computed
	if j.train != nil {
		body = j.train
	}
	for id, at := range j.plan.Placement.Ranks {
		if err := j.run.watcher.step("building", id, j.plan.Ranks()); err != nil {
			return err
		}
		rank := exec.NewRank(exec.Config{
			Rank:       int32(id),
			Job:        j.plan.Work,
			Steps:      j.left(),
			Transport:  j.driver,
			Clock:      j.driver,
			Body:       body,
			Observer:   j.record.Observer(j.run.islandOfHost(at.Host)),
			Paths:      paths,
			Checkpoint: j.saves,
		})
		j.ranks = append(j.ranks, rank)
	}
	return nil
}

// islandOfHost is where the ranks of a host live.
func (r *runner) islandOfHost(host int32) int32 { return r.islands.of[r.plan.Graph.Hosts[host].Node] }

// soleJob is the path of a job that is not in a list.
const soleJob = "job"

// begin writes what is known of the run before its first event, and keeps what it has read.
func (r *runner) begin(in *prepared) (sum *result.Summary, err error) {
	sc := r.plan.Scenario
	sum = &result.Summary{Name: sc.Name, Seed: sc.Seed, Inputs: in.digests()}
	if !r.opt.Figures {
		sum.ScenarioYAML = string(sc.YAML())
	}
	if len(r.jobs) > 1 {
		sum.Jobs = make([]result.JobFigures, len(r.jobs))
	}
	for i, f := range sum.PerJob() {
		j := r.jobs[i]
		f.From, f.Kernel, f.StepsPlanned = unit.Time(j.plan.Spec.Start), j.kernel, j.steps()
		f.Resumed = r.opt.Resume.resumed(in.start)
		if j.plan.Spec.Path() != soleJob {
			f.Job, f.Kind = j.plan.Spec.Name, j.plan.KindName()
		}
		if len(sum.Jobs) > 0 {
			sum.StepsPlanned += f.StepsPlanned
		}
	}
	if sum.Thresholds, sum.Mistakes, err = foresight.Thresholds(r.plan); err != nil {
		return nil, err
	}
	if err := r.opt.Dir.Begin(sum); err != nil {
		return nil, err
	}
	kept := append([]result.Input{{Name: result.ScenarioInput, Text: sc.Source()}}, in.files...)
	return sum, r.opt.Dir.KeepInputs(kept)
}

// parts are what the recorder has to know of what a training learns from.
func (s *source) parts() record.Data {
	if s == nil {
		return record.Data{}
	}
	return record.Data{Train: s.train, Test: s.test, Are: s.are, Text: s.text != nil, Entropy: s.entropy}
}

// start plans the first events.
func (r *runner) start() {
	r.reuse = r.newRepetition()
	r.images = r.newImages()
	r.reuse.start()
	parts := record.Parts{Network: represented{network{r.eng, r.fab, r.net, r.images}, r}}
	for _, j := range r.jobs {
		parts.Jobs = append(parts.Jobs, record.JobParts{
			Train: j.train,
			Keeps: j.keeps(),
			Steps: j.steps(),
			Data:  j.data.parts(),
		})
	}
	r.record.Open(parts)
	for _, j := range r.jobs {
		j.startRanks()
	}
	r.connect(0)
	for id, q := range r.plan.Pairs {
		if f := q.Flow; q.Sends() {
			flow := r.hosts.AddFlow(r.plan.Graph.NICs[q.From].Host, host.FlowSpec{
				QP:    int32(id),
				Start: q.Start,
				Bytes: f.Bytes,
				Count: int64(f.Count),
				Every: f.Every,
			})
			if q.Job >= 0 {
				r.jobs[q.Job].flows = append(r.jobs[q.Job].flows, flow)
			}
		}
	}
	r.eng.OnWindow(func(unit.Time) { r.join() })
	r.eng.OnCheck(func() bool {
		r.checked = true
		return !r.interrupted()
	})
}

// startRanks starts the ranks of a life.
func (j *job) startRanks() {
	for id, rank := range j.ranks {
		j.driver.SetRank(int32(id), rank, j.begun)
	}
	j.watch(j.begun)
}

// connect has queue pairs connected: those of ranks when their job begins, those of flows when these do.
func (r *runner) connect(first int32) {
	if !r.plan.Scenario.Transport.Setup {
		return
	}
	for id := int(first); id < len(r.plan.Pairs); id++ {
		q := &r.plan.Pairs[id]
		at := q.Start
		if q.Flow == nil {
			at = r.jobs[q.Job].begun
		}
		if q.Enabled() {
			r.net.Connect(int32(id), at)
		}
	}
}

// join takes what happened in the islands in a window. What acts on ranks acts here or in drive, between
// windows: all events before some instant are done and none after it, so that no rank is past the
// step after which all are told to end. Of an interruption that instant is as chance has it; of a
// divergence see diverge.
func (r *runner) join() {
	r.record.Join()
	if r.capture != nil {
		r.capture.Join()
	}
	if r.giveUp {
		r.giveUp = false
		r.stop()
	}
	if r.closing {
		r.close()
	}
	if !r.checked {
		return
	}
	r.checked = false
	r.opt.Dir.Keep() // its error ends the run at the next check
	r.report(r.told(r.eng.Now()))
}

// patience is how long interrupted trainings may go on to end the steps that they are in.
const patience = 2 * time.Second

// interrupted reports whether to stop at once. A training first ends the step that its foremost
// rank is in, so that all ranks hold the same weights.
func (r *runner) interrupted() bool {
	if r.opt.Dir.Err() != nil {
		return true
	}
	if r.ctx.Err() == nil {
		return false
	}
	if !r.stopBy.IsZero() {
		return time.Now().After(r.stopBy)
	}
	if !r.training() {
		return true
	}
	r.stopBy, r.giveUp = time.Now().Add(patience), true
	return false
}

// training reports whether a training is not done, or all jobs are and one was a training.
func (r *runner) training() bool {
	going, all := false, true
	for _, j := range r.jobs {
		going = going || j.train != nil && !j.record.Done()
		all = all && j.record.Done()
	}
	return going || all && r.trains()
}

// stop makes every training end the step that its foremost rank is in, and gives up the other jobs.
func (r *runner) stop() {
	for _, j := range r.jobs {
		if j.train == nil {
			j.record.GiveUp()
			continue
		}
		last := int64(0)
		for _, rank := range j.ranks {
			last = max(last, rank.Steps()+1)
		}
		j.stopAfter(last)
	}
}

func (j *job) stopAfter(steps int64) {
	for _, rank := range j.ranks {
		rank.StopAfter(steps)
	}
	j.record.StopAfter(j.first + steps)
}

// done ends the run after the jobs: what is on its way may still arrive, and queue pairs that were connected are closed.
func (r *runner) done(last unit.Time) {
	if !r.plan.Scenario.Transport.Setup {
		r.last = last.Add(-r.reuse.late())
		r.eng.StopAt(r.last.Add(r.linger))
		return
	}
	r.closing = true
	r.later(last.Add(r.linger), orderRun, func(now unit.Time) {
		r.eng.StopAt(now.Add(closingTime))
		for id := range r.plan.Pairs {
			if q := &r.plan.Pairs[id]; q.Job >= 0 && q.Enabled() {
				r.net.Disconnect(int32(id), now.Add(1))
			}
		}
	})
}

// closingTime is how long a run goes on at most for queue pairs to be closed: a DREQ that is lost is repeated after seconds, and
// nobody waits for that.
const closingTime = unit.Millisecond

// close ends the run when all queue pairs of its jobs are closed.
func (r *runner) close() {
	if last, all := r.net.Disconnected(); all && last > 0 {
		r.closing = false
		r.eng.StopAt(last.Add(r.linger))
	}
}

// divergence says what the loss of a step was that is not a number, and what to try.
func (j *job) divergence(step int64, loss float64) error {
	t, path, whose := j.plan.Spec.Train, j.plan.Spec.Path(), ""
	if len(j.run.jobs) > 1 {
		whose = " of job " + j.plan.Spec.Name
	}
	lower := fmt.Sprintf("%s.train.lr (%v)", path, t.LR)
	if t.Momentum > 0 {
		lower += fmt.Sprintf(" or %s.train.momentum (%v)", path, t.Momentum)
	}
	return fmt.Errorf("the training%s diverged: the loss of step %d is %v, "+
		"that of step 0 was %.4g: try a smaller %s", whose, step, loss, j.train.Loss(0), lower)
}
