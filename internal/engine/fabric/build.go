package fabric

import (
	"math"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"slices"
)

// builder is what New works with.
type builder struct {
	f     *Fabric
	index []int32 // by node: the number of the switch, -1: it is a host
}

// addNodes numbers the switches.
func (b *builder) addNodes() {
	b.index = make([]int32, len(b.f.graph.Nodes))
	for i, n := range b.f.graph.Nodes {
		b.index[i] = -1
		if n.Kind != topo.HostKind {
			b.index[i] = int32(len(b.f.buf.nodes))
			b.f.buf.nodes = append(b.f.buf.nodes, node{id: topo.NodeID(i)})
		}
	}
}

// addPort sets up a link with its queues and accounts.
func (b *builder) addPort(id PortID) {
	gp := b.f.graph.Ports[id]
	p := &b.f.links.ports[id]
	p.rate, p.cable, p.used = gp.Rate, gp.Delay, chunkFrames
	p.delay = b.f.cfg.delay(b.f.graph, id)
	p.respond = b.f.cfg.PFC.Response.At(gp.Rate)
	if b.index[gp.Node] < 0 {
		p.flags |= flagHost
	}
	if ps := 8 * int64(unit.Second) / int64(gp.Rate); ps*int64(gp.Rate) == 8*int64(unit.Second) &&
		ps <= math.MaxUint32 && !b.f.cfg.Quirks.truncates() {
		p.psPerByte = uint32(ps)
	}
	if b.f.tunnel != 0 && b.index[gp.Node] >= 0 {
		p.flags |= flagTunnel
	}
	b.addIngress(id, b.index[gp.To])
	if b.f.each {
		p.flags |= flagRare
	}
	own, mtu, least := b.f.portProfile(id), b.f.cfg.profile(gp.Node).MTU, 0
	for _, cl := range own.Classes {
		if !cl.Strict && (least == 0 || cl.Weight < least) {
			least = cl.Weight
		}
	}
	for c, cl := range own.Classes {
		b.f.setMarking(id, c, unmarked)
		if b.f.cfg.SampleEvery <= 0 {
			b.f.egress.queues[int(id)*b.f.nc+c].sampled = unit.Never
		}
		q := &b.f.egress.slow[int(id)*b.f.nc+c]
		q.hold.root = -1
		q.rng = sim.NewStream(b.f.cfg.Seed, "wred "+gp.Name, uint64(c))
		if !cl.Strict {
			q.quantum = int64(mtu) * int64(cl.Weight) / int64(least)
		}
	}
}

// addIngress sets up the receiving end of a link, at the switch of a number or, with -1, at a host.
func (b *builder) addIngress(id PortID, far int32) {
	gp, in := b.f.graph.Ports[id], &b.f.links.ingresses[id]
	at := b.f.cfg.profile(gp.To)
	*in = ingress{far: far, first: int32(int(id) * b.f.nc), state: &b.f.links.states[b.f.islandOf[gp.To]],
		isl: b.f.eng.Island(b.f.islandOf[gp.To]), xoff: b.f.buf.threshold(at.PFC.XOFF(gp.Rate)), within: true}
	if far >= 0 {
		for c := range b.f.nc {
			b.f.buf.accounts[int(in.first)+c].buf = &b.f.buf.nodes[far].buffer
		}
	}
}

// applyThresholds sets what each switch does at its ports.
func (b *builder) applyThresholds() error {
	return b.f.cfg.eachSwitch(b.f.graph, func(id topo.NodeID, s *qos.Switch) {
		n := &b.f.buf.nodes[b.index[id]]
		own := b.f.cfg.profile(id)
		n.setUp(&own, s)
		for k, out := range b.f.graph.Nodes[id].Ports {
			for c := range b.f.nc {
				t := &s.Ports[k*b.f.nc+c]
				if t.Marks() {
					b.f.setMarking(out, c, newMark(t.ECN))
				}
				b.f.egress.slow[int(out)*b.f.nc+c].longest = int64(t.Drop)
				b.f.short = b.f.short || t.Drop > 0
				in := b.f.graph.Peer(out)
				b.f.buf.ledgers[int(in)*b.f.nc+c].limit = int64(t.PFC.Headroom)
				if t.Lossless() {
					b.f.links.ingresses[in].lossless |= 1 << c
					b.f.links.ingresses[in].xoff = b.f.buf.threshold(t.PFC.Rule())
					n.fixed = n.fixed || t.PFC.Fixed != 0
				}
			}
			n.lossless |= b.f.links.ingresses[b.f.graph.Peer(out)].lossless
		}
	})
}

// setFar notes how full the switches under PFC may be without a look at any xOFF.
func (b *builder) setFar() {
	for i := range b.f.buf.nodes {
		n := &b.f.buf.nodes[i]
		if n.lossless == 0 {
			continue
		}
		var xoffs []*threshold
		for _, out := range b.f.graph.Nodes[n.id].Ports {
			if x := b.f.links.ingresses[b.f.graph.Peer(out)].xoff; !slices.Contains(xoffs, x) {
				xoffs = append(xoffs, x)
			}
		}
		n.far = n.farBelow(xoffs)
	}
}

// addClasses notes what differs.
func (b *builder) addClasses() {
	remaps, renames := b.f.cfg.Remaps(), false
	for i := range b.f.cfg.Profiles {
		p := &b.f.cfg.Profiles[i]
		for k := range p.Classes {
			renames = renames || p.Classes[k].Priority != b.f.cfg.Classes[k].Priority
		}
	}
	b.addPortClasses()
	if remaps {
		b.f.classes.of = make([]*[codePoints]uint8, len(b.f.graph.Ports))
	}
	if renames {
		b.f.pfc.priorities = make([][]uint8, len(b.f.graph.Nodes))
	}
	for id := range b.f.graph.Nodes {
		own := b.f.cfg.profile(topo.NodeID(id))
		if remaps && b.index[id] >= 0 {
			for k, out := range b.f.graph.Nodes[id].Ports {
				here, in := own.port(k), b.f.graph.Peer(out)
				if b.f.classes.of[in] = b.f.cfg.classOf(&here); b.f.cfg.Untagged != nil && b.f.trunk(in) {
					b.f.classes.of[in] = b.f.cfg.untagged()
				}
			}
		}
		for _, cl := range own.Classes {
			if renames {
				b.f.pfc.priorities[id] = append(b.f.pfc.priorities[id], cl.Priority)
			}
		}
	}
}

// addPortClasses notes where strict classes differ, and ports that do not heed PFC frames.
func (b *builder) addPortClasses() {
	b.f.egress.strict = strictOf(b.f.cfg.Classes)
	for id := range b.f.graph.Ports {
		if b.index[b.f.graph.Ports[id].Node] < 0 || b.f.cfg.ProfileOf == nil {
			continue
		}
		own := b.f.portProfile(PortID(id))
		if own.Deaf != 0 && b.f.pfc.deafTo == nil {
			b.f.pfc.deafTo = make([]uint8, len(b.f.graph.Ports))
		}
		if b.f.pfc.deafTo != nil {
			b.f.pfc.deafTo[id] = own.Deaf
		}
		if strict := strictOf(own.Classes); !slices.Equal(strict, b.f.egress.strict) {
			if b.f.egress.strictAt == nil {
				b.f.egress.strictAt = slices.Repeat([][]uint8{b.f.egress.strict}, len(b.f.graph.Ports))
			}
			b.f.egress.strictAt[id] = strict
		}
	}
}

// addWatchdogs gives ports of switches theirs.
func (b *builder) addWatchdogs() {
	if b.f.cfg.Watchdog == nil && b.f.cfg.Watchdogs == nil {
		return
	}
	b.f.pfc.dogs = make([]*Watchdog, len(b.f.links.ports))
	for id := range b.f.links.ports {
		if b.index[b.f.graph.Ports[id].Node] >= 0 {
			if b.f.pfc.dogs[id] = b.f.cfg.Watchdog; b.f.cfg.Watchdogs != nil {
				b.f.pfc.dogs[id] = b.f.cfg.Watchdogs[id]
			}
		}
	}
}

// addBoxes makes a mailbox for each ordered pair of islands with a link.
func (b *builder) addBoxes() {
	boxOf := map[[2]int32]int32{}
	for id, gp := range b.f.graph.Ports {
		pair := [2]int32{b.f.islandOf[gp.Node], b.f.islandOf[gp.To]}
		if pair[0] == pair[1] {
			continue
		}
		i, known := boxOf[pair]
		if !known {
			i = int32(len(b.f.links.boxes))
			boxOf[pair] = i
			b.f.links.boxes = append(b.f.links.boxes, box{to: b.f.eng.Island(pair[1]), earliest: unit.Never})
		}
		b.f.links.ports[id].box = i
		b.f.links.ports[id].flags |= flagFar
		b.f.links.addLink(PortID(id))
	}
	b.f.eng.SetMail((*office)(b.f))
	b.f.eng.SetArrivals((*arrivals)(&b.f.links), sim.Arrival, classArrive)
}
