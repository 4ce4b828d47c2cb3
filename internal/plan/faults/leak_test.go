package faults

import (
	"testing"

	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// A leak is of the switches whose names match, and of no host; ports of NICs go down with their links, both ends of one between
// two NICs.
func TestLeaksAndPortsThatGoDown(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{Name: "leaf1", Kind: topo.Leaf}, {Name: "leaf2", Kind: topo.Leaf},
		{Name: "leafy", Kind: topo.HostKind}, {Name: "host2", Kind: topo.HostKind}},
		Ports: []topo.Port{{Node: 2, NIC: 0}, {Node: 0, NIC: -1}, {Node: 0, NIC: -1}, {Node: 1, NIC: -1},
			{Node: 2, NIC: 0}, {Node: 3, NIC: 1}}}
	s := &Set{net: g, outages: []outage{{0, 5, 7}, {1, 5, 7}, {2, 8, 9}}}
	m := maker{Network: Network{Graph: g}, out: s}
	f := &scenario.Fault{}
	f.Switch.Value = "leaf[1y]"
	if err := m.leak(f, 0, 3); err != nil || len(m.fab.Leaks) != 1 || m.fab.Leaks[0].Switch != 0 {
		t.Errorf("%v: %+v", err, m.fab.Leaks)
	}
	all := s.PortDowns()
	if len(all) != 3 || all[0] != (PortDown{0, 5, 7}) || all[1] != (PortDown{4, 8, 9}) || all[2] != (PortDown{5, 8, 9}) {
		t.Errorf("%+v", all)
	}
}
