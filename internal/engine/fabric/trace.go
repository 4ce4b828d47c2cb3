package fabric

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// MaxHops is the longest path that a frame may take, in links.
const MaxHops = 16

// Hop is one link of a traced frame's way.
type Hop struct {
	Port  PortID
	Root  PortID        // with Pause: the port whose queue caused it, see Fabric.PauseRoot
	Ready unit.Time     // in the egress queue; at a NIC the start of transmission
	Start unit.Time     // first bit on the link
	Pause unit.Duration // of the time between: the queue was held by PFC
	Own   unit.Duration // of the rest, at most this was for earlier frames of the same flow

	// In-band telemetry of the port, as the frame's first bit left (HPCC, SIGCOMM'19, figure 7).
	Queue unit.Bytes // waiting behind the frame, all classes
	// TxBytes were sent before the frame since the start of the run, with preamble and gap: what
	// the link's rate is about.
	TxBytes unit.Bytes
	Held    unit.Duration // how long its class had been paused by then, since the start of the run

	pausedAt unit.Duration
}

// Trace is the way of one frame through the fabric.
type Trace struct {
	N     int // hops
	Bytes unit.Bytes
	Edge  Edge

	near   [nearHops]Hop
	far    []Hop     // behind those; the next frame in the slot uses its memory again
	heldAt unit.Time // since when a switch holds the frame, 0: none does
}

// nearHops have a place in each trace: the links between two hosts under leaves and spines. Large
// networks have hundreds of thousands of traces.
const nearHops = 4

// Hop returns a link of the way, i < N.
func (t *Trace) Hop(i int) *Hop {
	if i < nearHops {
		return &t.near[i]
	}
	return &t.far[i-nearHops]
}

// add notes another link, and returns it: zero.
func (t *Trace) add() *Hop {
	if t.N >= nearHops {
		t.far = append(t.far, Hop{})
	} else {
		t.near[t.N] = Hop{}
	}
	t.N++
	return t.Hop(t.N - 1)
}

// Edge is what the NIC that sends a frame tells the one that gets it, beside what Packet has (see
// package nic); the fabric carries it. What its opcode does not call for is not valid.
type Edge struct {
	// With the first packet of a message, or each: where it goes, and what the sending host says of
	// it.
	Landing       Landing
	Payload       []byte // the message's bytes, where they lie until they are acknowledged; nil: nothing real
	Header        [4]int64
	Posted, Asked unit.Time
	Part          bool // not the last of the messages that the sender made of one
	Again         bool // the packet has been sent before
	// With the last packet, or each: what held up the message until the packet left.
	Sender cause.Split
	PCIe   int32           // the link inside the sending host where most of its PCIe passed; -1: none in particular
	Before []cause.Segment // in order of time, as far as the sender keeps it; only with the last
}

// Landing says where the bytes of an RDMA WRITE go, as the RDMA extended transport header does (IBTA
// vol. 1, 9.3), with the first packet's PSN, so that any packet of the message can be placed.
type Landing struct {
	Address uint64
	Key     uint32
	PSN     uint32 // of the message's first packet
	Length  unit.Bytes
}

// tracing is who writes traces: ports, as frames with one come and leave.
type tracing struct {
	*setup
	links    *links
	egress   *egress
	pfc      *pfc
	evidence *evidence
}

// traced reports whether the way of a frame is noted. With telemetry, an acknowledgement carries
// the way of the data packet back instead of its own.
func (s *setup) traced(p *Packet) bool {
	return p.attach != 0 && !p.counts() && (p.data() || !s.cfg.Telemetry)
}

// StartTrace gives a trace to a frame that is about to leave a NIC's port. The fabric fills in the
// hops; the sink that receives the frame takes the trace with TakeTrace. The trace of a dropped
// frame is discarded.
func (tr *tracing) StartTrace(isl *sim.Island, now unit.Time, id PortID, p *Packet) *Trace {
	slot := tr.links.traceSlot(isl.Index())
	t := tr.links.traceAt(slot)
	t.N, t.far, t.heldAt = 0, t.far[:0], 0
	t.Bytes = unit.Bytes(p.Bytes)
	first := t.add()
	first.Port, first.Ready, first.Start, first.Root = id, now, now, -1
	if !p.data() {
		first.Ready = unit.Time(p.at)
	}
	p.attach = slot + 1
	return t
}

// copyTrace gives a duplicated frame a trace of its own.
func (tr *tracing) copyTrace(isl *sim.Island, p *Packet) {
	if p.attach != 0 && !p.counts() {
		slot := tr.links.traceSlot(isl.Index())
		t := tr.links.traceAt(slot)
		*t = *tr.links.traceAt(p.attach - 1)
		t.Edge.Before, t.far = slices.Clone(t.Edge.Before), slices.Clone(t.far)
		p.attach = slot + 1
	}
}

// TakeTrace returns the trace of a received frame, nil if it has none. It is valid until the next
// StartTrace of the island.
func (tr *tracing) TakeTrace(isl *sim.Island, p *Packet) *Trace {
	if p.attach == 0 || p.counts() {
		return nil
	}
	slot := p.attach - 1
	p.attach = 0
	st := tr.links.state(isl)
	st.traces.free = append(st.traces.free, slot)
	return tr.links.traceAt(slot)
}

func (tr *tracing) traceDrop(isl *sim.Island, p *Packet) { tr.TakeTrace(isl, p) }

// Trace returns a frame's trace without taking it, nil if it has none.
func (tr *tracing) Trace(_ *sim.Island, p *Packet) *Trace {
	return tr.links.traceOf(p)
}

// PassTrace moves the trace of a received frame to the acknowledgement that goes back, which then
// carries the telemetry. Nothing is added to it on the way.
func (tr *tracing) PassTrace(_ *sim.Island, from, to *Packet) {
	to.attach, from.attach = from.attach, 0
}

func (tr *tracing) traceEnqueue(now unit.Time, id PortID, o *port, q *queue, p *Packet) {
	t := tr.links.traceAt(p.attach - 1)
	h := t.add()
	h.Port, h.Ready, h.Start, h.Root, h.pausedAt = id, now, -1, -1, tr.pfc.pausedBy(now, id, p.Class())
	if q.n > 0 || now < o.busyUntil {
		h.Own = tr.evidence.ownAhead(now, id, o, q, p)
	}
	if t.heldAt > 0 { // for frames of its own flow
		h.Own += now.Sub(t.heldAt)
		h.Ready, t.heldAt = t.heldAt, 0
	}
}

func (tr *tracing) traceStart(now unit.Time, id PortID, p *port, pk *Packet) {
	t := tr.links.traceAt(pk.attach - 1)
	h := t.Hop(t.N - 1)
	h.TxBytes = unit.Bytes(p.txBytes)
	h.Held = tr.pfc.pausedBy(now, id, pk.Class())
	tr.evidence.noteLoad(now, id, pk.Class(), p.txBytes, h.Held)
	if tr.cfg.Telemetry && p.flags&flagHost == 0 {
		for c := range tr.nc {
			h.Queue += unit.Bytes(tr.egress.queues[int(id)*tr.nc+c].bytes)
		}
	}
	if h.Start >= 0 {
		return // at the NIC
	}
	h.Start = now
	if h.Pause = h.Held - h.pausedAt; h.Pause > 0 {
		h.Root = tr.evidence.PauseRoot(h.Port, pk.Class())
	}
	h.Own = min(h.Own, h.Start.Sub(h.Ready)-h.Pause)
}

// Way splits the time that a frame takes along the first n links of a route in an empty network,
// from its first bit until the far host acts on it.
func (f *Fabric) Way(r Route, n int, frame unit.Bytes) (s cause.Split) {
	for i := range n {
		id := f.routes[int(r)-1+i]
		p := &f.links.ports[id]
		s[cause.Serialisation] += f.links.wholeTime(id, int64(frame)+f.links.overhead+int64(f.Tunnel(id)))
		s[cause.Propagation] += p.cable
		if f.links.ingresses[id].far >= 0 {
			s[cause.SwitchLatency] += p.delay - p.cable
		} else {
			s[cause.NIC] += p.delay - p.cable
		}
	}
	return s
}

// Part is a span of a frame's way with its cause, at a port.
type Part struct {
	Until unit.Time
	Cause cause.Cause
	Port  PortID
	Root  PortID // of a pause, see Fabric.PauseRoot; else -1
}

// Parts appends the way of a frame as spans without gaps, from the moment its first bit leaves the
// NIC (for an acknowledgement: from when the NIC queued it) until the sink gets it. Within one wait
// at a port, a pause comes first, then frames of its own flow, then those of others.
func (tr *tracing) Parts(parts []Part, t *Trace) []Part {
	for i := range t.N {
		h := t.Hop(i)
		p := &tr.links.ports[h.Port]
		add := func(until unit.Time, c cause.Cause, root PortID) {
			from := t.Hop(0).Ready
			if len(parts) > 0 {
				from = parts[len(parts)-1].Until
			}
			if until > from {
				parts = append(parts, Part{until, c, h.Port, root})
			}
		}
		if i > 0 {
			add(h.Ready, cause.Propagation, -1) // a link that reorders kept it back
		}
		if i > 0 || h.Start > h.Ready {
			add(h.Ready.Add(h.Pause), cause.Pause, h.Root)
			add(h.Ready.Add(h.Pause+h.Own), cause.OwnQueueing, -1)
			add(h.Start, cause.Queueing, -1)
		}
		end := h.Start.Add(tr.links.timeFrom(h.Start, h.Port, int64(t.Bytes)+tr.links.overhead+int64(tr.Tunnel(h.Port))))
		add(end, cause.Serialisation, -1)
		add(end.Add(p.cable), cause.Propagation, -1)
		if tr.links.ingresses[h.Port].far >= 0 {
			add(end.Add(p.delay), cause.SwitchLatency, -1)
		} else {
			add(end.Add(p.delay), cause.NIC, -1)
		}
	}
	return parts
}
