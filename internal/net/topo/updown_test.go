package topo_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Four leaves below two spines, of which leaf1 has lost spine2 and leaf2 has lost spine1.
func TestRoutesThatGoUpAndThenDown(t *testing.T) {
	link := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, Leaves: 4, Spines: 2, Parallel: 1, HostLink: link, SpineLink: link}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	dead := func(l topo.LinkID) bool {
		name := g.Nodes[g.Links[l].A].Name + "/" + g.Nodes[g.Links[l].B].Name
		return name == "leaf1/spine2" || name == "leaf2/spine1"
	}
	any, upDown := topo.NewRoutesWithout(g, dead), topo.NewRoutesUpDown(g, dead)
	for _, c := range []struct {
		from, to          topo.NICID
		any, upDown, ways int // links of the way, 0: there is none
	}{
		{0, 1, 6, 0, 0}, {1, 0, 6, 0, 0}, // down and up again
		{0, 2, 4, 4, 1}, {2, 0, 4, 4, 1}, {1, 3, 4, 4, 1},
		{2, 3, 4, 4, 2}, {3, 2, 4, 4, 2}, // by either spine
	} {
		for r, want := range map[*topo.Routes]int{any: c.any, upDown: c.upDown} {
			path, err := r.Path(c.from, c.to, nil)
			if len(path) != want || (err == nil) != (want > 0) {
				t.Errorf("from %d to %d: %d links (%v), want %d", c.from, c.to, len(path), err, want)
			}
		}
		if n := len(upDown.NextHops(g.Edge(c.from), c.to)); n != c.ways {
			t.Errorf("from %d to %d: %d ways on, want %d", c.from, c.to, n, c.ways)
		}
	}
	// In a whole network they are all ways.
	whole, same := topo.NewRoutes(g), topo.NewRoutesUpDown(g, nil)
	for from := range g.NICs {
		for to := range g.NICs {
			a, b := whole.NextHops(g.Edge(topo.NICID(from)), topo.NICID(to)), same.NextHops(g.Edge(topo.NICID(from)), topo.NICID(to))
			if len(a) != len(b) {
				t.Errorf("from %d to %d: %d ways, want %d", from, to, len(b), len(a))
			}
		}
	}
}

// A leaf and a super-spine that are left with the same neighbour are no twins: one may go up by it, the other may
// not go down by it and up again.
func TestUpDownDoesNotTakeTiersForTwins(t *testing.T) {
	g, err := topo.ParseText("network", []byte(`
host host1
host host2
switch leaf1 leaf
switch leaf2 leaf
switch spine1 spine
switch spine2 spine
switch super1 superspine
switch super2 superspine
link host1 leaf1 100Gb/s 5m
link host2 leaf2 100Gb/s 5m
link leaf1 spine1 100Gb/s 5m
link spine1 super1 100Gb/s 5m
link spine2 super1 100Gb/s 5m
link leaf2 spine2 100Gb/s 5m
link super2 spine2 100Gb/s 5m
`), 1)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]topo.NodeID{}
	for i := range g.Nodes {
		at[g.Nodes[i].Name] = topo.NodeID(i)
	}
	r := topo.NewRoutesUpDown(g, nil)
	for name, want := range map[string]int{"leaf2": 1, "spine2": 1, "super1": 1, "super2": 0} {
		if n := len(r.NextHops(at[name], 0)); n != want {
			t.Errorf("%s has %d ways to host1, want %d", name, n, want)
		}
	}
}
