package run

import (
	"math"
	"strconv"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/result"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// observer turns what happens into rows and figures.
type observer struct {
	r *runner

	steps      ordered[result.StepRow]
	operations ordered[result.OperationRow]
	flows      ordered[flowRows]
	samples    ordered[sample]
	queues     *result.QueueLog
	sampleAt   unit.Duration

	unended    map[int64]*openStep // steps that not all ranks have ended
	stepTimes  []unit.Duration     // slowest rank, by step
	mean       cause.Split
	slowest    cause.Split
	ended      int64     // rank-steps
	wholeUntil unit.Time // when all ranks had ended the last of stepTimes
	limit      int64     // steps after which the run is over
	latest     unit.Time // of the ends of steps and of the job's messages so far: of several islands the last one heard of need not be it
	comm       unit.Duration
	overlap    unit.Duration
	colls      []collective // by collective of the step

	flowID int64
	pairs  []pairStats
	paths  []string

	critical critical
	evidence *evidence

	computed  []unit.Duration // in compute, by rank
	rankSteps []int64
	stuck     []result.OpenMessage // what was not acknowledged when the run ended
}

// sample is the length of a queue of the log at a sampling instant.
type sample struct {
	queue int32
	at    unit.Time
	bytes unit.Bytes
}

// openStep is a step that some ranks have ended.
type openStep struct {
	ranks   int
	end     unit.Time // of the rank that ended it last
	slowest exec.StepRecord
	colls   []span
}

type span struct {
	n          int
	start, end unit.Time
}

// collective sums one collective of the step over steps.
type collective struct {
	n    int64
	time unit.Duration
}

// pairStats sums the messages of an explicit flow.
type pairStats struct {
	posted, done             int64
	first                    unit.Time
	fct                      unit.Duration
	marks, cnps, retransmits int64
	failed                   bool
}

func newObserver(r *runner) *observer {
	ranks := len(r.plan.Placement.Ranks)
	o := &observer{r: r, unended: map[int64]*openStep{}, pairs: make([]pairStats, len(r.plan.Pairs)), evidence: newEvidence(r.plan),
		computed: make([]unit.Duration, ranks), rankSteps: make([]int64, ranks)}
	for _, q := range r.plan.Pairs {
		o.paths = append(o.paths, r.plan.pathText(q.Path))
	}
	if r.plan.Step != nil {
		o.colls = make([]collective, len(r.plan.Step.Collectives))
	}
	return o
}

// open opens the tables that the scenario wants.
func (o *observer) open(dir *result.Dir) {
	out := o.r.plan.Scenario.Output
	var steps *result.Table[result.StepRow] // a nil table takes rows and keeps none
	var operations *result.Table[result.OperationRow]
	var flows *result.Table[result.FlowRow]
	var hops *result.Table[result.HopRow]
	var losses *result.Table[result.LossRow]
	if o.r.job != nil {
		o.limit = o.r.job.Steps()
		steps = dir.Steps()
		o.critical.table = dir.Paths()
		if out.Operations {
			operations = dir.Operations()
		}
	}
	if out.Flows {
		flows, hops, losses = dir.Flows(), dir.Hops(), dir.Losses()
	}
	ahead := o.r.lookahead
	o.steps = ordered[result.StepRow]{lookahead: ahead, emit: steps.Add}
	o.operations = ordered[result.OperationRow]{lookahead: ahead, emit: operations.Add}
	o.flows = ordered[flowRows]{lookahead: ahead, emit: func(f flowRows) {
		f.row.ID = o.flowID
		o.flowID++
		flows.Add(f.row)
		for _, h := range f.hops {
			h.Flow = f.row.ID
			hops.Add(h)
		}
		for _, l := range f.losses {
			l.Flow = f.row.ID
			losses.Add(l)
		}
	}}
	if out.Sample > 0 {
		o.sampleAt = out.Sample
		var table *result.Table[result.QueueRow]
		if out.Queues {
			table = dir.Queues()
		}
		classes := []int{o.r.plan.Scenario.Fabric.QoS.DataPriority, o.r.plan.Scenario.Fabric.QoS.OtherPriority, o.r.plan.Scenario.Fabric.QoS.CNPPriority}
		var names []result.Queue
		for _, p := range o.r.plan.Graph.Ports {
			for _, c := range classes[:o.r.plan.classes()] {
				names = append(names, result.Queue{Port: p.Name, Class: int32(c)})
			}
		}
		o.queues = result.NewQueueLog(table, names)
		o.samples = ordered[sample]{lookahead: ahead, emit: func(s sample) { o.queues.Sample(int(s.queue), s.at, s.bytes) }}
	}
}

// close passes on the rows that wait for earlier ones.
func (o *observer) close() {
	o.steps.flush(unit.Never)
	o.operations.flush(unit.Never)
	o.flows.flush(unit.Never)
	o.samples.flush(unit.Never)
	o.critical.close()
}

// sample takes a queue's length from the fabric.
func (o *observer) sample(s fabric.Sample) {
	at := unit.Time(s.Index*int64(o.sampleAt)) + unit.Time(o.sampleAt/2)
	q := int32(int(s.Port)*o.r.fab.Classes() + int(s.Class))
	o.samples.add(o.r.eng.Now(), q, sample{q, at, s.Bytes})
}

// Step takes a step that a rank has ended: exec.Observer.
func (o *observer) Step(s exec.StepRecord) {
	loss := o.r.job.RankLoss(s.Rank, s.Step)
	o.steps.add(s.End, s.Rank, result.StepRow{Step: int32(s.Step), Rank: s.Rank, Start: s.Start, End: s.End, Loss: &loss, Comm: s.Comm, Overlap: s.Overlap,
		Causes: result.CausesOf(s.Split)})
	o.ended++
	o.latest = max(o.latest, s.End)
	o.mean.Add(&s.Split)
	o.computed[s.Rank] += s.Split[cause.Compute]
	o.rankSteps[s.Rank]++
	o.comm += s.Comm
	o.overlap += s.Overlap
	st := o.step(s.Step)
	// The slowest rank is the one whose step took longest; among equals the lowest number.
	if d, best := s.End.Sub(s.Start), st.slowest.End.Sub(st.slowest.Start); st.ranks == 0 || d > best || d == best && s.Rank < st.slowest.Rank {
		st.slowest = s
	}
	st.end = max(st.end, s.End)
	if st.ranks++; st.ranks < len(o.r.ranks) {
		return
	}
	delete(o.unended, s.Step)
	o.stepTimes = append(o.stepTimes, st.slowest.End.Sub(st.slowest.Start))
	o.wholeUntil = max(o.wholeUntil, st.end)
	o.slowest.Add(&st.slowest.Split)
	for c, sp := range st.colls {
		if sp.n == len(o.r.ranks) {
			o.colls[c].n++
			o.colls[c].time += sp.end.Sub(sp.start)
		}
	}
	if loss := o.r.job.Loss(s.Step); math.IsNaN(loss) || math.IsInf(loss, 0) {
		o.r.diverge(s.Step, loss)
	}
	if int64(len(o.stepTimes)) == o.limit {
		o.r.eng.StopAt(o.latest.Add(o.r.net.Linger()))
	}
}

func (o *observer) step(n int64) *openStep {
	st := o.unended[n]
	if st == nil {
		st = &openStep{colls: make([]span, len(o.colls))}
		o.unended[n] = st
	}
	return st
}

// Operation takes an operation that a rank has ended: exec.Observer.
func (o *observer) Operation(p exec.OperationRecord) {
	op := &o.r.plan.Step.Ops[p.Op]
	o.operations.add(p.End, p.Rank, result.OperationRow{Step: int32(p.Step), Rank: p.Rank, Op: p.Op, Name: p.Name, Stream: o.r.plan.Step.Streams[p.Stream],
		Start: p.Start, End: p.End, ReleasedBy: p.ReleasedBy})
	if op.Kind != workload.Communication {
		return
	}
	sp := &o.step(p.Step).colls[op.Coll]
	if sp.n == 0 {
		sp.start, sp.end = p.Start, p.End
	}
	sp.start, sp.end = min(sp.start, p.Start), max(sp.end, p.End)
	sp.n++
}

// flow takes a message that has been acknowledged, or that the run left unfinished.
func (o *observer) flow(f *nic.Flow) {
	q := &o.r.plan.Pairs[f.QP]
	s := &o.pairs[f.QP]
	row := result.FlowRow{Name: q.Name, Kind: q.Kind, Src: o.endName(q.From, q.FromGPU), Dst: o.endName(q.To, q.ToGPU), Channel: -1, Step: -1,
		Bytes: f.Bytes, Posted: f.Posted, Marks: f.Marks, CNPs: f.CNPs, Retransmits: f.Retransmits, Path: o.paths[f.QP], Status: result.StatusUnfinished}
	if f.Message != nil {
		row.Channel, row.Step = f.Message.Channel, int32(f.Message.Step)
	}
	if f.Placed >= 0 {
		row.Placed, row.Status, row.Causes = f.Placed, result.StatusPlaced, result.CausesOf(f.Split)
	}
	if f.Acked >= 0 {
		row.Acked, row.Status = f.Acked, result.StatusDone
	}
	if f.Failed {
		row.Status = result.StatusFailed
	}
	if end := o.r.net.Completed(f); end >= 0 {
		row.FCT = end.Sub(f.Posted)
	}
	losses := o.evidence.lossesOf(f)
	for i := range losses {
		if losses[i].Kind == "timeout" {
			row.Timeouts++
		} else {
			row.Lost++
		}
	}
	if row.FCT > 0 {
		o.evidence.message(f, q.Kind == result.KindJob)
	}
	o.flows.add(o.r.eng.Now(), f.QP, flowRows{row, o.waits(f), losses})
	if s.posted == 0 || f.Posted < s.first {
		s.first = f.Posted
	}
	s.posted++
	s.marks, s.cnps, s.retransmits = s.marks+f.Marks, s.cnps+f.CNPs, s.retransmits+f.Retransmits
	s.failed = s.failed || f.Failed
	if f.Acked < 0 {
		return
	}
	s.done++
	s.fct += row.FCT
	if q.Kind == result.KindJob {
		o.latest = max(o.latest, f.Acked)
		if o.r.flowsLeft--; o.r.flowsLeft == 0 {
			o.r.eng.StopAt(o.latest.Add(o.r.net.Linger()))
		}
	}
}

// flowRows is a message with the ports that held it up.
type flowRows struct {
	row    result.FlowRow
	hops   []result.HopRow
	losses []result.LossRow
}

// waits lists where a message was held up.
func (o *observer) waits(f *nic.Flow) (rows []result.HopRow) {
	if f.Placed < 0 {
		return nil
	}
	for i, h := range f.Hops {
		if h.Queueing+h.Own+h.Pause == 0 {
			continue
		}
		row := result.HopRow{Hop: o.hopOf(f.QP, &h, i), Port: o.r.plan.Graph.Ports[h.Port].Name, OwnQueueing: h.Own, Queueing: h.Queueing, Pause: h.Pause}
		if h.Pause > 0 && h.Root >= 0 {
			row.Root = o.r.plan.Graph.Ports[h.Root].Name
		}
		rows = append(rows, row)
	}
	return rows
}

// hopOf returns which hop of a queue pair's path a port is; those of the way back are counted on.
func (o *observer) hopOf(qp int32, h *nic.HopWait, from int) int32 {
	path, before := o.r.plan.Pairs[qp].Path, 0
	if h.Back {
		path, before, from = o.r.plan.Pairs[qp].Back, len(path), 0
	}
	for i := from; i < len(path); i++ {
		if path[i] == h.Port {
			return int32(before + i)
		}
	}
	panic("run: a message waited at a port that is not on its path")
}

func (o *observer) endName(nicID topo.NICID, gpu int32) string {
	if gpu < 0 {
		return o.r.plan.Graph.NICName(nicID)
	}
	return o.r.plan.Graph.Hosts[o.r.plan.Graph.NICs[nicID].Host].Name + "/gpu" + strconv.Itoa(int(gpu))
}

// report tells the progress of the run.
func (o *observer) report(now unit.Time) {
	p := result.Progress{Phase: "flows", Virtual: now, PacketHops: o.r.fab.Hops()}
	if o.r.job != nil {
		p.Phase, p.Done, p.Total = "training", int64(len(o.stepTimes)), o.r.job.Steps()
		if p.Done > 0 {
			p.Loss, p.HasLoss = o.r.job.Loss(p.Done-1), true
		}
	} else {
		for i := range o.pairs {
			q := &o.r.plan.Pairs[i]
			if q.Kind == result.KindJob && q.sends() {
				p.Total += int64(q.Flow.Count) * int64(q.Flow.Bytes)
				p.Done += o.pairs[i].done * int64(q.Flow.Bytes)
			}
		}
	}
	o.r.opt.Progress(p)
}
