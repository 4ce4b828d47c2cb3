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
		f.release(isl, now, p.sent.in, p.sent.class, int64(p.sent.bytes))
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
	if len(p.ctl) > 0 {
		f.sendPause(isl, now, id, p)
		return
	}
	if p.flags&flagHost != 0 {
		if !f.sources[id].Pull(isl, now, id, p.paused, &f.pulled) {
			return
		}
		f.transmit(isl, now, id, p, &f.pulled)
		f.awaitTxEnd(isl, id, p)
		return
	}
	c, ok := f.pick(id, p)
	if !ok {
		return
	}
	var pk Packet
	p.flags |= flagBusy // if the frame goes back the way it came, dequeue may send xON by this port
	f.dequeue(isl, now, id, p, c, &pk)
	p.flags &^= flagBusy
	f.transmit(isl, now, id, p, &pk)
	if f.cfg.Buffer.FreeAtTxEnd {
		p.flags |= flagHolds
		f.awaitTxEnd(isl, id, p)
	} else if p.backlog != 0 || len(p.ctl) > 0 {
		f.awaitTxEnd(isl, id, p)
	}
}

func (f *Fabric) awaitTxEnd(isl *sim.Island, id PortID, p *port) {
	if p.flags&flagBusy != 0 {
		return
	}
	p.flags |= flagBusy
	isl.At(p.busyUntil, sim.MakeKey(sim.TxEnd, classTxEnd, int32(id)))
}

// transmit puts a frame on the link.
func (f *Fabric) transmit(isl *sim.Island, now unit.Time, id PortID, p *port, pk *Packet) {
	wire := int64(pk.Bytes) + f.overhead
	tx := f.txTime(p, wire)
	p.busyUntil = now.Add(tx)
	p.busy += tx
	p.txFrames++
	p.txBytes += wire
	if pk.data() {
		p.dataBytes += wire
	}
	f.hops++
	if f.traced(pk) {
		f.traceStart(now, id, p, pk)
	}
	if f.cfg.AsScheduled {
		f.awaitTxEnd(isl, id, p)
	}
	p.sent = sent{in: pk.in(), flow: pk.Flow, op: pk.Opcode(), class: pk.Class(), bytes: pk.Bytes}
	pk.at = int64(p.busyUntil.Add(p.delay))
	if p.flying.n == 0 || f.cfg.AsScheduled {
		f.eng.At(p.farIsland, pk.arrival(), sim.MakeKey(sim.Arrival, classArrive, int32(id)))
	}
	p.flying.push(pk)
}

// pick chooses the class to serve: strict ones by priority, then deficit weighted round robin.
func (f *Fabric) pick(id PortID, p *port) (int, bool) {
	m := p.backlog &^ p.paused
	if m == 0 {
		return 0, false
	}
	for _, c := range f.strict {
		if m&(1<<c) != 0 {
			return int(c), true
		}
		m &^= 1 << c
	}
	if m&(m-1) == 0 {
		return bits.TrailingZeros8(m), true
	}
	qs := f.queues[int(id)*f.nc : int(id)*f.nc+f.nc]
	for {
		c := p.turn
		q := &qs[c]
		if m&(1<<c) != 0 && q.deficit >= int64(q.front().Bytes) {
			q.deficit -= int64(q.front().Bytes)
			return int(c), true
		}
		c++
		if int(c) == f.nc {
			c = 0
		}
		p.turn = c
		if m&(1<<c) != 0 {
			qs[c].deficit += qs[c].quantum
		}
	}
}

// dequeue takes the first frame of a class out of its queue.
func (f *Fabric) dequeue(isl *sim.Island, now unit.Time, id PortID, p *port, c int, pk *Packet) {
	q := &f.queues[int(id)*f.nc+c]
	if f.cfg.SampleEvery > 0 {
		f.sample(isl, now, id, c, q)
	}
	*pk = *q.front()
	q.drop()
	q.bytes -= int64(pk.Bytes)
	if q.n == 0 {
		p.backlog &^= 1 << c
		q.deficit = 0
	}
	if q.mark.on && q.mark.dequeue && q.mark.hit(q.bytes, q.rng.Uint32) {
		f.setMark(p, pk)
	}
	if !f.cfg.Buffer.FreeAtTxEnd {
		f.release(isl, now, pk.in(), pk.Class(), int64(pk.Bytes))
	}
}

func (f *Fabric) setMark(p *port, pk *Packet) {
	if pk.tos&ecnMask != 0 {
		pk.tos |= ecnMarked
		p.marks++
		f.routeMarks[pk.route-1]++
	}
}

// Handle takes a frame off link owner: delivers it to a host, or admits it to a switch.
func (h *arrive) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	p := &f.ports[owner]
	pk := *p.flying.front()
	p.flying.drop()
	if p.flying.n > 0 && !f.cfg.AsScheduled {
		isl.At(p.flying.front().arrival(), sim.MakeKey(sim.Arrival, classArrive, owner))
	}
	if f.faults != nil && f.faults.hits(isl, now, PortID(owner), p, &pk) {
		return
	}
	f.receive(isl, now, PortID(owner), p, &pk)
}

// receive hands a frame that came over a link to whoever is at its end.
func (f *Fabric) receive(isl *sim.Island, now unit.Time, id PortID, p *port, pk *Packet) {
	if p.far < 0 {
		f.delivered = *pk
		f.sinks[id].Deliver(isl, now, id, &f.delivered)
		return
	}
	f.admit(isl, now, id, p, pk)
}

// admit charges a frame to the switch's buffer, sends xOFF if need be, and queues it at its egress
// port.
func (f *Fabric) admit(isl *sim.Island, now unit.Time, in PortID, p *port, pk *Packet) {
	out := f.routes[pk.route]
	pk.route++
	pk.at = int64(in)
	class := pk.Class()
	a := &f.accounts[int(in)*f.nc+int(class)]
	n := &f.nodes[p.far]
	q := &f.queues[int(out)*f.nc+int(class)]
	o := &f.ports[out]
	size := int64(pk.Bytes)
	if f.lossless&(1<<class) != 0 {
		if !f.cfg.chargeLossless(n, a, &p.xoff, size) {
			f.dropped(isl, now, out, o, a, pk)
			return
		}
		if !a.sentOff && f.overXOFF(n, a, p) {
			f.xoff(isl, now, in, out, a, class)
		}
	} else if !f.cfg.chargeLossy(n, a, q, size) {
		f.dropped(isl, now, out, o, a, pk)
		return
	}
	f.enqueue(isl, now, out, o, q, pk)
}

func (f *Fabric) dropped(isl *sim.Island, now unit.Time, out PortID, o *port, a *account, pk *Packet) {
	o.drops++
	a.drops++
	f.lost(isl, now, out, pk, false)
}

func (f *Fabric) enqueue(isl *sim.Island, now unit.Time, out PortID, o *port, q *queue, pk *Packet) {
	if f.cfg.SampleEvery > 0 {
		f.sample(isl, now, out, int(pk.Class()), q)
	}
	if q.mark.on && !q.mark.dequeue && q.mark.hit(q.bytes, q.rng.Uint32) {
		f.setMark(o, pk)
	}
	if f.traced(pk) {
		f.traceEnqueue(now, out, o, q, pk)
	}
	q.push(pk)
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
