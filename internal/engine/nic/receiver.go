package nic

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// receiver is the receiving half of a queue pair at its NIC.
type receiver struct {
	marks int64
	roce.Responder
	card     *card
	at       *card // that the last packet came to: of a NIC with several ports another than card
	id       int32
	way      fabric.Route // that data comes by
	route    fabric.Route // back to the sender
	store    host.Store
	sender   *island
	log      bool
	admitted bool
	marks0   int64     // before the message being received
	arrivals []arrival // by the responder's slot
	kept     []kept    // by the responder's cell
	bonded   bonded
	alarmed  bool // an alarm for credits is under way: see alarm
}

// arrival is a message of which packets are here. What is known of the sender came with them.
type arrival struct {
	open     bool
	bytes    unit.Bytes
	payload  []byte // the sender's bytes, nil: nothing real
	to       []byte
	header   [4]int64
	posted   unit.Time
	asked    unit.Time
	part     bool
	first    []hopMark       // what its first packet saw at each port, if more follow
	held     []cause.Segment // with a log: what held it up until its last packet left for the first time
	note     note
	came     unit.Time       // the packet of those that are here that came last,
	by       *fabric.Trace   // and its way
	segments []cause.Segment // with a log: what held it up
	at       unit.Time       // up to which it is explained
}

// kept is a packet in the buffer: its frame, with its trace, and when it came.
type kept struct {
	frame fabric.Packet
	came  unit.Time
}

// onData takes a data packet that came over a link.
func (r *receiver) onData(isl *sim.Island, now unit.Time, link fabric.PortID, pk *fabric.Packet) {
	c := r.card
	n, own := c.net, c.isl
	if r.Closed() {
		n.fab.TakeTrace(isl, pk)
		return
	}
	tr := n.fab.Trace(isl, pk)
	if tr != nil {
		n.witness(tr, n.metBy(r.id, false), r.way)
	}
	in, out, t := &own.in, &own.out, &n.cfg.Transport
	if Packet(pk, in); in.Lands() {
		l := &tr.Edge.Landing
		to := &in.Landing
		to.Address, to.Key, to.PSN, to.Length = l.Address, l.Key, l.PSN, l.Length
	}
	v := r.Receive(now, in, t)
	if in.Marked {
		r.marks++
		own.marks++
	}
	if v.CNP {
		own.cnps++
		if n.cfg.OnEvent != nil {
			c.tell(now, EventCNPSent, r.id, 0)
		}
	}
	switch {
	case v.Accept:
		r.place(now, now, &v, t.Ends(in.Opcode), tr, tr)
		if v.Freed > 0 {
			r.free(isl, now, tr)
		}
	case v.Keep:
		r.keep(isl, now, v.Cell, pk)
	case v.Full && n.cfg.OnFull != nil:
		n.cfg.OnFull(own.index, fabric.Loss{At: now, Port: link, Kind: fabric.Data, Flow: r.id, Seq: in.PSN,
			Why: fabric.LostInNIC, Far: true})
	}
	for r.Answer(out, t) {
		if out.Opcode == wire.Acknowledge {
			r.acknowledge(isl, now, pk, out)
		} else {
			c.send(out, r.id, r.route)
		}
	}
	n.fab.TakeTrace(isl, pk)
	if v.CNP || v.Ack || v.Nak {
		c.kick(now)
	}
}

// acknowledge queues an ACK or NAK for a data packet; the packet's telemetry goes back with it.
func (r *receiver) acknowledge(isl *sim.Island, now unit.Time, pk *fabric.Packet, answer *roce.Packet) {
	n := r.card.net
	if answer.Nak() && n.cfg.OnEvent != nil {
		r.card.tell(now, EventNAKSent, r.id, answer.PSN)
	}
	a := r.card.out.Acks.Add()
	n.acknowledgement(a, answer, r.id, r.route)
	if n.cfg.Telemetry {
		n.fab.PassTrace(isl, pk, a)
	} else if n.fab.Trace(isl, pk) != nil { // the way of the acknowledgement is traced too
		a.SetAckReq()
		a.SetQueued(now)
	}
}

// onControl takes a frame that is not data. A host answers who asks for a connection when it has made its queue pair.
func (r *receiver) onControl(now unit.Time, f *fabric.Packet) {
	c := r.card
	n, own := c.net, c.isl
	Packet(f, &own.in)
	if v := r.Receive(now, &own.in, &n.cfg.Transport); v.Asked {
		n.hosts.Alarm(c.host, now.Add(n.cfg.Setup.Time), host.Alarm{What: alarmAnswer, QP: r.id})
	}
	for r.Answer(&own.out, &n.cfg.Transport) {
		c.send(&own.out, r.id, r.route)
		c.kick(now)
	}
}

// keep puts a packet into the buffer.
func (r *receiver) keep(isl *sim.Island, now unit.Time, cell int32, pk *fabric.Packet) {
	for int(cell) >= len(r.kept) {
		r.kept = append(r.kept, kept{})
	}
	k := &r.kept[cell]
	k.frame, k.came = *pk, now
	r.card.net.fab.PassTrace(isl, pk, &k.frame)
}

// free places the packets that were kept behind the one that has just come by the way tr.
func (r *receiver) free(isl *sim.Island, now unit.Time, tr *fabric.Trace) {
	n := r.card.net
	for v, ok := r.Free(&n.cfg.Transport); ok; v, ok = r.Free(&n.cfg.Transport) {
		k := &r.kept[v.Cell]
		own := n.fab.TakeTrace(isl, &k.frame) // no trace is started before this event is over
		if v.Accept {
			r.place(now, k.came, &v, k.frame.Last(), own, tr)
		}
	}
}

// place copies the bytes of an accepted packet to where its message wants them, and completes
// messages that are now whole, in the order of their posts. The packet came by the way tr; it is
// placed now because of the one that has just come, by the way by.
func (r *receiver) place(now, came unit.Time, v *roce.Reply, last bool, tr, by *fabric.Trace) {
	own := r.card.isl
	if len(r.arrivals) == 0 && v.Slot == 0 {
		r.arrivals = own.arrivals.take()
	}
	for int(v.Slot) >= len(r.arrivals) {
		r.arrivals = append(r.arrivals, arrival{})
	}
	a := &r.arrivals[v.Slot]
	if !a.open {
		a.begin(&tr.Edge, r.card.net.hosts)
	}
	if a.payload != nil {
		lo, hi := verbs.Carries(len(a.payload), v.Offset, v.Size, a.bytes)
		copy(a.to[lo:hi], a.payload[lo:hi])
	}
	if v.Offset == 0 && !last {
		a.noteFirst(tr)
	}
	if last && r.log {
		own.spans.give(a.held) // it comes again
		a.held = append(own.spans.take()[:0], tr.Edge.Before...)
	}
	if came >= a.came {
		a.came, a.by = came, tr
	}
	crossed, placed, link := r.store.Put(now, v.Size)
	if n := r.card.net; n.cfg.Receive != nil {
		r.at.hold(now, crossed, v.Size, n.senders[r.id].class)
	}
	if v.Whole {
		a.note.accepted, a.note.crossed, a.note.placed, a.note.inside.To = a.came, crossed, placed, link
		r.weigh(a, a.by)
		r.explain(a, a.by)
	}
	for slot, ok := r.Take(); ok; slot, ok = r.Take() {
		r.complete(now, &r.arrivals[slot], by)
	}
}

// begin takes what the first packet that is here tells of a message.
func (a *arrival) begin(e *fabric.Edge, h *host.Hosts) {
	*a = arrival{open: true, bytes: e.Landing.Length, payload: e.Payload, header: e.Header, posted: e.Posted,
		asked: e.Asked, part: e.Part, first: a.first[:0],
		note: note{hops: a.note.hops[:0]}}
	if cap(a.note.hops) == 0 {
		a.note.hops = make([]HopWait, 0, 8)
	}
	if a.payload != nil {
		a.to = h.Memory(e.Landing.Key, e.Landing.Address, len(a.payload))
	}
}

// complete tells of a message that has all its bytes, as all before it have. Where packets count in any
// order it may have waited for one of an earlier message, which has come by the way by.
func (r *receiver) complete(now unit.Time, a *arrival, by *fabric.Trace) {
	x, c := &a.note, r.card
	n := c.net
	if now > x.accepted {
		r.waited(a, now, by)
		x.accepted, x.crossed, x.placed = now, max(x.crossed, now), max(x.placed, now)
	}
	x.inside.Crossing = max(0, x.crossed.Sub(a.at))
	r.held(a, x.crossed, cause.PCIe, topo.PortID(x.inside.To), -1)
	r.held(a, x.placed, cause.NVLink, -1, -1)
	x.qp, x.marks, r.marks0 = r.id, r.marks-r.marks0, r.marks
	n.send(c.sim, c.isl, r.sender, x)
	if r.admitted {
		n.hosts.Alarm(c.host, x.placed, host.Alarm{What: alarmClear, QP: r.id, N: int64(r.Placed())})
	}
	if !a.part {
		a.segments = waited(a.segments, a.asked, a.posted)
		n.twinsReceived(now, r, a, x.placed) // before the host has what it may write to
		d := host.Delivery{Posted: a.asked, Placed: x.placed, Header: verbs.HeaderOf(a.header), Segments: a.segments}
		n.hosts.Received(r.id, &d)
	}
	a.open, a.payload, a.to = false, nil, nil
	c.isl.spans.give(a.held)
	c.isl.spans.give(a.segments)
	a.held, a.segments = nil, nil
	if len(r.arrivals) == 1 {
		c.isl.arrivals.give(r.arrivals)
		r.arrivals = nil
	}
}

// explain splits a message's time into the sender's ledger until the packet that made it whole left,
// and that packet's way. The host path after it is added when the message is complete.
func (r *receiver) explain(a *arrival, tr *fabric.Trace) {
	own, x, start := r.card.isl, &a.note, tr.Hop(0).Start
	x.split, x.inside.From = tr.Edge.Sender, tr.Edge.PCIe
	if r.log {
		a.segments = before(own.spans.take()[:0], a.held, a.posted, start, x.split, tr.Hop(0).Port)
	}
	x.hops = append(x.hops, HopWait{Port: tr.Hop(0).Port, Queueing: x.split[cause.Queueing],
		Pause: x.split[cause.Pause], Root: tr.Hop(0).Root})
	a.at = start
	own.parts = r.card.net.fab.Parts(own.parts[:0], tr)
	for _, p := range own.parts {
		r.held(a, p.Until, p.Cause, p.Port, p.Root)
	}
	// A last link that reorders kept it back.
	r.held(a, x.accepted, cause.Propagation, tr.Hop(tr.N-1).Port, -1)
}

// waited says what a message that had all its packets waited for until now: for one that was sent
// again; or for one that only came late, and so for what held that one up on its way.
func (r *receiver) waited(a *arrival, now unit.Time, by *fabric.Trace) {
	if by.Edge.Again {
		r.held(a, now, cause.Retransmission, -1, -1)
		return
	}
	own := r.card.isl
	own.parts = r.card.net.fab.Parts(own.parts[:0], by)
	for _, p := range own.parts {
		r.held(a, p.Until, p.Cause, p.Port, p.Root)
	}
	r.held(a, now, cause.Propagation, by.Hop(by.N-1).Port, -1) // a last link that reorders kept it back
}

// held says what held up a message from where it is explained to until.
func (r *receiver) held(a *arrival, until unit.Time, c cause.Cause, at, root topo.PortID) {
	if until <= a.at {
		return
	}
	d := until.Sub(a.at)
	a.note.split[c] += d
	if c != cause.PCIe {
		a.note.hops = wait(a.note.hops, c, at, root, false, d)
	}
	a.at = until
	if r.log {
		if c == cause.Pause {
			at = root
		}
		a.segments = append(a.segments, cause.Segment{Until: until, Cause: c, At: int32(at)})
	}
}

// wait notes the cause of a span at a port.
func wait(hops []HopWait, c cause.Cause, at, root topo.PortID, back bool, d unit.Duration) []HopWait {
	if at < 0 {
		return hops
	}
	h := &hops[len(hops)-1]
	if h.Port != at || h.Back != back {
		hops = append(hops, HopWait{Port: at, Back: back, Root: -1})
		h = &hops[len(hops)-1]
	}
	switch c {
	case cause.Pause:
		h.Pause += d
		h.Root = root
	case cause.OwnQueueing:
		h.Own += d
	case cause.Queueing:
		h.Queueing += d
	case cause.Serialisation:
		h.Wire += d
	case cause.Propagation:
		h.Cable += d
	}
	return hops
}
