package balance

import (
	"slices"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// leafSpine is two leaves of one host and four spines, each linked twice to each leaf, at 100 Gb/s, with the tables
// of a method: first with all links, then without some.
func leafSpine(t *testing.T, method string, dead func(g *topo.Graph, p topo.Port) bool) *Tables {
	t.Helper()
	cable := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}
	g, err := topo.LeafSpine{Hosts: 2, GPUs: 1, NICs: 1, Leaves: 2, Spines: 4, Parallel: 2, HostLink: cable, SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	without := topo.NewRoutesWithout(g, func(l topo.LinkID) bool { return dead(g, g.Ports[2*l]) || dead(g, g.Ports[2*l+1]) })
	return &Tables{Graph: g, Setup: Setup{Method: Methods[method], Params: Params{Buckets: 64}},
		Epochs: []Epoch{{0, topo.NewRoutes(g)}, {unit.Time(unit.Second), without}}}
}

func named(names ...string) func(*topo.Graph, topo.Port) bool {
	return func(_ *topo.Graph, p topo.Port) bool { return slices.Contains(names, p.Name) }
}

// Where one of two links from a spine to the other leaf is gone, the two links up to it get half the weight each:
// the links of the own leaf are all there.
func TestWeightsCountWhatLiesBehind(t *testing.T) {
	x := leafSpine(t, "wcmp", named("spine1/leaf2#1"))
	edge := x.Graph.Edge(0)
	for epoch, first := range []int64{100, 50} { // of the two links to spine1
		g := x.Group(epoch, edge, 1)
		if len(g.Links) != 8 || g.Whole != 8 {
			t.Fatalf("epoch %d: %d links of %d", epoch, len(g.Links), g.Whole)
		}
		for i, l := range g.Links {
			want := int64(100)
			if i < 2 {
				want = first
			}
			if got := l.Weight / int64(unit.GigabitPerSec); got != want {
				t.Errorf("epoch %d: link %d weighs %d Gb/s, want %d", epoch, i, got, want)
			}
		}
	}
}

// One of the links of a group is gone. A modulo by another number moves most flows: seven of eight links are left,
// and 1/8 of the flows keep theirs. Resilient hashing moves the flows of the dead link only.
func TestResilientHashingMovesTheDeadLinksFlows(t *testing.T) {
	for _, c := range []struct {
		method    string
		low, high float64
	}{{"ecmp", 0.83, 0.92}, {"resilient", 0.10, 0.15}} {
		x := leafSpine(t, c.method, named("leaf1/spine3#1"))
		const flows = 4000
		moved := 0
		for n := range flows {
			hash := func(topo.NodeID) uint64 { return splitmix.Mix(uint64(n)) }
			before, err := x.Finder(0).Path(0, 1, hash)
			if err != nil {
				t.Fatal(err)
			}
			after, err := x.Finder(1).Path(0, 1, hash)
			if err != nil {
				t.Fatal(err)
			}
			if before[1] != after[1] {
				moved++
			}
		}
		if part := float64(moved) / flows; part < c.low || part > c.high {
			t.Errorf("%s: %.3f of the flows moved, want %.2f to %.2f", c.method, part, c.low, c.high)
		}
	}
}

// A destination that no link leads to any more has no group, and no path.
func TestNoWayIsAnError(t *testing.T) {
	x := leafSpine(t, "ecmp", func(g *topo.Graph, p topo.Port) bool { return p.NIC < 0 && g.Nodes[p.Node].Name == "leaf2" })
	if _, err := x.Finder(1).Path(0, 1, func(topo.NodeID) uint64 { return 0 }); err == nil {
		t.Error("found a path")
	}
	if g := x.Group(1, x.Graph.Edge(0), 1); len(g.Links) != 0 || g.Whole != 8 {
		t.Errorf("%d links of %d", len(g.Links), g.Whole)
	}
}

// What a group has learned stays: the links that flowlets took are asked of the same state.
func TestAGroupKeepsItsState(t *testing.T) {
	x := leafSpine(t, "flowlet", named())
	f := x.Finder(0)
	at := x.Graph.Edge(0)
	if a, b := f.Choice(at, 1), f.Choice(at, 1); a != b {
		t.Error("a group is made anew when it is asked again")
	}
	if f.Choice(at, 1) == x.Finder(0).Choice(at, 1) {
		t.Error("two finders share a group")
	}
}
