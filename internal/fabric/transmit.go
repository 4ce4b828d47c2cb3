package fabric

import (
	"math/bits"

	"railyard/internal/sim"
	"railyard/internal/unit"
)

// The handlers are views of the fabric, one for each class of event.
type (
	txEnd       Fabric
	arrive      Fabric
	pauseArrive Fabric
	expire      Fabric
	refresh     Fabric
)

// Kick tells a host port that its source has something to send.
func (f *Fabric) Kick(isl *sim.Island, now unit.Time, id PortID) {
	p := &f.ports[id]
	if p.flags&flagBusy == 0 {
		f.next(isl, now, id, p)
	}
}

// Handle ends a transmission: the frame's buffer is free, the port looks for the next one.
func (h *txEnd) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	p := &f.ports[owner]
	p.flags &^= flagBusy
	if p.flags&flagHolds != 0 {
		p.flags &^= flagHolds
		f.release(isl, now, p.sent.account, int64(p.sent.bytes))
	}
	if p.flags&flagBusy == 0 {
		f.next(isl, now, PortID(owner), p)
	}
}

// next starts the transmission of whatever goes first. The port is idle.
func (f *Fabric) next(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if now < p.busyUntil {
		f.awaitTxEnd(isl, id, p)
		return
	}
	if p.flags&(flagCtl|flagHost) != 0 {
		f.nextOther(isl, now, id, p)
		return
	}
	m := p.backlog &^ p.paused
	if m == 0 {
		return
	}
	c := bits.TrailingZeros8(m)
	if m&(m-1) != 0 {
		c = f.pick(id, p, m)
	}
	st := f.state(isl)
	pk := p.room(&st.chunks)
	f.dequeue(isl, st, now, id, p, c, pk)
	f.leave(isl, st, now, id, p, pk)
}

// leave starts the transmission of a frame that is in no queue any more.
func (f *Fabric) leave(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	if f.holds {
		f.transmit(isl, st, now, id, p, pk)
		p.flags |= flagHolds
		f.awaitTxEnd(isl, id, p)
		return
	}
	p.flags |= flagBusy // if the frame goes back the way it came, this may send xON by this port
	f.release(isl, now, pk.account(), int64(pk.Bytes))
	p.flags &^= flagBusy
	f.transmit(isl, st, now, id, p, pk)
	if p.backlog != 0 || p.flags&flagCtl != 0 {
		f.awaitTxEnd(isl, id, p)
	}
}

// nextOther starts the transmission of a PFC frame, or of what a NIC wants to send.
func (f *Fabric) nextOther(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if p.flags&flagCtl != 0 {
		f.sendPause(isl, now, id, p)
		return
	}
	st := f.state(isl)
	pk := p.room(&st.chunks)
	if !f.sources[id].Pull(isl, now, id, p.paused, pk) {
		return
	}
	if f.classes.of != nil {
		pk.SetDSCP(f.cfg.DSCP[pk.Class()])
	}
	f.transmit(isl, st, now, id, p, pk)
	f.awaitTxEnd(isl, id, p)
}

// awaitTxEnd plans the end of the transmission, if that is not done.
func (f *Fabric) awaitTxEnd(isl *sim.Island, id PortID, p *port) {
	if p.flags&flagBusy == 0 {
		p.planTxEnd(isl, id)
	}
}

func (p *port) planTxEnd(isl *sim.Island, id PortID) {
	p.flags |= flagBusy
	isl.At(p.busyUntil, sim.MakeKey(sim.TxEnd, classTxEnd, int32(id)))
}

// room returns the place on the link for the next frame of a port. It is taken by transmit.
func (p *port) room(free *pool) *Packet {
	if p.used < chunkFrames {
		return &p.tail.frames[p.used]
	}
	return p.lengthen(free)
}

// lengthen puts another chunk on the link, and returns its first place.
func (p *port) lengthen(free *pool) *Packet {
	c := free.get()
	if p.tail != nil {
		p.tail.next = c
	}
	p.tail, p.used = c, 0
	return &c.frames[0]
}

// transmit sends the frame that lies in the room for it.
func (f *Fabric) transmit(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	charged := pk.Bytes
	if p.flags&flagTunnel != 0 {
		f.tunnelled(id, pk)
	}
	wire := int64(pk.Bytes) + f.overhead
	tx := unit.Duration(wire * int64(p.psPerByte))
	if p.psPerByte == 0 {
		f.rated(now, id, p)
		tx = f.longTxTime(p, wire)
		p.busy += tx
	}
	p.busyUntil = now.Add(tx)
	if p.frames++; p.frames == 0 {
		p.wraps++
	}
	p.txBytes += wire
	if pk.data() {
		p.dataBytes += wire
	}
	st.hops++
	if f.traced(pk) {
		f.traceStart(now, id, p, pk)
	}
	p.sent = sent{account: pk.account(), flow: pk.Flow, op: pk.Opcode(), bytes: charged}
	at := p.busyUntil.Add(p.delay)
	pk.at = int64(at)
	p.used++
	if p.flags&(flagFar|flagRare) != 0 {
		if p.flags&flagRare != 0 && f.tapped(id) {
			f.tellSent(isl, now, id, pk)
		}
		if p.flags&flagFar != 0 && isl.Mails() {
			f.post(st, id, p, at)
			return
		}
		if f.each {
			f.awaitTxEnd(isl, id, p)
			f.planArrival(id, &f.ingresses[id], p.tail, at)
			f.ingresses[id].n++
			return
		}
	}
	in := &f.ingresses[id]
	if in.n == 0 {
		f.planArrival(id, in, p.tail, at)
	}
	in.n++
}

// tunnelled puts the headers of an overlay around a frame that leaves by a link between switches, unless it has
// them, and takes them off one that leaves for a NIC. DSCP and ECN are copied from the inner header to the outer
// one and back (RFC 6040, section 4), so a frame has one of each.
func (f *Fabric) tunnelled(id PortID, pk *Packet) {
	switch trunk, wrapped := f.trunk(id), pk.bits&bitTunnel != 0; {
	case trunk && !wrapped:
		pk.bits |= bitTunnel
		pk.Bytes += uint16(f.tunnel)
	case !trunk && wrapped:
		pk.bits &^= bitTunnel
		pk.Bytes -= uint16(f.tunnel)
	}
}

// pick chooses among several classes m the one to serve: strict ones by priority, then deficit weighted
// round robin. A class that is alone is served.
func (f *Fabric) pick(id PortID, p *port, m uint8) int {
	strict := f.strict
	if f.classes.strict != nil {
		strict = f.classes.strict[id]
	}
	for _, c := range strict {
		if m&(1<<c) != 0 {
			return int(c)
		}
	}
	qs := f.queues[int(id)*f.nc : int(id)*f.nc+f.nc]
	for {
		c := p.turn
		q := &qs[c]
		if m&(1<<c) != 0 && q.deficit >= int64(q.front().Bytes) {
			q.deficit -= int64(q.front().Bytes)
			return int(c)
		}
		c++
		if int(c) == f.nc {
			c = 0
		}
		p.turn = c
		if m&(1<<c) != 0 {
			qs[c].deficit += f.slow[int(id)*f.nc+int(c)].quantum
		}
	}
}

// dequeue takes the first frame of a class out of its queue.
func (f *Fabric) dequeue(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, c int, pk *Packet) {
	q := &f.queues[int(id)*f.nc+c]
	if f.samples && now >= q.sampled {
		f.sample(isl, now, id, c, q)
	}
	*pk = *q.front()
	q.drop(&st.chunks)
	q.bytes -= int64(pk.Bytes)
	if q.n == 0 {
		p.backlog &^= 1 << c
		q.deficit = 0
	}
	if q.bytes > q.low && f.marks(id, c, q.bytes, true) {
		f.setMark(isl, now, id, p, c, q.bytes, pk)
	}
	if f.cfg.OnEvent != nil {
		f.tellLevel(isl, now, id, c, q)
	}
}

// marks decides whether a frame is marked by a queue of so many bytes, as it enters or leaves it.
func (f *Fabric) marks(id PortID, c int, bytes int64, leaves bool) bool {
	s := &f.slow[int(id)*f.nc+c]
	return s.mark.dequeue == leaves && s.mark.hit(bytes, s.rng.Uint32)
}

// setMark marks a frame that can be marked, because of a queue of so many bytes.
func (f *Fabric) setMark(isl *sim.Island, now unit.Time, id PortID, p *port, c int, bytes int64, pk *Packet) {
	if pk.tos&ecnMask == 0 {
		return
	}
	pk.tos |= ecnMarked
	p.marks++
	f.noteMark(id, pk)
	if f.cfg.OnEvent != nil {
		f.tellMark(isl, now, id, c, bytes, pk)
	}
}

// Handle takes a frame off link owner: delivers it to a host, or admits it to a switch.
func (h *arrive) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	in := &f.ingresses[owner]
	pk := in.take(&in.state.chunks)
	if in.within && in.n > 0 && !f.each {
		isl.At(in.front().arrival(), sim.MakeKey(sim.Arrival, classArrive, owner))
	}
	if f.faults != nil && f.faults.hits(isl, now, PortID(owner), in, pk) {
		return
	}
	if in.far >= 0 {
		f.admit(isl, now, PortID(owner), in, pk)
		return
	}
	f.sinks[owner].Deliver(isl, now, PortID(owner), pk)
}

// receive hands a frame that came over a link, and met a fault, to whoever is at its end.
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
	var out PortID
	if !pk.chosen() {
		out = f.routes[pk.route]
		pk.route++
	} else if out = f.choose(isl, now, in.far, pk); out < 0 {
		f.unroutable(isl, now, id, pk)
		return
	}
	if f.looks && !f.passes(isl, now, id, out, pk) {
		return
	}
	class, size := pk.Class(), int64(pk.Bytes)
	account := in.first + int32(class)
	pk.at = int64(account)
	a, o := &f.accounts[account], &f.ports[out]
	n := a.node
	q := &f.queues[int(out)*f.nc+int(class)]
	if shared, ok := n.below(a, in.xoff, size); ok && in.lossless&(1<<class) != 0 {
		n.maxUsed = max(n.maxUsed, n.shared+shared)
		if f.plain && o.idle(now, class) {
			// It would release at once what it charges.
			f.transmit(isl, in.state, now, out, o, f.through(isl, in.state, now, out, o, q, pk))
			return
		}
		a.used += size
		n.shared += shared
		if f.plain {
			f.enqueue(isl, in.state, now, out, o, q, pk)
			return
		}
	} else if !f.charge(isl, now, id, out, in, a, q, pk) {
		return
	}
	if f.weaves && pk.chosen() && f.restores(isl, now, out, o, q, pk) {
		return
	}
	if o.idle(now, class) {
		f.leave(isl, in.state, now, out, o, f.through(isl, in.state, now, out, o, q, pk))
		return
	}
	f.enqueue(isl, in.state, now, out, o, q, pk)
}

// passes gives a frame that came over a link its class at the switch, and loses one that may not leave by the port
// that it goes to.
func (f *Fabric) passes(isl *sim.Island, now unit.Time, id, out PortID, pk *Packet) bool {
	if f.classes.of != nil {
		pk.setClass(f.classes.of[id][pk.DSCP()])
	}
	if f.dogs != nil && f.discards(isl, now, out, pk) {
		return false
	}
	if f.faults != nil && f.faults.tooLong(out, pk) {
		f.faults.set[out].oversize++
		f.lost(isl, now, out, pk, LostOversize)
		return false
	}
	return true
}

// idle reports whether a frame of a class that comes now leaves by the port at once, and meets no
// queue that marks one.
func (p *port) idle(now unit.Time, class uint8) bool {
	return p.backlog == 0 && p.flags&(flagBusy|flagCtl|flagMarks) == 0 && now >= p.busyUntil && p.paused&(1<<class) == 0
}

// through puts a frame into the room behind those on the link of an idle port. It is enqueue and
// dequeue of a queue that stays empty: no frame is marked, and the round robin does not move.
func (f *Fabric) through(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, q *queue,
	pk *Packet) *Packet {
	if f.samples && now >= q.sampled {
		f.sample(isl, now, out, int(pk.Class()), q)
	}
	if f.traced(pk) {
		f.traceEnqueue(now, out, o, q, pk)
	}
	room := o.room(&st.chunks)
	*room = *pk
	return room
}

// charge charges a frame of any class. It reports false if there was no room: then it is dropped.
func (f *Fabric) charge(isl *sim.Island, now unit.Time, id, out PortID, in *ingress, a *account, q *queue,
	pk *Packet) bool {
	n, class, size := a.node, pk.Class(), int64(pk.Bytes)
	if in.lossless&(1<<class) == 0 {
		if !n.chargeLossy(a, q.bytes, size) {
			f.dropped(isl, now, id, out, &f.ports[out], pk)
			return false
		}
		return true
	}
	if !n.chargeLossless(a, in.xoff, f.ledgers[pk.account()].limit, size) {
		f.ledgers[pk.account()].refused++
		f.dropped(isl, now, id, out, &f.ports[out], pk)
		return false
	}
	if !a.sentOff && n.overXOFF(a, in) {
		f.xoff(isl, now, id, out, a, class)
		if f.cfg.OnEvent != nil {
			f.tellHeld(isl, now, id, a, class, pk)
		}
	}
	return true
}

func (f *Fabric) dropped(isl *sim.Island, now unit.Time, in, out PortID, o *port, pk *Packet) {
	o.drops++
	f.ledgers[int(in)*f.nc+int(pk.Class())].drops++
	f.lost(isl, now, out, pk, LostInBuffer)
}

// unroutable drops a frame that came over a link to a switch which knows no way for it.
func (f *Fabric) unroutable(isl *sim.Island, now unit.Time, in PortID, pk *Packet) {
	f.lost(isl, now, in, pk, LostWithoutRoute)
}

func (f *Fabric) enqueue(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, q *queue, pk *Packet) {
	class := pk.Class()
	if f.samples && now >= q.sampled {
		f.sample(isl, now, out, int(class), q)
	}
	if q.bytes > q.low && f.marks(out, int(class), q.bytes, false) {
		f.setMark(isl, now, out, o, int(class), q.bytes, pk)
	}
	if f.traced(pk) {
		f.traceEnqueue(now, out, o, q, pk)
	}
	q.push(&st.chunks, pk)
	q.bytes += int64(pk.Bytes)
	o.backlog |= 1 << class
	if o.flags&flagBusy == 0 {
		f.next(isl, now, out, o)
	}
	// A frame that goes straight out has not waited: the peak counts what does.
	if q.bytes > q.high {
		q.high = q.bytes
	}
	if f.cfg.OnEvent != nil {
		f.tellLevel(isl, now, out, int(class), q)
	}
}
