package exec

import (
	"fmt"
	"slices"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Rank is one rank's state. It belongs to one driver thread.
type Rank struct {
	cfg      Config
	counter  Counter // cfg.Body, if it is one
	stager   Stager  // likewise
	meeting  Meeting // cfg.Transport, if it is one
	prog     *workload.Program
	start    template
	steps    template
	in       *template // the phase in progress: start or steps
	ops      []opState // of its operations
	streams  []streamState
	colls    []collRun          // that this rank runs: those of the start phase, then in the order of its step
	numberOf lists.Index[int32] // number in colls, by collective of the job
	lines    []*lines           // by group
	inboxes  []inbox            // by connection, in order of first use
	outboxes []outbox           // likewise
	ended    []int32            // operations that ended and whose dependents have not been told
	owing    int                // messages sent and not credited, or taken from slots that are not free: see Rest
	stands   standing           // at rest

	step   int64   // workload.StartStep: the start phase
	post   Message // being posted; kept here, so that it is not copied
	left   int     // operations of this step that have not ended
	status Status
	begun  bool
	over   bool
	saves  bool  // a checkpoint, between two steps
	save   Token // of it

	ledger ledger
	path   *rankPath // where the step is recorded for the path finder; nil: nowhere
}

// template is what is known of the operations of a phase before it begins.
type template struct {
	ops []workload.Op
	*workload.Order
	colls int32 // how many collectives of Rank.colls are before those of the phase
}

// collOf is the index in Rank.colls of the collective that an operation runs, -1 for none.
func (t *template) collOf(op int32) int32 {
	if c := t.Coll[op]; c >= 0 {
		return t.colls + c
	}
	return -1
}

type opState struct {
	waiting    int32 // dependencies that have not ended
	start, end unit.Time
	by         int32 // the operation that released it, -1 the step's start
	positions  int64 // of one that works on what comes: see workload.Counted
}

type streamState struct {
	next    int // the first operation in its queue that has not started
	busy    bool
	group   int32
	running int32 // its collective in progress, past the launch: index in Rank.colls; -1 none
	token   Token // of local work on channel 0 of its collectives; the other channels follow. Operations have the stream's number
	until   Token
	slates  []*slate // by channel of its collectives
}

// NewRank returns a rank that has not started. The job must be valid, as Job.Validate
// says; that is looked at once for all ranks, by whoever built it.
func NewRank(cfg Config) *Rank {
	if cfg.Steps < 1 {
		panic(fmt.Sprintf("exec: %d steps, want at least 1", cfg.Steps))
	}
	p := cfg.Job.Program(cfg.Rank)
	r := &Rank{cfg: cfg, prog: p, streams: make([]streamState, len(p.Streams)),
		ops: make([]opState, max(len(p.Start), len(p.Ops)))}
	for s := range r.streams {
		r.streams[s] = streamState{group: p.Streams[s].Group, running: -1}
	}
	r.counter, _ = cfg.Body.(Counter)
	r.stager, _ = cfg.Body.(Stager)
	r.meeting, _ = cfg.Transport.(Meeting)
	r.start = r.template(p.Start, workload.NewOrder(p.Start, len(p.Streams)))
	r.steps = r.template(p.Ops, p.StepOrder())
	r.numberTokens()
	r.keepPrograms()
	r.in = &r.steps
	if cfg.Job.Starts() {
		r.in, r.step = &r.start, workload.StartStep
	}
	if cfg.Paths != nil {
		cfg.Paths.add(cfg.Rank, cfg.Job, r.colls, &r.numberOf)
	}
	return r
}

// template looks at the operations of a phase, and adds their collectives.
func (r *Rank) template(ops []workload.Op, order *workload.Order) template {
	t := template{ops: ops, Order: order, colls: int32(len(r.colls))}
	r.colls = slices.Grow(r.colls, int(order.Colls))
	room := newRooms(r.cfg.Job, ops)
	for i := range ops {
		if op := &ops[i]; op.Kind == workload.Communication {
			r.numberOf.Add(op.Coll)
			r.colls = append(r.colls, r.newCollRun(op, len(r.colls), &room))
			if c := &r.cfg.Job.Collectives[op.Coll]; c.Counts != nil && r.cfg.Body != nil && r.counter == nil {
				panic(fmt.Sprintf("exec: the sizes of collective %q are decided in each step, the body decides none", c.Name))
			}
		}
	}
	return t
}

// numberTokens gives each stream a token for its operations, which is its number, and one for each channel of its
// collectives. One runs at a time, so they share them.
func (r *Rank) numberTokens() {
	next := Token(len(r.streams))
	for s := range r.streams {
		most := 0
		for i := range r.colls {
			if c := &r.colls[i]; c.stream == int32(s) && !c.Formula {
				most = max(most, len(c.channels))
			}
		}
		r.streams[s].token, r.streams[s].until = next, next+Token(most)
		next += Token(most)
	}
	r.save = next
}

// running returns the collective that a stream runs, past its launch; nil if there is none.
func (r *Rank) running(stream int32) *collRun {
	if stream < 0 || r.streams[stream].running < 0 {
		return nil
	}
	return &r.colls[r.streams[stream].running]
}

// inProgress returns the operation that a stream is busy with.
func (r *Rank) inProgress(stream int) *workload.Op {
	return &r.in.ops[r.in.Queues[stream][r.streams[stream].next-1]]
}

// Start begins the start phase, or the first step of a job without one.
func (r *Rank) Start(now unit.Time) {
	if r.begun {
		panic("exec: rank started twice")
	}
	r.begun = true
	r.beginStep(now)
	r.settle(now)
}

// Done says that what Clock.Run was given has run for its duration.
func (r *Rank) Done(now unit.Time, tok Token) {
	if r.over {
		return
	}
	switch {
	case tok == r.save:
		r.saves = false
		r.beginStep(now)
	case int(tok) < len(r.streams):
		op := r.inProgress(int(tok))
		if op.Kind == workload.Communication {
			if c := &r.colls[r.in.collOf(op.ID)]; c.met {
				r.parted(now, c)
			} else {
				r.launched(now, op)
			}
		} else {
			r.endOp(now, op.ID)
		}
	default:
		r.localDone(now, tok)
	}
	r.settle(now)
}

// Received says that the next message of a connection, by its Inlet, has been placed in this rank's
// memory, and what it is. tr, which may be nil, is copied; without it, waiting for the
// message counts as dependency.
func (r *Rank) Received(now unit.Time, in int32, what Arrival, tr *Trace) {
	from := &r.inboxes[in]
	if r.status == OK && what.Step < r.step {
		r.abort(r.unwanted(from.Conn, what))
	}
	if r.over {
		return
	}
	if c := r.running(from.stream); from.queued() > 0 || c == nil || !r.arrived(now, c, in, what, tr) {
		from.push(now, what, tr)
	}
	if r.begun { // a rank that starts earlier may send to one that has not
		r.settle(now)
	}
}

// Acked says that the next message of a connection, by its Outlet, has been acknowledged: the bytes
// it was sent from may be overwritten. tr, which may be nil, says what the
// acknowledgement waited for since the message was placed; without it that is
// all its own way.
func (r *Rank) Acked(now unit.Time, out int32, tr *Trace) {
	if r.over {
		return
	}
	to := &r.outboxes[out]
	c := r.running(to.stream)
	if c == nil {
		panic(fmt.Sprintf("exec: rank %d: acknowledgement from rank %d on channel %d, no collective of group %d is "+
			"running",
			r.cfg.Rank, to.Peer, to.Channel, to.Group))
	}
	r.acked(now, c, to, tr)
	r.settle(now)
}

// Stop ends the rank after the step in progress. The ranks of a job may be in
// different steps, and one that goes on waits for ever for one that has stopped:
// to stop a job, give all ranks the same StopAfter.
func (r *Rank) Stop() { r.StopAfter(0) }

// StopAfter ends the rank once so many steps have ended, if it is not past that;
// otherwise after the step, or the start phase, in progress. For a whole job: the largest Steps()+1.
func (r *Rank) StopAfter(steps int64) { r.cfg.Steps = min(r.cfg.Steps, max(steps, r.step+1)) }

// Fail ends the rank at once: its job is aborted. The step in progress leaves no record.
func (r *Rank) Fail(unit.Time) { r.status, r.over = Failed, true }

// Communicates returns the collective that the rank began first of those that it has not ended, and since when; ok is
// false if there is none.
func (r *Rank) Communicates() (coll int32, since unit.Time, ok bool) {
	if r.over || !r.begun {
		return 0, 0, false
	}
	for s := range r.streams {
		st := &r.streams[s]
		if !st.busy {
			continue
		}
		if op := r.inProgress(s); op.Kind == workload.Communication && (!ok || r.ops[op.ID].start < since) {
			coll, since, ok = op.Coll, r.ops[op.ID].start, true
		}
	}
	return coll, since, ok
}

// Step returns the step that the rank is in; workload.StartStep: its start phase.
func (r *Rank) Step() int64 { return r.step }

// abort ends the rank at once: what it is to do makes no sense.
func (r *Rank) abort(err error) {
	r.status, r.over = Failed, true
	r.cfg.Transport.Abort(r.cfg.Rank, err)
}

// CheckpointAfter makes the rank stand still for a checkpoint once so many steps have ended, beside those after every so
// many; it has not ended as many yet.
func (r *Rank) CheckpointAfter(steps int64) { r.cfg.Checkpoint.Next = steps }

// Finished reports whether the last step has ended or the rank has failed.
func (r *Rank) Finished() bool { return r.over }

// Status reports whether the rank has failed.
func (r *Rank) Status() Status { return r.status }

// Steps returns how many steps have ended; the start phase is none.
func (r *Rank) Steps() int64 { return max(r.step, 0) }

func (r *Rank) beginStep(now unit.Time) {
	r.left = len(r.in.ops)
	for i := range r.in.ops {
		r.ops[i] = opState{waiting: int32(len(r.in.ops[i].Deps)), by: -1}
	}
	for s := range r.streams {
		r.streams[s].next = 0
	}
	r.ledger.begin(now)
	if r.cfg.Paths != nil {
		r.path = r.cfg.Paths.begin(r.cfg.Rank, r.step, now)
	}
	r.startReady(now, -1)
}

// settle tells the dependents of whatever has ended, starts what became ready,
// and goes on to the next step, until nothing more happens at this instant.
func (r *Rank) settle(now unit.Time) {
	for !r.over {
		for i := 0; i < len(r.ended); i++ {
			id := r.ended[i]
			for _, d := range r.in.Dependents[id] {
				r.ops[d].waiting--
			}
			r.startReady(now, id)
		}
		r.ended = r.ended[:0]
		if r.left > 0 || r.saves {
			return
		}
		r.endStep(now)
	}
}

// startReady starts the operations at the heads of the streams that can start.
func (r *Rank) startReady(now unit.Time, by int32) {
	for s := range r.streams {
		st, queue := &r.streams[s], r.in.Queues[s]
		if !r.over && !st.busy && st.next < len(queue) && r.ops[queue[st.next]].waiting == 0 {
			st.next++
			r.startOp(now, queue[st.next-1], by)
		}
	}
}

func (r *Rank) startOp(now unit.Time, id, by int32) {
	op := &r.in.ops[id]
	r.ops[id].start, r.ops[id].by = now, by
	r.streams[op.Stream].busy = true
	if op.Kind == workload.Communication {
		r.ledger.communicate(now, +1)
		if op.Duration == 0 {
			r.launched(now, op)
		} else {
			r.cfg.Clock.Run(r.cfg.Rank, Token(op.Stream), op.Duration, Work{})
		}
		return
	}
	w := Work{Effort: op.Effort}
	if r.cfg.Body != nil && op.Body >= 0 {
		step := r.step
		w.Do = func() { r.cfg.Body.Compute(r.cfg.Rank, step, op) }
	}
	if op.Kind == workload.Copy {
		if r.step+1 < r.cfg.Steps {
			w.Effort.Bytes = 2 * int64(op.Bytes) // read and written
			r.cfg.Transport.CopyIn(r.cfg.Rank, Token(op.Stream), op.Bytes, w)
		} else {
			r.endOp(now, id) // no step is left to copy for
		}
		return
	}
	takes := op.Duration
	if op.Counted != nil {
		r.ops[id].positions = r.positions(op)
		came := op.Counted.On(&r.prog.Device, *op, r.ops[id].positions)
		takes, w.Effort = came.Duration, came.Effort
	}
	r.explain(now, by)
	r.ledger.compute(now, +1)
	if r.run(Token(op.Stream), takes, w) {
		r.endOp(now, id)
	}
}

// run lets d pass, or reports true if it passed at once because d is 0.
func (r *Rank) run(tok Token, d unit.Duration, w Work) bool {
	if d > 0 {
		r.cfg.Clock.Run(r.cfg.Rank, tok, d, w)
		return false
	}
	if w.Do != nil {
		w.Do()
	}
	return true
}

func (r *Rank) endOp(now unit.Time, id int32) {
	op, st := &r.in.ops[id], &r.ops[id]
	st.end = now
	r.streams[op.Stream].busy = false
	switch op.Kind {
	case workload.Compute:
		r.ledger.compute(now, -1)
	case workload.Communication:
		r.ledger.communicate(now, -1)
	}
	r.ended = append(r.ended, id)
	r.left--
	r.ledger.last = id
	if r.cfg.Observer == nil {
		return
	}
	src, channel := r.releasedBy(st.by)
	r.cfg.Observer.Operation(OperationRecord{Rank: r.cfg.Rank, Step: r.step, Op: id, Name: op.Name, Stream: op.Stream,
		Start: st.start, End: st.end, ReleasedBy: st.by, ReleasedSrc: src, ReleasedChannel: channel, Positions: st.positions})
}

func (r *Rank) endStep(now unit.Time) {
	for i := range r.inboxes {
		if in := &r.inboxes[i]; in.queued() > 0 && in.what[0].Step <= r.step {
			r.abort(r.unwanted(in.Conn, in.what[0]))
			return
		}
	}
	l := &r.ledger
	r.explain(now, l.last) // if no compute operation ended it
	l.advance(now)
	if r.path != nil {
		r.path.ended(now, r.ops[:len(r.in.ops)], l.last)
	}
	// a rank that does nothing in the start phase passes through it without a record
	if r.cfg.Observer != nil && (r.step >= 0 || len(r.in.ops) > 0) {
		r.cfg.Observer.Step(StepRecord{Rank: r.cfg.Rank, Step: r.step, Start: l.start, End: now, Split: l.split,
			Comm: l.comm, Overlap: l.overlap, Computing: l.computing}, l.waits)
	}
	r.step, r.in = r.step+1, &r.steps
	if r.step == r.cfg.Steps {
		r.over = true
		return
	}
	if d := r.cfg.Checkpoint.after(r.step); d > 0 {
		r.saves = true
		r.cfg.Clock.Run(r.cfg.Rank, r.save, d, Work{})
		return
	}
	r.beginStep(now)
}
