package record

import (
	"cmp"
	"slices"
	"strconv"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// Recorder turns what happens in a run into rows and figures.
type Recorder struct {
	plan  *plan.Plan
	dir   *result.Dir
	hooks Hooks

	network Network
	real    bool // its ranks were processes: see NewMeasured

	jobs []*Job
	open int // jobs that are not done

	islands   []*island
	heard     heard
	places    []place // kept for its memory
	finishing bool    // the engine stands still

	tables   tables
	queues   *result.QueueLog
	sampleAt unit.Duration

	repeats repeats

	events events
	series series
	watch  watch
	waits  circles
	ways   *crossings // for diagnoses
	// dataLost are the ports that lost data for want of room; refused is how many frames under PFC were lost so.
	dataLost map[topo.PortID]bool
	refused  int64
	losses   [len(lossNames)]int64 // frames that did not arrive, by why

	flowID   int64
	pairs    []pairStats
	known    []*pairEvidence // by queue pair; nil where nothing is known
	paths    []string        // by queue pair
	ends     []endNames      // by queue pair; empty until a row needs them
	way      []topo.PortID   // kept for its memory
	wayNames wayNames

	stuck []result.OpenMessage // what was not acknowledged when the run ended
}

// tables take rows; a nil one keeps none.
type tables struct {
	steps      *result.Table[result.StepRow]
	gradients  *result.Table[result.GradientRow]
	experts    *result.Table[result.ExpertRow]
	operations *result.Table[result.OperationRow]
	flows      *result.Table[result.FlowRow]
	hops       *result.Table[result.HopRow]
	losses     *result.Table[result.LossRow]
}

// Job records one job.
type Job struct {
	r       *Recorder
	plan    *plan.Job
	base    int32      // its rank 0 among the ranks of all jobs
	train   *train.Job // nil: the ranks compute nothing real, or there are none
	keeps   bool
	experts *routed // nil: there are none
	data    Data

	life       life
	start      startPhase          // of this life
	firstStart *startPhase         // of the first life, where there are others; nil: start
	unended    map[int64]*openStep // steps that some ranks have not ended
	stepTimes  []unit.Duration     // slowest rank, by step
	mean       cause.Split
	slowest    cause.Split
	ended      int64     // rank-steps
	wholeUntil unit.Time // when all ranks had ended the last of stepTimes
	limit      int64     // steps after which the job is done
	latest     unit.Time // the last end of a step or of a message so far
	done       bool
	comm       unit.Duration
	overlap    unit.Duration
	colls      []collective // by collective of the step
	rows       []rowTimes   // of its collectives
	rowOf      []int32      // by collective of the step: index in rows, -1 where it is not timed

	account  *account // nil: ranks take no steps
	critical critical
	paths    *exec.PathFinder // nil: no path is traced
	evidence *evidence

	computed  []unit.Duration // in compute, by rank
	rankSteps []int64
	operated  []unit.Duration // by rank: operations that compute, without what collectives add and copy
	arrived   arrivals
	busy      []unit.Duration // computing, by rank, in all
	aborts    []result.Abort
	restarts  []result.Restart
	starts    []unit.Duration // of lives that have ended: the start phase, 0 where it was lost
	gaveUp    bool            // because of the last abort
	final     string          // why it does not start again
	leftSince unit.Time       // then: when the state was there that is left of it
	saves     int64           // checkpoints
	left      int64           // messages of its own flows that are not acknowledged; 0 with ranks
	all, sent unit.Bytes      // of its own flows: of all messages, of those that are acknowledged
	ran       int64           // collectives that ranks have ended, each rank's own
}

// openStep is a step that some ranks have ended.
type openStep struct {
	ranks   int
	end     unit.Time // of the rank that ended it last
	slowest exec.StepRecord
	colls   []span
	// for the account
	times  []memberTime
	waits  []rankWait
	spans  []rankSpan
	beyond beyond
}

type span struct {
	n          int
	begun      bool // start is known
	start, end unit.Time
	last       unit.Time // who is waited for began
}

// collective sums one collective of the step over steps.
type collective struct {
	n    int64
	time unit.Duration
	met  unit.Duration // of time, since all had begun
}

// pairStats sums the messages of an explicit flow.
type pairStats struct {
	posted, done             int64
	first                    unit.Time
	fct                      unit.Duration
	marks, cnps, retransmits int64
	failed                   bool
	life                     life   // of its job
	path                     string // that its messages took; "": several, or none has arrived
}

// endNames are the GPUs, or NICs, that a queue pair joins.
type endNames struct{ from, to string }

// Parts are the parts of a run that a recorder reads.
type Parts struct {
	Network Network
	Jobs    []JobParts // as the plan lists them
}

// Data is what a training learns from.
type Data struct {
	Train, Test nn.Examples
	Are         string // what examples are called: images, windows
	Text        bool
	Entropy     *float64 // of the test windows, of text that a grammar gives
}

// JobParts are those of one job.
type JobParts struct {
	Train *train.Job // nil: no training
	Keeps bool       // states of the training are kept: its ranks hold what they have after each step
	Steps int64      // that the ranks take; 0 where the job sends flows
	Data  Data       // of a training
}

// New returns a recorder of a run in so many islands into a directory, nil for none.
func New(p *plan.Plan, dir *result.Dir, islands int, hooks Hooks) *Recorder {
	r := &Recorder{
		plan:  p,
		dir:   dir,
		hooks: hooks,
		pairs: make([]pairStats, len(p.Pairs)),
		known: make([]*pairEvidence, len(p.Pairs)),
		ends:  make([]endNames, len(p.Pairs)),

		dataLost: map[topo.PortID]bool{},
	}
	for i := range islands {
		r.islands = append(r.islands, &island{r: r, number: int32(i)})
	}
	r.addPaths()
	base := int32(0)
	for i := range p.Jobs {
		j := newJob(r, &p.Jobs[i], base)
		r.jobs = append(r.jobs, j)
		base += int32(j.ranks())
	}
	return r
}

func newJob(r *Recorder, p *plan.Job, base int32) *Job {
	ranks, begin := p.Ranks(), unit.Time(p.Spec.Start)
	j := &Job{
		r:         r,
		plan:      p,
		base:      base,
		unended:   map[int64]*openStep{},
		evidence:  newEvidence(p),
		start:     startPhase{begin: begin, end: begin},
		computed:  make([]unit.Duration, ranks),
		rankSteps: make([]int64, ranks),
		operated:  make([]unit.Duration, ranks),
		busy:      make([]unit.Duration, ranks),
	}
	if p.Work != nil {
		j.colls = make([]collective, len(p.Work.Collectives))
		j.rowOf = make([]int32, len(p.Work.Collectives))
		for c := range j.rowOf {
			j.rowOf[c] = -1
		}
	}
	for i := range p.Rows {
		j.rows = append(j.rows, rowTimes{began: make([]unit.Time, ranks)})
		for k := range p.Rows[i].Count {
			j.rowOf[p.Rows[i].First+k] = int32(i)
		}
	}
	if p.Work != nil && len(p.Rows) == 0 {
		j.account = newAccount(p.Work, ranks)
	}
	return j
}

// Job returns the recorder of a job, which its ranks report to.
func (r *Recorder) Job(i int) *Job { return r.jobs[i] }

// several reports whether names of jobs are needed to tell what is whose.
func (r *Recorder) several() bool { return len(r.jobs) > 1 }

// jobOf returns the job of a queue pair, nil for background.
func (r *Recorder) jobOf(q *plan.Pair) *Job {
	if q.Job < 0 {
		return nil
	}
	return r.jobs[q.Job]
}

// name is that of the job.
func (j *Job) name() string { return j.plan.Spec.Name }

// ranks is how many there are, 0 where the job sends flows.
func (j *Job) ranks() int { return j.plan.Ranks() }

// Open is called when the run is built, before its first event: it opens the tables that the
// scenario wants.
func (r *Recorder) Open(parts Parts) {
	if !r.real {
		r.network = parts.Network
	}
	dir, out := r.dir, r.plan.Scenario.Output
	for i, p := range parts.Jobs {
		j := r.jobs[i]
		j.train, j.keeps, j.data, j.limit = p.Train, p.Keeps, p.Data, p.Steps
		j.left, j.all = j.messages()
		j.done = p.Steps == 0 && j.left == 0
		if !j.done {
			r.open++
		}
		if p.Steps == 0 {
			continue
		}
		r.tables.steps = dir.Steps()
		j.critical.table = dir.Paths()
		if out.Gradients && p.Train != nil && !r.real {
			r.tables.gradients = dir.Gradients()
		}
		if p.Train != nil && !r.real && p.Train.Routes() {
			j.experts = &routed{layers: map[string]*use{}}
			if out.Experts {
				r.tables.experts = dir.Experts()
			}
		}
		if out.Operations {
			r.tables.operations = dir.Operations()
		}
	}
	if r.real {
		return
	}
	if out.Flows {
		r.tables.flows, r.tables.hops, r.tables.losses = dir.Flows(), dir.Hops(), dir.Losses()
	}
	if out.Sample > 0 {
		r.openQueues()
	}
	if r.LogsEvents() {
		r.events.open(r)
	}
	if r.TakesSeries() {
		r.series.open(r)
	}
	if r.Watches() {
		r.watch.open(r)
	}
	r.openWaits()
}

// LogsEvents reports whether PortEvent and PairEvent are wanted, for events.parquet.
func (r *Recorder) LogsEvents() bool { return r.dir != nil && r.plan.Scenario.Output.Events }

// TakesSeries reports whether series.parquet is wanted: it looks at the network now and then, and at
// queue pairs' events.
func (r *Recorder) TakesSeries() bool { return r.dir != nil && r.plan.Scenario.Output.Series }

// openQueues begins the log of queues.
func (r *Recorder) openQueues() {
	out := r.plan.Scenario.Output
	r.sampleAt = out.Sample
	var table *result.Table[result.QueueRow]
	if out.Queues {
		table = r.dir.Queues()
	}
	var names []result.Queue
	for id, p := range r.plan.Graph.Ports {
		for c := range r.plan.Switches.Classes() {
			names = append(names, result.Queue{Port: p.Name, Class: r.plan.Switches.Priority(topo.PortID(id), uint8(c))})
		}
	}
	r.queues = result.NewQueueLog(table, names)
}

// queueOf is the number of a sample's queue.
func (r *Recorder) queueOf(s *fabric.Sample) int32 {
	return int32(int(s.Port)*r.plan.Switches.Classes() + int(s.Class))
}

// sample takes a queue's length.
func (r *Recorder) sample(s *fabric.Sample) {
	at := unit.Time(s.Index*int64(r.sampleAt)) + unit.Time(r.sampleAt/2)
	r.queues.Sample(int(r.queueOf(s)), at, s.Bytes)
}

// gradients writes how long a rank's gradients were back through time.
func (j *Job) gradients(s *exec.StepRecord) {
	table := j.r.tables.gradients
	if table == nil || j.train == nil || s.Step == workload.StartStep {
		return
	}
	row := result.GradientRow{Job: j.name(), Step: j.life.step(s.Step), Rank: s.Rank}
	j.train.TakeNorms(s.Rank, s.Step, func(layer string, position int, norm float64) {
		row.Layer, row.Position, row.Norm = layer, int32(position), norm
		table.Add(row)
	})
}

// step takes a step that a rank has ended.
func (j *Job) step(s *exec.StepRecord, waits []exec.Wait) {
	j.watchStep(s)
	var loss *float64
	if j.train != nil && s.Step != workload.StartStep {
		loss = new(j.train.RankLoss(s.Rank, s.Step))
	}
	j.r.tables.steps.Add(result.StepRow{
		Job:     j.name(),
		Step:    j.life.step(s.Step),
		Rank:    s.Rank,
		Start:   s.Start,
		End:     s.End,
		Loss:    loss,
		Comm:    s.Comm,
		Overlap: s.Overlap,
		Causes:  result.CausesOf(s.Split),
	})
	j.gradients(s)
	j.routes(s)
	j.passed(s.End)
	j.busy[s.Rank] += s.Computing
	if s.Step == workload.StartStep {
		j.started(s)
		return
	}
	j.ended++
	j.mean.Add(&s.Split)
	j.computed[s.Rank] += s.Split[cause.Compute]
	j.rankSteps[s.Rank]++
	j.comm += s.Comm
	j.overlap += s.Overlap
	st := j.open(s.Step)
	if j.account != nil {
		st.waited(j.plan.Work.Program(s.Rank), s, waits)
	}
	// The slowest rank is the one whose step took longest; among equals the lowest number.
	d, best := s.End.Sub(s.Start), st.slowest.End.Sub(st.slowest.Start)
	if st.ranks == 0 || d > best || d == best && s.Rank < st.slowest.Rank {
		st.slowest = *s
	}
	st.end = max(st.end, s.End)
	if st.ranks++; st.ranks < j.ranks() {
		return
	}
	delete(j.unended, s.Step)
	j.life.ended++
	j.stepTimes = append(j.stepTimes, st.slowest.End.Sub(st.slowest.Start))
	j.r.hooks.Ended(int64(len(j.stepTimes)))
	j.wholeUntil = max(j.wholeUntil, st.end)
	j.slowest.Add(&st.slowest.Split)
	if j.account != nil {
		j.account.take(st, j.start.end)
	}
	j.sumCollectives(st)
	j.r.hooks.Step(j.number(), s.Step, s.End, j.loss(s.Step))
	if int64(len(j.stepTimes)) == j.limit {
		j.end(s.End)
	}
}

// loss is that of a step of this life that all ranks of a training have ended.
func (j *Job) loss(step int64) float64 {
	if j.train == nil {
		return 0
	}
	return j.train.Loss(step)
}

// number is the job's in the plan.
func (j *Job) number() int { return slices.Index(j.r.jobs, j) }

// passed takes the time at which a step or a message of the job ended.
func (j *Job) passed(at unit.Time) {
	j.latest = max(j.latest, at)
}

// end takes it that the job is done at a time. With the last one the run is.
func (j *Job) end(at unit.Time) {
	if j.done {
		return
	}
	j.done = true
	if j.r.open--; j.r.open == 0 {
		j.r.hooks.Done(at)
	}
}

// sumCollectives takes the times of the collectives of a step that all ranks have ended.
func (j *Job) sumCollectives(st *openStep) {
	for c, sp := range st.colls {
		if sp.n == members(j.plan.Work, c) {
			j.colls[c].n++
			j.colls[c].time += sp.end.Sub(sp.start)
			j.colls[c].met += sp.end.Sub(sp.last)
		}
	}
}

// StopAfter makes the job be done after so many steps, if it has more.
func (j *Job) StopAfter(steps int64) { j.limit = min(j.limit, steps) }

// Steps is how many steps all ranks have ended.
func (j *Job) Steps() int64 { return int64(len(j.stepTimes)) }

// GiveUp makes the run not wait for the job. Another one is not done yet.
func (j *Job) GiveUp() {
	if !j.done {
		j.done = true
		j.r.open--
	}
}

// Going is how many jobs are not done, nor given up.
func (r *Recorder) Going() int { return r.open }

// Done reports whether the job is done, or given up.
func (j *Job) Done() bool { return j.done }

func (j *Job) open(n int64) *openStep {
	st := j.unended[n]
	if st == nil {
		st = &openStep{colls: make([]span, len(j.colls))}
		j.unended[n] = st
	}
	return st
}

// operation takes an operation that a rank has ended.
func (j *Job) operation(p *exec.OperationRecord) {
	program := j.plan.Work.Program(p.Rank)
	op, stream := &program.OpsOf(p.Step)[p.Op], &program.Streams[p.Stream]
	j.r.tables.operations.Add(result.OperationRow{
		Job:        j.name(),
		Step:       j.life.step(p.Step),
		Rank:       p.Rank,
		Op:         p.Op,
		Name:       p.Name,
		Stream:     stream.Name,
		Group:      j.group(stream.Group),
		Start:      p.Start,
		End:        p.End,
		ReleasedBy: p.ReleasedBy,
	})
	j.watchOperation(p, op)
	if j.account != nil && p.Step != workload.StartStep && op.Kind == workload.Compute {
		j.open(p.Step).beyond.compute(program, op, p)
	}
	if op.Kind == workload.Compute && p.Step != workload.StartStep {
		j.operated[p.Rank] += p.End.Sub(p.Start)
	}
	if op.Counted != nil && p.Step != workload.StartStep {
		j.arrived.take(j.ranks(), j.plan.Work, op, p)
	}
	if op.Kind != workload.Communication {
		return
	}
	j.r.spoke(p, !j.plan.Work.Collectives[op.Coll].Formula)
	j.timeRow(p, op.Coll)
	st := j.open(p.Step)
	st.colls[op.Coll].take(p, j.plan.Work, op.Coll)
	if j.account != nil && p.Step != workload.StartStep {
		st.operation(j.plan.Work, p, op.Coll)
	}
}

// group is the name of a group of the job's ranks, "" of none.
func (j *Job) group(g int32) string {
	if g < 0 {
		return ""
	}
	return j.plan.Work.Groups[g].Name
}

// flow takes a message that has been acknowledged, or that the run left unfinished.
func (r *Recorder) flow(f *flow) {
	q := &r.plan.Pairs[f.QP]
	s, ends := &r.pairs[f.QP], r.endsOf(f.QP)
	row := result.FlowRow{
		Name:        q.Name,
		Kind:        q.Kind,
		Src:         ends.from,
		Dst:         ends.to,
		Channel:     -1,
		Step:        -1,
		Bytes:       f.Bytes,
		Posted:      f.Posted,
		Marks:       f.Marks,
		CNPs:        f.CNPs,
		Retransmits: f.Retransmits,
		Path:        r.pathOf(&f.Flow),
		Status:      result.StatusUnfinished,
	}
	r.watch.flow(f.QP, f.Marks)
	j := r.jobOf(q)
	if j != nil {
		row.Job = j.name()
	}
	if m := &f.message; m.is {
		row.Channel, row.Step, row.Group = m.channel, r.pairs[f.QP].life.step(m.step), j.group(m.group)
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
	if end := r.network.Completed(&f.Flow); end >= 0 {
		row.FCT = end.Sub(f.Posted)
	}
	losses := r.lossesOf(&f.Flow)
	for i := range losses {
		if losses[i].Kind == "timeout" {
			row.Timeouts++
		} else {
			row.Lost++
		}
	}
	if row.FCT > 0 {
		r.pair(f.QP).held.Add(&f.Split)
		if q.Kind == result.KindJob {
			j.evidence.message(&f.Flow)
		}
	}
	r.addFlow(row, &f.Flow, losses)
	if s.done == 0 || s.path == row.Path {
		s.path = row.Path
	} else if row.Path != "" {
		s.path = ""
	}
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
		j.passed(f.Acked)
		j.sent += f.Bytes
		if j.left--; j.left == 0 {
			j.end(f.Acked)
		}
	}
}

// addFlow adds the rows of a message, with the ports that held it up and what was lost of it.
func (r *Recorder) addFlow(row result.FlowRow, f *nic.Flow, losses []result.LossRow) {
	if r.tables.flows == nil {
		return
	}
	row.ID = r.flowID
	r.flowID++
	r.tables.flows.Add(row)
	r.addWaits(row.ID, f)
	for _, l := range losses {
		l.Flow = row.ID
		r.tables.losses.Add(l)
	}
}

// addWaits adds the rows of the ports that held up a message.
func (r *Recorder) addWaits(id int64, f *nic.Flow) {
	if f.Placed < 0 {
		return
	}
	for i, h := range f.Hops {
		if h.Queueing+h.Own+h.Pause == 0 {
			continue
		}
		row := result.HopRow{
			Flow:        id,
			Hop:         int32(i),
			Port:        r.plan.Graph.Ports[h.Port].Name,
			OwnQueueing: h.Own,
			Queueing:    h.Queueing,
			Pause:       h.Pause,
		}
		if h.Pause > 0 && h.Root >= 0 {
			row.Root = r.plan.Graph.Ports[h.Root].Name
		}
		r.tables.hops.Add(row)
	}
}

// pathOf names the path of a message: that of the packet that made it whole. Where each switch chose the next
// hop, nothing is known of the path of a message that has not arrived: "".
func (r *Recorder) pathOf(f *nic.Flow) string {
	if data, _ := r.plan.ChosenPath(&r.plan.Pairs[f.QP]); !data {
		return r.paths[f.QP]
	}
	if f.Placed < 0 {
		return ""
	}
	r.way = r.way[:0]
	for i := range f.Hops {
		if h := &f.Hops[i]; !h.Back {
			r.way = append(r.way, h.Port)
		}
	}
	return r.wayNames.of(r.plan, r.way)
}

// pathOfAll names the path of all messages of a queue pair; "" where they took several, or none has arrived.
func (r *Recorder) pathOfAll(qp int32) string {
	if data, _ := r.plan.ChosenPath(&r.plan.Pairs[qp]); data {
		return r.pairs[qp].path
	}
	return r.paths[qp]
}

// endsOf names the ends of a queue pair.
func (r *Recorder) endsOf(qp int32) *endNames {
	e, q := &r.ends[qp], &r.plan.Pairs[qp]
	if e.from == "" {
		*e = endNames{r.endName(q.From, q.FromGPU), r.endName(q.To, q.ToGPU)}
	}
	return e
}

func (r *Recorder) endName(nicID topo.NICID, gpu int32) string {
	if gpu < 0 {
		return r.plan.Graph.NICName(nicID)
	}
	return r.plan.Graph.Hosts[r.plan.Graph.NICs[nicID].Host].Name + "/gpu" + strconv.Itoa(int(gpu))
}

// Report tells the progress of the run: of its trainings, or else of its collectives, or of its
// flows.
func (r *Recorder) Report(now unit.Time) {
	all := map[string]*result.Progress{}
	for _, j := range r.jobs {
		var p result.Progress
		j.progress(&p)
		sum := all[p.Phase]
		if sum == nil {
			all[p.Phase] = &p
			continue
		}
		sum.Done, sum.Total = sum.Done+p.Done, sum.Total+p.Total
		if !sum.HasLoss {
			sum.Loss, sum.HasLoss = p.Loss, p.HasLoss
		}
	}
	p := cmp.Or(all["training"], all["collectives"], all["flows"])
	p.Virtual, p.PacketHops = now, r.network.Hops()
	r.hooks.Progress(*p)
}

// progress tells that of the job.
func (j *Job) progress(p *result.Progress) {
	p.Phase = "flows"
	switch {
	case j.train != nil:
		p.Phase, p.Done, p.Total = "training", int64(len(j.stepTimes)), j.life.first+j.train.Steps()
		if p.Done > j.life.first {
			p.Loss, p.HasLoss = j.train.Loss(p.Done-1-j.life.first), true
		}
	case len(j.rows) > 0:
		p.Phase, p.Done, p.Total = "collectives", j.ran/int64(j.ranks()), int64(len(j.colls))
	default:
		p.Done, p.Total = int64(j.sent), int64(j.all)
	}
}

// sends reports whether a queue pair carries one of the job's own flows.
func (j *Job) sends(q *plan.Pair) bool {
	return q.Kind == result.KindJob && q.Sends() && j.r.jobs[q.Job] == j
}
