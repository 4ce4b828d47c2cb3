package inventory

import "railyard/internal/net/topo"

// PrivateAS is the first of the private AS numbers of four bytes (RFC 6996); lastPrivateAS is the
// last.
const (
	PrivateAS     = 4200000000
	lastPrivateAS = 4294967294
)

// reserved are AS numbers that may not be a switch's own: AS_TRANS (RFC 6793), those of
// documentation (RFC 5398) and the ends of the ranges (RFC 7300).
var reserved = [][2]uint32{{0, 0}, {23456, 23456}, {64496, 64511}, {65535, 65551}, {4294967295, 4294967295}}

// numbers gives switches their AS numbers.
func (in *Inventory) numbers() error {
	all, err := Numbers(in.Graph, &in.Options.Routing)
	for i, as := range all {
		in.Devices[i].AS = as
	}
	return err
}

// Numbers are the AS numbers of a network's nodes: with iBGP all switches have the same; else super-spines one for
// all of a plane, spines one for all of a pod and plane, leaves one each (RFC 7938, section 5.2.1). Spines that no
// leaves join are not of one pod, as in files that name none. Nil where there are no sessions. The error is a Refusal:
// the network is not one for BGP, or there are not enough numbers.
func Numbers(g *topo.Graph, r *Routing) ([]uint32, error) {
	if r.Protocol == None || !Joined(g) {
		return nil, nil
	}
	if err := checkCosts(g); err != nil {
		return nil, err
	}
	type group struct {
		kind       topo.Kind
		pod, plane int
		joined     topo.NodeID // by leaves: the first of them
	}
	first := clusters(g)
	all := make([]uint32, len(g.Nodes))
	shared := map[group]uint32{}
	next := uint64(r.ASBase)
	for kind := topo.SuperSpine; kind >= topo.Leaf; kind-- { // from the top: few numbers, then those of leaves
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Kind != kind {
				continue
			}
			at := group{kind, n.Place.Pod, n.Place.Plane, first[i]}
			switch as, known := shared[at]; {
			case r.Protocol == IBGP:
				all[i] = r.ASBase
			case kind > topo.Leaf && !r.UniqueAS && known:
				all[i] = as
			default:
				all[i], shared[at] = uint32(next), uint32(next)
				next++
			}
		}
	}
	return all, checkNumbers(r.ASBase, max(next, uint64(r.ASBase)+1))
}

// clusters joins leaves and spines by the links between them: each node has the first of those that it is joined with,
// super-spines 0.
func clusters(g *topo.Graph) []topo.NodeID {
	first := joined(g, func(a, b topo.Kind) bool { return min(a, b) == topo.Leaf && max(a, b) == topo.Spine })
	for i := range first {
		if g.Nodes[i].Kind == topo.SuperSpine {
			first[i] = 0
		}
	}
	return first
}

// joined joins nodes by the links between kinds of them that count: each has the first of those that it is joined with.
func joined(g *topo.Graph, counts func(a, b topo.Kind) bool) []topo.NodeID {
	first := make([]topo.NodeID, len(g.Nodes))
	for i := range first {
		first[i] = topo.NodeID(i)
	}
	root := func(n topo.NodeID) topo.NodeID {
		for first[n] != n {
			first[n] = first[first[n]]
			n = first[n]
		}
		return n
	}
	for i := range g.Links {
		if a, b := g.Links[i].A, g.Links[i].B; counts(g.Nodes[a].Kind, g.Nodes[b].Kind) {
			a, b = root(a), root(b)
			first[max(a, b)] = min(a, b)
		}
	}
	for i := range first {
		first[i] = root(topo.NodeID(i))
	}
	return first
}

// Joined reports whether there are links between switches.
func Joined(g *topo.Graph) bool {
	for _, p := range g.Ports {
		if p.NIC < 0 {
			return true
		}
	}
	return false
}

// checkCosts refuses links of other costs than 1: BGP counts ASs, so its paths would not be those
// that are simulated.
func checkCosts(g *topo.Graph) error {
	for i, l := range g.Links {
		if l.Cost != 1 {
			return refuse("Protocol", "link %s costs %d: BGP counts the networks of a path, not what links cost, and would "+
				"take other paths than a run; want protocol none, or links that all cost 1",
				g.Ports[2*i].Name, l.Cost)
		}
	}
	return nil
}

// checkNumbers refuses AS numbers from first up to before end that are not free to use.
func checkNumbers(first uint32, end uint64) error {
	if end-1 > lastPrivateAS {
		return refuse("ASBase", "AS numbers %d to %d, want at most %d", first, end-1, uint64(lastPrivateAS))
	}
	for _, r := range reserved {
		if uint64(r[0]) < end && first <= r[1] {
			return refuse("ASBase", "AS numbers %d to %d: %d to %d are reserved, want others", first, end-1, r[0], r[1])
		}
	}
	return nil
}

// Reflects lists the ports of a switch to others that it reflects routes to where all have one AS: those below
// it, and those of its own tier.
func (in *Inventory) Reflects(n topo.NodeID) (all []topo.PortID) {
	if in.Options.Routing.Protocol != IBGP {
		return nil
	}
	for _, p := range in.Trunks(n) {
		if in.Graph.Nodes[in.Graph.Ports[p].To].Tier <= in.Graph.Nodes[n].Tier {
			all = append(all, p)
		}
	}
	return all
}
