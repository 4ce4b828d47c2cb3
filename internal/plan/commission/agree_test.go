package commission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/config/rib"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/commission"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// drawn is a scenario of some design, NICs and sessions.
func drawn(t *rapid.T) string {
	draw := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	design, ports := draw("design", "rail-optimized", "leaf-spine", "dual-rail", "single-switch", "rail-only"),
		draw("ports", "1", "2", "2, bond: {mode: none}")
	fabric := "design: " + design
	sessions := []string{"spine_as: shared", "spine_as: unique", "protocol: ibgp", "bfd: false"}
	switch design {
	case "rail-optimized":
		fabric += ", segment: 1, rails_per_leaf: " + draw("rails per leaf", "1", "2")
	case "leaf-spine":
		fabric += ", leaves: 4"
	case "dual-rail": // MLAG is for EOS to say, which has sessions between ASs on record
		ports, sessions = "2", []string{"spine_as: shared", "spine_as: unique", "bfd: false"}
	}
	if design == "rail-optimized" || design == "leaf-spine" {
		fabric += ", spines: " + draw("spines", "1", "2") + draw("pods", "", ", pods: 2, superspines: 2")
		vxlan := draw("VXLAN", "", ", encapsulation: vxlan")
		fabric += ", links: {parallel: " + draw("parallel", "1", "2") + "}" + vxlan
		if vxlan != "" && ports != "2" {
			sessions = append(sessions, "protocol: evpn", "protocol: evpn, spine_as: unique")
		}
	}
	fabric += ", routing: {summaries: " + draw("summaries", "true", "false") + ", " +
		draw("sessions", sessions...) + "}" +
		", addresses: {ipv6: " + draw("IPv6", "true", "false") + "}"
	return fmt.Sprintf("cluster: {hosts: 4, host: {gpus: 2}, nic: {ports: %s}}\nfabric: {%s}\n"+
		"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n", ports, fabric)
}

// What one command says of a network the others say too, whatever its design, its NICs and its sessions: sessions and
// next hops that commissioning expects are those that show rib works out, from what configurations written and read
// again say; groups of next hops in the inventory are those routes'; and every cable is counted once.
func TestCommandsAgree(t *testing.T) {
	networks := rapid.Custom(drawn)
	for seed := range 30 {
		text := networks.Example(seed)
		sc, err := scenario.Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		p, err := run.NewPlan(sc)
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		in, devices, err := configs.Routers(p)
		if err != nil {
			t.Fatal(err)
		}
		again := make([]netconf.Device, len(devices))
		for i := range devices {
			again[i] = *readAgain(t, &devices[i])
		}
		n := rib.New(again, nil)
		if want := rib.New(devices, nil); !slices.EqualFunc(n.Tables, want.Tables, sameRoutes) {
			t.Errorf("%sconfigurations written and read again make other routes", text)
		}
		checks := commission.Checks(p, in, commission.Known{})
		expect := map[string]int64{}
		cables := int64(0)
		for _, c := range checks {
			expect[c.Key] = c.Expect.N
			if strings.HasPrefix(c.Key, "links.") && c.Stage == commission.Links {
				cables += c.Expect.N // of errors there are to be 0
			}
		}
		if cables != int64(len(p.Graph.Links)) {
			t.Errorf("%s%d cables, the network has %d", text, cables, len(p.Graph.Links))
		}
		up, evpn, at := int64(0), int64(0), 0
		for id := range in.Devices {
			node := &p.Graph.Nodes[id]
			if node.Kind == topo.HostKind {
				continue
			}
			for k, s := range n.Tables[at].Sessions {
				if s.Why != "" {
					t.Errorf("%s%s: the session with %v is down: %s", text, node.Name, s.Neighbour, s.Why)
				}
				if again[at].BGP.Neighbours[k].EVPN {
					evpn++
				} else {
					up++
				}
			}
			if of := &in.Devices[id]; in.Overlay() && len(of.Rails) > 0 {
				compareEnds(t, text, in, &n.Tables[at], topo.NodeID(id), expect)
			}
			most := compareGroups(t, text, p, in, &n.Tables[at], topo.NodeID(id))
			want, alike := expect["bgp."+node.Kind.String()+".next-hops"]
			if !alike {
				want = expect["bgp."+node.Name+".next-hops"]
			}
			if again[at].BGP != nil && most != want {
				t.Errorf("%s%s: %d next hops at most, %d are expected", text, node.Name, most, want)
			}
			at++
		}
		if up != expect["bgp.sessions"] {
			t.Errorf("%s%d ends of sessions, %d are expected", text, up, expect["bgp.sessions"])
		}
		if evpn != expect["evpn.sessions"] {
			t.Errorf("%s%d ends of sessions of EVPN, %d are expected", text, evpn, expect["evpn.sessions"])
		}
	}
}

// readAgain writes a device as FRR takes it, and reads that; one of a pair as EOS does.
func readAgain(t *testing.T, d *netconf.Device) *netconf.Device {
	dialect := dialects.All["frr"]
	if d.Peer != nil {
		dialect = dialects.All["eos"]
	}
	fitting, _ := dialect.Fit(d)
	files, err := dialect.Render(fitting)
	if err != nil {
		t.Fatal(err)
	}
	parsed := dialect.Parse(files)
	if len(parsed.Problems) > 0 {
		t.Fatal(parsed.Problems)
	}
	return parsed.Device
}

func sameRoutes(a, b rib.Table) bool {
	return fmt.Sprint(a.Routes, a.Ends) == fmt.Sprint(b.Routes, b.Ends)
}

// compareEnds holds the other ends of tunnels that a switch hears of against those with NICs in its overlay: all of them,
// with every VNI, and as many next hops as its groups have.
func compareEnds(t *testing.T, text string, in *inventory.Inventory, table *rib.Table, at topo.NodeID, expect map[string]int64) {
	of := &in.Devices[at]
	var got, want []string
	for _, e := range table.Ends {
		if e.Hops > 0 && len(e.Shared) == len(of.Rails)+len(of.Away) {
			got = append(got, e.Address.String())
		}
	}
	for _, n := range in.Ends(at) {
		want = append(want, in.Devices[n].Loopback.V4.Addr().String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s%s: hears of ends %v, want %v", text, of.Name, got, want)
	}
	n, alike := expect["evpn.leaf.ends"]
	if !alike {
		n = expect["evpn."+of.Name+".ends"]
	}
	if n != int64(len(got)) {
		t.Errorf("%s%s: hears of %d ends, %d are expected", text, of.Name, len(got), n)
	}
}

// compareGroups holds the inventory's groups of a switch against its routes, and returns the most next hops of a route
// to rails elsewhere.
func compareGroups(t *testing.T, text string, p *plan.Plan, in *inventory.Inventory, table *rib.Table, at topo.NodeID) (most int64) {
	routes := map[string]bool{} // groups of ports, as text
	for edge := range in.Devices {
		if d := &in.Devices[edge]; len(d.Rails) == 0 || topo.NodeID(edge) == at || slices.Contains(d.Peers, at) {
			continue
		}
		for _, a := range in.Summary(topo.NodeID(edge)) {
			for _, r := range table.Routes {
				if r.Prefix != a.V4 {
					continue
				}
				var ports []string
				for _, path := range r.Paths {
					if path.Shares {
						ports = append(ports, table.Sessions[path.Session].Local)
					}
				}
				slices.Sort(ports)
				most = max(most, int64(len(ports)))
				routes[strings.Join(ports, " ")] = true
			}
		}
	}
	groups := map[string]bool{}
	for _, g := range in.Groups(p.Routes, at) {
		var ports []string
		for _, port := range g.Ports {
			ports = append(ports, in.Ports[port].Name.String())
		}
		slices.Sort(ports)
		groups[strings.Join(ports, " ")] = true
	}
	if in.Devices[at].AS != 0 && fmt.Sprint(groups) != fmt.Sprint(routes) {
		t.Errorf("%s%s: groups of next hops %v, routes have %v", text, in.Devices[at].Name, groups, routes)
	}
	return most
}
