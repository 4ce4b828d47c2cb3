package inventory_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

// What is asked of a network of three leaves under two spines with two links each: who reflects to whom, who is next
// to whom, who is an end of the overlay, and by which ports packets leave.
func TestWhatIsAskedOfASmallFabric(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 6, GPUs: 2, NICs: 2, RailsPerLeaf: 2, Segment: 2, Spines: 2, Parallel: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400})
	o := inventorytest.Usual()
	o.Routing.Protocol = inventory.IBGP
	in := mustNew(t, g, o)
	names := func(all []topo.NodeID) (names []string) {
		for _, n := range all {
			names = append(names, in.Devices[n].Name)
		}
		return names
	}
	far := func(ports []topo.PortID) (nodes []topo.NodeID) {
		for _, p := range ports {
			nodes = append(nodes, g.Ports[p].To)
		}
		return nodes
	}
	leaf := g.Edge(0)
	spine := in.Neighbours(leaf)[0]
	o.Routing.Protocol = inventory.EBGP
	for _, c := range []struct {
		what string
		got  any
		want string
	}{
		{"neighbours of a leaf", names(in.Neighbours(leaf)), "[spine1 spine2]"},
		{"neighbours of a spine", names(in.Neighbours(spine)), "[leaf1 leaf2 leaf3]"},
		{"a leaf reflects to", names(far(in.Reflects(leaf))), "[]"},
		{"a spine reflects to", names(far(in.Reflects(spine))), "[leaf1 leaf1 leaf2 leaf2 leaf3 leaf3]"},
		{"with an AS each a spine reflects to", names(far(mustNew(t, g, o).Reflects(spine))), "[]"},
		{"a link to hosts", in.Rate(g.Peer(g.NICs[0].Port)), fmt.Sprint(200 * unit.GigabitPerSec)},
		{"a link to spines", in.Rate(in.Trunks(leaf)[0]), fmt.Sprint(400 * unit.GigabitPerSec)},
		{"in frames of 9216 B an IP packet has", int(inventory.IPMTU(9216)), "9198"},
		{"a dead neighbour is found by BFD after", o.Routing.Detection(), "300ms"},
		{"and by its silence after", (&inventory.Routing{Hold: 9 * unit.Second}).Detection(), "9s"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s %s, want %s", c.what, got, c.want)
		}
	}
	r := topo.NewRoutes(g)
	if up := in.Groups(r, leaf); len(up) != 1 || up[0].Switches != 2 || !slices.Equal(up[0].Ports, in.Trunks(leaf)) {
		t.Errorf("groups of a leaf: %+v, want its uplinks, to two switches", up)
	}
	down := in.Groups(r, spine)
	if len(down) != 3 || down[0].Switches != 1 || names(far(down[2].Ports))[1] != "leaf3" {
		t.Errorf("groups of a spine: %+v, want two ports to each leaf", down)
	}
	o.Routing.Protocol = inventory.EVPN
	over := mustNew(t, g, o)
	if got := fmt.Sprint(names(over.Ends(leaf)), names(over.Ends(spine))); got != "[leaf2 leaf3] []" {
		t.Errorf("ends beside a leaf and a spine: %s", got)
	}
}

// Trunks of a switch come in the order of their numbers, also where cables fill one row of ports before the next: four
// to hosts take 1, 3, 5 and 7, and those to spines 9, 11, 2 and 4.
func TestTrunksComeByNumber(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, RailsPerLeaf: 2, Segment: 2, Spines: 2, Parallel: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400})
	o := inventorytest.Usual()
	o.Panel = one(inventory.Panel{Ports: 12, Rows: 2})
	in := mustNew(t, g, o)
	var numbers []int
	for _, p := range in.Trunks(g.Edge(0)) {
		numbers = append(numbers, in.Ports[p].Name.Number)
	}
	if want := []int{2, 4, 9, 11}; !slices.Equal(numbers, want) {
		t.Errorf("ports %v, want %v", numbers, want)
	}
}

// A leaf with one NIC has groups of next hops to it, too.
func TestGroupsToSingleNICs(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 2, GPUs: 1, NICs: 1, Segment: 1, Spines: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400})
	in := mustNew(t, g, inventorytest.Usual())
	if all := in.Groups(topo.NewRoutes(g), g.Edge(0)); len(all) != 1 || all[0].Switches != 1 || len(all[0].Ports) != 2 {
		t.Errorf("%+v, want one group of two uplinks to one switch", all)
	}
}

// The first pair is domain 1; the first of a pair has the lower of the two addresses.
func TestThePairsDomain(t *testing.T) {
	g := mustGraph(t, topo.DualRail{Hosts: 2, GPUs: 2, NICs: 2, Bond: 2, Switches: 2, HostLink: inventorytest.Host200,
		Peer: 1, PeerLink: inventorytest.Trunk400})
	in := mustNew(t, g, inventorytest.Usual())
	a := in.Devices[g.Edge(0)].Pair
	b := in.Devices[a.Peer].Pair
	if a.Domain != 1 || b.Domain != 1 || !a.Address.V4.Addr().Less(a.Other.V4.Addr()) ||
		b.Address != a.Other || b.Other != a.Address {
		t.Errorf("%+v, %+v", a, b)
	}
}

// Links have subnets that follow each other, and a pool that is too small says which number it does not hold.
func TestSubnetsFollowEachOther(t *testing.T) {
	o := inventorytest.Usual()
	in := mustNew(t, mustGraph(t, segment(2)), o)
	var got []string
	for _, p := range in.Trunks(in.Graph.Edge(0)) {
		got = append(got, fmt.Sprint(in.Ports[p].Address.V4))
	}
	if text := fmt.Sprint(got); text != "[172.16.0.0/31 172.16.0.2/31]" {
		t.Errorf("links have %s", text)
	}
	o.Pools.Links = netip.MustParsePrefix("172.16.0.0/31")
	const want = "holds 1 of /31, want a larger one for number 2"
	if _, err := inventory.New(in.Graph, o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a pool of one subnet for two links: %v", err)
	}
}

// Ports to switches of the same tier follow those to hosts, and routes are reflected to them, too. Without switches
// there is no gateway.
func TestPortsToTheSameTier(t *testing.T) {
	g := mustGraph(t, topo.DualRail{Hosts: 2, GPUs: 2, NICs: 2, Bond: 3, Switches: 3, HostLink: inventorytest.Host200,
		Peer: 1, PeerLink: inventorytest.Trunk400})
	o := inventorytest.Usual()
	o.Routing.Protocol = inventory.IBGP
	in := mustNew(t, g, o)
	var numbers []int
	for _, p := range in.Reflects(g.Edge(0)) {
		numbers = append(numbers, in.Ports[p].Name.Number)
	}
	if want := []int{5, 6}; !slices.Equal(numbers, want) {
		t.Errorf("reflects to ports %v, want %v", numbers, want)
	}
	halves := inventory.Panel{Breakout: 2, Rate: 400 * unit.GigabitPerSec}
	if n := halves.Needs(g, g.Edge(0)); n != 4 { // four cables to hosts in two ports, two to switches
		t.Errorf("%d ports are needed, want 4", n)
	}
	pair := mustGraph(t, topo.Direct{Hosts: 2, GPUs: 1, NICs: 1, HostLink: inventorytest.Host200})
	direct := mustNew(t, pair, inventorytest.Usual())
	if at, ok := direct.Gateway(0); ok {
		t.Errorf("gateway %v without a switch", at)
	}
}

// A link that costs more is named.
func TestTheCostlyLinkIsNamed(t *testing.T) {
	g := mustGraph(t, topo.Dragonfly{Hosts: 6, GPUs: 1, NICs: 1, Groups: 3, Routers: 2, Global: 1,
		HostLink: inventorytest.Host200, LocalLink: inventorytest.Host200, GlobalLink: inventorytest.Host200})
	i := slices.IndexFunc(g.Links, func(l topo.Link) bool { return l.Cost != 1 })
	want := "link " + g.Ports[2*i].Name + " costs"
	if _, err := inventory.New(g, inventorytest.Usual()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
