package dialects

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
)

func TestNamesAreSorted(t *testing.T) {
	if got := Names(); !slices.Equal(got, []string{"eos", "frr", "junos", "nvue", "nxos", "sonic"}) {
		t.Errorf("%v", got)
	}
}

// What is refused, missing or at an edge is told; what is not is read.
func TestWhatIsTold(t *testing.T) {
	for _, c := range []struct{ dialect, text, want, never string }{
		{"frr", "router bgp 1\n neighbor 10.0.0.1 remote-as 2\n neighbor 10.0.0.1 allowas-in 10\n", "", "allowas"},
		{"frr", "router bgp 1\n neighbor 10.0.0.1 remote-as 2\n neighbor 10.0.0.1 allowas-in 11\n", "11", ""},
		{"junos", "set interfaces et-0/0/0 ether-options 802.3ad ae0\nset interfaces et-0/0/1 mtu 9216\n", "no interface ae0", ""},
		{"junos", "set interfaces et-0/0/0 ether-options 802.3ad ae0\nset interfaces ae0 mtu 9216\n", "", "no interface"},
		{"junos", "set class-of-service drop-profiles d fill-level 20 drop-probability 0\n", "", "want"},
		{"nvue", "nv set router bgp autonomous-system 1\nnv set vrf default router bgp peer-group g remote-as external\n" +
			"nv set vrf default router bgp neighbor swp1 peer-group g\nnv set vrf default router bgp neighbor swp1 type unnumbered\n", "",
			"no remote-as"},
		{"nvue", "nv set qos congestion-control c traffic-class 3 min-threshold-bytes 100000\n" +
			"nv set interface swp1 qos congestion-control profile other\n", "no congestion-control profile other", ""},
		{"nxos", "policy-map type qos in\n  class class-default\ninterface Ethernet1/1\n  service-policy type qos input other\n",
			"no policy-map type qos other", "not known"},
		{"nxos", "system qos\n  service-policy type network-qos default-nq-policy\n", "", "no policy-map"},
		{"sonic", `{"WRED_PROFILE": {"w": {"green_min_threshold": "1000", "green_max_threshold": "2000", ` +
			`"green_drop_probability": "0", "ecn": "ecn_all"}}}`,
			"", "want"},
		{"sonic", `{"SCHEDULER": {"s": {"weight": "5"}}, "QUEUE": {"Ethernet0|3": {"scheduler": "s"}}}`,
			"s: no type, want DWRR or STRICT", ""},
	} {
		p := All[c.dialect].Parse([]netconf.File{netconf.NewFile("f", []byte(c.text))})
		var told []string
		for _, x := range p.Problems {
			told = append(told, x.Message)
		}
		for _, u := range p.Unread {
			told = append(told, fmt.Sprintf("unread: %+v", u))
		}
		all := strings.Join(told, "; ")
		if !strings.Contains(all, c.want) || c.never != "" && strings.Contains(all, c.never) {
			t.Errorf("%s:\n%s\ntold %q, want %q, never %q", c.dialect, c.text, all, c.want, c.never)
		}
	}
}

// Ports as Linux calls them.
func TestPortsOfLinux(t *testing.T) {
	if got := frr.PortName("Ethernet1/24/2"); got != "swp24s1" {
		t.Errorf("%s", got)
	}
}

// NX-OS: VLANs are made in order of their numbers.
func TestRenderedForNXOS(t *testing.T) {
	d := &netconf.Device{Name: "a", Interfaces: []netconf.Interface{{Name: "Ethernet1/1", VLAN: 30}, {Name: "Ethernet1/2", VLAN: 7}}}
	files, err := All["nxos"].Render(d)
	if err != nil {
		t.Fatal(err)
	}
	text := string(files[0].Text)
	if a, b := strings.Index(text, "vlan 7\n"), strings.Index(text, "vlan 30\n"); a < 0 || b < a {
		t.Errorf("VLAN 7 at %d, 30 at %d:\n%s", a, b, text)
	}
}

// NX-OS: lines of a block stand in by two blanks.
func TestBlocksOfNXOS(t *testing.T) {
	d := &netconf.Device{Name: "a",
		Peer: &netconf.Peer{Domain: "7", Address: netip.MustParseAddr("192.0.2.2"), Link: 1}}
	files, err := All["nxos"].Render(d)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files[0].Text); !strings.Contains(text, "\nvpc domain 7\n  peer-keepalive destination 192.0.2.2\n") {
		t.Errorf("%s", text)
	}
}

// Hints count as lines, up to a bound: what comes after it tells nothing.
func TestHintsAreLookedForInTheFirstLines(t *testing.T) {
	for blank, found := range map[int]bool{0: true, mostHints - 1: true, mostHints + 1: false} {
		votes := map[string]int{}
		marked([]byte(strings.Repeat("\n", blank)+"interface Ethernet1/1\n"), votes)
		if (len(votes) > 0) != found {
			t.Errorf("after %d lines: %v", blank, votes)
		}
	}
}

// read is a configuration, and how much is wrong with it or was not understood.
func read(dialect, text string) (wrong int, d *netconf.Device) {
	p := All[dialect].Parse([]netconf.File{netconf.NewFile("c", []byte(text))})
	return len(p.Problems) + len(p.Unread), p.Device
}

// NVUE: BGP may be said to be on, which is nothing new; that it is off is not understood.
func TestBGPThatIsOn(t *testing.T) {
	for line, understood := range map[string]bool{
		"nv set router bgp state enabled": true, "nv set router bgp enable on": true, "nv set router bgp enable off": false,
	} {
		if wrong, d := read("nvue", "nv set router bgp autonomous-system 65001\n"+line+"\n"); understood != (wrong == 0) || d.BGP == nil {
			t.Errorf("%s: %d wrong or not understood", line, wrong)
		}
	}
}

// Junos: a drop profile with steps begins at its first, ends at its last, and marks as often as the highest says.
func TestDropProfilesWithSteps(t *testing.T) {
	const text = `set class-of-service drop-profiles dp fill-level 40 drop-probability 10
set class-of-service drop-profiles dp fill-level 20 drop-probability 0
set class-of-service drop-profiles dp fill-level 70 drop-probability 80
set class-of-service schedulers s drop-profile-map loss-priority any protocol any drop-profile dp
set class-of-service schedulers s explicit-congestion-notification
set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3
set class-of-service scheduler-maps m forwarding-class NO-LOSS scheduler s
set class-of-service interfaces et-0/0/0 scheduler-map m
`
	_, d := read("junos", text)
	for _, p := range d.QoS.Profiles {
		for _, c := range p.Classes {
			if e := c.ECN; e != nil && e.MinFill == 20 && e.MaxFill == 70 && e.Probability == 80 {
				return
			}
		}
	}
	t.Errorf("no class marks from 20 to 70 %% of the queue with up to 80 %%: %+v", d.QoS.Profiles)
}
