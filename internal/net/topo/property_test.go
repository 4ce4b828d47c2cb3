package topo_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// randomGraph draws a multigraph: switches of any kind, random (often parallel)
// links between them, hosts with cards of one or more ports on random switches. It need not be connected.
// Counts are sampled from lists because ranges favour small values.
func randomGraph(t *rapid.T) *topo.Graph {
	b := topo.NewBuilder()
	switches := make([]topo.NodeID, rapid.SampledFrom([]int{1, 2, 4, 6, 8}).Draw(t, "switches"))
	for i := range switches {
		switches[i] = b.AddSwitch("s"+string(rune('a'+i)), topo.Kind(rapid.IntRange(1, 3).Draw(t, "kind")))
	}
	any := rapid.SampledFrom(switches)
	cable := func() topo.Cable {
		return topo.Cable{Rate: unit.Bitrate(rapid.Int64Range(1, 1e12).Draw(t, "rate")),
			Length: unit.Length(rapid.Int64Range(1, 1e6).Draw(t, "mm")),
			Cost:   rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 7}).Draw(t, "cost")}
	}
	var hosts []topo.NodeID
	for i := range rapid.SampledFrom([]int{1, 2, 4, 6}).Draw(t, "hosts") {
		hosts = append(hosts, b.AddHost("h"+string(rune('a'+i)), rapid.IntRange(0, 3).Draw(t, "gpus")))
		b.Connect(hosts[i], any.Draw(t, "edge"), cable())
	}
	for range rapid.SampledFrom([]int{0, 5, 10, 20}).Draw(t, "more links") {
		x, y := any.Draw(t, "x"), any.Draw(t, "y")
		if rapid.IntRange(0, 4).Draw(t, "to host") == 0 {
			x = rapid.SampledFrom(hosts).Draw(t, "host")
		}
		if x != y {
			b.Connect(x, y, cable())
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 2, 4}).Draw(t, "ports") {
		if n := topo.NICID(rapid.IntRange(0, int(b.LastNIC())).Draw(t, "NIC")); b.PortsOf(n) < topo.MaxPorts {
			b.Bond(n, any.Draw(t, "edge"), cable())
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// distances is the oracle: costs between switches by Floyd-Warshall, far if there is no way.
const far = 1 << 20

func distances(g *topo.Graph, dead func(topo.LinkID) bool) [][]int {
	d := make([][]int, len(g.Nodes))
	for i := range d {
		d[i] = slices.Repeat([]int{far}, len(g.Nodes))
		d[i][i] = 0
	}
	for i, l := range g.Links {
		if dead(topo.LinkID(i)) {
			continue
		}
		if g.Nodes[l.A].Kind != topo.HostKind && g.Nodes[l.B].Kind != topo.HostKind {
			cost := min(d[l.A][l.B], l.Cost)
			d[l.A][l.B], d[l.B][l.A] = cost, cost
		}
	}
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}

func TestEveryPathIsShortestAndEndsAtItsDestination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		r, d := topo.NewRoutes(g), distances(g, noneDead)
		first := 0 // of the ports of the NIC that sends
		pick := func(at topo.NodeID, n int) int {
			k := rapid.IntRange(0, n-1).Draw(t, "pick")
			if g.Nodes[at].Kind == topo.HostKind {
				first = k
			}
			return k
		}
		for from := range topo.NICID(len(g.NICs)) {
			for to := range topo.NICID(len(g.NICs)) {
				if from == to {
					continue
				}
				first = 0
				path, err := r.Path(from, to, pick)
				cost := nearest(g, d, g.Ports[g.NICs[from].Ports[first]].To, g.NICs[to].Ports)
				if (err != nil) != (cost >= far) {
					t.Fatalf("%s to %s: %v, but a cost of %d between their switches", g.NICName(from),
						g.NICName(to), err, cost)
				}
				if err != nil {
					continue
				}
				for _, p := range path[1 : len(path)-1] {
					cost -= g.Links[g.Ports[p].Link].Cost
				}
				if cost != 0 {
					t.Fatalf("%s to %s: %s costs %d too little", g.NICName(from), g.NICName(to), portNames(g, path), cost)
				}
				at := g.Hosts[g.NICs[from].Host].Node
				for _, p := range path {
					if !slices.Contains(g.Nodes[at].Ports, p) {
						t.Fatalf("%s to %s: %s is not a port of %s", g.NICName(from), g.NICName(to),
							g.Ports[p].Name, g.Nodes[at].Name)
					}
					at = g.Ports[p].To
				}
				if last := path[len(path)-1]; path[0] != g.NICs[from].Ports[first] || !slices.Contains(g.NICs[to].Ports, g.Peer(last)) {
					t.Fatalf("%s to %s: %s", g.NICName(from), g.NICName(to), portNames(g, path))
				}
			}
		}
	})
}

func noneDead(topo.LinkID) bool { return false }

// nearest is the cost from a node to the nearest of the switches that some ports of a NIC lead to.
func nearest(g *topo.Graph, d [][]int, from topo.NodeID, ports []topo.PortID) int {
	least := far
	for _, p := range ports {
		least = min(least, d[from][g.Ports[p].To])
	}
	return least
}

// The next hops are all the ports that lead one hop nearer, not just some: nearer to any of the switches that
// a NIC has a live link to, and none to a dead one unless all are.
func TestNextHopsAreEveryShortestWayInPortOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		killed := map[topo.LinkID]bool{}
		for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "dead") {
			killed[topo.LinkID(rapid.IntRange(0, len(g.Links)-1).Draw(t, "link"))] = true
		}
		dead := func(l topo.LinkID) bool { return killed[l] }
		r, d := topo.NewRoutesWithout(g, dead), distances(g, dead)
		for to := range topo.NICID(len(g.NICs)) {
			live := slices.DeleteFunc(slices.Clone(g.NICs[to].Ports), func(p topo.PortID) bool { return dead(g.Ports[p].Link) })
			if len(live) == 0 {
				live = g.NICs[to].Ports
			}
			if !slices.Equal(r.Live(to), live) && len(g.NICs[to].Ports) > 1 {
				t.Fatalf("%s sends by %s, want %s", g.NICName(to), portNames(g, r.Live(to)), portNames(g, live))
			}
			for n := range topo.NodeID(len(g.Nodes)) {
				var want []topo.PortID
				for _, p := range g.Nodes[n].Ports {
					next := g.Ports[p].To
					switch {
					case g.Nodes[n].Kind == topo.HostKind:
					case nearest(g, d, n, live) == 0:
						if slices.Contains(live, g.Peer(p)) {
							want = append(want, p)
						}
					case nearest(g, d, n, live) < far && g.Nodes[next].Kind != topo.HostKind && !dead(g.Ports[p].Link) &&
						nearest(g, d, next, live) == nearest(g, d, n, live)-g.Links[g.Ports[p].Link].Cost:
						want = append(want, p)
					}
				}
				if got := r.NextHops(n, to); !slices.Equal(got, want) {
					t.Fatalf("at %s to %s: %s, want %s", g.Nodes[n].Name, g.NICName(to),
						portNames(g, got), portNames(g, want))
				}
			}
		}
	})
}

func TestPeerIsTheOtherDirectionOfTheLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		for p := range topo.PortID(len(g.Ports)) {
			q := g.Peer(p)
			a, b := g.Ports[p], g.Ports[q]
			if g.Peer(q) != p || p == q || a.Node != b.To || a.To != b.Node || a.Link != b.Link || a.NIC != b.NIC {
				t.Fatalf("port %d %+v, peer %d %+v", p, a, q, b)
			}
			if got, err := g.Names().Port(a.Name); err != nil || got != p {
				t.Fatalf("%s is port %d, %v; want %d", a.Name, got, err, p)
			}
		}
	})
}

// The oracle of Bisection is the minimum cut (Ford and Fulkerson, 1956), over every
// way to put the switches on the two sides.
func TestBisectionIsTheMinimumCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		side := make([]bool, len(g.Nodes)) // true: with the second half
		var switches []topo.NodeID
		for i, n := range g.Nodes {
			if n.Kind != topo.HostKind {
				switches = append(switches, topo.NodeID(i))
			}
		}
		for i, h := range g.Hosts {
			side[h.Node] = i >= len(g.Hosts)/2
		}
		least := unit.Bitrate(-1)
		for subset := range 1 << len(switches) {
			for k, s := range switches {
				side[s] = subset>>k&1 != 0
			}
			cut := unit.Bitrate(0)
			for _, l := range g.Links {
				if side[l.A] != side[l.B] {
					cut += l.Rate
				}
			}
			if least < 0 || cut < least {
				least = cut
			}
		}
		if got := g.Bisection(); got != least {
			t.Fatalf("bisection %v, minimum cut %v", got, least)
		}
	})
}
