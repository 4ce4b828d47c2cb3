package inventory_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

func mustNew(t interface{ Fatal(...any) }, g *topo.Graph, o inventory.Options) *inventory.Inventory {
	in, err := inventory.New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// segment is the book's 32 host ports on a switch that so many rails share.
func segment(rails int) topo.RailOptimized {
	return topo.RailOptimized{Hosts: 32 / rails, GPUs: rails, NICs: rails, RailsPerLeaf: rails, Spines: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400}
}

// Book chapter 13, the three models of rails: VLAN 100 + r; subnets of /28, /25, /24 in 10.0.1.0/24,
// from which the printed 10.0.2.0/28 and 10.0.128.0/25 fall out; a summary but for one rail. Eight
// subnets fill the /24 with /27: the book's /28 is a choice.
func TestModelsOfRails(t *testing.T) {
	for _, c := range []struct {
		rails, bits int
		want        string
		summary     string
	}{
		{8, 28, "101 10.0.1.0/28 10.0.1.1/28, 102 10.0.1.16/28 10.0.1.17/28", "10.0.1.0/24"},
		{8, 0, "101 10.0.1.0/27 10.0.1.1/27, 102 10.0.1.32/27 10.0.1.33/27", "10.0.1.0/24"},
		{2, 0, "101 10.0.1.0/25 10.0.1.1/25, 102 10.0.1.128/25 10.0.1.129/25", "10.0.1.0/24"},
		{1, 0, "101 10.0.1.0/24 10.0.1.1/24", "10.0.1.0/24"},
	} {
		o := inventorytest.Usual()
		o.RailBits = c.bits
		in := mustNew(t, mustGraph(t, segment(c.rails)), o)
		leaf := in.Graph.Edge(0)
		var got []string
		for _, r := range in.Devices[leaf].Rails[:min(c.rails, 2)] {
			got = append(got, fmt.Sprint(r.VLAN, " ", r.Subnet.V4, " ", r.Gateway.V4))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%d rails: %s, want %s", c.rails, text, c.want)
		}
		if s := in.Summary(leaf); len(s) != 1 || s[0].V4.String() != c.summary {
			t.Errorf("%d rails: summary %v", c.rails, s)
		}
	}
}

func TestAddressesOfASmallFabric(t *testing.T) {
	o := inventorytest.Usual()
	o.IPv6 = true
	in := mustNew(t, mustGraph(t, topo.RailOptimized{Hosts: 2, GPUs: 2, NICs: 2, Spines: 2, HostLink: inventorytest.Host200,
		SpineLink: inventorytest.Trunk400}), o)
	var b strings.Builder
	for i, n := range in.Graph.Nodes {
		d := &in.Devices[i]
		fmt.Fprintln(&b, d.Name, d.AS, d.Loopback.All())
		for _, p := range n.Ports {
			fmt.Fprintln(&b, " ", in.Ports[p].Name, in.Graph.Ports[p].Name, in.Ports[p].VLAN, in.Ports[p].Address.All())
		}
	}
	want := `host1 0 []
  nic0 host1/rail1 0 [10.0.1.2/24 fd00:0:0:1::2/64]
  nic1 host1/rail2 0 [10.0.2.2/24 fd00:0:0:2::2/64]
host2 0 []
  nic0 host2/rail1 0 [10.0.1.3/24 fd00:0:0:1::3/64]
  nic1 host2/rail2 0 [10.0.2.3/24 fd00:0:0:2::3/64]
rail1 4200000001 [10.255.0.1/32 fd00:2::1/128]
  Ethernet1/1 rail1/host1 101 []
  Ethernet1/2 rail1/host2 101 []
  Ethernet1/3 rail1/spine1 0 [172.16.0.0/31 fd00:1::/127]
  Ethernet1/4 rail1/spine2 0 [172.16.0.2/31 fd00:1::2/127]
rail2 4200000002 [10.255.0.2/32 fd00:2::2/128]
  Ethernet1/1 rail2/host1 102 []
  Ethernet1/2 rail2/host2 102 []
  Ethernet1/3 rail2/spine1 0 [172.16.0.4/31 fd00:1::4/127]
  Ethernet1/4 rail2/spine2 0 [172.16.0.6/31 fd00:1::6/127]
spine1 4200000000 [10.255.0.3/32 fd00:2::3/128]
  Ethernet1/1 spine1/rail1 0 [172.16.0.1/31 fd00:1::1/127]
  Ethernet1/2 spine1/rail2 0 [172.16.0.5/31 fd00:1::5/127]
spine2 4200000000 [10.255.0.4/32 fd00:2::4/128]
  Ethernet1/1 spine2/rail1 0 [172.16.0.3/31 fd00:1::3/127]
  Ethernet1/2 spine2/rail2 0 [172.16.0.7/31 fd00:1::7/127]
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
}

// Whatever the network: addresses are each of one interface, but for gateways on switches that share NICs; NICs are in the
// subnet of their rail and reach its gateway, both ends of a link share a subnet, and summaries hold the subnets of their
// switch and no other's.
func TestEverythingHasAnAddressOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := inventorytest.Usual()
		o.IPv6 = rapid.Bool().Draw(t, "IPv6")
		o.RailBits = rapid.SampledFrom([]int{0, 0, 26, 28}).Draw(t, "bits")
		o.Routing.UniqueAS = rapid.Bool().Draw(t, "unique")
		in := mustNew(t, inventorytest.Draw(t), o)
		g, owner := in.Graph, map[netip.Addr]string{}
		own := func(who string, a inventory.Address) {
			if a.V4.IsValid() && a.V6.IsValid() != o.IPv6 {
				t.Fatalf("%s: %v", who, a)
			}
			for _, p := range a.All() {
				if was := owner[p.Addr()]; was != "" {
					t.Fatalf("%s is of %s and of %s", p.Addr(), was, who)
				}
				owner[p.Addr()] = who
			}
		}
		for i := range g.Nodes {
			d := &in.Devices[i]
			own(d.Name, d.Loopback)
			for _, r := range d.Rails {
				if len(d.Peers) == 0 || d.Peers[0] > topo.NodeID(i) {
					own(fmt.Sprint(d.Name, " rail ", r.Rail+1), r.Gateway)
				}
				for _, port := range r.Ports {
					checkNIC(t, in, r, g.NICs[g.Ports[g.Peer(port)].NIC].Port)
				}
				for other := range in.Devices {
					if slices.Contains(d.Peers, topo.NodeID(other)) {
						continue
					}
					for _, summary := range in.Summary(topo.NodeID(other)) {
						if in.Options.Routing.Summaries && summary.V4.Overlaps(r.Subnet.V4) != (other == i &&
							(len(d.Rails) > 1 || summary == r.Subnet)) {
							t.Fatalf("%s: %v of %s", in.Devices[other].Name, summary, d.Name)
						}
						if other == i && summary == d.Block && !within(summary, r.Subnet) {
							t.Fatalf("%s: %v is not in %v", d.Name, r.Subnet, summary)
						}
					}
				}
			}
		}
		for i := range g.Ports {
			own(g.Ports[i].Name, in.Ports[i].Address)
			if p := &in.Ports[i]; g.Ports[i].NIC < 0 {
				for k, a := range p.Address.All() {
					if peer := in.Ports[g.Peer(topo.PortID(i))].Address.All()[k]; peer.Masked() != a.Masked() {
						t.Fatalf("%s: %v and %v", g.Ports[i].Name, a, peer)
					}
				}
			}
		}
	})
}

func within(outer, inner inventory.Address) bool {
	in := func(a, b netip.Prefix) bool { return a.Bits() <= b.Bits() && a.Contains(b.Addr()) }
	return in(outer.V4, inner.V4) && (!outer.V6.IsValid() || in(outer.V6, inner.V6))
}

func checkNIC(t *rapid.T, in *inventory.Inventory, r inventory.Rail, nic topo.PortID) {
	a := in.Ports[nic].Address
	last := a.V4.Addr().Next()
	if a.V4.Masked() != r.Subnet.V4 || !r.Subnet.V4.Contains(last) {
		t.Fatalf("%s: %v in %v", in.Graph.Ports[nic].Name, a, r.Subnet)
	}
	if gateway, ok := in.Gateway(in.Graph.Ports[nic].NIC); !ok || gateway != r.Gateway {
		t.Fatalf("%s: gateway %v, want %v", in.Graph.Ports[nic].Name, gateway, r.Gateway)
	}
}

// RFC 7938, section 5.2.1: one AS for the super-spines, one for the spines of a pod, one for each leaf.
func TestNumbersOfSystems(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 4, GPUs: 1, NICs: 1, Segment: 1, Spines: 2,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400,
		Upper: topo.Upper{Pods: 2, SuperSpines: 2, SuperLink: inventorytest.Trunk400}})
	for _, c := range []struct {
		change func(*inventory.Options)
		want   string
	}{
		{func(*inventory.Options) {}, "leaf1 3, leaf2 4, leaf3 5, leaf4 6, spine1 1, spine2 1, spine3 2, spine4 2, " +
			"superspine1 0, superspine2 0"},
		{func(o *inventory.Options) { o.Routing.UniqueAS = true }, "leaf1 6, leaf2 7, leaf3 8, leaf4 9, spine1 2, " +
			"spine2 3, spine3 4, spine4 5, superspine1 0, superspine2 1"},
		{func(o *inventory.Options) { o.Routing.Protocol = inventory.IBGP }, "leaf1 0, leaf2 0, leaf3 0, leaf4 0, spine1 0, " +
			"spine2 0, spine3 0, spine4 0, superspine1 0, superspine2 0"},
	} {
		o := inventorytest.Usual()
		c.change(&o)
		var got []string
		for _, d := range mustNew(t, g, o).Devices {
			if d.AS > 0 {
				got = append(got, fmt.Sprint(d.Name, " ", d.AS-inventory.PrivateAS))
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s, want %s", text, c.want)
		}
	}
}

// Spines of a file that names no pods are of one pod if leaves join them: else what goes from pod to pod would come by
// one AS twice, and be refused.
func TestNumbersOfPodsWithoutNames(t *testing.T) {
	g, err := topo.ParseText("network", []byte(`
host host1
host host2
switch leaf1 leaf
switch leaf2 leaf
switch spine1 spine
switch spine2 spine
switch spine3 spine
switch super1 superspine
link host1 leaf1 100Gb/s 5m
link host2 leaf2 100Gb/s 5m
link leaf1 spine1 100Gb/s 5m
link spine2 leaf1 100Gb/s 5m
link leaf2 spine3 100Gb/s 5m
link spine1 super1 100Gb/s 5m
link spine2 super1 100Gb/s 5m
link spine3 super1 100Gb/s 5m
`), 1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := inventory.Numbers(g, &inventory.Routing{Protocol: inventory.EBGP, ASBase: 64512})
	var got []string
	for i, as := range all {
		got = append(got, fmt.Sprint(g.Nodes[i].Name, " ", as))
	}
	want := "host1 0, host2 0, leaf1 64515, leaf2 64516, spine1 64513, spine2 64513, spine3 64514, super1 64512"
	if text := strings.Join(got, ", "); err != nil || text != want {
		t.Errorf("%s (%v), want %s", text, err, want)
	}
}

// What does not fit is refused, by the name of its option.
func TestRefusals(t *testing.T) {
	g := mustGraph(t, segment(2))
	prefix := netip.MustParsePrefix
	for _, c := range []struct {
		change       func(*inventory.Options)
		option, want string
	}{
		{func(o *inventory.Options) { o.RailBits = 28 }, "RailBits", "/28 have too few addresses"},
		{func(o *inventory.Options) { o.Pools.Loopbacks = prefix("10.255.0.0/31") }, "Loopbacks", "holds 2 of /32"},
		{func(o *inventory.Options) { o.Pools.Links = prefix("10.0.1.0/24") }, "Links", "in common"},
		{func(o *inventory.Options) { o.Pools.Hosts = prefix("10.0.0.0/25") }, "Hosts", "none of /24"},
		{func(o *inventory.Options) { o.Routing.ASBase = 65534 }, "ASBase", "65535 to 65551 are reserved"},
		{func(o *inventory.Options) { o.Routing.ASBase = 4294967294 }, "ASBase", "at most 4294967294"},
		{func(o *inventory.Options) { o.Panel = one(inventory.Panel{Ports: 4}) }, "Panel", "at most 4"},
	} {
		o := inventorytest.Usual()
		c.change(&o)
		_, err := inventory.New(g, o)
		var r *inventory.Refusal
		if !errors.As(err, &r) || r.Option != c.option || !strings.Contains(r.Text, c.want) {
			t.Errorf("%v, want %s: %s", err, c.option, c.want)
		}
	}
	costly := mustGraph(t, topo.Dragonfly{Hosts: 6, GPUs: 1, NICs: 1, Groups: 3, Routers: 2, Global: 1, HostLink: inventorytest.Host200,
		LocalLink: inventorytest.Host200, GlobalLink: inventorytest.Host200})
	if _, err := inventory.New(costly, inventorytest.Usual()); err == nil || !strings.Contains(err.Error(), "costs 3: BGP counts") {
		t.Error(err)
	}
}

// Where no switch is joined to another there is nothing to talk about; where nothing routes between rails, no gateway.
func TestNetworksWithoutSessions(t *testing.T) {
	in := mustNew(t, mustGraph(t, topo.SingleSwitch{Hosts: 3, GPUs: 2, NICs: 2, HostLink: inventorytest.Host200,
		Isolated: true}), inventorytest.Usual())
	if _, ok := in.Gateway(0); ok || slices.ContainsFunc(in.Devices, func(d inventory.Device) bool { return d.AS != 0 }) {
		t.Error("a gateway or an AS number in a network of isolated VLANs")
	}
	in = mustNew(t, mustGraph(t, topo.Direct{Hosts: 2, GPUs: 1, NICs: 1, HostLink: inventorytest.Host200}), inventorytest.Usual())
	if got := fmt.Sprint(in.Ports[0].Address.V4, in.Ports[1].Address.V4); got != "172.16.0.0/31 172.16.0.1/31" {
		t.Error(got)
	}
}

// The two switches that ports of the same NICs are on have one subnet for each rail, with one gateway and one address for
// a NIC, whose ports have names of their own; switches of other NICs have other subnets.
func TestSwitchesThatShareNICs(t *testing.T) {
	for _, d := range []topo.Design{
		topo.DualRail{Hosts: 3, GPUs: 2, NICs: 2, Bond: 2, Switches: 2, HostLink: inventorytest.Host200},
		topo.LeafSpine{Hosts: 8, GPUs: 2, NICs: 2, Bond: 2, Leaves: 4, Spines: 2, Parallel: 1,
			HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400},
	} {
		g, err := d.Graph()
		if err != nil {
			t.Fatal(err)
		}
		in, err := inventory.New(g, inventorytest.Usual())
		if err != nil {
			t.Fatal(err)
		}
		owner := map[netip.Addr]topo.NICID{}
		for n := range g.NICs {
			nic := &g.NICs[n]
			at := in.Ports[nic.Port].Address.V4
			if other, taken := owner[at.Addr()]; taken {
				t.Errorf("%v is the address of NICs %d and %d", at, other, n)
			}
			owner[at.Addr()] = topo.NICID(n)
			for k, p := range nic.Ports {
				sw := &in.Devices[g.Ports[p].To]
				i := slices.IndexFunc(sw.Rails, func(r inventory.Rail) bool { return r.Rail == int(nic.Rail) })
				gateway, _ := in.Gateway(topo.NICID(n))
				if r := sw.Rails[i]; r.Subnet.V4 != at.Masked() || r.Gateway != gateway {
					t.Errorf("%s has subnet %v and gateway %v for NIC %d at %v", sw.Name, r.Subnet.V4, r.Gateway.V4, n, at)
				}
				if name, want := in.Ports[p].Name.String(), fmt.Sprintf("nic%d/%d", nic.Index, k+1); name != want {
					t.Errorf("port %d of NIC %d is called %s, want %s", k, n, name, want)
				}
			}
		}
		blocks := map[netip.Prefix][]topo.NodeID{}
		for i := range in.Devices {
			if b := in.Devices[i].Block.V4; b.IsValid() {
				blocks[b] = append(blocks[b], topo.NodeID(i))
			}
		}
		for b, on := range blocks {
			if len(on) != 2 || !slices.Equal(in.Devices[on[0]].Peers, on[1:]) || !slices.Equal(in.Devices[on[1]].Peers, on[:1]) {
				t.Errorf("block %v is on switches %v, want two that are peers", b, on)
			}
		}
	}
}

// Two switches that share NICs and have links are a pair: a domain, addresses in one subnet that no link has, and port
// channels with the same numbers for each NIC. Three are none.
func TestPairs(t *testing.T) {
	for ports, paired := range map[int]bool{2: true, 3: false} {
		g := mustGraph(t, topo.DualRail{Hosts: 3, GPUs: 2, NICs: 2, Bond: ports, Switches: ports, HostLink: inventorytest.Host200,
			Peer: 2, PeerLink: inventorytest.Trunk400})
		in := mustNew(t, g, inventorytest.Usual())
		if inventory.Paired(g) != paired {
			t.Errorf("%d switches: paired %v", ports, !paired)
		}
		a, b := in.Devices[g.Edge(0)].Pair, in.Devices[g.Ports[g.NICs[0].Ports[1]].To].Pair
		if !paired {
			if a != nil || b != nil || len(in.Trunks(g.Edge(0))) != 4 {
				t.Errorf("three switches: %+v, %+v, trunks %v", a, b, in.Trunks(g.Edge(0)))
			}
			continue
		}
		if a.Domain != b.Domain || a.Address != b.Other || a.Other != b.Address || a.Address.V4.Masked() != b.Address.V4.Masked() ||
			a.Peer == b.Peer || len(in.Trunks(g.Edge(0))) != 0 {
			t.Errorf("%+v, %+v", a, b)
		}
		numbers := map[int]int{} // of port channels, to their NIC
		for n := range g.NICs {
			for _, p := range g.NICs[n].Ports {
				c := in.Ports[g.Peer(p)].Channel
				if was, known := numbers[c]; c == a.Channel || c == 0 || known && was != n {
					t.Errorf("%s: port channel %d, of NIC %d", g.Ports[p].Name, c, was)
				}
				numbers[c] = n
			}
		}
	}
}

// With EVPN a rail is one subnet over all leaves that have ways to each other, each of them its gateway; NICs have an
// address each, and planes have subnets of their own.
func TestOverlays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := inventorytest.Usual()
		o.Routing.Protocol, o.IPv6 = inventory.EVPN, rapid.Bool().Draw(t, "IPv6")
		g := inventorytest.Draw(t)
		in, err := inventory.New(g, o)
		if err != nil {
			if !strings.Contains(err.Error(), "Ethernet segment") || !g.Bonded() {
				t.Fatal(err)
			}
			return
		}
		if !in.Overlay() {
			return
		}
		type rail struct{ plane, rail int }
		subnets, owner := map[rail]inventory.Address{}, map[netip.Prefix]rail{}
		for i := range in.Devices {
			d := &in.Devices[i]
			for _, r := range slices.Concat(d.Rails, d.Away) {
				at := rail{g.Nodes[i].Place.Plane, r.Rail}
				if s, known := subnets[at]; known && s != r.Subnet || r.VNI != 10000+r.VLAN || !within(d.Block, r.Subnet) {
					t.Fatalf("%s: %+v, elsewhere %v", d.Name, r, s)
				}
				if was, known := owner[r.Subnet.V4]; known && was != at {
					t.Fatalf("%v is of %+v and of %+v", r.Subnet.V4, was, at)
				}
				subnets[at], owner[r.Subnet.V4] = r.Subnet, at
			}
			if n := len(d.Rails) + len(d.Away); len(d.Rails) > 0 && n != len(in.Devices[in.Graph.Edge(0)].Rails)+
				len(in.Devices[in.Graph.Edge(0)].Away) {
				t.Fatalf("%s: %d rails", d.Name, n)
			}
		}
		known := map[netip.Addr]bool{}
		for n := range g.NICs {
			a := in.Ports[g.NICs[n].Port].Address.V4
			gateway, _ := in.Gateway(topo.NICID(n))
			if known[a.Addr()] || a.Masked() != gateway.V4.Masked() || a.Addr() == gateway.V4.Addr() {
				t.Fatalf("%s: %v, gateway %v", g.NICName(topo.NICID(n)), a, gateway.V4)
			}
			known[a.Addr()] = true
		}
	})
}

// A rail's subnet holds, beside its NICs, the address of the network, the gateway's and that of all hosts (RFC 950; RFC
// 1122, section 3.2.1.3): a /27 has room for 29 NICs, and a /24 for 253. Without a length given it grows where there are more.
func TestSubnetsHoldWhatIsNotAHost(t *testing.T) {
	for _, c := range []struct {
		nics, asked int
		want        string // the subnet, or else the error's end
	}{
		{29, 27, "10.0.1.0/27"},
		{30, 27, "want at most /26"},
		{253, 0, "10.0.1.0/24"},
		{254, 0, "10.0.2.0/23"},
		{1, 30, "10.0.1.0/30"},
		{2, 30, "want at most /29"},
	} {
		o := inventorytest.Usual()
		o.RailBits = c.asked
		in, err := inventory.New(mustGraph(t, topo.SingleSwitch{Hosts: c.nics, GPUs: 1, NICs: 1, HostLink: inventorytest.Host200}), o)
		got := fmt.Sprint(err)
		if err == nil {
			rail := &in.Devices[in.Graph.Edge(0)].Rails[0]
			got = rail.Subnet.V4.String()
			last := rail.Subnet.V4.Addr()
			for _, nic := range in.Graph.NICs {
				a := in.Ports[nic.Port].Address.V4.Addr()
				if a == rail.Gateway.V4.Addr() || !rail.Subnet.V4.Contains(a) {
					t.Errorf("%d NICs: %v beside gateway %v", c.nics, a, rail.Gateway.V4)
				}
				if last.Less(a) {
					last = a
				}
			}
			if !rail.Subnet.V4.Contains(last.Next()) {
				t.Errorf("%d NICs: one has %v, with which %v reaches all hosts", c.nics, last, rail.Subnet.V4)
			}
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%d NICs, /%d asked for: %s, want %s", c.nics, c.asked, got, c.want)
		}
	}
}
