package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// links is all links: their two ends, frames on them, and what islands tell each other of these.
type links struct {
	*setup
	overhead  int64     // Config.LinkOverhead
	ports     []port    // by link: sending ends
	ingresses []ingress // by link: receiving ends
	states    []state   // by island
	boxes     []box
	depot     depot
	rates     [][]Setting // by port, of those with a rate: what both ends of a link may read; nil: none varies
}

func newLinks(s *setup) links {
	n := len(s.graph.Ports)
	l := links{setup: s, overhead: int64(s.cfg.LinkOverhead), ports: make([]port, n), ingresses: make([]ingress, n),
		states: make([]state, s.eng.Islands())}
	for i := range l.states {
		l.states[i].due.at = unit.Never
	}
	return l
}

// awaitTxEnd plans the end of the transmission, if that is not done.
func (ls *links) awaitTxEnd(isl *sim.Island, id PortID, p *port) {
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

// put puts a frame on the link for so long, where it lies already; it was charged with so many bytes.
func (ls *links) put(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet, charged uint16,
	tx unit.Duration) {
	p.busyUntil = now.Add(tx)
	if p.frames++; p.frames == 0 {
		p.wraps++
	}
	wire := int64(pk.Bytes) + ls.overhead
	p.txBytes += wire
	if !pk.data() {
		wire = 0 // without a branch: every second frame is an acknowledgement
	}
	p.dataBytes += wire
	st.hops++
	p.sent.account, p.sent.flow, p.sent.op, p.sent.bytes = pk.account(), pk.Flow, pk.Opcode(), charged
	pk.at = int64(p.busyUntil.Add(p.delay))
	in := &ls.ingresses[id]
	if p.flags&flagRare != 0 || isl.Mails() || in.n == 0 { // in.n is the far end's, which may be running
		ls.reaches(isl, st, now, id, p, pk)
		return
	}
	in.n++
	if p.awaited() {
		p.planTxEnd(isl, id)
	}
}

// reaches lets the far end of a link know of a frame that has been put on it, which is the only one or is known to
// others too.
func (ls *links) reaches(isl *sim.Island, st *state, now unit.Time, id PortID, p *port, pk *Packet) {
	in, at := &ls.ingresses[id], pk.arrival()
	switch {
	case p.flags&flagRare != 0 && ls.putRarely(isl, now, id, p, pk):
		return
	case p.flags&flagFar != 0 && isl.Mails():
		ls.post(st, id, p, at)
	default:
		if in.n == 0 {
			ls.planArrival(id, in, p.tail, at)
		}
		in.n++
	}
	if p.awaited() {
		p.planTxEnd(isl, id)
	}
}

// awaited reports whether somebody waits for the end of a transmission that is not planned.
func (p *port) awaited() bool {
	return p.flags&flagBusy == 0 && (p.flags&(flagHost|flagCtl|flagHolds) != 0 || p.backlog != 0)
}

// putRarely tells who hears what a port sends. Where events go in the order of scheduling it plans those of the
// frame, and reports true.
func (ls *links) putRarely(isl *sim.Island, now unit.Time, id PortID, p *port, pk *Packet) bool {
	if ls.tapped(id) {
		ls.tellSent(isl, now, id, pk)
	}
	if ls.each {
		ls.awaitTxEnd(isl, id, p)
		ls.planArrival(id, &ls.ingresses[id], p.tail, pk.arrival())
		ls.ingresses[id].n++
	}
	return ls.each
}

// state returns what an island has of the fabric.
func (ls *links) state(isl *sim.Island) *state { return &ls.states[isl.Index()] }

func (ls *links) txTime(p *port, wire int64) unit.Duration {
	if p.psPerByte != 0 {
		return unit.Duration(wire * int64(p.psPerByte))
	}
	return ls.longTxTime(p, wire)
}

// longTxTime is txTime where a byte does not take whole picoseconds.
func (ls *links) longTxTime(p *port, wire int64) unit.Duration {
	return ls.timeAt(p.rate, wire)
}

// stateOf is that of the island of a port.
func (ls *links) stateOf(id PortID) *state { return &ls.states[ls.islandOf[ls.graph.Ports[id].Node]] }

// rated sets the rate at which a port sends from an instant on, if it has not always the same.
func (ls *links) rated(now unit.Time, id PortID, p *port) {
	if ls.varies(id) {
		p.rate = ls.rateAt(id, now)
	}
}

// varies reports whether a port has not always the same rate.
func (ls *links) varies(id PortID) bool { return ls.rates != nil && len(ls.rates[id]) > 0 }

// rateAt is the rate of a port at an instant.
func (ls *links) rateAt(id PortID, t unit.Time) unit.Bitrate {
	rate := ls.graph.Ports[id].Rate
	if ls.rates == nil {
		return rate
	}
	for i := range ls.rates[id] {
		if s := &ls.rates[id][i]; s.Holds(t) {
			rate = s.Rate
		}
	}
	return rate
}

// timeFrom is how long bytes took that a port began to send at an instant. Both ends of a link may ask.
func (ls *links) timeFrom(start unit.Time, id PortID, wire int64) unit.Duration {
	if ls.varies(id) {
		return ls.timeAt(ls.rateAt(id, start), wire)
	}
	return ls.txTime(&ls.ports[id], wire)
}

// wholeTime is how long bytes take by a port to which nothing has happened. Both ends of a link may ask.
func (ls *links) wholeTime(id PortID, wire int64) unit.Duration {
	if ls.varies(id) {
		return ls.timeAt(ls.graph.Ports[id].Rate, wire)
	}
	return ls.txTime(&ls.ports[id], wire)
}
