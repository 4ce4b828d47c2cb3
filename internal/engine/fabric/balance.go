package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/balance"
	"railyard/internal/net/topo"
)

// Routing says how frames find their way whose next hop each switch chooses (see Fabric.RouteTo). Frames on a
// path that was added as one (AddRoute) take that.
type Routing struct {
	balance.Tables
	// Hash returns the hash of a frame's headers at a switch: of a flow, in the direction of a NIC. With an
	// entropy other than 0, that is the frame's UDP source port.
	Hash func(flow int32, to topo.NICID, entropy uint16, at topo.NodeID) uint64
}

// A route of a frame whose next hop is chosen at each switch:
//
//	 31 30     27 26                            0
//	+--+---------+-------------------------------+
//	|1 | switches|  NIC that it goes to          |
//	+--+---------+-------------------------------+
//
// Switches: how many it has passed.
const (
	routeChosen = 1 << 31
	routeHop    = 1 << 27
)

// RouteTo returns the route of frames for a NIC whose next hop each switch chooses.
func (f *Fabric) RouteTo(to topo.NICID) Route { return routeChosen | Route(to) }

// chosen reports whether the frame's next hop is chosen at each switch.
func (p *Packet) chosen() bool { return p.route&routeChosen != 0 }

// to is the NIC that a frame goes to whose next hop is chosen.
func (p *Packet) to() topo.NICID { return topo.NICID(p.route & (routeHop - 1)) }

// passed is how many switches it has passed.
func (p *Packet) passed() int { return int(p.route &^ routeChosen / routeHop) }

// router is the switches that choose next hops, and what they tell each other for that.
type router struct {
	*setup
	f          *Fabric // whose queues get what a switch has held back
	links      *links
	egress     *egress
	forwarders []forwarder  // by switch; nil where all routes are paths
	begins     []topo.NICID // by flow: see Begins
	messages   [][]message  // by link: what switches tell, on its way
}

// forwarder is what a switch keeps for choosing next hops. It belongs to the switch's island.
type forwarder struct {
	at       topo.NodeID
	setup    *balance.Setup
	epoch    int
	groups   map[int32]*hops
	view     view
	teller   *teller   // nil: the method looks at the own links only
	restorer *restorer // nil: the method holds no frames

	told map[uint64]PortID // for who watches: by flow and where it goes, the port that was picked last
}

// hops is a group of next hops with its state.
type hops struct {
	ports   []PortID
	chooser balance.Chooser
	stream  sim.Stream
	picked  map[uint64]PortID // static methods: by flow
}

// view shows a group its ports: balance.Links.
type view struct {
	links  *links
	egress *egress
	now    unit.Time
	ports  []PortID
	to     topo.NICID
	routes *topo.Routes
	teller *teller
}

func (l *view) Drain(i int) unit.Duration {
	id := l.ports[i]
	p := &l.links.ports[id]
	return max(0, p.busyUntil.Sub(l.now)) + l.links.txTime(p, int64(l.Waiting(i)))
}

func (l *view) Waiting(i int) (sum unit.Bytes) {
	at := int(l.ports[i]) * l.links.nc
	for c := range l.links.nc {
		sum += unit.Bytes(l.egress.queues[at+c].bytes)
	}
	return sum
}

func (l *view) Sent(i int) unit.Bytes { return unit.Bytes(l.links.ports[l.ports[i]].txBytes) }

func (l *view) Told(i int) int {
	if l.teller == nil {
		return 0
	}
	return l.told(l.ports[i])
}

// addForwarders gives switches what they need to choose.
func (ro *router) addForwarders() {
	ro.forwarders = make([]forwarder, len(ro.f.buf.nodes))
	r := ro.cfg.Routing
	tells, weaves := r.Any(func(m *balance.Method) bool { return m.Tells }), r.Method.Weaves
	ro.f.marked = make([]map[int32]int64, len(ro.links.ports))
	for i := range ro.forwarders {
		ro.forwarders[i] = forwarder{at: ro.f.buf.nodes[i].id, setup: r.At(ro.f.buf.nodes[i].id), groups: map[int32]*hops{},
			view: view{links: ro.links, egress: ro.egress}}
		if tells {
			ro.forwarders[i].teller = ro.newTeller(ro.f.buf.nodes[i].id)
			ro.forwarders[i].view.teller = ro.forwarders[i].teller
		}
	}
	if weaves {
		for i := range ro.forwarders {
			order := balance.NewRestorer(r.Params.ConWeave.Resume)
			ro.forwarders[i].restorer = &restorer{order: order, held: map[uint64]*held{}}
		}
		ro.eng.Register(classResume, (*resume)(ro))
	}
	if tells || weaves {
		ro.messages = make([][]message, len(ro.links.ports))
		ro.eng.Register(classLook, (*look)(ro))
		ro.eng.Register(classListen, (*listen)(ro))
	}
}

// choose returns the port by which a switch sends a frame on, -1 if it knows none.
func (ro *router) choose(isl *sim.Island, now unit.Time, sw int32, pk *Packet) PortID {
	w, r := &ro.forwarders[sw], ro.cfg.Routing
	if w.teller != nil {
		ro.lookSoon(isl, now, sw, w.teller)
	}
	for w.epoch+1 < len(r.Epochs) && r.Epochs[w.epoch+1].From <= now {
		w.epoch++
		clear(w.groups)
	}
	to := pk.to()
	ports := r.Epochs[w.epoch].Routes.NextHops(w.at, to)
	if len(ports) == 0 || pk.passed() == MaxHops-1 {
		return -1
	}
	first := pk.passed() == 0
	pk.route += routeHop
	port := ports[0]
	if len(ports) > 1 {
		port = ro.pickOf(now, w, pk, to, ports, first)
	}
	if ro.cfg.OnEvent != nil {
		ro.f.witness.tellPath(isl, now, w, pk, to, port)
	}
	return port
}

// flowOf tells flows apart, and their directions, which may meet at a switch: they differ in where they go.
func flowOf(pk *Packet, to topo.NICID) uint64 {
	return uint64(uint32(pk.Flow))<<32 | uint64(uint32(to)^uint32(pk.Entropy)<<16)
}

// pickOf asks the group; first says that the frame has passed no switch.
func (ro *router) pickOf(now unit.Time, w *forwarder, pk *Packet, to topo.NICID, ports []PortID, first bool) PortID {
	r, method := ro.cfg.Routing, w.setup.Method
	key := r.Key(w.epoch, w.at, to)
	g := w.groups[key]
	if g == nil {
		g = ro.newHops(w, key, to, ports)
		w.groups[key] = g
	}
	frame := balance.Frame{Now: now, Flow: flowOf(pk, to)}
	if g.picked != nil && pk.Entropy == 0 {
		if port, known := g.picked[frame.Flow]; known {
			return port
		}
	}
	if method.Hashes {
		frame.Hash = r.Hash(pk.Flow, to, pk.Entropy, w.at)
	}
	w.view.now, w.view.ports, w.view.to, w.view.routes = now, g.ports, to, r.Epochs[w.epoch].Routes
	if method.Weaves {
		return ro.weave(w, g, pk, &frame, first)
	}
	port := g.ports[g.chooser.Pick(&frame, &w.view)]
	if g.picked != nil && pk.Entropy == 0 {
		g.picked[frame.Flow] = port
	}
	return port
}

func (ro *router) newHops(w *forwarder, key int32, to topo.NICID, ports []PortID) *hops {
	r := ro.cfg.Routing
	h := &hops{ports: ports}
	h.stream = sim.NewStream(ro.cfg.Seed, "balance "+ro.graph.Nodes[w.at].Name, uint64(w.epoch)<<32|uint64(uint32(key)))
	if w.setup.Method.Static {
		h.picked = map[uint64]PortID{}
	}
	g := r.Group(w.epoch, w.at, to)
	g.Random = h.stream.Uint64
	h.chooser = w.setup.Method.New(&w.setup.Params, g)
	return h
}
