package fabric

import (
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// ConWeave at switches: see balance.Weaver. The first switch of a frame of data writes a header into it, in the
// place that NAKs have for SACK; the last one holds back what came too early, and tells the first. Held frames
// occupy the buffer and are in no queue.

type resume router // owner: index of a switch that may have held frames for long enough

// restorer is what a last switch keeps.
type restorer struct {
	order  *balance.Restorer
	held   map[uint64]*held
	gaveUp int64 // tails
}

// held is the frames of a flow that wait for a tail, all for one port.
type held struct {
	out    PortID
	flow   int32
	to     topo.NICID
	frames []Packet
}

// routed is a signal on its way to the first switch of a flow.
type routed struct {
	balance.Signal
	flow     int32
	from, to topo.NICID // of the flow
}

// Begins says from which NIC a flow sends data.
func (f *Fabric) Begins(flow int32, from topo.NICID) {
	for int(flow) >= len(f.router.begins) {
		f.router.begins = append(f.router.begins, 0)
	}
	f.router.begins[flow] = from
}

// weave sets the link of a frame whose first switch is not this one, or that carries no data, by the hash, of others
// as their flow's weaver says.
func (ro *router) weave(w *forwarder, g *hops, pk *Packet, frame *balance.Frame, first bool) PortID {
	if !first || !pk.data() {
		return g.ports[frame.Hash%uint64(len(g.ports))]
	}
	port := g.ports[g.chooser.Pick(frame, &w.view)]
	pk.sack = uint16(frame.Header)
	return port
}

// restores takes a frame that a last switch has charged, if it may not simply pass on.
func (ro *router) restores(isl *sim.Island, now unit.Time, out PortID, o *port, pk *Packet) bool {
	if !pk.data() || ro.graph.Ports[out].NIC < 0 || pk.passed() == 1 {
		return false
	}
	h, to := balance.Header(pk.sack), pk.to()
	sw := ro.links.ingresses[int(pk.account())/ro.nc].far
	r := ro.forwarders[sw].restorer
	flow := flowOf(pk, to)
	s := routed{Signal: balance.Signal{Flow: flow, Move: h.Move(), Link: h.Link()}, flow: pk.Flow,
		from: ro.begins[pk.Flow], to: to}
	if h&balance.Request != 0 {
		s.Kind = balance.Answer
		ro.signal(isl, now, sw, s)
	}
	if pk.Marked() {
		s.Kind = balance.Notify
		ro.signal(isl, now, sw, s)
	}
	switch v, first := r.order.Arrive(now, flow, h); v {
	case balance.Hold:
		if first {
			r.held[flow] = &held{out: out, flow: pk.Flow, to: to}
			isl.At(now.Add(ro.cfg.Routing.Params.ConWeave.Resume), sim.MakeKey(sim.Timer, classResume, sw))
		}
		if ro.traced(pk) {
			ro.links.traceAt(pk.attach - 1).heldAt = now
		}
		r.held[flow].frames = append(r.held[flow].frames, *pk)
		return true
	case balance.Release:
		ro.f.enqueue(isl, ro.links.state(isl), now, out, o, pk)
		ro.unhold(isl, now, sw, flow)
		s.Kind = balance.Clear
		ro.signal(isl, now, sw, s)
		return true
	}
	return false
}

// unhold queues what a flow holds.
func (ro *router) unhold(isl *sim.Island, now unit.Time, sw int32, flow uint64) {
	r := ro.forwarders[sw].restorer
	x := r.held[flow]
	if x == nil {
		return
	}
	delete(r.held, flow)
	o := &ro.links.ports[x.out]
	for i := range x.frames {
		pk := &x.frames[i]
		ro.f.enqueue(isl, ro.links.state(isl), now, x.out, o, pk)
	}
}

// Handle lets pass what a switch has held for as long as it may, and clears the flows.
func (h *resume) Handle(isl *sim.Island, now unit.Time, owner int32) {
	ro := (*router)(h)
	r := ro.forwarders[owner].restorer
	for _, flow := range slices.Sorted(maps.Keys(r.held)) {
		x := r.held[flow]
		move, due, again := r.order.Due(now, flow)
		if again > 0 {
			isl.At(again, sim.MakeKey(sim.Timer, classResume, owner))
		}
		if !due {
			continue
		}
		r.gaveUp++
		if ro.cfg.OnEvent != nil {
			ro.f.witness.tellGaveUp(isl, now, x)
		}
		ro.unhold(isl, now, owner, flow)
		ro.signal(isl, now, owner, routed{Signal: balance.Signal{Kind: balance.Clear, Flow: flow, Move: move},
			flow: x.flow, from: ro.begins[x.flow], to: x.to})
	}
}

// tellGaveUp tells that a switch gives up the tail of a flow.
func (wi *witness) tellGaveUp(isl *sim.Island, now unit.Time, x *held) {
	e := Event{At: now, Port: x.out, Root: -1, Flow: x.flow, Kind: EventGaveUp}
	for i := range x.frames {
		pk := &x.frames[i]
		if i == 0 {
			e.PSN, e.Frame, e.Class = pk.PSN(), pk.Kind(), pk.Class()
		}
		e.Bytes += unit.Bytes(pk.Bytes)
	}
	wi.cfg.OnEvent(isl.Index(), e)
}

// GaveUp is how many tails ConWeave's last switches have given up: what they held of a flow then passed out of order.
func (f *Fabric) GaveUp() (n int64) {
	for i := range f.router.forwarders {
		if r := f.router.forwarders[i].restorer; r != nil {
			n += r.gaveUp
		}
	}
	return n
}

// signal sends a signal on from a switch, or gives it to the flow's weaver, which is here.
func (ro *router) signal(isl *sim.Island, now unit.Time, sw int32, s routed) {
	w, r := &ro.forwarders[sw], ro.cfg.Routing
	if w.at == ro.graph.Edge(s.from) {
		if g := w.groups[r.Key(w.epoch, w.at, s.to)]; g != nil {
			g.chooser.(*balance.Weaver).Hear(now, s.Signal)
		}
		return
	}
	ports := r.Epochs[w.epoch].Routes.NextHops(w.at, s.from)
	if len(ports) == 0 {
		return
	}
	id := ports[r.Hash(s.flow, s.from, 0, w.at)%uint64(len(ports))]
	p := &ro.links.ports[id]
	tx := ro.links.txTime(p, int64(ro.cfg.PauseFrame)+ro.links.overhead)
	ro.tellOn(isl, id, p, message{at: now.Add(tx + p.delay), signal: &s})
}

// eachHeld visits the frames that a switch holds.
func (w *forwarder) eachHeld(see func(*Packet)) {
	if w.restorer == nil {
		return
	}
	for _, x := range w.restorer.held {
		for i := range x.frames {
			see(&x.frames[i])
		}
	}
}
