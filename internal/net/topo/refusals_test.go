package topo_test

import (
	"strings"
	"testing"

	"railyard/internal/net/topo"
)

// pod is two leaves, two spines and what joins them from above.
const pod = `
host host1
host host2
switch leaf1 leaf
switch leaf2 leaf
switch spine1 spine
switch spine2 spine
switch super1 superspine
link host1 leaf1 100Gb/s 5m
link host2 leaf2 100Gb/s 5m
link leaf1 spine1 100Gb/s 5m
link leaf1 spine2 100Gb/s 5m
link leaf2 spine1 100Gb/s 5m
link leaf2 spine2 100Gb/s 5m
link spine1 super1 100Gb/s 5m
link spine2 super1 100Gb/s 5m
`

// With one AS number for the spines a route that came over the one is none for the other: not by a leaf, nor by a
// super-spine. So a spine that has lost a leaf has no way there, and leaves that have no spine in common are apart.
func TestRoutesOfOneASNumber(t *testing.T) {
	g, err := topo.ParseText("network", []byte(pod), 1)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]topo.NodeID{}
	for i := range g.Nodes {
		at[g.Nodes[i].Name] = topo.NodeID(i)
	}
	as := func(of ...uint32) []uint32 { // of leaf1, leaf2, spine1, spine2, super1
		all := make([]uint32, len(g.Nodes))
		copy(all[at["leaf1"]:], of)
		return all
	}
	shared, unique := as(10, 11, 2, 2, 1), as(10, 11, 2, 3, 1)
	for _, c := range []struct {
		dead string // leaf/spine
		as   []uint32
		from string
		ways int // to host1, on leaf1
	}{
		{"", shared, "leaf2", 2}, {"", shared, "spine2", 1}, {"", shared, "super1", 2},
		{"leaf1/spine2", shared, "leaf2", 1}, {"leaf1/spine2", shared, "spine2", 0}, {"leaf1/spine2", shared, "super1", 1},
		{"leaf1/spine2", unique, "leaf2", 1}, {"leaf1/spine2", unique, "spine2", 2}, // by leaf2 and by super1
		{"leaf1/spine2 leaf2/spine1", shared, "leaf2", 0}, {"leaf1/spine2 leaf2/spine1", unique, "leaf2", 1},
	} {
		r := topo.NewRoutesBGP(g, func(l topo.LinkID) bool {
			name := g.Nodes[g.Links[l].A].Name + "/" + g.Nodes[g.Links[l].B].Name
			return strings.Contains(c.dead, name)
		}, c.as)
		if n := len(r.NextHops(at[c.from], 0)); n != c.ways {
			t.Errorf("without %q, AS numbers %v: %s has %d ways to host1, want %d", c.dead, c.as, c.from, n, c.ways)
		}
		_, err := r.Path(1, 0, nil)
		if c.from == "leaf2" && (err == nil) != (c.ways > 0) {
			t.Errorf("without %q: %v", c.dead, err)
		}
		if err != nil && !strings.Contains(err.Error(), "two switches of one AS number") {
			t.Errorf("without %q: %v, want the AS number as the reason", c.dead, err)
		}
	}
}
