package balance

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Tables are the next-hop groups of all switches over time: a list of routing epochs, the first from time 0 on.
// Between two epochs all switches change over at one instant.
type Tables struct {
	Graph  *topo.Graph
	Epochs []Epoch
	Setup          // of the switches that have none of their own
	Own    []Setup // of switches that choose otherwise
	OwnOf  []int32 // by node: index in Own, -1: none; nil: nobody has one
}

// Setup is how a switch chooses: a method with its parameters.
type Setup struct {
	Method *Method
	Params Params
}

// At returns how a switch chooses.
func (t *Tables) At(id topo.NodeID) *Setup {
	if t.OwnOf != nil && t.OwnOf[id] >= 0 {
		return &t.Own[t.OwnOf[id]]
	}
	return &t.Setup
}

// Any reports whether any switch has a method of some kind.
func (t *Tables) Any(is func(*Method) bool) bool {
	return is(t.Method) || slices.ContainsFunc(t.Own, func(s Setup) bool { return is(s.Method) })
}

// Hashed returns the tables with a hash where a method is not static: what can be known beforehand.
func (t *Tables) Hashed() Tables {
	h := *t
	h.Own = slices.Clone(t.Own)
	h.Setup.hash()
	for i := range h.Own {
		h.Own[i].hash()
	}
	return h
}

func (s *Setup) hash() {
	if !s.Method.Static {
		s.Method = Methods["ecmp"]
	}
}

// Epoch is the routes from a time on.
type Epoch struct {
	From   unit.Time
	Routes *topo.Routes
}

// Key tells the groups of a switch apart that need states of their own in an epoch. Methods that look at the
// load of links have one for each set of links; static ones one for each edge, since what lies behind
// the links differs.
func (t *Tables) Key(epoch int, at topo.NodeID, to topo.NICID) int32 {
	r := t.Epochs[epoch].Routes
	switch bonded := len(t.Graph.NICs[to].Ports) > 1; {
	case bonded && r.Home(at, to): // several links to the NIC itself
		return ofNIC | int32(to)
	case !t.At(at).Method.Static:
		return r.Group(at, to)
	case bonded:
		return ofSegment | r.Segment(to)
	}
	return int32(t.Graph.Edge(to))
}

// Keys of bonds are apart from those of nodes and groups.
const (
	ofSegment = 1 << 29
	ofNIC     = 1 << 30
)

// Group returns the links by which a switch sends frames for a NIC, without a stream.
func (t *Tables) Group(epoch int, at topo.NodeID, to topo.NICID) *Group {
	routes := t.Epochs[epoch].Routes
	home := t.Epochs[0].Routes.NextHops(at, to)
	g := &Group{Whole: len(home)}
	others := len(home)
	known, weighs := map[topo.NodeID]int64{}, t.At(at).Method.weighs
	for _, port := range routes.NextHops(at, to) {
		p := &t.Graph.Ports[port]
		l := Link{Rate: p.Rate, Home: slices.Index(home, port)}
		if weighs {
			l.Weight = t.share(routes, port, to, known)
		}
		if l.Home < 0 {
			l.Home = others
			others++
		}
		g.Links = append(g.Links, l)
	}
	return g
}

// carries returns how much the shortest ways from a switch to a NIC's edge switch carry, in bit/s, if each switch
// on them divides what comes by what its links carry. The last link, to the NIC, is not counted: all ways share
// it.
func (t *Tables) carries(r *topo.Routes, at topo.NodeID, to topo.NICID, known map[topo.NodeID]int64) (sum int64) {
	if r.Home(at, to) {
		return int64(unit.Never)
	}
	if sum, ok := known[at]; ok {
		return sum
	}
	for _, port := range r.NextHops(at, to) {
		sum += t.share(r, port, to, known)
	}
	known[at] = sum
	return sum
}

// share returns how much the ways by a link carry: its rate, or its part of what the next switch carries, which
// links to the same switch share by their rates.
func (t *Tables) share(r *topo.Routes, port topo.PortID, to topo.NICID, known map[topo.NodeID]int64) int64 {
	p := &t.Graph.Ports[port]
	if p.NIC >= 0 { // one of several to the NIC itself
		return int64(p.Rate)
	}
	all := int64(0)
	for _, other := range r.NextHops(p.Node, to) {
		if o := &t.Graph.Ports[other]; o.To == p.To {
			all += int64(o.Rate)
		}
	}
	if behind := t.carries(r, p.To, to, known); behind < all {
		return unit.Ratio{Num: int64(p.Rate), Den: all}.Of(behind)
	}
	return int64(p.Rate)
}

// Finder finds the paths of flows in an epoch by a static method.
type Finder struct {
	t       *Tables
	epoch   int
	choices map[groupOf]Chooser
}

type groupOf struct {
	at  topo.NodeID
	key int32
}

// Finder returns one for an epoch. It keeps the state of groups that it has met.
func (t *Tables) Finder(epoch int) *Finder { return &Finder{t, epoch, map[groupOf]Chooser{}} }

// Path returns the egress ports of a flow from one NIC to another; hash gives the hash of the flow's headers at
// a switch, and at a host whose NIC has several ports. A destination that cannot be reached is an error.
func (x *Finder) Path(from, to topo.NICID, hash func(at topo.NodeID) uint64) ([]topo.PortID, error) {
	return x.t.Epochs[x.epoch].Routes.Path(from, to, func(at topo.NodeID, n int) int {
		if x.t.Graph.Nodes[at].Kind == topo.HostKind { // a bond is no switch: its hash is its own
			return topo.BondIndex(hash(at), n)
		}
		return x.Choice(at, to).Pick(&Frame{Hash: hash(at)}, nil)
	})
}

// Choice returns the state of the group by which a switch sends frames for a NIC.
func (x *Finder) Choice(at topo.NodeID, to topo.NICID) Chooser {
	g := groupOf{at, x.t.Key(x.epoch, at, to)}
	c, known := x.choices[g]
	if !known {
		own := x.t.At(at)
		c = own.Method.New(&own.Params, x.t.Group(x.epoch, at, to))
		x.choices[g] = c
	}
	return c
}
