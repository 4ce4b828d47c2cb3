package rib_test

import (
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

// cut takes both ends of links between switches out of configurations, as links that are down are.
func cut(in *inventory.Inventory, devices []netconf.Device, dead map[topo.LinkID]bool) {
	g := in.Graph
	for link := range dead {
		for _, p := range []topo.PortID{topo.PortID(2 * link), topo.PortID(2*link + 1)} {
			name, far := in.Ports[p].Name.String(), in.Ports[g.Peer(p)].Address.V4.Addr()
			at := slices.IndexFunc(devices, func(d netconf.Device) bool { return d.Name == g.Nodes[g.Ports[p].Node].Name })
			d := &devices[at]
			d.Interfaces = slices.DeleteFunc(d.Interfaces, func(i netconf.Interface) bool { return i.Name == name })
			d.BGP.Neighbours = slices.DeleteFunc(d.BGP.Neighbours, func(n netconf.Neighbour) bool { return n.Address == far })
		}
	}
}

// BGP leaves the next hops that a run takes: for every network, with spines of one AS, with ASs of their own and with one
// AS for all, and with links that are down, each switch sends to each rail by the ports of the shortest paths that
// nobody refuses.
func TestRoutesAreThoseOfRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := inventorytest.Draw(t)
		o := inventorytest.Usual()
		o.Routing.UniqueAS = rapid.Bool().Draw(t, "unique")
		o.Routing.Protocol = rapid.SampledFrom([]inventory.Protocol{inventory.EBGP, inventory.IBGP, inventory.EVPN}).Draw(t, "protocol")
		o.Routing.Summaries = rapid.Bool().Draw(t, "summaries")
		if inventory.CheckOverlay(g, &o.Routing) != nil {
			o.Routing.Protocol = inventory.EBGP
		}
		in, err := inventory.New(g, o)
		if err != nil {
			t.Fatal(err)
		}
		devices := netconf.Design(in)
		dead := map[topo.LinkID]bool{}
		for l := range g.Links {
			if g.Ports[2*l].NIC < 0 && g.Ports[2*l+1].NIC < 0 && rapid.IntRange(0, 4).Draw(t, "dead") == 0 {
				dead[topo.LinkID(l)] = true
			}
		}
		cut(in, devices, dead)
		n := rib.New(devices, nil)
		isDead := func(l topo.LinkID) bool { return dead[l] }
		routes := topo.NewRoutesUpDown(g, isDead)
		if o.Routing.Protocol != inventory.IBGP {
			numbers, err := inventory.Numbers(g, &o.Routing)
			if err != nil {
				t.Fatal(err)
			}
			routes = topo.NewRoutesBGP(g, isDead, numbers)
		}
		for d := range devices {
			at := nodeOf(g, devices[d].Name)
			for edge := range in.Devices {
				if len(in.Devices[edge].Rails) == 0 || topo.NodeID(edge) == at || devices[d].BGP == nil ||
					slices.Contains(in.Devices[edge].Peers, at) { // it has the rail itself
					continue
				}
				var want []string
				for _, p := range routes.NextHops(at, g.Ports[in.Devices[edge].Rails[0].Ports[0]].NIC) {
					want = append(want, in.Ports[p].Name.String())
				}
				slices.Sort(want)
				if in.Overlay() && slices.Contains(in.Ends(at), topo.NodeID(edge)) {
					heard(t, n, d, in.Devices[edge].Loopback.V4.Addr(), len(want))
				}
				for _, summary := range in.Summary(topo.NodeID(edge)) {
					if got := hops(n, d, summary); !slices.Equal(got, want) {
						t.Fatalf("without links %v: %s to %v of %s: by %q, a run goes by %q", dead, devices[d].Name, summary.V4,
							in.Devices[edge].Name, got, want)
					}
				}
			}
		}
	})
}

// heard wants a device to know of an end of tunnels only over sessions that are up, with as many next hops as there are.
func heard(t *rapid.T, n *rib.Network, device int, end netip.Addr, hops int) {
	for _, e := range n.Tables[device].Ends {
		if e.Address != end {
			continue
		}
		if e.Hops != hops || hops == 0 && len(e.Paths) > 0 {
			t.Fatalf("%s hears of %v with %d next hops, want %d", n.Devices[device].Name, end, e.Hops, hops)
		}
		return
	}
	if hops > 0 {
		t.Fatalf("%s has %d next hops to %v and does not hear of it", n.Devices[device].Name, hops, end)
	}
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
