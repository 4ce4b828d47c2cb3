package topo_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/topo"
	"railyard/internal/unit"
)

// randomGraph draws a multigraph: switches of any kind, random (often parallel)
// links between them, hosts with cards on random switches. It need not be connected.
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
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// distances is the oracle: costs between switches by Floyd-Warshall, far if there is no way.
const far = 1 << 20

func distances(g *topo.Graph) [][]int {
	d := make([][]int, len(g.Nodes))
	for i := range d {
		d[i] = slices.Repeat([]int{far}, len(g.Nodes))
		d[i][i] = 0
	}
	for _, l := range g.Links {
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
		r, d := topo.NewRoutes(g), distances(g)
		pick := func(_ topo.NodeID, n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		for from := range topo.NICID(len(g.NICs)) {
			for to := range topo.NICID(len(g.NICs)) {
				if from == to {
					continue
				}
				cost := d[g.Edge(from)][g.Edge(to)]
				path, err := r.Path(from, to, pick)
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
				if last := path[len(path)-1]; path[0] != g.NICs[from].Port || g.Peer(last) != g.NICs[to].Port {
					t.Fatalf("%s to %s: %s", g.NICName(from), g.NICName(to), portNames(g, path))
				}
			}
		}
	})
}

// The next hops are all the ports that lead one hop nearer, not just some.
func TestNextHopsAreEveryShortestWayInPortOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		r, d := topo.NewRoutes(g), distances(g)
		for to := range topo.NICID(len(g.NICs)) {
			edge := g.Edge(to)
			for n := range topo.NodeID(len(g.Nodes)) {
				var want []topo.PortID
				for _, p := range g.Nodes[n].Ports {
					next := g.Ports[p].To
					switch {
					case g.Nodes[n].Kind == topo.HostKind:
					case n == edge && p == g.Peer(g.NICs[to].Port),
						n != edge && d[n][edge] < far && g.Nodes[next].Kind != topo.HostKind &&
							d[next][edge] == d[n][edge]-g.Links[g.Ports[p].Link].Cost:
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
