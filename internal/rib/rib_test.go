package rib_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/inventory"
	"railyard/internal/inventory/inventorytest"
	"railyard/internal/netconf"
	"railyard/internal/rib"
	"railyard/internal/topo"
)

// BGP leaves the next hops that a run takes: for every network, with spines of one AS and with ASs of their own, each
// switch sends to each rail by the ports of the shortest paths.
func TestRoutesAreThoseOfRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := inventorytest.Draw(t)
		o := inventorytest.Usual()
		o.Routing.UniqueAS = rapid.Bool().Draw(t, "unique")
		o.Routing.Summaries = rapid.Bool().Draw(t, "summaries")
		in, err := inventory.New(g, o)
		if err != nil {
			t.Fatal(err)
		}
		devices, err := netconf.Design(in)
		if err != nil {
			t.Fatal(err)
		}
		n, err := rib.New(devices, nil)
		if err != nil {
			t.Fatal(err)
		}
		routes := topo.NewRoutes(g)
		for d := range devices {
			at := nodeOf(g, devices[d].Name)
			for edge := range in.Devices {
				if len(in.Devices[edge].Rails) == 0 || topo.NodeID(edge) == at || devices[d].BGP == nil {
					continue
				}
				var want []string
				for _, p := range routes.NextHops(at, g.Ports[in.Devices[edge].Rails[0].Ports[0]].NIC) {
					want = append(want, in.Ports[p].Name.String())
				}
				slices.Sort(want)
				for _, summary := range in.Summary(topo.NodeID(edge)) {
					if got := hops(n, d, summary); !slices.Equal(got, want) {
						t.Fatalf("%s to %v of %s: by %q, a run goes by %q", devices[d].Name, summary.V4, in.Devices[edge].Name, got,
							want)
					}
				}
			}
		}
	})
}

func nodeOf(g *topo.Graph, name string) topo.NodeID {
	return topo.NodeID(slices.IndexFunc(g.Nodes, func(n topo.Node) bool { return n.Name == name }))
}

// hops names the ports by which a device sends to a prefix.
func hops(n *rib.Network, device int, to inventory.Address) (ports []string) {
	t := &n.Tables[device]
	for _, r := range t.Routes {
		if r.Prefix != to.V4 {
			continue
		}
		for _, p := range r.Paths {
			if p.Shares {
				ports = append(ports, t.Sessions[p.Session].Local)
			}
		}
	}
	slices.Sort(ports)
	return ports
}
