package topo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// DelayPerMetre is the propagation delay of a cable, 5 ns/m: light in glass, and
// near enough in copper.
const DelayPerMetre = 5 * unit.Nanosecond

// Limits on what one graph may hold, so that a mistyped count is an error and not
// an exhausted machine.
const (
	maxNodes = 1 << 20
	maxLinks = 1 << 22
	maxGPUs  = 1 << 10     // per host
	maxDelay = unit.Second // one way, longer than any cable
	maxRate  = 1000 * unit.TerabitPerSec
	maxCost  = 1 << 10 // of a link
	maxCable = 100_000 * unit.Kilometre
)

// Cable describes a link without its ends.
type Cable struct {
	Rate   unit.Bitrate  // each direction
	Length unit.Length   // gives the delay, 5 ns/m, if Delay is 0
	Delay  unit.Duration // propagation, one way; overrides Length
	Cost   int           // of routes: see Link; 0: 1
}

// propagation returns the cable's delay: as given, else from its length.
func (c Cable) propagation() unit.Duration {
	if c.Delay != 0 {
		return c.Delay
	}
	return unit.Duration(c.Length) * DelayPerMetre / unit.Duration(unit.Metre)
}

// check reports what is wrong with the cable called name, nil if nothing is.
func (c Cable) check(name string) error {
	switch {
	case c.Rate <= 0 || c.Rate > maxRate:
		return fmt.Errorf("%s: rate %s, want more than 0 and at most %s", name, bits(c.Rate), bits(maxRate))
	case c.Length < 0 || c.Length > maxCable:
		return fmt.Errorf("%s: length %v, want 0 to %v", name, c.Length, maxCable)
	case c.Delay < 0 || c.Delay > maxDelay:
		return fmt.Errorf("%s: delay %v, want 0 (from the length) to %v", name, c.Delay, maxDelay)
	case c.Cost < 0 || c.Cost > maxCost:
		return fmt.Errorf("%s: cost %d, want 0 (for 1) to %d", name, c.Cost, maxCost)
	case c.propagation() == 0:
		return fmt.Errorf("%s: no length and no delay, want one of them above 0", name)
	}
	return nil
}

// Builder makes an arbitrary Graph: add hosts and switches, connect them, Build.
// What it is told wrongly is kept and returned by Build, so calls need no checks
// of their own. The zero value is ready.
type Builder struct {
	g      Graph
	hostOf []int32 // by node, -1 for a switch
	errs   []error
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{} }

// AddHost adds a host with so many GPUs; links to it become its NICs.
func (b *Builder) AddHost(name string, gpus int) NodeID {
	if gpus < 0 || gpus > maxGPUs {
		b.fail(fmt.Errorf("%s: %d GPUs, want 0 to %d", name, gpus, maxGPUs))
		gpus = 0
	}
	id := b.addNode(name, HostKind)
	b.hostOf[id] = int32(len(b.g.Hosts))
	b.g.Hosts = append(b.g.Hosts, Host{Node: id, Name: name, GPUs: gpus})
	return id
}

// AddSwitch adds a switch: a Leaf, a Spine or a SuperSpine.
func (b *Builder) AddSwitch(name string, kind Kind) NodeID {
	if kind == HostKind || kind >= kinds {
		b.fail(fmt.Errorf("%s: a switch of kind %v, want leaf, spine or superspine", name, kind))
	}
	return b.addNode(name, kind)
}

func (b *Builder) addNode(name string, kind Kind) NodeID {
	if len(b.g.Nodes) >= maxNodes {
		b.fail(fmt.Errorf("%s: one node too many, want at most %d", name, maxNodes))
		return NodeID(len(b.g.Nodes) - 1)
	}
	b.g.Nodes = append(b.g.Nodes, Node{Name: name, Kind: kind, Tier: int(kind), Place: nowhere})
	b.hostOf = append(b.hostOf, -1)
	return NodeID(len(b.g.Nodes) - 1)
}

// Place says where in its design a node stands.
func (b *Builder) Place(n NodeID, at Place) { b.g.Nodes[n].Place = at }

// Connect links two nodes. A link to a host is the host's next NIC, on the rail of
// its index.
func (b *Builder) Connect(x, y NodeID, c Cable) LinkID { return b.connect(x, y, c, -1, -1) }

// ConnectRail links a host and a switch as Connect does; the new NIC is on the
// named rail, counted from 0.
func (b *Builder) ConnectRail(x, y NodeID, c Cable, rail int) LinkID {
	if rail < 0 || rail > maxLinks {
		b.fail(fmt.Errorf("rail %d, want 0 to %d", rail, maxLinks))
		rail = 0
	}
	return b.connect(x, y, c, rail, -1)
}

// Bond links a NIC that there is to a switch by one more port.
func (b *Builder) Bond(n NICID, sw NodeID, c Cable) LinkID {
	if err := b.mayBond(n, sw); err != nil {
		b.fail(err)
		return 0
	}
	return b.connect(b.g.Hosts[b.g.NICs[n].Host].Node, sw, c, -1, n)
}

// mayBond says why a NIC cannot have one more port, to a node.
func (b *Builder) mayBond(n NICID, sw NodeID) error {
	nic := &b.g.NICs[n]
	name := fmt.Sprintf("%s/nic%d", b.g.Hosts[nic.Host].Name, nic.Index)
	switch {
	case b.hostOf[sw] >= 0 || b.hostOf[b.g.Links[nic.Port>>1].A] >= 0 && b.hostOf[b.g.Links[nic.Port>>1].B] >= 0:
		return fmt.Errorf("%s: a NIC with several ports is cabled to switches, not to another host", name)
	case len(nic.Ports) == MaxPorts:
		return fmt.Errorf("%s: one port too many, want at most %d", name, MaxPorts)
	}
	return nil
}

// PortsOf returns how many ports a NIC has so far.
func (b *Builder) PortsOf(n NICID) int { return len(b.g.NICs[n].Ports) }

// LastNIC returns the NIC that was added last.
func (b *Builder) LastNIC() NICID { return NICID(len(b.g.NICs) - 1) }

// connect adds a link; bond is the NIC of whose it becomes a port, -1: a new one on a rail.
func (b *Builder) connect(x, y NodeID, c Cable, rail int, bond NICID) LinkID {
	if !b.has(x) || !b.has(y) {
		panic(fmt.Sprintf("topo: link between nodes %d and %d of %d", x, y, len(b.g.Nodes)))
	}
	name := b.g.Nodes[x].Name + "/" + b.g.Nodes[y].Name
	if err := c.check("link " + name); err != nil {
		b.fail(err)
	}
	hx, hy := b.hostOf[x], b.hostOf[y]
	switch {
	case x == y:
		b.fail(fmt.Errorf("link %s: both ends are the same node", name))
		return 0
	case len(b.g.Links) >= maxLinks:
		b.fail(fmt.Errorf("link %s: one link too many, want at most %d", name, maxLinks))
		return 0
	}
	l := LinkID(len(b.g.Links))
	d := c.propagation()
	b.g.Links = append(b.g.Links, Link{A: x, B: y, Rate: c.Rate, Length: c.Length, Delay: d, Cost: max(c.Cost, 1)})
	nics := [2]NICID{-1, -1}
	switch {
	case bond >= 0:
		nics = [2]NICID{bond, bond}
		b.g.NICs[bond].Ports = append(b.g.NICs[bond].Ports, PortID(2*l))
	case hx >= 0 && hy >= 0:
		nics = [2]NICID{b.addNIC(hx, PortID(2*l), rail), b.addNIC(hy, PortID(2*l+1), rail)}
	case hx >= 0:
		nics[0] = b.addNIC(hx, PortID(2*l), rail)
		nics[1] = nics[0]
	case hy >= 0:
		nics[1] = b.addNIC(hy, PortID(2*l+1), rail)
		nics[0] = nics[1]
	}
	for i, end := range [2][2]NodeID{{x, y}, {y, x}} {
		p := PortID(2*int(l) + i)
		b.g.Ports = append(b.g.Ports, Port{Node: end[0], To: end[1], Link: l, NIC: nics[i], Rate: c.Rate, Delay: d})
		b.g.Nodes[end[0]].Ports = append(b.g.Nodes[end[0]].Ports, p)
	}
	return l
}

func (b *Builder) addNIC(host int32, p PortID, rail int) NICID {
	h := &b.g.Hosts[host]
	id, index := NICID(len(b.g.NICs)), len(h.NICs)
	if rail < 0 {
		rail = index
	}
	h.NICs = append(h.NICs, id)
	b.g.NICs = append(b.g.NICs, NIC{Host: host, Index: int32(index), Port: p, Ports: []PortID{p}, Rail: int32(rail),
		Card: int32(index)})
	return id
}

// Build names the ports, checks the graph and returns it, or every mistake (the
// first ten) that the Builder was told. The Builder is used up.
func (b *Builder) Build() (*Graph, error) {
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	g := b.g
	*b = Builder{}
	g.namePorts()
	g.nearest()
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return &g, nil
}

// namePorts names each port after its ends, numbering parallel links from 1.
func (g *Graph) namePorts() {
	type ends struct{ a, b NodeID }
	links, seen := map[ends]int{}, map[ends]int{}
	for _, l := range g.Links {
		links[ends{min(l.A, l.B), max(l.A, l.B)}]++
	}
	for i, l := range g.Links {
		key, suffix := ends{min(l.A, l.B), max(l.A, l.B)}, ""
		if links[key] > 1 {
			seen[key]++
			suffix = "#" + strconv.Itoa(seen[key])
		}
		a, b := g.Nodes[l.A].Name, g.Nodes[l.B].Name
		g.Ports[2*i].Name = a + "/" + b + suffix
		g.Ports[2*i+1].Name = b + "/" + a + suffix
	}
}

func (b *Builder) has(n NodeID) bool { return n >= 0 && int(n) < len(b.g.Nodes) }

// fail keeps the first ten mistakes, each once.
func (b *Builder) fail(err error) {
	same := func(e error) bool { return e.Error() == err.Error() }
	if len(b.errs) < 10 && !slices.ContainsFunc(b.errs, same) {
		b.errs = append(b.errs, err)
	}
}

// sum adds counts that are not negative, at most math.MaxInt64.
func sum(a, b int) int {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// product multiplies counts that are not negative, at most math.MaxInt64.
func product(counts ...int) int {
	p := 1
	for _, c := range counts {
		if c != 0 && p > math.MaxInt64/c {
			return math.MaxInt64
		}
		p *= c
	}
	return p
}
