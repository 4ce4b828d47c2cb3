package sizing

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Size finds the network that a need takes: of all of its family the one of the least cost, or with the fewest
// switches, and of those with the fewest cables. The error is a *Refusal.
func Size(need Need) (*Network, error) {
	n, err := need.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := n.checkEven(); err != nil {
		return nil, err
	}
	if n.Design == topo.DesignDragonfly {
		return n.dragonfly()
	}
	if !n.hasSpines() {
		return n.oneTier()
	}
	if err := n.checkCounts(); err != nil {
		return nil, err
	}
	bound, proof := n.bound()
	if proof != nil {
		return nil, proof
	}
	x := search{need: &n}
	x.one()
	x.two()
	x.three()
	if x.best == nil {
		return nil, x.exhausted()
	}
	x.best.Bound = bound
	return x.best, nil
}

// Best finds the best network of several needs, which are alike but for a number such as that of planes. Its bound is
// the least of theirs.
func Best(needs []Need) (best *Network, why error) {
	var bound Bound
	for i := range needs {
		w, err := Size(needs[i])
		if err != nil {
			if why == nil {
				why = err
			}
			continue
		}
		b := w.Bound
		if best == nil || w.cost(b.Leaves, b.Spines, b.SuperSpines) < w.cost(bound.Leaves, bound.Spines, bound.SuperSpines) {
			bound = b
		}
		if best == nil || w.score().less(best.score()) {
			best = w
		}
	}
	if best == nil {
		return nil, why
	}
	best.Bound = bound
	return best, nil
}

// checkEven refuses counts that do not divide each other.
func (n *Need) checkEven() error {
	switch {
	case (n.Design == topo.DesignSingleSwitch || n.Design == topo.DesignDragonfly) && n.Planes > 1:
		return n.refuse("design", "%d planes of what has all ports of a host on one switch, want 1", n.Planes)
	case n.Ports%n.Planes != 0:
		return n.refuse("design", "%d cables of a rail for %d planes, want a multiple of that", n.Ports, n.Planes)
	case n.Ports%n.Bond != 0:
		return n.refuse("design", "%d cables of a rail for NICs with %d ports, want a multiple of that", n.Ports, n.Bond)
	case n.Design == topo.DesignLeafSpine && n.Rails*n.Ports%n.sets() != 0:
		return n.refuse("design", "%d cables of a host for %s, want a multiple of that", n.Rails*n.Ports,
			count(n.sets(), "leaf"))
	case n.Design != topo.DesignSingleSwitch && n.Design != topo.DesignDragonfly && n.Rails%n.RailsPerLeaf != 0:
		return n.refuse("design", "%d rails of a host, %d of a leaf, want a number that divides %d", n.Rails,
			n.RailsPerLeaf, n.Rails)
	}
	return nil
}

// checkCounts refuses counts that are given and do not divide each other.
func (n *Need) checkCounts() error {
	switch {
	case n.Leaves%n.sets() != 0:
		return n.refuse("leaf", "%s, %d for each segment, want a multiple of that", count(n.Leaves, "leaf"), n.sets())
	case n.Spines%n.Planes != 0:
		return n.refuse("spine", "%s for %s, want a multiple of that", count(n.Spines, "spine"), count(n.Planes, "plane"))
	case n.SuperSpines%n.Planes != 0:
		return n.refuse("superspine", "%s for %s, want a multiple of that", count(n.SuperSpines, "super-spine"),
			count(n.Planes, "plane"))
	case n.Pods == 1 && n.SuperSpines > 0:
		return n.refuse("superspine", "%s for one pod, which they join to none", count(n.SuperSpines, "super-spine"))
	case n.Super.Ports == 0 && (n.SuperSpines > 0 || n.Pods > 1):
		return n.refuse("superspine", "pods or super-spines, and no model of a super-spine")
	}
	return nil
}

// leafPorts is how many ports a leaf takes for a segment of so many hosts, and how many there are.
func (n *Need) leafPorts(hosts, uplinks int, rate unit.Bitrate) (used, there int, fit bool) {
	return n.Leaf.needs(hosts*n.perHost(), n.HostRate, uplinks, rate)
}

// uplinks is how many of a rate a leaf needs for a segment of so many hosts.
func (n *Need) uplinks(hosts int, rate unit.Bitrate) int {
	if !n.hasSpines() {
		return 0
	}
	return needed(hosts*n.perHost(), n.HostRate, rate, n.Oversubscription)
}

// needed is how many links of rate up hold against so many of rate down, oversubscribed at most so much.
func needed(links int, down, up unit.Bitrate, ratio unit.Ratio) int {
	d := gcd(int64(down), int64(up))
	den := uint64(int64(up)/d) * uint64(ratio.Num)
	hi, lo := bits.Mul64(uint64(int64(links)*ratio.Den), uint64(int64(down)/d))
	lo, carry := bits.Add64(lo, den-1, 0)
	if hi += carry; hi >= den {
		return most * most
	}
	n, _ := bits.Div64(hi, lo, den)
	return int(min(n, most*most))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// oneTier sizes a network without spines: each set of rails has its switch, and there is nothing to choose.
func (n *Need) oneTier() (*Network, error) {
	if n.Segment > 0 && n.Segment < n.Hosts {
		return nil, n.refuse("leaf", "%d hosts in segments of %d: nothing joins them", n.Hosts, n.Segment)
	}
	if used, _, fit := n.leafPorts(n.Hosts, 0, 0); !fit {
		return nil, n.refuse("leaf", "%s: %d hosts with %s each on a %s take %d ports, %d there; nothing joins further ones",
			n.Leaf.Model, n.Hosts, count(n.perHost(), "link"), n.leafName(), used, n.Leaf.Ports)
	}
	net := &Network{Need: *n, Segment: n.Hosts, Segments: 1, Pods: 1, Bound: Bound{Leaves: n.sets()}}
	if n.Leaves > 0 && n.Leaves != net.Leaves() {
		return nil, n.refuse("leaf", "%s, %s were asked for", count(net.Leaves(), n.leafName()), count(n.Leaves, "leaf"))
	}
	return net, nil
}

func (n *Need) leafName() string {
	if n.Design == topo.DesignSingleSwitch {
		return "switch"
	}
	return "rail switch"
}
