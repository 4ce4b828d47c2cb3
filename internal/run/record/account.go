package record

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/mfu"
	"railyard/internal/job/workload"
	"railyard/internal/plan/foresight"
)

// account is where the time of a job's ranks goes in steps that all ranks have ended, but for computing, which the plan
// knows: what each wait was for, and whether all who were needed had begun by then.
type account struct {
	work *workload.Job
	kind []int // by collective: index in mfu.Kinds

	bubble, imbalance, copies unit.Duration
	exposed, spoken           []unit.Duration // by kind: waits for it, and all of it, since all who were needed had begun

	first, last []unit.Time // by rank, of this life: the start of its first such step, the end of the last one
	beyond      beyond
	skipped     unit.Duration // waits before all ranks had ended the start phase
	ahead       unit.Duration // computing before that: not in the step time

	begun []unit.Time // by collective, in the step that is taken; -1: nobody has
}

// beyond is what operations took beyond the plan, on positions that were counted and on GPUs with a fault, and how
// many FLOP more in products.
type beyond struct {
	workload.Computing
	products int64
}

// compute takes an operation: on positions that came, or longer than planned since a GPU is slow or stands still.
func (b *beyond) compute(program *workload.Program, op *workload.Op, p *exec.OperationRecord) {
	planned := op.Duration
	if op.Counted != nil {
		came := op.Counted.On(&program.Device, *op, p.Positions)
		b.add(program.Beyond(op, came))
		planned = came.Duration
	}
	b.Slow += p.End.Sub(p.Start) - planned
}

func (b *beyond) add(c workload.Computing, products int64) {
	b.Add(&c, 1)
	b.products += products
}

// memberTime is a collective of a rank in a step.
type memberTime struct {
	coll       int32
	sends      bool // what it sends is all that others need of it, and it needs nothing
	start, end unit.Time
}

// rankWait is what a rank waited for in a step.
type rankWait struct {
	coll     int32 // or one of those below
	from, to unit.Time
}

// What ranks wait for that is no collective.
const (
	forNothing int32 = -1
	forCopy    int32 = -2
)

// rankSpan is the step of a rank.
type rankSpan struct {
	rank       int32
	start, end unit.Time
}

func newAccount(work *workload.Job, ranks int) *account {
	a := &account{work: work, first: make([]unit.Time, ranks), last: make([]unit.Time, ranks),
		exposed: make([]unit.Duration, len(mfu.Kinds())), spoken: make([]unit.Duration, len(mfu.Kinds()))}
	a.clear()
	for i := range work.Collectives {
		a.kind = append(a.kind, kindOf(work, &work.Collectives[i]))
		a.begun = append(a.begun, -1)
	}
	return a
}

// clear forgets when ranks began.
func (a *account) clear() {
	for r := range a.first {
		a.first[r] = -1
	}
}

// kindOf is the kind of communication of a collective: index in mfu.Kinds.
func kindOf(work *workload.Job, c *workload.Collective) int {
	return slices.Index(mfu.Kinds(), foresight.KindOf(work, c))
}

// operation notes a collective that a rank has ended.
func (st *openStep) operation(work *workload.Job, p *exec.OperationRecord, c int32) {
	g := &work.Groups[work.Collectives[c].Group]
	st.times = append(st.times, memberTime{c, g.Kind == workload.GroupKindPipeline && p.Rank == g.Ranks[0], p.Start, p.End})
}

// waited notes what a rank waited for in a step that it has ended.
func (st *openStep) waited(program *workload.Program, s *exec.StepRecord, waits []exec.Wait) {
	st.spans = append(st.spans, rankSpan{s.Rank, s.Start, s.End})
	for _, w := range waits {
		is := rankWait{forNothing, w.From, w.To}
		if w.Op >= 0 {
			if op := &program.Ops[w.Op]; op.Kind == workload.Copy {
				is.coll = forCopy
			} else {
				is.coll = op.Coll
			}
		}
		st.waits = append(st.waits, is)
	}
}

// take takes a step that all ranks have ended. Since is when all had ended the start phase: from then on it counts.
func (a *account) take(st *openStep, since unit.Time) {
	for _, s := range st.spans {
		if a.first[s.rank] < 0 {
			a.first[s.rank] = s.start
		}
		a.last[s.rank] = s.end
	}
	// What a stage is sent waits for the sender alone, anything else for all.
	for _, t := range st.times {
		pipeline := a.work.Groups[a.work.Collectives[t.coll].Group].Kind == workload.GroupKindPipeline
		if t.sends || !pipeline {
			a.begun[t.coll] = max(a.begun[t.coll], t.start)
		}
	}
	for _, t := range st.times {
		from := max(t.start, a.begun[t.coll], since)
		a.spoken[a.kind[t.coll]] += max(0, t.end.Sub(from))
	}
	for _, w := range st.waits {
		a.wait(w, since)
	}
	a.beyond.add(st.beyond.Computing, st.beyond.products)
	for _, t := range st.times {
		a.begun[t.coll] = -1
	}
}

// wait takes a wait of a rank.
func (a *account) wait(w rankWait, since unit.Time) {
	from := min(w.to, max(w.from, since))
	a.skipped += from.Sub(w.from)
	switch {
	case w.coll == forCopy:
		a.copies += w.to.Sub(from)
		return
	case w.coll == forNothing:
		a.imbalance += w.to.Sub(from)
		return
	}
	all := min(w.to, max(from, a.begun[w.coll]))
	if a.work.Groups[a.work.Collectives[w.coll].Group].Kind == workload.GroupKindPipeline {
		a.bubble += all.Sub(from)
	} else {
		a.imbalance += all.Sub(from)
	}
	a.exposed[a.kind[w.coll]] += w.to.Sub(all)
}

// close ends a life, whose ranks had all ended the start phase at one time and their last such step at another: until then
// those that had ended it before waited, and what the first of them did before the former is in no step time.
func (a *account) close(since, until unit.Time, staged bool) {
	for r := range a.first {
		if a.first[r] < 0 {
			continue
		}
		if rest := until.Sub(a.last[r]); staged {
			a.bubble += rest
		} else {
			a.imbalance += rest
		}
		a.ahead += since.Sub(a.first[r])
	}
	a.clear()
}

// closeLife ends the account of the life that ends.
func (j *Job) closeLife() {
	if j.account != nil && j.life.ended > 0 {
		j.account.close(j.start.end, j.wholeUntil, j.plan.Spec.Parallel.PP > 1)
	}
}

// efficiency is how well the steps that all ranks have ended used their GPUs, nil where ranks take no steps.
func (j *Job) efficiency(step unit.Duration) *mfu.Figures {
	a := j.account
	if a == nil || j.life.all() == 0 || step <= 0 {
		return nil
	}
	j.closeLife()
	w := foresight.StepWork(j.r.plan, j.plan)
	if n := a.beyond.products / j.life.all(); w.Hardware > 0 { // what experts dropped nobody has computed
		w.Hardware, w.Model, w.Causal = w.Hardware+n, w.Model+n, w.Causal+n
	}
	f := &mfu.Figures{GPUs: w.GPUs * max(w.Alike, 1), Alike: w.Alike, Waterfall: j.waterfall(&w).Bars(int64(j.ranks()) * j.life.all())}
	if w.Peak > 0 && w.Model > 0 {
		f.ModelFLOP, f.CausalFLOP, f.HardwareFLOP, f.Peak, f.Precision = w.Model, w.Causal, w.Hardware, w.Peak, w.Precision
		f.MFU, f.HFU = mfu.Of(w.Model, step, w.GPUs, w.Peak), mfu.Of(w.Hardware, step, w.GPUs, w.Peak)
		if w.Causal != w.Model {
			f.MFUCausal = mfu.Of(w.Causal, step, w.GPUs, w.Peak)
		}
	}
	f.Launch, f.LaunchAs = j.r.plan.KernelLaunch(j.plan)
	rankSteps := unit.Duration(j.ranks()) * unit.Duration(j.life.all())
	f.Memory = foresight.StepMemory(j.plan)
	bytes, between := foresight.StepBytes(j.r.plan, j.plan)
	for k, kind := range mfu.Kinds() {
		if bytes[kind] > 0 {
			f.Communication = append(f.Communication, mfu.Communication{Kind: kind, Exposed: a.exposed[k] / rankSteps,
				Hidden: (a.spoken[k] - a.exposed[k]) / rankSteps, Bytes: bytes[kind], Between: between[kind]})
		}
	}
	c := &j.r.plan.Scenario.Cost
	if c.GPUHour.Set {
		f.Cost = mfu.CostOf(step, f.GPUs, c.GPUHour.Value.Hundredths, c.GPUHour.Value.Currency)
	}
	if c.Power.Set {
		f.Energy = mfu.EnergyOf(step, f.GPUs, c.Power.Value)
	}
	if x := &j.plan.Spec.Parallel; x.PP > 1 {
		f.Bubble = &mfu.Bubble{Waited: float64(a.bubble) / (float64(rankSteps) * float64(step)), Formula: j.bubbleFormula()}
	}
	if tokens := foresight.StepTokens(j.plan); tokens > 0 {
		f.TokenRate = float64(tokens) / step.Seconds()
	}
	return f
}

// bubbleFormula is the part of a step that stages wait by the formula: see workload.Bubble.
func (j *Job) bubbleFormula() float64 {
	x := &j.plan.Spec.Parallel
	waits, slots := workload.Bubble(x.PP, max(1, x.VirtualStages), max(1, x.MicroBatches))
	return float64(waits) / float64(slots)
}

// waterfall sums the bars over all ranks and steps.
func (j *Job) waterfall(w *mfu.Work) *mfu.Waterfall {
	a, steps := j.account, unit.Duration(j.life.all())
	step, given := j.computing()
	device := j.plan.Work.Programs[0].Device
	all, more := a.beyond.Computing, device.AtPeak(a.beyond.products)
	if a.beyond.products < 0 {
		more = -device.AtPeak(-a.beyond.products)
	}
	all.Products, all.BelowPeak = all.Products+more, all.BelowPeak-more
	all.Add(&step, j.life.all())
	model := unit.Duration(0)
	switch {
	case w.Model == w.Hardware:
		model = all.Products // not a picosecond of rounding less
	case w.Model > 0:
		model = min(all.Products, steps*device.AtPeak(w.Model))
	}
	f := &mfu.Waterfall{}
	f.Add(mfu.Ideal, model)
	f.Add(mfu.Repeated, all.Products-model)
	below := mfu.BelowPeak
	if given {
		below = mfu.Given
	}
	f.Add(below, all.BelowPeak)
	f.Add(mfu.Memory, all.Memory)
	f.Add(mfu.Launch, all.Launch)
	f.Add(mfu.SlowGPUs, all.Slow)
	f.Add(mfu.Bubbles, a.bubble)
	f.Add(mfu.Imbalance, a.imbalance)
	var network cause.Split
	for k, kind := range mfu.Kinds() {
		rest := a.exposed[k]
		split := j.pathOf(k)
		whole := split.Sum()
		for _, c := range networks {
			d := mfu.Share(a.exposed[k], split[c], whole)
			network[c] += d
			rest -= d
		}
		f.Add(mfu.Exposed(kind), rest)
	}
	for _, c := range networks {
		f.Add(mfu.Network(c.String()), network[c])
	}
	f.Add(mfu.Copies, a.copies)
	f.Add(mfu.Ahead, a.skipped-a.ahead)
	return f
}

// networks are the causes that a network has beside bytes, rates and distances: others' traffic, what holds senders back,
// and what was lost.
var networks = []cause.Cause{cause.RateLimit, cause.Window, cause.OwnQueueing, cause.Queueing, cause.Pause, cause.Retransmission}

// pathOf is what passed in the communication of a kind on the critical paths that were traced.
func (j *Job) pathOf(kind int) (sum cause.Split) {
	of := make([]bool, len(j.critical.groups))
	for i, k := range j.account.kind {
		if k == kind && len(of) > 0 { // else no path was traced
			of[j.plan.Work.Collectives[i].Group] = true
		}
	}
	for g, is := range of {
		if is {
			sum.Add(&j.critical.groups[g])
		}
	}
	return sum
}

// computing sums where the time of all ranks' compute operations goes in a step; given: their durations are those of a file.
func (j *Job) computing() (sum workload.Computing, given bool) {
	work := j.plan.Work
	of := make([]workload.Computing, len(work.Programs))
	for i := range of {
		of[i], _ = work.Programs[i].Computing()
	}
	for _, p := range work.Of {
		sum.Add(&of[p], 1)
	}
	return sum, work.Training == nil
}
