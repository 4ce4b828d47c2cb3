package inventory

import "railyard/internal/topo"

// PrivateAS is the first of the private AS numbers of four bytes (RFC 6996); lastPrivateAS is the
// last.
const (
	PrivateAS     = 4200000000
	lastPrivateAS = 4294967294
)

// reserved are AS numbers that may not be a switch's own: AS_TRANS (RFC 6793), those of
// documentation (RFC 5398) and the ends of the ranges (RFC 7300).
var reserved = [][2]uint32{{0, 0}, {23456, 23456}, {64496, 64511}, {65535, 65551}, {4294967295, 4294967295}}

// numbers gives switches their AS numbers: with iBGP all the same; else super-spines one for all
// of a plane, spines one for all of a pod and plane, leaves one each (RFC 7938, section 5.2.1).
func (in *Inventory) numbers() error {
	r, g := &in.Options.Routing, in.Graph
	if r.Protocol == None || !in.joined() {
		return nil
	}
	if err := in.checkCosts(); err != nil {
		return err
	}
	type group struct {
		kind       topo.Kind
		pod, plane int
	}
	shared := map[group]uint32{}
	next := uint64(r.ASBase)
	for kind := topo.SuperSpine; kind >= topo.Leaf; kind-- { // from the top: few numbers, then those of leaves
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Kind != kind {
				continue
			}
			at := group{kind, n.Place.Pod, n.Place.Plane}
			switch as, known := shared[at]; {
			case r.Protocol == IBGP:
				in.Devices[i].AS = r.ASBase
			case kind > topo.Leaf && !r.UniqueAS && known:
				in.Devices[i].AS = as
			default:
				in.Devices[i].AS, shared[at] = uint32(next), uint32(next)
				next++
			}
		}
	}
	return checkNumbers(r.ASBase, max(next, uint64(r.ASBase)+1))
}

// joined reports whether there are links between switches.
func (in *Inventory) joined() bool {
	for _, p := range in.Graph.Ports {
		if p.NIC < 0 {
			return true
		}
	}
	return false
}

// checkCosts refuses links of other costs than 1: BGP counts ASs, so its paths would not be those
// that are simulated.
func (in *Inventory) checkCosts() error {
	for i, l := range in.Graph.Links {
		if l.Cost != 1 {
			return refuse("Protocol", "link %s costs %d: BGP counts the networks of a path, not what links cost, and would "+
				"take other paths than a run; want protocol none, or links that all cost 1",
				in.Graph.Ports[2*i].Name, l.Cost)
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
