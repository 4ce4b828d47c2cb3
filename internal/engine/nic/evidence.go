package nic

import (
	"cmp"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/net/topo"
)

// probeEvery: of so many packets of a message the way of one is traced, from the first on, and that of the last. Which they
// are does not depend on what the queue pair sent before, so that what it does again it tells again: see package reuse.
const probeEvery = 64

// HopEvidence is what the traced packets of a queue pair, or their acknowledgements, met at one
// port of their path.
type HopEvidence struct {
	Frames             int64 // traced
	Own, Others, Pause unit.Duration
	Roots              []fabric.RootTime // of Pause

	// Between the first packet of a message and its last, summed over messages of several packets:
	Span         unit.Duration
	Held         unit.Duration // of Span: the port's queue was paused
	Served, Mine unit.Bytes    // on the link, preamble and gap included: of all, and of the message
}

// hopMark is what the first packet of a message saw at a port.
type hopMark struct {
	port topo.PortID
	at   unit.Time
	sent unit.Bytes
	held unit.Duration
}

// PortEvidence is what the packets of a queue pair met at a port, with how many of all of them, traced or not,
// were marked there.
type PortEvidence struct {
	Port topo.PortID
	HopEvidence
	Marked int64
}

// met is what the frames of a queue pair in one direction met, where each switch chose their next hops.
type met struct {
	index map[topo.PortID]int
	ports []PortEvidence
	hops  []int // by the index: the least number of switches before the port
}

func newMet() *met { return &met{index: map[topo.PortID]int{}} }

func (m *met) at(port topo.PortID, hop int) *PortEvidence {
	i, known := m.index[port]
	if !known {
		i = len(m.ports)
		m.index[port] = i
		m.ports, m.hops = append(m.ports, PortEvidence{Port: port}), append(m.hops, hop)
	}
	m.hops[i] = min(m.hops[i], hop)
	return &m.ports[i]
}

// metBy returns what frames of a queue pair met whose next hops were chosen; nil: they kept to their path.
func (n *Net) metBy(id int32, back bool) *met {
	if back {
		return n.met[2*id+1]
	}
	return n.met[2*id]
}

// at returns the evidence of the hop-th link of a way, which is at a port.
func (n *Net) at(m *met, r fabric.Route, hop int, port topo.PortID) *HopEvidence {
	if m == nil {
		return &n.seen[r.Position(hop)]
	}
	return &m.at(port, hop).HopEvidence
}

// noteMarks adds the marks of frames whose next hops were chosen to what they met.
func (n *Net) noteMarks() {
	if n.marksNoted {
		return
	}
	n.marksNoted = true
	n.fab.MarkedAt(func(port fabric.PortID, flow int32, marks int64) {
		n.met[2*flow].at(port, fabric.MaxHops).Marked = marks
	})
}

// Evidence returns what the packets of a queue pair met at each port of their path or paths (with back: what
// their acknowledgements met on theirs), the NIC's own first. It is for when the run is over.
func (n *Net) Evidence(id int32, back bool) []PortEvidence {
	if m := n.metBy(id, back); m != nil {
		n.noteMarks()
		order := make([]int, len(m.ports))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(m.hops[a], m.hops[b]), cmp.Compare(m.ports[a].Port, m.ports[b].Port))
		})
		all := make([]PortEvidence, len(order))
		for i, k := range order {
			all[i] = m.ports[k]
		}
		return all
	}
	r, path := n.senders[id].route, n.paths[id][0]
	if back {
		r, path = n.senders[id].back, n.paths[id][1]
	}
	all := make([]PortEvidence, len(path))
	for hop, port := range path {
		all[hop] = PortEvidence{port, n.seen[r.Position(hop)], n.fab.Marked(r, hop)}
	}
	return all
}

// witness adds what a traced frame met on its way. What data met is the receiver's, what
// acknowledgements met the sender's.
func (n *Net) witness(tr *fabric.Trace, m *met, r fabric.Route) {
	for i := range tr.N {
		h := tr.Hop(i)
		e := n.at(m, r, i, h.Port)
		e.Frames++
		if h.Start == h.Ready {
			continue
		}
		e.Own += h.Own
		e.Pause += h.Pause
		e.Others += h.Start.Sub(h.Ready) - h.Own - h.Pause
		if h.Pause > 0 {
			e.Roots = fabric.AddRoot(e.Roots, h.Root, h.Pause)
		}
	}
}

// noteFirst keeps what a message's first packet met.
func (a *arrival) noteFirst(tr *fabric.Trace) {
	a.first = a.first[:0]
	for i := range tr.N {
		h := tr.Hop(i)
		a.first = append(a.first, hopMark{h.Port, h.Start, h.TxBytes, h.Held})
	}
}

// weigh adds up what the ports sent between a message's first packet and its last that both came by.
func (r *receiver) weigh(a *arrival, tr *fabric.Trace) {
	if len(a.first) != tr.N {
		return
	}
	n := r.card.net
	mtu, frames := n.cfg.Transport.MTU, &n.cfg.Frames
	packets := (a.bytes+mtu-1)/mtu - 1 // without the last
	each := frames.OnLink(frames.DataFrame(mtu, n.cfg.Transport.Receiver == roce.Direct, false))
	for i, f := range a.first {
		h := tr.Hop(i)
		if h.Start <= f.at || h.Port != f.port {
			continue
		}
		e := n.at(n.metBy(r.id, false), r.way, i, h.Port)
		e.Span += h.Start.Sub(f.at)
		e.Held += h.Held - f.held
		e.Served += h.TxBytes - f.sent
		e.Mine += min(packets*(each+n.fab.Tunnel(h.Port)), h.TxBytes-f.sent)
	}
}

// wayBack explains the time between the acceptance of a message's last packet and the
// acknowledgement: into the island's segments the part after the message was placed; if messages
// complete at the sender, into their causes.
//
// The way of the acknowledgement of the last packet is traced. If another acknowledgement answered
// instead, its way is taken as that of an empty network; the rest of the time went into sending
// again or, if nothing was sent again, into queues.
func (s *sender) wayBack(now unit.Time, m *message, x *note) {
	n, own := s.card.net, s.card.isl
	own.segments = own.segments[:0]
	if !n.cfg.CompleteAtSender && !s.log {
		return
	}
	w := wayHome{s: s, m: m, at: x.accepted, end: now}
	if n.cfg.CompleteAtSender {
		split := &m.flow.Split
		split[cause.PCIe] -= max(0, x.crossed.Sub(x.accepted))
		m.flow.Inside.Crossing = 0
		split[cause.NVLink] -= x.placed.Sub(max(x.crossed, x.accepted))
	}
	// The acknowledgement being handled is the one that the NIC queued as it accepted the message's
	// last packet.
	if a := own.answer; s.retried <= x.accepted && a != nil && a.Hop(0).Ready == x.accepted {
		own.parts = n.fab.Parts(own.parts[:0], a)
		for _, p := range own.parts {
			w.add(p.Until, p.Cause, p.Port, p.Root)
		}
		w.add(now, cause.Propagation, a.Hop(a.N-1).Port, -1) // a last link that reorders kept it back
		return
	}
	way := n.fab.Way(s.back, s.hopsBack, n.cfg.Frames.ACK)
	c := cause.Queueing
	if s.retried > x.accepted {
		c = cause.Retransmission
	}
	w.add(now.Add(-way.Sum()), c, s.answerer, -1)
	for c, d := range way {
		w.add(w.at.Add(d), cause.Cause(c), -1, -1)
	}
}

// wayHome is the way of an acknowledgement, explained up to at.
type wayHome struct {
	s       *sender
	m       *message
	at, end unit.Time
}

func (w *wayHome) add(until unit.Time, c cause.Cause, port, root topo.PortID) {
	if until = min(until, w.end); until <= w.at {
		return
	}
	f, own := &w.m.flow, w.s.card.isl
	if w.s.card.net.cfg.CompleteAtSender {
		f.Split[c] += until.Sub(w.at)
		f.Hops = wait(f.Hops, c, port, root, true, until.Sub(w.at))
	}
	if w.at = until; !w.s.log || until <= f.Placed {
		return
	}
	switch c {
	case cause.Pause:
		port = root
	case cause.Queueing, cause.Retransmission:
	default: // for a rank that waits for it, its way has one cause
		c, port = cause.Acknowledgement, -1
	}
	own.segments = append(own.segments, cause.Segment{Until: until, Cause: c, At: int32(port)})
}
