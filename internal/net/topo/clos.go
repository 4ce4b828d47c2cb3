package topo

import "strconv"

// maxPlanes bounds the planes of a network: a GPU has no more ports.
const maxPlanes = 16

// Upper is what is above the leaves of a design beside its spines. The zero value is one pod and one
// plane in which every leaf has links to every spine.
type Upper struct {
	// Pods share no spines: super-spines join them. 0: 1.
	Pods int
	// Planes are networks of their own, leaves included: cable k of a rail is in plane k modulo this. 0: 1.
	Planes int
	// SpinesPerLeaf is how many spines of its pod and plane a leaf has links to: its list of spines
	// begins at another one than that of the leaf before it, so all spines serve alike. 0: all.
	SpinesPerLeaf int
	// Rotated makes the lists begin one spine later from leaf to leaf. An equal hash then names another
	// spine at each (book chapter 13: polarisation removed by cabling).
	Rotated bool
	// SuperSpines of each plane join its pods' spines: each spine has SuperParallel (0: 1) links to every
	// super-spine of its group. Spine i of a pod is in group i modulo SuperGroups (0: 1: all are).
	SuperSpines, SuperParallel, SuperGroups int
	SuperLink                               Cable
}

// A clos is a folded Clos network (C. Clos, Bell System Technical Journal 32, 1953) of one to three
// tiers of switches: what rail-optimised and leaf-spine designs have in common.
//
//	plane 1:  superspine1 .. S          leaves of a segment:  set 0, set 1, ...
//	          /         \               a NIC is on the leaf of its set, in its host's segment
//	 pod 1: spines    pod 2: spines
//	        |  X  |          |  X  |
//	        leaves           leaves
type clos struct {
	misfits  Misfits
	hosts    hosts
	segment  int // hosts of a segment
	lanes    int // cables of a rail: its NICs times the ports of each
	sets     int // leaves of a segment
	setOf    func(cable int) int
	railOf   func(set int) int // nil: leaves have several rails
	leafName string

	spines, parallel int
	spineLink        Cable
	peer             int // links between every two leaves of a segment that the ports of a NIC are on
	peerLink         Cable
	Upper
}

// check refuses what is out of bounds, what does not come out even, and what leaves hosts apart.
func (c *clos) check() error {
	c.Pods, c.Planes = orAll(c.Pods, 1), orAll(c.Planes, 1)
	c.SuperGroups, c.SuperParallel, c.parallel = orAll(c.SuperGroups, 1), orAll(c.SuperParallel, 1), orAll(c.parallel, 1)
	c.SpinesPerLeaf = orAll(c.SpinesPerLeaf, c.spines)
	c.Rotated = c.Rotated || c.SpinesPerLeaf < c.spines
	m := &c.misfits
	before := len(m.All)
	m.within("Spines", "spines", c.spines, 0, maxNodes/4)
	m.within("Parallel", "parallel links", c.parallel, 1, 1<<10)
	m.within("Pods", "pods", c.Pods, 1, maxNodes/4)
	m.within("Planes", "planes", c.Planes, 1, maxPlanes)
	m.within("SpinesPerLeaf", "spines per leaf", c.SpinesPerLeaf, 0, c.spines)
	m.within("SuperSpines", "super-spines", c.SuperSpines, 0, maxNodes/4)
	m.within("SuperGroups", "groups of super-spines", c.SuperGroups, 1, maxNodes/4)
	m.within("SuperParallel", "parallel links to super-spines", c.SuperParallel, 1, 1<<10)
	if c.spines > 0 {
		m.cable("SpineLink", "spine link", c.spineLink)
	}
	if c.SuperSpines > 0 {
		m.cable("SuperLink", "super-spine link", c.SuperLink)
	}
	m.within("Peer", "links between two leaves", c.peer, 0, 1<<10)
	if c.peer > 0 {
		m.cable("PeerLink", "link between two leaves", c.peerLink)
	}
	if len(m.All) > before { // what follows divides by them
		return m
	}
	c.checkEven(c.hosts.n / c.segment)
	c.checkJoined(c.hosts.n / c.segment)
	up := product(c.hosts.n/c.segment*c.sets, c.SpinesPerLeaf, c.parallel)
	peers := product(c.hosts.n/c.segment*c.sets, max(c.hosts.bond-1, 0), c.peer) // twice too many
	c.hosts.links(m, sum(sum(up, peers/2), product(c.Pods, c.Planes, c.spines, c.SuperSpines/c.SuperGroups, c.SuperParallel)))
	return m.err()
}

// checkEven refuses counts that do not divide each other.
func (c *clos) checkEven(segments int) {
	m := &c.misfits
	what := "NICs"
	if c.hosts.bond > 1 {
		what = "ports"
	}
	m.refuse(c.peer > 0 && c.Planes > 1, "Peer", "links between leaves of %d planes, which share no switch: want 0", c.Planes)
	m.refuse(c.peer > 0 && c.hosts.bond < 2, "Peer", "links between leaves that share NICs, and a NIC has one port: want 0")
	m.refuse(c.lanes%c.Planes != 0, "Planes", "%d %s of a rail for %d planes, want a multiple of %d", c.lanes, what,
		c.Planes, c.Planes)
	m.refuse(segments%c.Pods != 0, "Pods", "%d segments do not split over %d pods, want a multiple of that", segments,
		c.Pods)
	m.refuse(c.SuperSpines%c.SuperGroups != 0, "SuperGroups",
		"%d super-spines do not split into %d groups, want a multiple of that", c.SuperSpines, c.SuperGroups)
	m.refuse(c.spines%c.SuperGroups != 0, "SuperGroups",
		"%d spines of a pod do not split into %d groups, want a multiple of that", c.spines, c.SuperGroups)
}

// checkJoined refuses pods, and leaves of a pod, that have no way to each other.
func (c *clos) checkJoined(segments int) {
	m := &c.misfits
	m.refuse(c.Pods > 1 && (c.SuperSpines == 0 || c.spines == 0), "Pods",
		"%d pods, %d spines and %d super-spines: nothing joins the pods, want both above 0", c.Pods, c.spines, c.SuperSpines)
	m.refuse(c.Pods == 1 && c.SuperSpines > 0, "SuperSpines", "%d super-spines for one pod, want 2 or more pods",
		c.SuperSpines)
	some := c.SpinesPerLeaf < c.spines
	m.refuse(c.SuperGroups > 1 && some, "SpinesPerLeaf",
		"groups of super-spines and leaves that have links to %d of %d spines, want one of them", c.SpinesPerLeaf, c.spines)
	n := c.podLeaves(segments)
	m.refuse(some && !windowsMeet(c.spines, c.SpinesPerLeaf, n), "SpinesPerLeaf",
		"%d spines per leaf: some of %d leaves of a pod have no spine of %d in common, want more", c.SpinesPerLeaf, n,
		c.spines)
}

// podLeaves is how many leaves a pod has in each plane.
func (c *clos) podLeaves(segments int) int { return segments / c.Pods * c.sets / c.Planes }

// windowsMeet reports whether any two of n lists have a spine in common, list i being the k spines from
// spine i on, of so many in a circle.
func windowsMeet(spines, k, n int) bool {
	for apart := 1; apart < min(n, spines); apart++ {
		if apart >= k && spines-apart >= k {
			return false
		}
	}
	return true
}

func (c *clos) graph() (*Graph, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	segments := c.hosts.n / c.segment
	podOf := func(segment int) int {
		if c.Pods == 1 {
			return -1
		}
		return segment / (segments / c.Pods)
	}
	all := c.hosts.add(b, func(host int) int { return podOf(host / c.segment) })
	leaves := make([]NodeID, segments*c.sets)
	for i := range leaves {
		leaves[i] = b.AddSwitch(c.leafName+strconv.Itoa(i+1), Leaf)
		at := Place{Pod: podOf(i / c.sets), Plane: c.planeName(c.planeOf(i % c.sets)), Rail: -1}
		if c.railOf != nil {
			at.Rail = c.railOf(i % c.sets)
		}
		b.Place(leaves[i], at)
	}
	spines := c.addSpines(b)
	supers := make([]NodeID, c.Planes*c.SuperSpines)
	for i := range supers {
		supers[i] = b.AddSwitch("superspine"+strconv.Itoa(i+1), SuperSpine)
		b.Place(supers[i], Place{Pod: -1, Plane: c.planeName(i / c.SuperSpines), Rail: -1})
	}
	c.hosts.connect(b, all, func(host, cable int) NodeID { return leaves[host/c.segment*c.sets+c.setOf(cable)] })
	c.connectLeaves(b, leaves, spines, segments)
	c.connectSpines(b, spines, supers)
	c.connectPeers(b, leaves)
	return b.Build()
}

// planeOf is the plane of a leaf of a segment.
func (c *clos) planeOf(set int) int { return set % c.lanes % c.Planes }

// planeName is how nodes know their plane: not at all if there is one.
func (c *clos) planeName(plane int) int {
	if c.Planes == 1 {
		return -1
	}
	return plane
}

// addSpines adds the spines, by pod, plane and number.
func (c *clos) addSpines(b *Builder) []NodeID {
	spines := make([]NodeID, c.Pods*c.Planes*c.spines)
	for i := range spines {
		spines[i] = b.AddSwitch("spine"+strconv.Itoa(i+1), Spine)
		group := i / c.spines
		at := Place{Pod: group / c.Planes, Plane: c.planeName(group % c.Planes), Rail: -1}
		if c.Pods == 1 {
			at.Pod = -1
		}
		b.Place(spines[i], at)
	}
	return spines
}

// connectLeaves links each leaf to the spines of its list, parallel links next to each other. Next hops
// are tried in this order by an equal hash.
func (c *clos) connectLeaves(b *Builder, leaves, spines []NodeID, segments int) {
	next := make([]int, c.Pods*c.Planes) // leaves so far, by pod and plane
	for i, leaf := range leaves {
		group := i/c.sets/(segments/c.Pods)*c.Planes + c.planeOf(i%c.sets)
		first := 0
		if c.Rotated {
			first = next[group]
		}
		next[group]++
		for k := range c.SpinesPerLeaf {
			spine := spines[group*c.spines+(first+k)%c.spines]
			for range c.parallel {
				b.Connect(leaf, spine, c.spineLink)
			}
		}
	}
}

// connectPeers links every two leaves that the ports of a NIC are on: so many sets that follow each other.
func (c *clos) connectPeers(b *Builder, leaves []NodeID) {
	if c.peer == 0 {
		return
	}
	for first := 0; first < len(leaves); first += c.hosts.bond {
		for i, one := range leaves[first : first+c.hosts.bond] {
			for _, other := range leaves[first : first+i] {
				for range c.peer {
					b.Connect(other, one, c.peerLink)
				}
			}
		}
	}
}

// connectSpines links each spine to the super-spines of its group in its plane.
func (c *clos) connectSpines(b *Builder, spines, supers []NodeID) {
	each := c.SuperSpines / c.SuperGroups
	for i, spine := range spines {
		plane, group := i/c.spines%c.Planes, i%c.spines%c.SuperGroups
		for k := range each {
			for range c.SuperParallel {
				b.Connect(spine, supers[plane*c.SuperSpines+group*each+k], c.SuperLink)
			}
		}
	}
}
