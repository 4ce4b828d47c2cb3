package exec

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// collRun is one collective of the step, running or finished.
type collRun struct {
	op       int32 // the operation that runs it
	channels []channelRun
	open     int   // channels that are not at their end
	inFlight int   // messages sent and not acknowledged
	last     int32 // the channel that finished last
	answer   Trace // of the acknowledgement that came last
}

// wait is what a channel waits for.
type wait uint8

const (
	nothing     wait = iota // not started, at its end, or about to go on
	message                 // a message from the peer of the current Recv
	acknowledge             // the acknowledgement that the current operation names
	local                   // its own reduction or copy
)

// channelRun is where one channel of a collective stands in its program.
type channelRun struct {
	pc, length int
	op         coll.Op // at pc, while the channel waits
	wait       wait
	sent       []sentOp // posted and not acknowledged, in order
	cursors    []cursor
	end        unit.Time // when it came to its end

	// The message for which it last waited, and the gates since then.
	src   int32 // -1: none
	trace Trace
	gated unit.Time // wait == acknowledge: since when
	gates []gate

	path []programOp // for the path finder: by index in the program; nil: nothing is recorded
}

// sentOp is a Send, by its index in the program, that awaits its acknowledgement.
type sentOp struct{ op, dst int32 }

// gate is a span in which a channel waited for an acknowledgement.
type gate struct {
	from, to unit.Time
	answer   Trace
}

// cursor is how far a peer's program has been searched for the Recvs that match
// this channel's Sends to it.
type cursor struct {
	peer int32
	at   int
}

// launched starts every channel of the collective that op runs.
func (r *Rank) launched(now unit.Time, op *workload.Op) {
	c := &r.colls[op.Coll]
	s := r.cfg.Template.Collectives[op.Coll].Schedule
	r.running = op.Coll
	c.op, c.open, c.last = op.ID, len(c.channels), -1
	for i := range c.channels {
		ch := &c.channels[i]
		ch.pc, ch.length, ch.wait, ch.src = 0, s.Len(int(r.cfg.Rank), i), nothing, -1
		ch.cursors, ch.gates, ch.path = ch.cursors[:0], ch.gates[:0], nil
		if r.path != nil {
			ch.path = r.path.channel(op.Coll, i)
		}
	}
	for i := range c.channels {
		r.advance(now, i)
	}
	r.finish(now)
}

// advance runs a channel's program until it has to wait.
func (r *Rank) advance(now unit.Time, channel int) {
	c := &r.colls[r.running]
	ch := &c.channels[channel]
	s := r.cfg.Template.Collectives[r.running].Schedule
	for ; ch.pc < ch.length; ch.pc++ {
		op := s.Op(int(r.cfg.Rank), channel, ch.pc)
		if int(op.After) >= ch.pc || int(op.Acked) >= ch.pc {
			panic(fmt.Sprintf("exec: %s: rank %d channel %d operation %d waits for a later one", s.Name(),
				r.cfg.Rank, channel, ch.pc))
		}
		ch.op = op
		if ch.unacked(op.Acked) {
			ch.wait, ch.gated = acknowledge, now
			return
		}
		ch.began(now)
		if !r.execute(now, c, channel, op) {
			return
		}
		ch.did(now)
	}
	ch.wait, ch.end = nothing, now
	r.path.ending(r.running, channel, -1)
	c.open--
	c.last = int32(channel)
}

// execute does one operation of a program, or reports false if the channel has to wait for it.
func (r *Rank) execute(now unit.Time, c *collRun, channel int, op coll.Op) bool {
	ch := &c.channels[channel]
	switch op.Kind {
	case coll.Send:
		r.send(c, channel, op)
		return true
	case coll.Recv:
		if _, n := r.cfg.Template.Collectives[r.running].Range(channel, int(op.Chunk)); n == 0 {
			return true
		}
		in := r.inbox(op.Peer, int32(channel))
		if in.queued() == 0 {
			ch.wait = message
			return false
		}
		ch.took(r, in.front())
		in.pop()
		return true
	}
	return r.local(ch, channel, op)
}

// send posts the message of a Send, addressed to the slot of the matching Recv.
func (r *Rank) send(c *collRun, channel int, op coll.Op) {
	t := &r.cfg.Template.Collectives[r.running]
	ch := &c.channels[channel]
	recv, at := r.match(ch, channel, op.Peer)
	off, n := t.Range(channel, int(op.Chunk))
	if n == 0 {
		return
	}
	ch.matched(r, channel, op.Peer, at)
	ch.sent = append(ch.sent, sentOp{op: int32(ch.pc), dst: op.Peer})
	c.inFlight++
	r.cfg.Transport.Post(Message{Src: r.cfg.Rank, Dst: op.Peer, Channel: int32(channel), Bytes: unit.Bytes(n),
		From: Ref{Buffer: 0, Off: off, Len: n},
		To:   Ref{Buffer: Staging(r.running, r.step), Off: t.Slot(channel, int(recv.Slot)), Len: n},
		Step: r.step, Coll: r.running, Op: int32(ch.pc)})
}

// local starts a reduction or copy from staging, or reports true if it took no time.
func (r *Rank) local(ch *channelRun, channel int, op coll.Op) bool {
	t := &r.cfg.Template.Collectives[r.running]
	off, n := t.Range(channel, int(op.Chunk))
	if n == 0 {
		return true
	}
	d := r.cfg.Template.Device.ReduceTime(n)
	if op.Kind == coll.Copy {
		d = r.cfg.Template.Device.CopyTime(n)
	}
	var body func()
	if b := r.cfg.Body; b != nil {
		dst := Ref{Buffer: 0, Off: off, Len: n}
		src := Ref{Buffer: Staging(r.running, r.step), Off: t.Slot(channel, int(op.Slot)), Len: n}
		c := r.running
		body = func() { b.Reduce(r.cfg.Rank, c, dst, src) }
		if op.Kind == coll.Copy {
			body = func() { b.Copy(r.cfg.Rank, c, dst, src) }
		}
	}
	if r.run(Token(len(r.ops)+channel), d, body) {
		return true
	}
	ch.wait = local
	return false
}

// resume goes on after the operation at which the channel waited.
func (r *Rank) resume(now unit.Time, channel int) {
	ch := &r.colls[r.running].channels[channel]
	ch.did(now)
	ch.pc++
	r.advance(now, channel)
	r.finish(now)
}

// localDone goes on after a reduction or copy.
func (r *Rank) localDone(now unit.Time, channel int) {
	if r.running < 0 || r.colls[r.running].channels[channel].wait != local {
		panic(fmt.Sprintf("exec: rank %d: nothing runs on channel %d", r.cfg.Rank, channel))
	}
	r.resume(now, channel)
}

// arrived goes on with a channel that waited for a message from src.
func (r *Rank) arrived(now unit.Time, src, channel int32) {
	c := &r.colls[r.running]
	if int(channel) >= len(c.channels) {
		return // for a later collective
	}
	ch := &c.channels[channel]
	if ch.wait != message || ch.op.Peer != src {
		return
	}
	r.inbox(src, channel).take(&ch.trace)
	ch.src, ch.gates = src, ch.gates[:0]
	ch.took(r, &ch.trace)
	r.resume(now, int(channel))
}

// acked goes on with a channel that waited for an acknowledgement from dst.
func (r *Rank) acked(now unit.Time, dst, channel int32, tr *Trace) {
	c := &r.colls[r.running]
	ch := &c.channels[channel]
	op, ok := ch.forget(dst)
	if !ok {
		panic(fmt.Sprintf("exec: rank %d: acknowledgement from rank %d on channel %d, nothing is in flight",
			r.cfg.Rank, dst, channel))
	}
	c.inFlight--
	ch.answered(r, op, tr)
	c.answer.set(tr)
	r.path.ending(r.running, int(channel), op)
	if ch.wait == acknowledge && !ch.unacked(ch.op.Acked) {
		ch.gate(now, tr)
		r.advance(now, int(channel)) // the operation that waited has not started
	}
	r.finish(now)
}

// gate notes that the wait for an acknowledgement is over.
func (ch *channelRun) gate(now unit.Time, tr *Trace) {
	if len(ch.gates) < cap(ch.gates) {
		ch.gates = ch.gates[:len(ch.gates)+1] // with the memory of its segments
	} else {
		ch.gates = append(ch.gates, gate{})
	}
	g := &ch.gates[len(ch.gates)-1]
	g.from, g.to = ch.gated, now
	g.answer.set(tr)
}

// set copies a trace, nil for an empty one.
func (t *Trace) set(o *Trace) {
	if o == nil {
		t.Segments = t.Segments[:0]
		return
	}
	t.Posted, t.Placed, t.Segments = o.Posted, o.Placed, append(t.Segments[:0], o.Segments...)
}

// finish ends the running collective once nothing of it is left.
func (r *Rank) finish(now unit.Time) {
	c := &r.colls[r.running]
	if c.open == 0 && c.inFlight == 0 {
		r.running = -1
		r.endOp(now, c.op)
	}
}

// unacked reports whether the Send at index op still awaits its acknowledgement.
func (ch *channelRun) unacked(op int32) bool {
	if op < 0 {
		return false
	}
	for _, s := range ch.sent {
		if s.op == op {
			return true
		}
	}
	return false
}

// forget removes the oldest message to dst from those in flight and returns its Send.
func (ch *channelRun) forget(dst int32) (op int32, ok bool) {
	for i, s := range ch.sent {
		if s.dst == dst {
			ch.sent = append(ch.sent[:i], ch.sent[i+1:]...)
			return s.op, true
		}
	}
	return -1, false
}

// match returns the peer's Recv for this rank's next Send to it, and its index in the peer's
// program.
func (r *Rank) match(ch *channelRun, channel int, peer int32) (recv coll.Op, at int) {
	s := r.cfg.Template.Collectives[r.running].Schedule
	k := ch.cursor(peer)
	for n := s.Len(int(peer), channel); k.at < n; {
		op := s.Op(int(peer), channel, k.at)
		k.at++
		if op.Kind == coll.Recv && op.Peer == r.cfg.Rank {
			return op, k.at - 1
		}
	}
	panic(fmt.Sprintf("exec: %s: channel %d: rank %d has no Recv for operation %d of rank %d", s.Name(), channel,
		peer, ch.pc, r.cfg.Rank))
}

func (ch *channelRun) cursor(peer int32) *cursor {
	for i := range ch.cursors {
		if k := &ch.cursors[i]; k.peer == peer {
			return k
		}
	}
	ch.cursors = append(ch.cursors, cursor{peer: peer})
	return &ch.cursors[len(ch.cursors)-1]
}
