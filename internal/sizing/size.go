package sizing

import "railyard/internal/unit"

// Size finds the network that a need takes. The error is a *Refusal.
func Size(need Need) (*Network, error) {
	n, err := need.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := n.checkEven(); err != nil {
		return nil, err
	}
	if !n.hasSpines() {
		return n.oneTier()
	}
	return n.tiers()
}

// checkEven refuses counts that do not divide each other.
func (n *Need) checkEven() error {
	switch {
	case n.Design == "single-switch" && n.Planes > 1:
		return n.refuse("design", "%d planes of one switch, want 1", n.Planes)
	case n.Ports%n.Planes != 0:
		return n.refuse("design", "%d cables of a rail for %d planes, want a multiple of that", n.Ports, n.Planes)
	case n.Design != "single-switch" && n.Rails%n.RailsPerLeaf != 0:
		return n.refuse("design", "%d rails of a host, %d of a leaf, want a number that divides %d", n.Rails,
			n.RailsPerLeaf, n.Rails)
	}
	return nil
}

// most hosts of a segment: a leaf has a port for each link, and the uplinks that the ratio asks for.
func (n *Need) mostHosts() int {
	hosts := 0
	for {
		if _, _, fit := n.leafPorts(hosts+1, n.uplinks(hosts+1)); !fit {
			return hosts
		}
		hosts++
	}
}

// leafPorts is how many ports a leaf takes for a segment of so many hosts, and how many there are.
func (n *Need) leafPorts(hosts, uplinks int) (used, there int, fit bool) {
	return n.Leaf.needs(hosts*n.perHost(), n.HostRate, uplinks, n.SpineRate)
}

// uplinks is how many a leaf needs for a segment of so many hosts.
func (n *Need) uplinks(hosts int) int {
	if !n.hasSpines() {
		return 0
	}
	return needed(hosts*n.perHost(), n.HostRate, n.SpineRate, n.Oversubscription)
}

// needed is how many links of rate up hold against so many of rate down, oversubscribed at most so much.
func needed(links int, down, up unit.Bitrate, ratio unit.Ratio) int {
	d := gcd(int64(down), int64(up))
	num := int64(links) * (int64(down) / d) * ratio.Den
	den := (int64(up) / d) * ratio.Num
	return int((num + den - 1) / den)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// oneTier sizes a network without spines.
func (n *Need) oneTier() (*Network, error) {
	h := n.mostHosts()
	if n.Segment > 0 && n.Segment < n.Hosts {
		return nil, n.refuse("leaf", "%d hosts in segments of %d: nothing joins them", n.Hosts, n.Segment)
	}
	if h < n.Hosts {
		used, _, _ := n.leafPorts(n.Hosts, 0)
		return nil, n.refuse("leaf", "%s: %d hosts with %s each on a %s take %d ports, %d there; nothing joins further ones",
			n.Leaf.Model, n.Hosts, count(n.perHost(), "link"), n.leafName(), used, n.Leaf.Ports)
	}
	net := &Network{Need: *n, Segment: n.Hosts, Segments: 1, Pods: 1}
	return net, net.matches()
}

func (n *Need) leafName() string {
	if n.Design == "single-switch" {
		return "switch"
	}
	return "rail switch"
}

// tries is how many numbers of segments are tried: with more of them a leaf has fewer hosts, and its
// uplinks may come out even.
const tries = 4

// tiers sizes a network of two tiers or, if none closes, of three.
func (n *Need) tiers() (*Network, error) {
	h := n.mostHosts()
	switch {
	case h == 0:
		used, there, _ := n.leafPorts(1, n.uplinks(1))
		return nil, n.refuse("leaf", "%s: %s of a host and %s take %d ports, %d there", n.Leaf.Model,
			count(n.perHost(), "link"), count(n.uplinks(1), "uplink"), used, there)
	case n.Segment > h:
		up := n.uplinks(n.Segment)
		used, there, _ := n.leafPorts(n.Segment, up)
		return nil, n.refuse("leaf", "%s: %s and %s take %d ports, %d there; at %s a segment has at most %d hosts",
			n.Leaf.Model, rated(n.Segment*n.perHost(), "host link", n.HostRate), rated(up, "uplink", n.SpineRate), used,
			there, Against(n.Oversubscription), h)
	}
	var least *Refusal
	for segments := ceil(n.Hosts, h); segments < ceil(n.Hosts, h)+tries; segments++ {
		net := &Network{Need: *n, Segments: segments, Segment: ceil(n.Hosts, segments), Pods: 1}
		if n.Segment > 0 {
			net.Segments, net.Segment = ceil(n.Hosts, n.Segment), n.Segment
		}
		why := net.join()
		if why == nil {
			return net, net.matches()
		}
		if least = nearest(least, why); n.Segment > 0 {
			break
		}
	}
	return nil, least
}

// matches refuses a network that has not as many leaves as were asked for.
func (w *Network) matches() error {
	if w.Need.Leaves > 0 && w.Need.Leaves != w.Leaves() {
		return w.refuse("leaf", "%d segments of %d hosts with %d leaves each are %d leaves, %d were asked for", w.Segments,
			w.Segment, w.sets(), w.Leaves(), w.Need.Leaves)
	}
	return nil
}
