package nic

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// probeEvery: of so many packets of a queue pair the way of one is traced, besides the first and
// last of each message.
const probeEvery = 64

// HopEvidence is what the traced packets of a queue pair, or their acknowledgements, met at one
// port of their path.
type HopEvidence struct {
	Frames             int64 // traced
	Own, Others, Pause unit.Duration
	Roots              []fabric.RootTime // of Pause

	// Between the first packet of a message and its last, summed over messages of several packets:
	Span         unit.Duration
	Served, Mine unit.Bytes // on the link, preamble and gap included: of all, and of the message
}

// hopMark is what the first packet of a message saw at a port.
type hopMark struct {
	at   unit.Time
	sent unit.Bytes
}

// Evidence returns what the packets of a queue pair met at the hop-th link of their path (with
// back: what their acknowledgements met on theirs), and how many of all of them were marked there.
func (n *Net) Evidence(id int32, back bool, hop int) (e HopEvidence, marked int64) {
	r := n.qps[id].route
	if back {
		r = n.ends[id].route
	}
	return n.seen[r.Position(hop)], n.fab.Marked(r, hop)
}

// witness adds what a traced frame met on its way.
func (n *Net) witness(tr *fabric.Trace, r fabric.Route) {
	for i := range tr.N {
		h, e := &tr.Hops[i], &n.seen[r.Position(i)]
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
func (m *message) noteFirst(tr *fabric.Trace) {
	m.first = m.first[:0]
	for i := range tr.N {
		m.first = append(m.first, hopMark{tr.Hops[i].Start, tr.Hops[i].TxBytes})
	}
}

// weigh adds up what the ports of a message's path sent between its first packet and its last.
func (n *Net) weigh(q *qp, m *message, tr *fabric.Trace) {
	if len(m.first) != tr.N {
		return
	}
	mtu := n.cfg.Transport.MTU
	packets := (m.flow.Bytes+mtu-1)/mtu - 1 // without the last
	mine := packets * n.cfg.Frames.OnLink(n.cfg.Frames.DataFrame(mtu, false, false))
	for i, f := range m.first {
		h := &tr.Hops[i]
		if h.Start <= f.at {
			continue
		}
		e := &n.seen[q.route.Position(i)]
		e.Span += h.Start.Sub(f.at)
		e.Served += h.TxBytes - f.sent
		e.Mine += min(mine, h.TxBytes-f.sent)
	}
}

// wayBack explains the time between the acceptance of a message's last packet and the
// acknowledgement: into n.segments the part after the message was placed; if messages complete at
// the sender, into their causes.
//
// The way of the acknowledgement of the last packet is traced. If another acknowledgement answered
// instead, its way is taken as that of an empty network; the rest of the time went into sending
// again or, if nothing was sent again, into queues.
func (n *Net) wayBack(q *qp, m *message) {
	if !n.cfg.CompleteAtSender && !q.log {
		return
	}
	w := wayHome{n: n, q: q, m: m, at: m.accepted}
	n.segments = n.segments[:0]
	if n.cfg.CompleteAtSender {
		s := &m.flow.Split
		s[cause.PCIe] -= max(0, m.pcie.Sub(m.accepted))
		s[cause.NVLink] -= m.flow.Placed.Sub(max(m.pcie, m.accepted))
	}
	if q.timedOut <= m.accepted && n.answers(m) {
		n.parts = n.fab.Parts(n.parts[:0], n.answer)
		for _, p := range n.parts {
			w.add(p.Until, p.Cause, p.Port, p.Root)
		}
		return
	}
	way := n.fab.Way(n.ends[m.flow.QP].route, q.hopsBack, n.cfg.Frames.ACK)
	c := cause.Queueing
	if q.timedOut > m.accepted {
		c = cause.Retransmission
	}
	w.add(n.ackedAt.Add(-way.Sum()), c, n.nics[n.ends[m.flow.QP].nic].port, -1)
	for c, d := range way {
		w.add(w.at.Add(d), cause.Cause(c), -1, -1)
	}
}

// answers reports whether the acknowledgement being handled is the one that the NIC queued as it
// accepted the message's last packet.
func (n *Net) answers(m *message) bool {
	return n.answer != nil && n.answer.Hops[0].Ready == m.accepted
}

// wayHome is the way of an acknowledgement, explained up to at.
type wayHome struct {
	n  *Net
	q  *qp
	m  *message
	at unit.Time
}

func (w *wayHome) add(until unit.Time, c cause.Cause, port, root topo.PortID) {
	if until = min(until, w.n.ackedAt); until <= w.at {
		return
	}
	if w.n.cfg.CompleteAtSender {
		w.m.flow.Split[c] += until.Sub(w.at)
		w.m.flow.wait(c, port, root, true, until.Sub(w.at))
	}
	if w.at = until; !w.q.log || until <= w.m.flow.Placed {
		return
	}
	switch c {
	case cause.Pause:
		port = root
	case cause.Queueing, cause.Retransmission:
	default: // for a rank that waits for it, its way has one cause
		c, port = cause.Acknowledgement, -1
	}
	w.n.segments = append(w.n.segments, exec.Segment{Until: until, Cause: c, At: int32(port)})
}
