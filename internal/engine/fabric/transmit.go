package fabric

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// What nearly every frame does is written so that a call comes last: what is seldom needed is a call of its own that
// goes on from there. So the compiler keeps nothing on the stack meanwhile.

// The handlers are views of the fabric, one for each class of event.
type (
	txEnd  Fabric
	arrive Fabric
)

// Kick tells a host port that its source has something to send.
func (f *Fabric) Kick(isl *sim.Island, now unit.Time, id PortID) {
	p := &f.links.ports[id]
	if p.flags&flagBusy == 0 {
		f.next(isl, now, id, p)
	}
}

// Handle ends a transmission: the frame's buffer is free, the port looks for the next one.
func (h *txEnd) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	p := &f.links.ports[owner]
	p.flags &^= flagBusy
	if p.flags&flagHolds != 0 {
		p.flags &^= flagHolds
		a := &f.buf.accounts[p.sent.account]
		if a.sentOff {
			f.freed(isl, now, PortID(owner), p)
			return
		}
		a.release(int64(p.sent.bytes))
	}
	f.next(isl, now, PortID(owner), p)
}

// freed is Handle where the buffer's release may send xON, by the same port too.
func (f *Fabric) freed(isl *sim.Island, now unit.Time, id PortID, p *port) {
	f.release(isl, now, p.sent.account, int64(p.sent.bytes))
	if p.flags&flagBusy == 0 {
		f.next(isl, now, id, p)
	}
}

// next starts the transmission of whatever goes first. The port is idle.
func (f *Fabric) next(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if now < p.busyUntil {
		f.links.awaitTxEnd(isl, id, p)
		return
	}
	if p.flags&(flagCtl|flagHost) != 0 {
		f.nextOther(isl, now, id, p)
		return
	}
	m := p.backlog &^ p.paused
	if m&(m-1) != 0 {
		f.serve(isl, now, id, p, f.egress.pick(id, p, m))
		return
	}
	if m != 0 {
		f.serve(isl, now, id, p, bits.TrailingZeros8(m))
	}
}

// serve sends the first frame of a class.
func (f *Fabric) serve(isl *sim.Island, now unit.Time, id PortID, p *port, c int) {
	q := &f.egress.queues[int(id)*f.nc+c]
	if p.used >= chunkFrames || now >= q.sampled {
		f.prepare(isl, now, id, p, c, q)
		f.serve(isl, now, id, p, c)
		return
	}
	st := f.links.state(isl)
	pk := &p.tail.frames[p.used]
	*pk = *q.front()
	q.drop(&st.chunks)
	q.bytes -= int64(pk.Bytes)
	if q.n == 0 {
		p.backlog &^= 1 << c
		q.deficit = 0
	}
	if q.bytes > q.low || f.cfg.OnEvent != nil {
		f.seenLeaving(isl, now, id, p, c, q, pk)
		f.leave(isl, st, now, id, p, pk)
		return
	}
	f.leave(isl, st, now, id, p, pk)
}

// prepare makes room on the link of a port for one more frame, and takes a sample of a queue if one is due.
func (f *Fabric) prepare(isl *sim.Island, now unit.Time, id PortID, p *port, c int, q *queue) {
	if now >= q.sampled {
		f.egress.sample(isl, now, id, c, q)
	}
	p.room(&f.links.state(isl).chunks)
}

// seenLeaving marks a frame that leaves a queue, if it is to be marked then, and tells who watches.
func (f *Fabric) seenLeaving(isl *sim.Island, now unit.Time, id PortID, p *port, c int, q *queue, pk *Packet) {
	if q.bytes > q.low && f.egress.slow[int(id)*f.nc+c].hits(q.bytes, true) {
		f.setMark(isl, now, id, p, c, q.bytes, pk)
	}
	if f.cfg.OnEvent != nil {
		f.witness.tellLevel(isl, now, id, c, q)
	}
}

// leave starts the transmission of a frame that is in no queue any more.
func (f *Fabric) leave(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	if f.holds {
		p.flags |= flagHolds
		f.transmit(isl, st, now, id, p, pk)
		return
	}
	a := &f.buf.accounts[pk.account()]
	if a.sentOff {
		f.leaveHeld(isl, st, now, id, p, pk)
		return
	}
	a.release(int64(pk.Bytes))
	f.transmit(isl, st, now, id, p, pk)
}

// leaveHeld is leave where the buffer's release may send xON.
func (f *Fabric) leaveHeld(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	p.flags |= flagBusy // if the frame goes back the way it came, this may send xON by this port
	f.release(isl, now, pk.account(), int64(pk.Bytes))
	p.flags &^= flagBusy
	f.transmit(isl, st, now, id, p, pk)
}

// nextOther starts the transmission of a PFC frame, or of what a NIC wants to send.
func (f *Fabric) nextOther(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if p.flags&flagCtl != 0 {
		f.pfc.sendPause(isl, now, id, p)
		return
	}
	st := f.links.state(isl)
	pk := p.room(&st.chunks)
	if !f.sources[id].Pull(isl, now, id, p.paused, pk) {
		return
	}
	if f.classes.of != nil {
		pk.SetDSCP(f.cfg.DSCP[pk.Class()])
	}
	f.transmit(isl, st, now, id, p, pk)
}

// transmit sends the frame that lies in the room for it. Its end is planned if anybody waits for that.
func (f *Fabric) transmit(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	if p.flags&flagTunnel != 0 || p.psPerByte == 0 || pk.attach != 0 {
		f.transmitAny(isl, st, now, id, p, pk)
		return
	}
	p.used++
	f.links.put(isl, st, now, id, p, pk, pk.Bytes, unit.Duration((int64(pk.Bytes)+f.links.overhead)*int64(p.psPerByte)))
}

// transmitAny is transmit of any frame by any port.
func (f *Fabric) transmitAny(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	charged := pk.Bytes
	if p.flags&flagTunnel != 0 {
		f.tunnelled(id, pk)
	}
	wire := int64(pk.Bytes) + f.links.overhead
	tx := unit.Duration(wire * int64(p.psPerByte))
	if p.psPerByte == 0 {
		f.links.rated(now, id, p)
		tx = f.links.longTxTime(p, wire)
		p.busy += tx
	}
	if f.traced(pk) {
		f.traceStart(now, id, p, pk)
	}
	p.used++
	f.links.put(isl, st, now, id, p, pk, charged, tx)
}

// setMark marks a frame that can be marked, because of a queue of so many bytes.
func (f *Fabric) setMark(isl *sim.Island, now unit.Time, id PortID, p *port, c int, bytes int64, pk *Packet) {
	if !pk.mark() {
		return
	}
	p.marks++
	f.noteMark(id, pk)
	if f.cfg.OnEvent != nil {
		f.witness.tellMark(isl, now, id, c, bytes, pk)
	}
}

// Handle takes a frame off link owner: delivers it to a host, or admits it to a switch.
func (h *arrive) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	in := &f.links.ingresses[owner]
	pk := in.take(&in.state.chunks)
	switch {
	case in.within || f.faults != nil:
		f.arrived(isl, now, PortID(owner), in, pk)
	case in.far >= 0:
		f.admit(isl, now, PortID(owner), in, pk)
	default:
		f.sinks[owner].Deliver(isl, now, PortID(owner), pk)
	}
}

// arrived is Handle for a link whose ends are in one island, which plans one arrival at a time, and where there are
// faults.
func (f *Fabric) arrived(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) {
	if in.within && in.n > 0 && !f.each {
		isl.At(in.front().arrival(), sim.MakeKey(sim.Arrival, classArrive, int32(id)))
	}
	if f.faults == nil || !f.faults.hits(isl, now, id, in, pk) {
		f.receive(isl, now, id, in, pk)
	}
}

// receive hands a frame that came over a link to whoever is at its end.
func (f *Fabric) receive(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) {
	if in.far < 0 {
		f.sinks[id].Deliver(isl, now, id, pk)
		return
	}
	f.admit(isl, now, id, in, pk)
}

// admit charges a frame to the switch's buffer, sends xOFF if need be, and queues it at its egress
// port. If that is idle the frame goes straight out.
func (f *Fabric) admit(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) {
	if pk.chosen() || f.looks || f.weaves {
		f.admitAny(isl, now, id, in, pk)
		return
	}
	if now >= in.state.due.at {
		f.admitDue(isl, now, id, in, pk)
		return
	}
	out := f.routes[pk.route]
	o := &f.links.ports[out]
	if o.sent.line&lineClass != 0 && now >= o.busyUntil {
		f.admitLate(isl, now, id, out, in, pk)
		return
	}
	pk.route++
	account := in.first + int32(pk.Class())
	a := &f.buf.accounts[account]
	shared, far := a.farWith(int64(pk.Bytes))
	if !far || in.lossless&(1<<pk.Class()) == 0 || a.buf.late && a.buf.shared+shared > a.buf.maxUsed {
		f.admitBy(isl, now, id, out, in, pk)
		return
	}
	pk.at = int64(account)
	a.buf.maxUsed = max(a.buf.maxUsed, a.buf.shared+shared)
	idle := o.idle(now, pk.Class())
	if idle && !f.holds {
		f.through(isl, in.state, now, out, o, pk) // it would release at once what it charges
		return
	}
	a.take(int64(pk.Bytes), shared)
	if idle {
		f.hold(isl, in.state, now, out, o, a.buf.lines, pk)
		return
	}
	f.wait(isl, in.state, now, out, o, a.buf.lines, pk)
}

// admitLate is admit by a port in whose line frames have begun to leave.
func (f *Fabric) admitLate(isl *sim.Island, now unit.Time, id, out PortID, in *ingress, pk *Packet) {
	f.lines.catchUp(isl, in.state, now, out)
	f.admit(isl, now, id, in, pk)
}

// admitAny is admit where the next hop is chosen here, or it is asked whether the frame may go there.
func (f *Fabric) admitAny(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) {
	var out PortID
	if !pk.chosen() {
		out = f.routes[pk.route]
		pk.route++
	} else if out = f.router.choose(isl, now, in.far, pk); out < 0 {
		f.unroutable(isl, now, id, pk)
		return
	}
	if !f.looks || f.passes(isl, now, id, out, pk) {
		f.admitBy(isl, now, id, out, in, pk)
	}
}

// admitBy is admit of any frame that leaves by a port.
func (f *Fabric) admitBy(isl *sim.Island, now unit.Time, id, out PortID, in *ingress, pk *Packet) {
	class := pk.Class()
	account := in.first + int32(class)
	pk.at = int64(account)
	o := &f.links.ports[out]
	b := f.buf.accounts[account].buf
	if b.lines { // what is charged to it is to be known
		if b.late {
			f.lines.catchUpAll(isl, in.state, now)
		}
		if _, far := f.buf.accounts[account].farWith(int64(pk.Bytes)); !far && in.lossless&(1<<class) != 0 {
			f.lines.dissolveAll(isl, in.state, now, b)
		}
	}
	if !f.charge(isl, now, id, out, in, &f.buf.accounts[account], pk) {
		return
	}
	if f.weaves && pk.chosen() && f.router.restores(isl, now, out, o, pk) {
		return
	}
	if !o.idle(now, class) {
		f.wait(isl, in.state, now, out, o, b.lines, pk)
		return
	}
	if f.holds {
		f.hold(isl, in.state, now, out, o, b.lines, pk)
		return
	}
	f.leave(isl, in.state, now, out, o, f.placed(isl, in.state, now, out, o, pk))
}

// passes gives a frame that came over a link its class at the switch, and loses one that may not leave by the port
// that it goes to.
func (f *Fabric) passes(isl *sim.Island, now unit.Time, id, out PortID, pk *Packet) bool {
	if f.classes.of != nil {
		pk.setClass(f.classes.of[id][pk.DSCP()])
	}
	if f.pfc.dogs != nil && f.pfc.discards(isl, now, out, pk) {
		return false
	}
	if f.faults != nil && f.faults.tooLong(out, pk) {
		f.faults.set[out].oversize++
		f.lost(isl, pk, Loss{At: now, Port: out, Why: LostOversize})
		return false
	}
	if f.short && f.egress.overLong(out, pk) {
		f.links.ports[out].drops++
		f.buf.ledgers[int(id)*f.nc+int(pk.Class())].drops++
		f.lost(isl, pk, Loss{At: now, Port: out, Why: LostAtThreshold})
		return false
	}
	return true
}

// idle reports whether a frame of a class that comes now leaves by the port at once, and meets no
// queue that marks one.
func (p *port) idle(now unit.Time, class uint8) bool {
	return p.backlog == 0 && p.flags&(flagBusy|flagCtl|flagMarks) == 0 && now >= p.busyUntil && p.paused&(1<<class) == 0
}

// through sends a frame that came to an idle port.
func (f *Fabric) through(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, pk *Packet) {
	if o.used >= chunkFrames || f.samples || pk.attach != 0 {
		f.transmit(isl, st, now, out, o, f.placed(isl, st, now, out, o, pk))
		return
	}
	room := &o.tail.frames[o.used]
	*room = *pk
	f.transmit(isl, st, now, out, o, room)
}

// placed puts a frame into the room behind those on the link of an idle port. It is what enqueue and serve do to a
// queue that stays empty: no frame is marked, and the round robin does not move.
func (f *Fabric) placed(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, pk *Packet) *Packet {
	q := &f.egress.queues[int(out)*f.nc+int(pk.Class())]
	if now >= q.sampled {
		f.egress.sample(isl, now, out, int(pk.Class()), q)
	}
	if f.traced(pk) {
		f.traceEnqueue(now, out, o, q, pk)
	}
	room := o.room(&st.chunks)
	*room = *pk
	return room
}

// charge charges a frame of any class. It reports false if there was no room: then it is dropped.
func (f *Fabric) charge(isl *sim.Island, now unit.Time, id, out PortID, in *ingress, a *account, pk *Packet) bool {
	class := pk.Class()
	var xoff *threshold
	if in.lossless&(1<<class) != 0 {
		xoff = in.xoff
	}
	queued := f.egress.queues[int(out)*f.nc+int(class)].bytes
	switch a.charge(&f.buf.ledgers[pk.account()], xoff, queued, int64(pk.Bytes)) {
	case refused:
		f.dropped(isl, now, id, out, &f.links.ports[out], pk)
		return false
	case crossed:
		f.pfc.xoff(isl, now, id, out, class)
		if f.cfg.OnEvent != nil {
			f.witness.tellHeld(isl, now, id, a, class, pk)
		}
	}
	return true
}

func (f *Fabric) dropped(isl *sim.Island, now unit.Time, in, out PortID, o *port, pk *Packet) {
	o.drops++
	f.buf.ledgers[int(in)*f.nc+int(pk.Class())].drops++
	f.lost(isl, pk, Loss{At: now, Port: out, Why: LostInBuffer})
}

// unroutable drops a frame that came over a link to a switch which knows no way for it.
func (f *Fabric) unroutable(isl *sim.Island, now unit.Time, in PortID, pk *Packet) {
	f.lost(isl, pk, Loss{At: now, Port: in, Why: LostWithoutRoute, Far: true})
}

// enqueue puts a frame into the queue of a port.
func (f *Fabric) enqueue(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, pk *Packet) {
	q := &f.egress.queues[int(out)*f.nc+int(pk.Class())]
	if now >= q.sampled || q.bytes > q.low || pk.attach != 0 || f.cfg.OnEvent != nil {
		f.seenComing(isl, st, now, out, o, q, pk)
		return
	}
	f.join(isl, st, now, out, o, q, pk)
}

// seenComing is enqueue where a sample is due, the queue may mark the frame, the frame is traced, or somebody watches.
func (f *Fabric) seenComing(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, q *queue, pk *Packet) {
	f.seen(isl, now, out, o, q, pk)
	f.join(isl, st, now, out, o, q, pk)
	if f.cfg.OnEvent != nil {
		f.witness.tellLevel(isl, now, out, int(pk.Class()), q)
	}
}

// seen takes a sample of a queue that a frame comes to, if one is due, marks the frame, if it is to be marked then,
// and notes its way.
func (f *Fabric) seen(isl *sim.Island, now unit.Time, out PortID, o *port, q *queue, pk *Packet) {
	class := int(pk.Class())
	if now >= q.sampled {
		f.egress.sample(isl, now, out, class, q)
	}
	if q.bytes > q.low && f.egress.slow[int(out)*f.nc+class].hits(q.bytes, false) {
		f.setMark(isl, now, out, o, class, q.bytes, pk)
	}
	if f.traced(pk) {
		f.traceEnqueue(now, out, o, q, pk)
	}
}

// join puts a frame behind those of a queue.
func (f *Fabric) join(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, q *queue, pk *Packet) {
	q.push(&st.chunks, pk)
	q.bytes += int64(pk.Bytes)
	o.backlog |= 1 << pk.Class()
	if o.flags&flagBusy == 0 {
		f.next(isl, now, out, o)
	}
	// A frame that goes straight out has not waited: the peak counts what does.
	if q.bytes > q.high {
		q.high = q.bytes
	}
}
