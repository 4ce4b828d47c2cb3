package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// EventKind says what happened at a port.
type EventKind uint8

// The kinds of event. What was dropped or lost is a Loss.
const (
	EventMark     EventKind = iota // a packet was marked in a queue of the port
	EventXOFF                      // what a switch or a NIC holds from the link crossed xOFF: it stops the port
	EventXON                       // it fell below xON: the port may go on
	EventPause                     // the port stopped: xOFF has reached it
	EventResume                    // it goes on: xON has reached it, or its pause ran out
	EventOverMin                   // its queue rose above where marking begins
	EventOverMax                   // above where all packets are marked
	EventUnderMax                  // it fell below again
	EventUnderMin
	EventPath     // a switch sends a flow on by this port, which took another before
	EventWatchdog // the watchdog takes a queue out of PFC that has been paused for too long
	EventRestored // it puts it back
	EventGaveUp   // ConWeave: a last switch gives up a tail and lets pass what it held of the flow
	EventKinds    // how many there are
)

// Event is something that happened at a port, for Config.OnEvent.
type Event struct {
	At        unit.Time
	Port      PortID
	Root      PortID // of xOFF, a pause and a watchdog: the port from whose queue it spread; of a path: the one before; else -1
	Flow      int32  // of a mark, a switch's xOFF, a path and a tail: whose frame it was; else -1
	PSN       uint32 // of the frame, with Flow
	Frame     Kind   // with Flow
	Kind      EventKind
	Class     uint8
	Bytes     unit.Bytes // that the queue held, or the switch from the link
	Threshold unit.Bytes // that they crossed; of a mark, where marking begins
}

// Far reports whether who tells is at the other end of the port's link: who holds what came over it says that it has come to
// xOFF or xON.
func (e *Event) Far() bool { return e.Kind == EventXOFF || e.Kind == EventXON }

// EndOf numbers the ends from which something is told of ports: of each port its own, then the far one of its link. These may
// be in two islands, so what is told at one instant is to be in this order.
func EndOf(port PortID, far bool) int32 {
	end := 2 * int32(port)
	if far {
		end++
	}
	return end
}

// witness is who tells what happens at ports.
type witness struct {
	*setup
	links  *links
	egress *egress
	buf    *buffers
}

// Nothing of this is on the way of a frame through a network that nobody watches: each call stands
// behind a comparison of Config.OnEvent with nil.

// tellMark tells of a packet that a queue of so many bytes has marked.
func (wi *witness) tellMark(isl *sim.Island, now unit.Time, id PortID, c int, bytes int64, pk *Packet) {
	wi.cfg.OnEvent(isl.Index(), Event{At: now, Port: id, Root: -1, Flow: pk.Flow, PSN: pk.PSN(), Frame: pk.Kind(),
		Kind: EventMark, Class: uint8(c), Bytes: unit.Bytes(bytes),
		Threshold: unit.Bytes(wi.egress.slow[int(id)*wi.nc+c].mark.low)})
}

// tellHeld tells that what a switch holds from a link has crossed xOFF or xON; pk did it, nil: none.
func (wi *witness) tellHeld(isl *sim.Island, now unit.Time, in PortID, a *account, class uint8, pk *Packet) {
	i := &wi.links.ingresses[in]
	n := &wi.buf.nodes[i.far]
	e := Event{At: now, Port: in, Root: -1, Flow: -1, Kind: EventXON, Class: class,
		Bytes: unit.Bytes(a.used + a.headroom), Threshold: unit.Bytes(n.reserve + i.xoff.at(n.size-n.shared))}
	if pk != nil {
		e.Root = wi.buf.ledgers[int(i.first)+int(class)].root
		e.Kind, e.Flow, e.PSN, e.Frame = EventXOFF, pk.Flow, pk.PSN(), pk.Kind()
	} else {
		e.Threshold = max(0, e.Threshold-unit.Bytes(n.resume))
	}
	wi.cfg.OnEvent(isl.Index(), e)
}

// TellHost tells that what the NIC of a port holds of a class has crossed its xOFF, or else its xON.
func (f *Fabric) TellHost(isl *sim.Island, now unit.Time, id PortID, class uint8, over bool,
	held, threshold unit.Bytes) {
	if f.cfg.OnEvent == nil {
		return
	}
	e := Event{At: now, Port: id ^ 1, Root: -1, Flow: -1, Kind: EventXON, Class: class, Bytes: held, Threshold: threshold}
	if over {
		e.Kind, e.Root = EventXOFF, id^1
	}
	f.cfg.OnEvent(isl.Index(), e)
}

// tellPause tells that a port has stopped or goes on.
func (wi *witness) tellPause(isl *sim.Island, now unit.Time, id PortID, class uint8, on bool) {
	e := Event{At: now, Port: id, Root: -1, Flow: -1, Kind: EventResume, Class: class,
		Bytes: unit.Bytes(wi.egress.queues[int(id)*wi.nc+int(class)].bytes)}
	if on {
		e.Kind, e.Root = EventPause, wi.egress.slow[int(id)*wi.nc+int(class)].hold.root
	}
	wi.cfg.OnEvent(isl.Index(), e)
}

// tellPath tells if a switch sends a flow on by another port than before. The two directions of a queue
// pair are two flows.
func (wi *witness) tellPath(isl *sim.Island, now unit.Time, w *forwarder, pk *Packet, to topo.NICID, port PortID) {
	if w.told == nil {
		w.told = map[uint64]PortID{}
	}
	key := uint64(uint32(pk.Flow))<<32 | uint64(uint32(to))
	before, known := w.told[key]
	if w.told[key] = port; !known || before == port {
		return
	}
	wi.cfg.OnEvent(isl.Index(), Event{At: now, Port: port, Root: before, Flow: pk.Flow, PSN: pk.PSN(), Frame: pk.Kind(),
		Kind: EventPath, Class: pk.Class()})
}

// tellLevel tells if a queue has crossed where its marking begins or where it is certain. The queue
// has changed.
func (wi *witness) tellLevel(isl *sim.Island, now unit.Time, id PortID, c int, q *queue) {
	e := Event{At: now, Port: id, Root: -1, Flow: -1, Class: uint8(c), Bytes: unit.Bytes(q.bytes)}
	for _, x := range wi.egress.slow[int(id)*wi.nc+c].crossings(q.bytes) {
		e.Kind, e.Threshold = x.kind, x.threshold
		wi.cfg.OnEvent(isl.Index(), e)
	}
}
