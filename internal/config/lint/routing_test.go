package lint_test

import (
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

// routed is a leaf of two rails and a peer whose NICs have a port on another leaf too. Nothing is wrong with it.
func routed(dialect, name string) *netconf.Device {
	d := &netconf.Device{Name: name, BGP: &netconf.BGP{AS: 65001, RouterID: netip.MustParseAddr("10.255.0." + name[len(name)-1:]),
		Keepalive: 3 * unit.Second, Hold: 9 * unit.Second, MaximumPaths: 2, Relax: true}}
	for n, subnet := range []string{"10.0.1.1/25", "10.0.1.129/25"} {
		p, vlan := netip.MustParsePrefix(subnet), 101+n
		d.Interfaces = append(d.Interfaces,
			netconf.Interface{Name: []string{"Vlan101", "Vlan102"}[n], Kind: netconf.SVI, VLAN: vlan, Addresses: []netip.Prefix{p}},
			netconf.Interface{Name: netconf.JoinPort(n+1, 0), VLAN: vlan, MTU: 9216,
				Description: "to host1 nic" + []string{"0", "1"}[n] + "/" + map[string]string{"leaf1": "1", "leaf2": "2"}[name]})
		d.BGP.Networks = append(d.BGP.Networks, p.Masked())
	}
	own := map[string]byte{"leaf1": 0, "leaf2": 1}[name]
	d.Peer = &netconf.Peer{Domain: "7", Address: netip.AddrFrom4([4]byte{10, 255, 255, 1 - own}), Link: 10}
	if here := netip.AddrFrom4([4]byte{10, 255, 255, own}); dialect == "eos" {
		d.Peer.Local = "Vlan4094"
		d.Interfaces = append(d.Interfaces, netconf.Interface{Name: "Vlan4094", Kind: netconf.SVI, VLAN: 4094,
			Addresses: []netip.Prefix{netip.PrefixFrom(here, 31)}})
	} else {
		d.Peer.Source = here
	}
	d.BGP.Aggregates = []netconf.Aggregate{{Prefix: netip.MustParsePrefix("10.0.1.0/24"), SummaryOnly: true}}
	d.Sort()
	return d
}

// lintRouted checks two leaves in a dialect, with texts of the second one's files replaced.
func lintRouted(t *testing.T, dialect string, change *strings.Replacer) []lint.Finding {
	var all []*lint.Device
	for _, name := range []string{"leaf1", "leaf2"} {
		fitting, _ := dialects.All[dialect].Fit(routed(dialect, name))
		files, err := dialects.All[dialect].Render(fitting)
		if err != nil {
			t.Fatal(err)
		}
		changed := false
		for i := range files {
			if name == "leaf2" {
				text := change.Replace(string(files[i].Text))
				changed = changed || text != string(files[i].Text)
				files[i].Text = []byte(text)
			}
		}
		if name == "leaf2" && !changed && change != same {
			t.Errorf("%s: nothing is changed", dialect)
		}
		all = append(all, &lint.Device{Parsed: dialects.All[dialect].Parse(files), Dialect: dialect, File: name})
	}
	return lint.Check(all, nil, lint.Hosts{})
}

var same = strings.NewReplacer()

// Of VLANs, subnets and summaries that do not nest, and of peers that differ, exactly that is found.
func TestRouting(t *testing.T) {
	for _, c := range []struct{ dialect, old, with, rule string }{
		{"frr", "", "", ""},
		{"frr", "10.0.1.0/24", "10.9.0.0/24", "Q26"}, // a summary of nothing, and subnets outside it
		{"frr", "10.0.1.128/25", "10.0.1.64/26", ""}, // no network of an interface: not advertised
		{"frr", "bridge-access 102", "bridge-access 101", "Q25"},
		{"frr", "10.0.1.129/25", "10.0.1.130/25", "Q25"}, // another gateway
		{"frr", "10.0.1.129/25", "10.0.1.129/24", "Q26 Q25"},
		{"frr", "mtu 9198", "mtu 1500", "Q25"},
		{"eos", "", "", ""},
		{"eos", "10.0.1.0/24", "10.9.0.0/24", "Q26"},
		{"eos", "access vlan 102", "access vlan 101", "Q25"},
		{"eos", "10.0.1.129/25", "10.0.1.130/25", "Q25"},
		{"eos", "mtu 9198", "mtu 1500", "Q25"},
		{"nxos", "", "", ""},
		{"nxos", "10.0.1.0/24", "10.9.0.0/24", "Q26"},
		{"nxos", "access vlan 102", "access vlan 101", "Q25"},
		{"nxos", "10.0.1.129/25", "10.0.1.130/25", "Q25"},
		{"nxos", "10.0.1.129/25", "10.0.1.129/24", "Q26 Q25"},
		{"eos", "domain-id 7", "domain-id 8", "Q25"},
		{"eos", "peer-address 10.255.255.0", "peer-address 10.255.255.8", "Q25"},
		{"eos", "   peer-link Port-Channel10\n", "", "Q25"},
		{"eos", "mlag configuration\n   domain-id 7\n   local-interface Vlan4094\n   peer-address 10.255.255.0\n" +
			"   peer-link Port-Channel10\n", "", "Q25"},
		{"nxos", "vpc domain 7", "vpc domain 8", "Q25"},
		{"nxos", "destination 10.255.255.0", "destination 10.255.255.8", "Q25"},
		{"nxos", "  vpc peer-link\n", "", "Q25"}, // a port channel that nothing is known of
		{"sonic", `"source_ip": "10.255.255.1"`, `"source_ip": "10.255.255.9"`, "Q25"},
		{"sonic", `, "peer_link": "PortChannel10"`, "", "Q25"},
		{"sonic", "", "", ""},
		{"sonic", "10.0.1.0/24", "10.9.0.0/24", "Q26"},
		{"sonic", `"Vlan102|Ethernet8"`, `"Vlan101|Ethernet8"`, "Q25"},
		{"sonic", "10.0.1.129/25", "10.0.1.130/25", "Q25"},
		{"sonic", "10.0.1.129/25", "10.0.1.129/24", "Q26 Q25"},
		{"sonic", `"mtu": "9198"`, `"mtu": "1500"`, "Q25"},
	} {
		change := same
		if c.old != "" {
			change = strings.NewReplacer(c.old, c.with)
		}
		all := lintRouted(t, c.dialect, change)
		if got := rules(all); got != c.rule {
			t.Errorf("%s, %q for %q: %s, want %s: %+v", c.dialect, c.with, c.old, got, c.rule, all)
		}
		for _, f := range all {
			if f.File == "" || f.Line == 0 {
				t.Errorf("%s %s: no place: %+v", c.dialect, f.Rule, f)
			}
		}
	}
}
