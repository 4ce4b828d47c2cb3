package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// Switches that tell the ones next to them of the quality of their links to other switches: what a leaf cannot see
// is how a spine's link to another leaf does. They look at multiples of an interval while frames pass, and tell of
// what has changed. A message takes as long as a frame of no length: the cable and the far switch's pipeline. It
// takes no bandwidth: some bytes in an interval.

type (
	look   router // owner: index of the switch
	listen router // owner: link that a message comes by
)

// message is what a switch tells at one instant. What it points to is shared by all who hear it, and never changes.
type message struct {
	at     unit.Time // when it arrives
	tells  []tell    // to those next to it
	signal *routed   // nil, or to a switch further on
}

// tell is the quality of one port.
type tell struct {
	port PortID
	band uint8
}

// teller is what a switch keeps to tell of its links.
type teller struct {
	ports  []PortID // to other switches
	meters []balance.Meter
	last   []uint8         // told
	heard  map[PortID]int8 // of ports of the switches next to it
	looks  bool            // an event is pending
}

func (ro *router) newTeller(at topo.NodeID) *teller {
	t := &teller{heard: map[PortID]int8{}}
	for _, id := range ro.graph.Nodes[at].Ports {
		if ro.graph.Ports[id].NIC < 0 {
			t.ports = append(t.ports, id)
		}
	}
	t.meters, t.last = make([]balance.Meter, len(t.ports)), make([]uint8, len(t.ports))
	return t
}

// lookSoon plans the next look of a switch that frames pass.
func (ro *router) lookSoon(isl *sim.Island, now unit.Time, sw int32, t *teller) {
	if t.looks {
		return
	}
	t.looks = true
	every := int64(ro.cfg.Routing.Params.Tell)
	isl.At(unit.Time((int64(now)/every+1)*every), sim.MakeKey(sim.Timer, classLook, sw))
}

// Handle looks at the links of a switch and tells what has changed. It looks again while a link is not at its best.
func (h *look) Handle(isl *sim.Island, now unit.Time, owner int32) {
	ro := (*router)(h)
	w := &ro.forwarders[owner]
	t, p := w.teller, &w.setup.Params.DLB
	t.looks = false
	seen := view{links: ro.links, egress: ro.egress, now: now, ports: t.ports}
	var changed []tell
	busy := false
	for i, id := range t.ports {
		load := t.meters[i].Load(now, seen.Sent(i), ro.links.ports[id].rate, p.Sampling)
		band := uint8(p.Quality(load, seen.Waiting(i)))
		if band != t.last[i] {
			changed = append(changed, tell{id, band})
			t.last[i] = band
		}
		busy = busy || band > 0 || load > 0
	}
	if len(changed) > 0 {
		ro.tellAll(isl, now, t, changed)
	}
	if busy {
		ro.lookSoon(isl, now, owner, t)
	}
}

func (ro *router) tellAll(isl *sim.Island, now unit.Time, t *teller, tells []tell) {
	for _, id := range t.ports {
		p := &ro.links.ports[id]
		ro.tellOn(isl, id, p, message{at: now.Add(p.delay), tells: tells})
	}
}

// tellOn sends a message over a link.
func (ro *router) tellOn(isl *sim.Island, id PortID, p *port, m message) {
	if p.flags&flagFar != 0 && isl.Mails() {
		b := ro.links.opened(ro.links.state(isl), p, m.at)
		b.out.messages = append(b.out.messages, postedMessage{id, m})
		return
	}
	ro.telling(id, m)
}

// telling tells the receiving end of a link of a message under way.
func (ro *router) telling(id PortID, m message) {
	ro.messages[id] = append(ro.messages[id], m)
	ro.links.ingresses[id].isl.At(m.at, sim.MakeKey(sim.Arrival, classListen, int32(id)))
}

// Handle takes a message. Those of a link come in order, each with an event of its own.
func (h *listen) Handle(isl *sim.Island, now unit.Time, owner int32) {
	ro := (*router)(h)
	m := ro.messages[owner][0]
	ro.messages[owner] = ro.messages[owner][:copy(ro.messages[owner], ro.messages[owner][1:])]
	sw := ro.links.ingresses[owner].far
	for _, t := range m.tells {
		ro.forwarders[sw].teller.heard[t.port] = int8(t.band)
	}
	if m.signal != nil {
		ro.signal(isl, now, sw, *m.signal)
	}
}

// told is the quality of the best of the links by which the switch behind a port sends frames for a NIC on, as
// the switch at the port has heard; 0 where there is nothing to choose any more.
func (l *view) told(port PortID) int {
	g := l.links.graph
	next := g.Ports[port].To
	if l.routes.Home(next, l.to) {
		return 0
	}
	best := balance.Bands - 1
	for _, id := range l.routes.NextHops(next, l.to) {
		best = min(best, int(l.teller.heard[id]))
	}
	return best
}
