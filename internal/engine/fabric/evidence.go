package fabric

import (
	"cmp"
	"maps"
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// Evidence of congestion: which flow was marked where, whose bytes were ahead of whose, and from
// which queue a pause came. Reading queues takes time, so it is done only for traced frames and at
// an xOFF, and only a sample of a long queue is read.

// evidence is what is kept of it.
type evidence struct {
	*setup
	links  *links
	egress *egress
	buf    *buffers
	pfc    *pfc

	routeMarks []int32           // by route and hop, as routes
	marked     []map[int32]int64 // by port and flow, of frames whose next hop was chosen; nil: none is
	fill       []map[int32]int64 // by port
	loads      []*load           // by port; nil: no traced frame came by
}

// lookAt is the largest number of frames of one queue that are read.
const lookAt = 32

// look calls see with the k frames of a queue that are read, up to lookAt. If the queue has more, one
// frame of each of k equal parts is drawn.
func (q *queue) look(k uint32, salt uint64, see func(*Packet)) {
	i, at := uint32(0), uint64(0)
	draw := func() {
		at = uint64(i)
		if k < q.n { // one of each stratum
			lo, hi := uint64(i)*uint64(q.n)/uint64(k), uint64(i+1)*uint64(q.n)/uint64(k)
			at = lo + splitmix.Mix(salt^uint64(i))%(hi-lo)
		}
	}
	draw()
	q.each(func(n uint32, x *Packet) {
		if i < k && uint64(n) == at {
			see(x)
			i++
			draw()
		}
	})
}

// ownAhead estimates how long a frame that is about to be queued waits for frames of its own flow;
// for short queues it is exact. It also counts whose frames it waits for.
func (ev *evidence) ownAhead(now unit.Time, id PortID, o *port, q *queue, p *Packet) unit.Duration {
	var own unit.Duration
	if over := o.busyUntil.Sub(now); over > 0 && o.sent.flow == p.Flow && o.sent.op.Kind() == p.Kind() {
		own = over
	}
	k := min(q.n, lookAt)
	var bytes, frames int64
	ev.egress.look(now, int(id)*ev.nc+int(p.Class()), k, func(x *Packet) {
		if x.Flow == p.Flow && x.Kind() == p.Kind() {
			bytes += int64(x.Bytes)
			frames++
		}
	})
	ev.tally(now, id)
	if frames == 0 {
		return own
	}
	return own + ev.links.txTime(o, (bytes+frames*ev.links.overhead)*int64(q.n)/int64(k))
}

// tally counts whose bytes wait in the queues of a port.
func (ev *evidence) tally(now unit.Time, id PortID) {
	if ev.fill[id] == nil {
		ev.fill[id] = map[int32]int64{}
	}
	fill := ev.fill[id]
	for c := range ev.nc {
		i := int(id)*ev.nc + c
		q := &ev.egress.queues[i]
		k := min(q.n, lookAt)
		ev.egress.look(now, i, k, func(x *Packet) { fill[x.Flow] += int64(x.Bytes) * int64(q.n) / int64(k) })
	}
}

// Share is how many of some bytes belong to a flow.
type Share struct {
	Flow  int32
	Bytes int64
}

// Fill lists whose bytes waited in the queues of a port when a traced frame came to wait there, or
// when the port made the switch pause a sender; largest first. The values are sums over such
// instants: only their proportions mean something.
func (ev *evidence) Fill(id PortID) []Share {
	var all []Share
	for _, flow := range slices.Sorted(maps.Keys(ev.fill[id])) {
		all = append(all, Share{flow, ev.fill[id][flow]})
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// Position returns the index of a route's hop-th link in counters by route and hop.
func (r Route) Position(hop int) int { return int(r) - 1 + hop }

// Marked returns how many frames of a route were marked at the port of its hop-th link.
func (ev *evidence) Marked(r Route, hop int) int64 { return int64(ev.routeMarks[r.Position(hop)]) }

// noteMark counts a mark: by route and hop or, where the route does not say the port, by port and flow.
func (ev *evidence) noteMark(id PortID, pk *Packet) {
	if !pk.chosen() {
		ev.routeMarks[pk.route-1]++
		return
	}
	if ev.marked[id] == nil {
		ev.marked[id] = map[int32]int64{}
	}
	ev.marked[id][pk.Flow]++
}

// MarkedAt calls see with how many frames of which flow were marked at which port, of frames whose next hop was
// chosen at each switch: in order of port and flow.
func (ev *evidence) MarkedAt(see func(id PortID, flow int32, marks int64)) {
	for id, flows := range ev.marked {
		for _, flow := range slices.Sorted(maps.Keys(flows)) {
			see(PortID(id), flow, flows[flow])
		}
	}
}

// PauseRoot returns the port whose queue caused the last pause of a class of port id: a pause
// spreads from there hop by hop. -1: it was never paused. The port itself: its peer is a host and
// sent the pause.
func (ev *evidence) PauseRoot(id PortID, class uint8) PortID {
	return ev.egress.slow[int(id)*ev.nc+int(class)].hold.root
}

// RootTime is how long a port was paused because of another port.
type RootTime struct {
	Root PortID
	Time unit.Duration
}

// PausedFor lists how long a port was paused because of which ports, up to now, in order of their
// numbers.
func (ev *evidence) PausedFor(now unit.Time, id PortID) []RootTime {
	all := slices.Clone(ev.pfc.pausedFor[id])
	for c := range ev.nc {
		if q := &ev.egress.slow[int(id)*ev.nc+c].hold; q.on {
			all = AddRoot(all, q.root, now.Sub(q.rootSince))
		}
	}
	slices.SortFunc(all, func(a, b RootTime) int { return cmp.Compare(a.Root, b.Root) })
	return all
}

// AddRoot adds a time to that of a port.
func AddRoot(all []RootTime, root PortID, d unit.Duration) []RootTime {
	for i := range all {
		if all[i].Root == root {
			all[i].Time += d
			return all
		}
	}
	return append(all, RootTime{root, d})
}

// blame finds the root of a pause that a switch is about to send to ingress in: the egress queue
// that holds most of the bytes from there or, if that port is paused itself, the root of that
// pause. If no bytes wait it is port out, to which the frame that caused the pause goes.
func (ev *evidence) blame(now unit.Time, in, out PortID, class uint8) PortID {
	n := &ev.buf.nodes[ev.links.ingresses[in].far]
	root, most := out, int64(0)
	whole := ev.crowded(in, n, class)
	for _, id := range ev.graph.Nodes[n.id].Ports {
		i := int(id)*ev.nc + int(class)
		held := ev.egress.queues[i].bytes
		if !whole {
			held = ev.from(now, i, int32(int(in)*ev.nc+int(class)))
		}
		if held > most {
			root, most = id, held
		}
	}
	if most == 0 {
		return root
	}
	ev.tally(now, root)
	if q := &ev.egress.slow[int(root)*ev.nc+int(class)].hold; q.on && q.root >= 0 {
		return q.root
	}
	return root
}

// crowded reports whether an ingress is over its threshold because other accounts fill the buffer:
// it holds less than a quarter of what it could hold in an empty buffer.
func (ev *evidence) crowded(in PortID, n *node, class uint8) bool {
	a := &ev.buf.accounts[int(in)*ev.nc+int(class)]
	return !n.fixed && 4*(a.used+a.headroom) < ev.links.ingresses[in].xoff.at(n.size)
}

// from estimates how many bytes of a queue are charged to an account: those of its class that came in by a port.
func (ev *evidence) from(now unit.Time, i int, account int32) int64 {
	q := &ev.egress.queues[i]
	k := min(q.n, lookAt)
	bytes := int64(0)
	ev.egress.look(now, i, k, func(x *Packet) {
		if x.account() == account {
			bytes += int64(x.Bytes)
		}
	})
	if k == 0 {
		return 0
	}
	return bytes * int64(q.n) / int64(k)
}

// Loss is a frame that did not arrive.
type Loss struct {
	At   unit.Time
	Port PortID // whose queue had no room, whose link lost it, or by which it came to where it was lost
	Kind Kind
	Flow int32
	Seq  uint32 // PSN
	Why  LossKind
	Far  bool // who tells is at the other end of the port's link, to which the frame was on its way
}

// LossKind says why a frame did not arrive.
type LossKind uint8

// The kinds of loss.
const (
	LostInBuffer     LossKind = iota // it was full
	LostOnLink                       // to a fault of the link
	LostWithoutRoute                 // the switch knew no way on, or the frame had passed too many
	LostInNIC                        // the NIC that it came to kept as many packets past a gap as it can: told by the NIC
	LostOversize                     // it was longer than a misconfigured port takes
	LostInReboot                     // its switch went down with it
	LostByWatchdog                   // the watchdog emptied the queue
	LostAtThreshold                  // its queue was as long as its drop threshold
	LostBeforePCIe                   // the NIC that it came to had no room: PCIe is slower than its link
)

// lost drops a frame. The loss says where, when, why, and which end tells.
func (f *Fabric) lost(isl *sim.Island, p *Packet, l Loss) {
	f.traceDrop(isl, p)
	if f.cfg.OnLoss != nil {
		l.Kind, l.Flow, l.Seq = p.Kind(), p.Flow, p.PSN()
		f.cfg.OnLoss(isl.Index(), l)
	}
}
