package topo

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Routes are the shortest paths, by the costs of links, from every switch to every NIC,
// with all equal-cost next hops (RFC 2992, section 2): those of the fewest hops where
// every link costs 1. They are kept per destination edge, the switch or switches that a NIC is
// on: NICs on the same share them, and equal sets of next hops are stored once. A switch that cannot
// reach a destination has no next hops.
//
//	table[edge][switch] = which group               groups
//	  e0:  0 1 1 2 ...                              0: (none)
//	  e1:  1 0 2 2 ...                              1: ports 32 34
//	                                                2: port 35
//
// An edge of several switches is an Ethernet segment (RFC 7432, section 5): each of them sends a NIC's
// frames down its own link, and the others send to whichever is nearest.
type Routes struct {
	g      *Graph
	sw     []int32   // by node: dense switch number, -1 for a host
	edge   []int32   // by NIC: dense edge number, -1: cabled to another host
	edges  [][]int32 // by edge number: its switches' numbers, ascending
	table  []int32   // by edge number * switches + switch number: group
	groups []int32   // group i is ports[groups[i]:groups[i+1]]
	ports  []PortID  // ascending within a group
	down   []PortID  // by NIC: its edge switch's port to it
	bonds  []bond    // by NIC; nil where none has several ports
	nsw    int
	by     rules

	scanned int // switch ports looked at while building: the work, for tests
}

// NewRoutes computes the routes of a valid graph: a search in order of distance from each
// edge switch over the links between switches (R. B. Dial, CACM 12, 1969; breadth-first where all
// cost 1); of switches with the same neighbours one is looked at.
func NewRoutes(g *Graph) *Routes { return NewRoutesWithout(g, nil) }

// NewRoutesWithout computes the routes that are left when some links are dead; nil: none is. The dead link of a
// NIC that has no other changes nothing: there is no other way to it.
func NewRoutesWithout(g *Graph, dead func(LinkID) bool) *Routes { return newRoutes(g, dead, rules{}) }

func newRoutes(g *Graph, dead func(LinkID) bool, by rules) *Routes {
	r := &Routes{g: g, sw: make([]int32, len(g.Nodes)), down: make([]PortID, len(g.NICs)), by: by}
	var nodes []NodeID // by switch number
	for i, n := range g.Nodes {
		r.sw[i] = -1
		if n.Kind != HostKind {
			r.sw[i] = int32(len(nodes))
			nodes = append(nodes, NodeID(i))
		}
	}
	r.nsw = len(nodes)
	for i, n := range g.NICs {
		r.down[i] = g.Peer(n.Port)
	}
	if g.Bonded() {
		r.bonds = newBonds(g, dead)
	}
	r.findEdges(nodes)
	b := newRouter(r, nodes, dead, by)
	b.search()
	return r
}

// findEdges numbers the edges: switches with NICs in node order, then sets of them in order of NICs.
func (r *Routes) findEdges(nodes []NodeID) {
	g := r.g
	single := make([]int32, r.nsw) // by switch number: edge number
	for s, n := range nodes {
		single[s] = -1
		for _, p := range g.Nodes[n].Ports {
			if g.Ports[p].NIC >= 0 {
				single[s] = int32(len(r.edges))
				r.edges = append(r.edges, []int32{int32(s)})
				break
			}
		}
	}
	r.edge = make([]int32, len(g.NICs))
	known := map[string]int32{}
	var key []byte
	for i := range g.NICs {
		on := r.on(NICID(i))
		switch {
		case len(on) == 0:
			r.edge[i] = -1
			continue
		case len(on) == 1:
			r.edge[i] = single[on[0]]
			continue
		}
		key = key[:0]
		for _, s := range on {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		e, there := known[string(key)]
		if !there {
			e = int32(len(r.edges))
			known[string(key)] = e
			r.edges = append(r.edges, slices.Clone(on))
		}
		r.edge[i] = e
	}
}

// on lists the switches that a NIC's live ports lead to, ascending; none: it is cabled to another host.
func (r *Routes) on(n NICID) (all []int32) {
	for _, p := range r.Live(n) {
		if s := r.sw[r.g.Ports[p].To]; s >= 0 {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A router is the state of the searches that fill a Routes. Switches that have the same neighbours, link
// for link, are twins: the leaves of a leaf-spine network, and its spines. But for the root itself twins
// are equally far from it, and next hops lie at the same places in their lists of trunks, so a search
// looks at the trunks of one of them.
type router struct {
	r      *Routes
	trunks [][]PortID       // by switch number: its ports to other switches, by the number of the peer, then ascending
	peers  [][]int32        // by switch number: the switches that they lead to
	costs  [][]int32        // by switch number: of the links there
	twins  [][]int32        // sets of twins: switch numbers
	setOf  []int32          // by switch number: which set it is of
	dist   []int32          // by switch number: cost to the edge switch, -1 unreached
	at     [][]int32        // by distance, modulo more than any cost: switch numbers to go on from
	passed []int32          // by set: the root whose search has looked at its trunks, from 1
	group  map[string]int32 // ports of a group, as bytes -> group
	whole  []int32          // by switch number: the group of all its trunks, -1: not made yet
	near   []int32          // places of next hops in trunks
	ports  []PortID
	key    []byte
	refusals
}

func newRouter(r *Routes, nodes []NodeID, dead func(LinkID) bool, by rules) *router {
	n := len(nodes)
	b := &router{r: r, trunks: make([][]PortID, n), peers: make([][]int32, n), costs: make([][]int32, n),
		setOf: make([]int32, n), dist: make([]int32, n), whole: slices.Repeat([]int32{-1}, n), group: map[string]int32{"": 0}}
	b.refusals = by.refusals(r.g, nodes)
	sets, most := map[string]int32{}, 1
	for s, node := range nodes {
		for _, p := range r.g.Nodes[node].Ports {
			if at := &r.g.Ports[p]; at.NIC < 0 && (dead == nil || !dead(at.Link)) {
				b.trunks[s] = append(b.trunks[s], p)
			}
		}
		slices.SortStableFunc(b.trunks[s], func(p, q PortID) int { return cmp.Compare(b.peer(p), b.peer(q)) })
		b.key = b.appendClass(b.key[:0], s)
		for _, p := range b.trunks[s] {
			cost := int32(r.g.Links[r.g.Ports[p].Link].Cost)
			b.peers[s], b.costs[s] = append(b.peers[s], b.peer(p)), append(b.costs[s], cost)
			b.key = binary.LittleEndian.AppendUint32(b.key, uint32(b.peer(p)))
			b.key = binary.LittleEndian.AppendUint16(b.key, uint16(cost))
			most = max(most, int(cost))
		}
		set, known := sets[string(b.key)]
		if !known {
			set = int32(len(b.twins))
			sets[string(b.key)] = set
			b.twins = append(b.twins, nil)
		}
		b.setOf[s], b.twins[set] = set, append(b.twins[set], int32(s))
	}
	b.passed, b.at = make([]int32, len(b.twins)), make([][]int32, most+1)
	r.groups = []int32{0, 0} // group 0 is empty
	return b
}

// peer is the switch that a trunk leads to.
func (b *router) peer(p PortID) int32 { return b.r.sw[b.r.g.Ports[p].To] }

func (b *router) search() {
	b.r.table = make([]int32, len(b.r.edges)*b.r.nsw)
	for e, roots := range b.r.edges {
		b.flood(roots, int32(e+1))
		row := b.r.table[e*b.r.nsw : (e+1)*b.r.nsw]
		for _, twins := range b.twins {
			b.nextHops(row, roots, twins)
		}
	}
}

// flood sets dist for every switch that the roots reach, to the nearest. What one of some twins leads to, a
// later one finds as near.
func (b *router) flood(roots []int32, number int32) {
	for i := range b.dist {
		b.dist[i] = -1
	}
	b.begin(roots)
	for _, root := range roots {
		b.dist[root] = 0
	}
	b.at[0] = append(b.at[0][:0], roots...)
	for d, waiting := int32(0), len(roots); waiting > 0; d++ {
		here := &b.at[int(d)%len(b.at)]
		for _, s := range *here { // no link costs 0, so the list does not grow here
			waiting--
			if b.dist[s] == d { // else it was reached at less
				waiting += b.passOn(s, number)
			}
		}
		*here = (*here)[:0]
	}
}

// passOn sets dist for what a switch leads to, and returns how many more there are to go on from.
func (b *router) passOn(s, number int32) (more int) {
	set := b.setOf[s]
	if b.passed[set] == number {
		return 0
	}
	b.passed[set] = number
	b.r.scanned += len(b.peers[s])
	for i, t := range b.peers[s] {
		if !b.leads(t, s) {
			continue
		}
		d := b.dist[s] + b.costs[s][i]
		if b.dist[t] < 0 || d <= b.dist[t] {
			b.reach(s, t, d == b.dist[t])
		}
		if b.dist[t] < 0 || d < b.dist[t] {
			b.dist[t] = d
			b.at[int(d)%len(b.at)] = append(b.at[int(d)%len(b.at)], t)
			more++
		}
	}
	return more
}

// nextHops sets the groups of twins' ports that lead nearer to the roots by what their links cost.
func (b *router) nextHops(row []int32, roots []int32, twins []int32) {
	i := slices.IndexFunc(twins, func(s int32) bool { return !slices.Contains(roots, s) })
	if i < 0 {
		return
	}
	one := twins[i]
	if b.dist[one] < 0 {
		return // of none: group 0
	}
	b.near = b.near[:0]
	b.r.scanned += len(b.peers[one])
	for i, t := range b.peers[one] {
		if b.dist[t] >= 0 && b.dist[t] == b.dist[one]-b.costs[one][i] && b.leads(one, t) {
			b.near = append(b.near, int32(i))
		}
	}
	all := len(b.near) == len(b.peers[one])
	for _, s := range twins {
		switch {
		case slices.Contains(roots, s):
		case !all:
			row[s] = b.groupOf(s)
		default:
			if b.whole[s] < 0 {
				b.whole[s] = b.groupOf(s)
			}
			row[s] = b.whole[s]
		}
	}
}

// groupOf returns the group of a switch's trunks at the places near.
func (b *router) groupOf(s int32) int32 {
	r := b.r
	b.ports = b.ports[:0]
	for _, i := range b.near {
		b.ports = append(b.ports, b.trunks[s][i])
	}
	slices.Sort(b.ports)
	b.key = b.key[:0]
	for _, p := range b.ports {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(p))
	}
	if id, ok := b.group[string(b.key)]; ok {
		return id
	}
	id := int32(len(r.groups) - 1)
	b.group[string(b.key)] = id
	r.ports = append(r.ports, b.ports...)
	r.groups = append(r.groups, int32(len(r.ports)))
	return id
}

// NextHops returns the equal-cost ports by which a packet for NIC to leaves the
// switch at, in ascending order; none if the NIC cannot be reached, or if at is a
// host: hosts never forward. The caller must not change the slice.
func (r *Routes) NextHops(at NodeID, to NICID) []PortID {
	s := r.sw[at]
	if s < 0 {
		return nil
	}
	switch {
	case r.bonds != nil && r.bonds[to].down != nil:
		if down := r.bonds[to].at(r.g, at); len(down) > 0 {
			return down
		}
	case r.g.Edge(to) == at:
		return r.down[to : to+1 : to+1]
	}
	if r.edge[to] < 0 { // the NIC is cabled to another: no switch leads there
		return nil
	}
	id := r.table[int(r.edge[to])*r.nsw+int(s)]
	lo, hi := r.groups[id], r.groups[id+1]
	return r.ports[lo:hi:hi]
}

// Home reports whether a NIC is on a switch, by a port that is not dead.
func (r *Routes) Home(at NodeID, to NICID) bool {
	if r.bonds != nil && r.bonds[to].down != nil {
		return len(r.bonds[to].at(r.g, at)) > 0
	}
	return r.g.Edge(to) == at
}

// Segment returns the number of the edge that a NIC is on, -1: it is cabled to another host. NICs on the same
// switches have the same.
func (r *Routes) Segment(to NICID) int32 { return r.edge[to] }

// Group returns the number of the group of next hops by which a switch at sends packets for NIC to, which is not
// on it: equal sets of a switch's ports have one number, and those of two switches differ unless they are empty.
func (r *Routes) Group(at NodeID, to NICID) int32 {
	return r.table[int(r.edge[to])*r.nsw+int(r.sw[at])]
}

// Path walks from one NIC to another and returns the egress ports in order: first
// the sender's own, last the edge switch's port to the destination. At a node
// with n > 1 equal-cost ports, or a host whose NIC has n live ones, it takes number
// pick(node, n), 0 <= pick < n; a nil pick takes the first. A destination that cannot be reached is an error that
// names both NICs and says why.
func (r *Routes) Path(from, to NICID, pick func(sw NodeID, n int) int) ([]PortID, error) {
	g := r.g
	if from == to {
		return nil, fmt.Errorf("no path from %s to itself: name two different NICs", g.NICName(from))
	}
	if g.Apart(from, to) {
		return nil, fmt.Errorf("no path from %s to %s: rails are VLANs that nothing routes between, "+
			"want two NICs of one rail", g.NICName(from), g.NICName(to))
	}
	own := r.Live(from)
	path := []PortID{own[0]}
	if len(own) > 1 && pick != nil {
		path[0] = own[pick(g.Ports[own[0]].Node, len(own))]
	}
	if far := g.Ports[g.Peer(path[0])].NIC; far != from && far != to {
		return nil, fmt.Errorf("no path from %s to %s: %s is cabled to %s", g.NICName(from), g.NICName(to),
			g.NICName(from), g.NICName(far))
	}
	for at := g.Ports[path[0]].To; at != g.Hosts[g.NICs[to].Host].Node; {
		hops := r.NextHops(at, to)
		k := 0
		switch {
		case len(hops) == 0:
			return nil, r.unreachable(from, to)
		case len(hops) > 1 && pick != nil:
			k = pick(at, len(hops))
		}
		path = append(path, hops[k])
		at = g.Ports[hops[k]].To
	}
	return path, nil
}

// unreachable explains why there is no path.
func (r *Routes) unreachable(from, to NICID) error {
	g := r.g
	a, b := g.Edge(from), g.Edge(to)
	if !r.by.none() && len(NewRoutes(g).NextHops(a, to)) > 0 {
		return fmt.Errorf("no path from %s on %s to %s on %s: %s", g.NICName(from), g.Nodes[a].Name,
			g.NICName(to), g.Nodes[b].Name, r.by.why())
	}
	why := fmt.Sprintf("no chain of links between switches joins %s and %s", g.Nodes[a].Name, g.Nodes[b].Name)
	switch {
	case !r.hasTrunk(a):
		why += fmt.Sprintf(" (%s is linked to hosts only)", g.Nodes[a].Name)
	case !r.hasTrunk(b):
		why += fmt.Sprintf(" (%s is linked to hosts only)", g.Nodes[b].Name)
	}
	if g.NICs[from].Rail != g.NICs[to].Rail {
		why += "; add spines, or send between NICs of one rail"
	}
	return fmt.Errorf("no path from %s on %s to %s on %s: %s", g.NICName(from), g.Nodes[a].Name,
		g.NICName(to), g.Nodes[b].Name, why)
}

func (r *Routes) hasTrunk(sw NodeID) bool {
	for _, p := range r.g.Nodes[sw].Ports {
		if r.g.Ports[p].NIC < 0 {
			return true
		}
	}
	return false
}
