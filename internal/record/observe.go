package record

import (
	"strconv"

	"railyard/internal/cause"
	"railyard/internal/dataset"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/plan"
	"railyard/internal/result"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/train"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// Recorder turns what happens in a run into rows and figures.
type Recorder struct {
	plan      *plan.Plan
	dir       *result.Dir
	lookahead unit.Duration
	hooks     Hooks

	engine *sim.Engine
	fabric *fabric.Fabric
	net    *nic.Net
	job    *train.Job // nil: the ranks compute nothing real, or there are none
	images *dataset.Set

	steps      ordered[result.StepRow]
	operations ordered[result.OperationRow]
	flows      ordered[flowRows]
	samples    ordered[sample]
	queues     *result.QueueLog
	sampleAt   unit.Duration

	unended    map[int64]*openStep // steps that some ranks have not ended
	stepTimes  []unit.Duration     // slowest rank, by step
	mean       cause.Split
	slowest    cause.Split
	ended      int64     // rank-steps
	wholeUntil unit.Time // when all ranks had ended the last of stepTimes
	limit      int64     // steps after which the run is over
	// latest is the last end of a step or of a message of the job so far. With several islands it
	// need not be the one that was heard of last.
	latest  unit.Time
	comm    unit.Duration
	overlap unit.Duration
	colls   []collective // by collective of the step
	rows    []rowTimes   // of job.collectives
	rowOf   []int32      // by collective of the step: index in rows, -1 where it is not timed

	flowID int64
	pairs  []pairStats
	paths  []string

	critical critical
	evidence *evidence

	computed  []unit.Duration // in compute, by rank
	rankSteps []int64
	jobLeft   int64                // messages of the job's own flows that are not acknowledged; 0 with ranks
	ran       int64                // collectives that ranks have ended, each rank's own
	stuck     []result.OpenMessage // what was not acknowledged when the run ended
}

// sample is the length of a queue at a sampling instant.
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

// Parts are the parts of a run that a recorder reads.
type Parts struct {
	Engine *sim.Engine
	Fabric *fabric.Fabric
	Net    *nic.Net
	Job    *train.Job   // nil: no training
	Steps  int64        // that the ranks take; 0 where the job sends flows
	Images *dataset.Set // of a training
}

// Hooks are what a recorder tells the driver of a run.
type Hooks struct {
	Progress func(result.Progress)
	Step     func(step int64, loss float64) // all ranks have ended a step
	Done     func(last unit.Time)           // the job is done; the last event of it was then
}

// New returns a recorder of a run into a directory, nil for none. lookahead is that of the run's
// islands, 0 with one.
func New(p *plan.Plan, dir *result.Dir, lookahead unit.Duration, hooks Hooks) *Recorder {
	job := &p.Jobs[0]
	ranks := job.Ranks()
	r := &Recorder{
		plan:      p,
		dir:       dir,
		lookahead: lookahead,
		hooks:     hooks,
		unended:   map[int64]*openStep{},
		pairs:     make([]pairStats, len(p.Pairs)),
		evidence:  newEvidence(p),
		computed:  make([]unit.Duration, ranks),
		rankSteps: make([]int64, ranks),
	}
	for i := range p.Pairs {
		r.paths = append(r.paths, p.PathText(p.Pairs[i].Path))
	}
	if job.Work != nil {
		r.colls = make([]collective, len(job.Work.Collectives))
		r.rowOf = make([]int32, len(job.Work.Collectives))
		for c := range r.rowOf {
			r.rowOf[c] = -1
		}
	}
	for i := range job.Rows {
		r.rows = append(r.rows, rowTimes{began: make([]unit.Time, ranks)})
		for k := range job.Rows[i].Count {
			r.rowOf[job.Rows[i].First+k] = int32(i)
		}
	}
	return r
}

// ranks is how many there are, 0 where the job sends flows.
func (r *Recorder) ranks() int { return r.plan.Jobs[0].Ranks() }

// Open is called when the run is built, before its first event: it opens the tables that the
// scenario wants.
func (r *Recorder) Open(parts Parts) {
	r.engine, r.fabric, r.net, r.job, r.images = parts.Engine, parts.Fabric, parts.Net, parts.Job, parts.Images
	r.jobLeft = r.jobMessages()
	dir, out := r.dir, r.plan.Scenario.Output
	var steps *result.Table[result.StepRow] // a nil table takes rows and keeps none
	var operations *result.Table[result.OperationRow]
	var flows *result.Table[result.FlowRow]
	var hops *result.Table[result.HopRow]
	var losses *result.Table[result.LossRow]
	if parts.Steps > 0 {
		r.limit = parts.Steps
		steps = dir.Steps()
		r.critical.table = dir.Paths()
		if out.Operations {
			operations = dir.Operations()
		}
	}
	if out.Flows {
		flows, hops, losses = dir.Flows(), dir.Hops(), dir.Losses()
	}
	ahead := r.lookahead
	r.steps = ordered[result.StepRow]{lookahead: ahead, emit: steps.Add}
	r.operations = ordered[result.OperationRow]{lookahead: ahead, emit: operations.Add}
	r.flows = ordered[flowRows]{lookahead: ahead, emit: func(f flowRows) {
		f.row.ID = r.flowID
		r.flowID++
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
		r.sampleAt = out.Sample
		var table *result.Table[result.QueueRow]
		if out.Queues {
			table = dir.Queues()
		}
		q := r.plan.Scenario.Fabric.QoS
		classes := []int{q.DataPriority, q.OtherPriority, q.CNPPriority}
		var names []result.Queue
		for _, p := range r.plan.Graph.Ports {
			for _, c := range classes[:r.plan.Classes()] {
				names = append(names, result.Queue{Port: p.Name, Class: int32(c)})
			}
		}
		r.queues = result.NewQueueLog(table, names)
		r.samples = ordered[sample]{lookahead: ahead, emit: func(s sample) {
			r.queues.Sample(int(s.queue), s.at, s.bytes)
		}}
	}
}

// close writes the rows that still wait for earlier ones.
func (r *Recorder) close() {
	r.steps.flush(unit.Never)
	r.operations.flush(unit.Never)
	r.flows.flush(unit.Never)
	r.samples.flush(unit.Never)
	r.critical.close()
}

// Sample takes a queue's length from the fabric.
func (r *Recorder) Sample(s fabric.Sample) {
	at := unit.Time(s.Index*int64(r.sampleAt)) + unit.Time(r.sampleAt/2)
	q := int32(int(s.Port)*r.fabric.Classes() + int(s.Class))
	r.samples.add(r.engine.Now(), q, sample{q, at, s.Bytes})
}

// Step takes a step that a rank has ended: exec.Observer.
func (r *Recorder) Step(s exec.StepRecord) {
	var loss *float64
	if r.job != nil {
		loss = new(r.job.RankLoss(s.Rank, s.Step))
	}
	r.steps.add(s.End, s.Rank, result.StepRow{
		Step:    int32(s.Step),
		Rank:    s.Rank,
		Start:   s.Start,
		End:     s.End,
		Loss:    loss,
		Comm:    s.Comm,
		Overlap: s.Overlap,
		Causes:  result.CausesOf(s.Split),
	})
	r.ended++
	r.latest = max(r.latest, s.End)
	r.mean.Add(&s.Split)
	r.computed[s.Rank] += s.Split[cause.Compute]
	r.rankSteps[s.Rank]++
	r.comm += s.Comm
	r.overlap += s.Overlap
	st := r.step(s.Step)
	// The slowest rank is the one whose step took longest; among equals the lowest number.
	d, best := s.End.Sub(s.Start), st.slowest.End.Sub(st.slowest.Start)
	if st.ranks == 0 || d > best || d == best && s.Rank < st.slowest.Rank {
		st.slowest = s
	}
	st.end = max(st.end, s.End)
	if st.ranks++; st.ranks < r.ranks() {
		return
	}
	delete(r.unended, s.Step)
	r.stepTimes = append(r.stepTimes, st.slowest.End.Sub(st.slowest.Start))
	r.wholeUntil = max(r.wholeUntil, st.end)
	r.slowest.Add(&st.slowest.Split)
	for c, sp := range st.colls {
		if sp.n == r.ranks() {
			r.colls[c].n++
			r.colls[c].time += sp.end.Sub(sp.start)
		}
	}
	if r.job != nil {
		r.hooks.Step(s.Step, r.job.Loss(s.Step))
	}
	if int64(len(r.stepTimes)) == r.limit {
		r.hooks.Done(r.latest)
	}
}

// StopAfter makes the job be done after so many steps, if it has more.
func (r *Recorder) StopAfter(steps int64) { r.limit = min(r.limit, steps) }

func (r *Recorder) step(n int64) *openStep {
	st := r.unended[n]
	if st == nil {
		st = &openStep{colls: make([]span, len(r.colls))}
		r.unended[n] = st
	}
	return st
}

// Operation takes an operation that a rank has ended: exec.Observer.
func (r *Recorder) Operation(p exec.OperationRecord) {
	program := r.plan.Jobs[0].Work.Program(p.Rank)
	op := &program.Ops[p.Op]
	r.operations.add(p.End, p.Rank, result.OperationRow{
		Step:       int32(p.Step),
		Rank:       p.Rank,
		Op:         p.Op,
		Name:       p.Name,
		Stream:     program.Streams[p.Stream].Name,
		Start:      p.Start,
		End:        p.End,
		ReleasedBy: p.ReleasedBy,
	})
	if op.Kind != workload.Communication {
		return
	}
	r.timeRow(&p, op.Coll)
	sp := &r.step(p.Step).colls[op.Coll]
	if sp.n == 0 {
		sp.start, sp.end = p.Start, p.End
	}
	sp.start, sp.end = min(sp.start, p.Start), max(sp.end, p.End)
	sp.n++
}

// Flow takes a message that has been acknowledged, or that the run left unfinished.
func (r *Recorder) Flow(f *nic.Flow) {
	q := &r.plan.Pairs[f.QP]
	s := &r.pairs[f.QP]
	row := result.FlowRow{
		Name:        q.Name,
		Kind:        q.Kind,
		Src:         r.endName(q.From, q.FromGPU),
		Dst:         r.endName(q.To, q.ToGPU),
		Channel:     -1,
		Step:        -1,
		Bytes:       f.Bytes,
		Posted:      f.Posted,
		Marks:       f.Marks,
		CNPs:        f.CNPs,
		Retransmits: f.Retransmits,
		Path:        r.paths[f.QP],
		Status:      result.StatusUnfinished,
	}
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
	if end := r.net.Completed(f); end >= 0 {
		row.FCT = end.Sub(f.Posted)
	}
	losses := r.evidence.lossesOf(f)
	for i := range losses {
		if losses[i].Kind == "timeout" {
			row.Timeouts++
		} else {
			row.Lost++
		}
	}
	if row.FCT > 0 {
		r.evidence.message(f, q.Kind == result.KindJob)
	}
	r.flows.add(r.engine.Now(), f.QP, flowRows{row, r.waits(f), losses})
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
		r.latest = max(r.latest, f.Acked)
		if r.jobLeft--; r.jobLeft == 0 {
			r.hooks.Done(r.latest)
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
func (r *Recorder) waits(f *nic.Flow) (rows []result.HopRow) {
	if f.Placed < 0 {
		return nil
	}
	for i, h := range f.Hops {
		if h.Queueing+h.Own+h.Pause == 0 {
			continue
		}
		row := result.HopRow{
			Hop:         r.hopOf(f.QP, &h, i),
			Port:        r.plan.Graph.Ports[h.Port].Name,
			OwnQueueing: h.Own,
			Queueing:    h.Queueing,
			Pause:       h.Pause,
		}
		if h.Pause > 0 && h.Root >= 0 {
			row.Root = r.plan.Graph.Ports[h.Root].Name
		}
		rows = append(rows, row)
	}
	return rows
}

// hopOf returns the index of a port on a queue pair's path; the way back is counted after it.
func (r *Recorder) hopOf(qp int32, h *nic.HopWait, from int) int32 {
	path, before := r.plan.Pairs[qp].Path, 0
	if h.Back {
		path, before, from = r.plan.Pairs[qp].Back, len(path), 0
	}
	for i := from; i < len(path); i++ {
		if path[i] == h.Port {
			return int32(before + i)
		}
	}
	panic("record: a message waited at a port that is not on its path")
}

func (r *Recorder) endName(nicID topo.NICID, gpu int32) string {
	if gpu < 0 {
		return r.plan.Graph.NICName(nicID)
	}
	return r.plan.Graph.Hosts[r.plan.Graph.NICs[nicID].Host].Name + "/gpu" + strconv.Itoa(int(gpu))
}

// Report tells the progress of the run.
func (r *Recorder) Report(now unit.Time) {
	p := result.Progress{Phase: "flows", Virtual: now, PacketHops: r.fabric.Hops()}
	switch {
	case r.job != nil:
		p.Phase, p.Done, p.Total = "training", int64(len(r.stepTimes)), r.job.Steps()
		if p.Done > 0 {
			p.Loss, p.HasLoss = r.job.Loss(p.Done-1), true
		}
	case len(r.rows) > 0:
		p.Phase, p.Done, p.Total = "collectives", r.ran/int64(r.ranks()), int64(len(r.colls))
	default:
		for i := range r.pairs {
			q := &r.plan.Pairs[i]
			if q.Kind == result.KindJob && q.Sends() {
				p.Total += int64(q.Flow.Count) * int64(q.Flow.Bytes)
				p.Done += r.pairs[i].done * int64(q.Flow.Bytes)
			}
		}
	}
	r.hooks.Progress(p)
}
