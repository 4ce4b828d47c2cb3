package exec

import (
	"fmt"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
)

// collRun is one collective of the step, running or finished.
type collRun struct {
	*workload.Collective
	*exchange       // nil: it is a formula, and sends no messages
	id        int32 // in Job.Collectives
	place     int32 // in Rank.colls
	op        int32 // the operation that runs it
	stream    int32 // and its stream
	last      int32 // the channel that finished last

	met    bool      // of one that sends no messages: the rank has launched it
	joined unit.Time // and from when on it took its time
}

// exchange is the messages of a collective. Large jobs have thousands of collectives without.
type exchange struct {
	me       int     // this rank, as the schedule numbers it
	members  []int32 // of the group: rank of the job by that number
	lines    *lines  // of the group
	channels []channelRun
	programs [][]planned // by channel; nil: they are not kept
	open     int         // channels that are not at their end
	inFlight int         // messages sent and not acknowledged
	answer   Trace       // of the acknowledgement that came last
	areas    int64       // of staging
	slots    workload.Slots
	once     bool // what reads a slot is the only one that does; asked where slots have memory

	sizes  workload.MemberCounts // that are decided in each step: those of the step in progress
	layout *coll.RankLayout      // where this rank's chunks lie; nil: as in place
}

// wait is what a channel waits for.
type wait uint8

const (
	nothing     wait = iota // not started, at its end, or about to go on
	message                 // a message from the peer of the current Recv
	acknowledge             // the acknowledgement that the current operation names
	local                   // its own reduction or copy
	credit                  // a credit of the peer of the current Send
)

// channelRun is where one channel of a collective stands in its program.
type channelRun struct {
	*slate
	pc, length int
	wait       wait
	end        unit.Time // when it came to its end

	// The message for which it last waited, and the gates since then.
	src   int32 // -1: none
	trace Trace
	gated unit.Time // wait is acknowledge or credit: since when
	gates []gate

	credits *credits // nil: each message has a slot of its own
	work    *localWork
}

// gate is a span in which a channel waited for an acknowledgement or a credit.
type gate struct {
	from, to unit.Time
	why      cause.Cause
	answer   Trace // of the acknowledgement
}

func (r *Rank) newCollRun(op *workload.Op, place int, room *rooms) collRun {
	job, rank := r.cfg.Job, r.cfg.Rank
	c := &job.Collectives[op.Coll]
	run := collRun{Collective: c, id: op.Coll, place: int32(place), op: op.ID, stream: op.Stream}
	if c.Formula {
		return run
	}
	members := job.Groups[c.Group].Ranks
	run.exchange = room.take(c.Schedule.Channels())
	run.me, run.members, run.areas, run.slots = slices.Index(members, rank), members, c.Areas(), c.Slots()
	run.lines = r.linesOf(c.Group, len(run.channels))
	for st, i := &r.streams[op.Stream], 0; i < len(run.channels); i++ {
		if i == len(st.slates) {
			st.slates = append(st.slates, &slate{})
		}
		run.channels[i].slate = st.slates[i]
	}
	run.once = r.stager != nil && coll.ReadsOnce(c.Schedule, run.me)
	if c.Counts != nil {
		run.sizes = c.NewCounts(run.me)
		run.layout = c.LayoutOf(run.me, &run.sizes)
	} else {
		run.layout = c.LayoutOf(run.me, nil)
	}
	if coll.NeedsCredit(c.Schedule) {
		for i := range run.channels {
			run.channels[i].credits = newCredits(c.Schedule.Slots())
		}
	}
	return run
}

// staging is where a collective's messages land in the step in progress.
func (r *Rank) staging(c *collRun) int32 {
	return stagingArea(r.cfg.Job, c.id, max(r.step, 0)%c.areas)
}

// conn is the connection to a member of the group on a channel.
func (c *collRun) conn(member, channel int32) Conn { return Conn{c.Group, c.members[member], channel} }

// launched starts every channel of the collective that op runs.
func (r *Rank) launched(now unit.Time, op *workload.Op) {
	c := &r.colls[r.in.collOf(op.ID)]
	if c.Formula {
		c.met = true
		r.meeting.Meet(r.cfg.Rank, Token(op.Stream), c.id)
		return
	}
	if !r.decided(c) {
		return
	}
	r.streams[op.Stream].running = r.in.collOf(op.ID)
	c.open, c.last = len(c.channels), -1
	for i := range c.channels {
		ch := &c.channels[i]
		ch.pc, ch.length, ch.wait, ch.src, ch.known = 0, c.Schedule.Len(c.me, i), nothing, -1, 0
		ch.gates = ch.gates[:0]
		ch.recordIn(r.path, c.id, i)
	}
	for i := range c.channels {
		r.advance(now, c, i)
	}
	r.finish(now, c)
}

// parted ends a collective that sends no messages.
func (r *Rank) parted(now unit.Time, c *collRun) {
	c.met, c.joined = false, now.Add(-c.Takes)
	r.endOp(now, c.op)
}

// advance runs a channel's program until it has to wait.
func (r *Rank) advance(now unit.Time, c *collRun, channel int) {
	if r.over { // another channel has found that it cannot go on
		return
	}
	ch := &c.channels[channel]
	for ; ch.pc < ch.length; ch.pc++ {
		op := c.at(channel, ch.pc)
		if int(op.After) >= ch.pc || int(op.Acked) >= ch.pc {
			panic(fmt.Sprintf("exec: %s: rank %d channel %d operation %d waits for a later one", c.Schedule.Name(),
				r.cfg.Rank, channel, ch.pc))
		}
		ch.op = op
		if r.unacked(c, channel, op.Acked) {
			ch.wait, ch.gated = acknowledge, now
			return
		}
		if op.Window > 0 && !c.hasCredit(channel, op) {
			ch.wait, ch.gated = credit, now
			return
		}
		ch.began(now)
		if !r.execute(now, c, channel, op) {
			return
		}
		r.did(now, c, channel)
	}
	ch.wait, ch.end = nothing, now
	r.path.ending(c.place, channel, -1)
	c.open--
	c.last = int32(channel)
}

// did notes that the channel's current operation is done.
func (r *Rank) did(now unit.Time, c *collRun, channel int) {
	ch := &c.channels[channel]
	ch.did(now)
	if ch.op.bytes == 0 {
		return
	}
	switch {
	case ch.op.Kind == coll.Recv:
		if ch.credits != nil {
			r.fillSlot(c, channel, ch.op)
		}
		return
	case ch.op.Kind != coll.Reduce && ch.op.Kind != coll.Copy:
		return
	}
	if r.stager != nil && (c.once || ch.op.Frees) {
		r.stager.Read(r.cfg.Rank, Ref{Buffer: r.staging(c), Off: c.slots.Off(channel, ch.op.Slot), Len: ch.op.bytes})
	}
	if ch.credits != nil && ch.op.Frees {
		r.giveCredits(c, channel, ch.op)
	}
}

// execute does one operation of a program, or reports false if the channel has to wait for it.
func (r *Rank) execute(now unit.Time, c *collRun, channel int, op *planned) bool {
	ch := &c.channels[channel]
	switch op.Kind {
	case coll.Send:
		r.send(c, channel, op)
		return true
	case coll.Recv:
		if op.bytes == 0 {
			return true
		}
		if op.conn < 0 {
			r.connect(c, channel, op)
		}
		in := &r.inboxes[op.conn]
		if in.queued() == 0 {
			ch.wait = message
			return false
		}
		if !r.expected(c, channel, in.what[0]) {
			return false
		}
		ch.took(r, in.front())
		in.pop()
		return true
	}
	return op.bytes == 0 || r.local(c, channel, op)
}

// send posts the message of a Send, addressed to the slot of the matching Recv.
func (r *Rank) send(c *collRun, channel int, op *planned) {
	ch := &c.channels[channel]
	if op.conn < 0 {
		r.connect(c, channel, op)
	}
	to := &r.outboxes[op.conn]
	if op.recv < 0 {
		r.match(c, channel, op, to)
	}
	n := op.bytes
	r.countSend(c, channel, op)
	if n == 0 {
		ch.unsent()
		return
	}
	ch.matched(r, op.recv)
	to.sent.Push(int32(ch.pc))
	c.inFlight++
	m := &r.post
	m.Way, m.Via = Way{r.cfg.Rank, to.Peer, c.Group, int32(channel)}, r.viaOut(to)
	m.Bytes = unit.Bytes(n)
	m.From = Ref{Buffer: c.Buffer(op.Buffer), Off: op.off, Len: n}
	m.To = Ref{Buffer: r.staging(c), Off: c.slots.Off(channel, op.slot), Len: n}
	m.Step, m.Coll, m.Op = r.step, c.id, int32(ch.pc)
	c.wire(&m.Wire, &op.Op, n)
	r.cfg.Transport.Post(m)
}

// wire says how the message of a Send travels.
func (c *collRun) wire(w *Wire, op *coll.Op, n int64) {
	p := c.Protocol
	w.Bytes = unit.Bytes(p.Wire(n, op.Switch != 0))
	w.Out, w.In, w.Busy, w.Inside, w.Between = w.Bytes, w.Bytes, 0, 0, 0
	if op.Switch != 0 {
		out, in := op.Carried()
		w.Out, w.In = part(out, w.Bytes), part(in, w.Bytes)
	}
	if p != nil {
		w.Inside, w.Between = p.Inside, p.Between
		if p.Rate > 0 {
			w.Busy = p.Rate.TransmitTime(unit.Bytes(n))
		}
	}
}

// part is r of b, rounded up.
func part(r unit.Ratio, b unit.Bytes) unit.Bytes {
	return unit.Bytes((r.Num*int64(b) + r.Den - 1) / r.Den)
}

// local starts a reduction or copy, or reports true if it took no time.
func (r *Rank) local(c *collRun, channel int, op *planned) bool {
	n := op.bytes
	d, w := r.prog.Device.CopyTime(n), Work{Effort: workload.Effort{Bytes: 2 * n}}
	if op.Kind == coll.Reduce {
		d, w.Effort.Bytes = r.prog.Device.ReduceTime(n), 3*n
		if op.Switch != 0 { // the switch has added
			d = 0
		}
	}
	if r.cfg.Body != nil {
		src := Ref{Buffer: r.staging(c), Off: c.slots.Off(channel, op.Slot), Len: n}
		if op.Kind == coll.Keep {
			src.Buffer = c.Buffer(coll.In)
			src.Off, _ = c.Chunk(coll.In, channel, op.Source)
		}
		w.Do = r.localBody(c, channel, op.Kind, Ref{Buffer: c.Range.Buffer, Off: op.off, Len: n}, src)
	}
	if r.run(r.streams[c.stream].token+Token(channel), d, w) {
		return true
	}
	c.channels[channel].wait = local
	return false
}

// localWork is the body of a channel's reductions and copies, of which it does one at a time: it is made
// once, not for each message.
type localWork struct {
	body       Body
	rank, coll int32
	kind       coll.Kind
	dst, src   Ref
	do         func()
}

func (w *localWork) run() {
	if w.kind == coll.Reduce {
		w.body.Reduce(w.rank, w.coll, w.dst, w.src)
	} else {
		w.body.Copy(w.rank, w.coll, w.dst, w.src)
	}
}

// localBody returns the body of a channel's next reduction or copy.
func (r *Rank) localBody(c *collRun, channel int, k coll.Kind, dst, src Ref) func() {
	ch := &c.channels[channel]
	if ch.work == nil {
		ch.work = &localWork{body: r.cfg.Body, rank: r.cfg.Rank, coll: c.id}
		ch.work.do = ch.work.run
	}
	ch.work.kind, ch.work.dst, ch.work.src = k, dst, src
	return ch.work.do
}

// resume goes on after the operation at which the channel waited.
func (r *Rank) resume(now unit.Time, c *collRun, channel int) {
	r.did(now, c, channel)
	c.channels[channel].pc++
	r.advance(now, c, channel)
	r.finish(now, c)
}

// localDone goes on after a reduction or copy.
func (r *Rank) localDone(now unit.Time, tok Token) {
	for s := range r.streams {
		st := &r.streams[s]
		if tok < st.token || tok >= st.until || st.running < 0 {
			continue
		}
		if c := &r.colls[st.running]; c.channels[tok-st.token].wait == local {
			r.resume(now, c, int(tok-st.token))
			return
		}
	}
	panic(fmt.Sprintf("exec: rank %d: nothing runs as %d", r.cfg.Rank, tok))
}

// arrived goes on with a channel that waited for a message, or reports false if none waited for this one.
func (r *Rank) arrived(now unit.Time, c *collRun, in int32, what Arrival, tr *Trace) bool {
	from := &r.inboxes[in]
	if int(from.Channel) >= len(c.channels) {
		return false // for a later collective
	}
	ch := &c.channels[from.Channel]
	if ch.wait != message || ch.op.conn != in {
		return false
	}
	if !r.expected(c, int(from.Channel), what) {
		return true
	}
	ch.trace.received(now, tr)
	ch.src, ch.gates = from.Peer, ch.gates[:0]
	ch.took(r, &ch.trace)
	r.resume(now, c, int(from.Channel))
	return true
}

// acked goes on with a channel that waited for an acknowledgement from a peer.
func (r *Rank) acked(now unit.Time, c *collRun, out *outbox, tr *Trace) {
	if int(out.Channel) >= len(c.channels) || out.sent.Len() == 0 {
		panic(fmt.Sprintf("exec: rank %d: acknowledgement from rank %d on channel %d, nothing is in flight",
			r.cfg.Rank, out.Peer, out.Channel))
	}
	ch, op := &c.channels[out.Channel], out.sent.Pop()
	c.inFlight--
	ch.answered(r, op, tr)
	c.answer.set(tr)
	r.path.ending(c.place, int(out.Channel), op)
	if ch.wait == acknowledge && !r.unacked(c, int(out.Channel), ch.op.Acked) {
		ch.gate(now, cause.Acknowledgement, tr)
		r.advance(now, c, int(out.Channel)) // the operation that waited has not started
	}
	r.finish(now, c)
}

// gate notes that the wait for an acknowledgement or a credit is over.
func (ch *channelRun) gate(now unit.Time, why cause.Cause, tr *Trace) {
	if len(ch.gates) < cap(ch.gates) {
		ch.gates = ch.gates[:len(ch.gates)+1] // with the memory of its segments
	} else {
		ch.gates = append(ch.gates, gate{})
	}
	g := &ch.gates[len(ch.gates)-1]
	g.from, g.to, g.why = ch.gated, now, why
	g.answer.set(tr)
}

// received takes the trace of a message, which without one is there at once.
func (t *Trace) received(now unit.Time, o *Trace) {
	if o == nil {
		t.Posted, t.Placed, t.Segments = now, now, t.Segments[:0]
		return
	}
	t.set(o)
}

// set copies a trace, nil for an empty one.
func (t *Trace) set(o *Trace) {
	if o == nil {
		t.Segments = t.Segments[:0]
		return
	}
	t.Posted, t.Placed, t.Segments, t.Lane = o.Posted, o.Placed, append(t.Segments[:0], o.Segments...), o.Lane
}

// finish ends a running collective once nothing of it is left.
func (r *Rank) finish(now unit.Time, c *collRun) {
	if c.open == 0 && c.inFlight == 0 && !r.over {
		r.streams[c.stream].running = -1
		if c.layout != nil {
			c.layout.Forget()
		}
		r.endOp(now, c.op)
	}
}

// match finds the peer's Recv for this rank's next Send to it.
func (r *Rank) match(c *collRun, channel int, send *planned, to *outbox) {
	s, ch := c.Schedule, &c.channels[channel]
	if at, ok := coll.Matching(s, c.me, channel, ch.pc); ok {
		var recv coll.Op
		coll.Put(&recv, s, int(send.Peer), channel, at)
		send.recv, send.slot = int32(at), recv.Slot
		return
	}
	if to.coll != c.id || to.step != r.step {
		to.searched, to.coll, to.step = 0, c.id, r.step
	}
	for n := s.Len(int(send.Peer), channel); int(to.searched) < n; {
		op := s.Op(int(send.Peer), channel, int(to.searched))
		to.searched++
		if op.Kind == coll.Recv && int(op.Peer) == c.me {
			send.recv, send.slot = to.searched-1, op.Slot
			return
		}
	}
	panic(fmt.Sprintf("exec: %s: channel %d: rank %d has no Recv for operation %d of rank %d", s.Name(), channel,
		c.members[send.Peer], ch.pc, r.cfg.Rank))
}
