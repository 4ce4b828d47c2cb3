package dialects

import (
	"fmt"
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
		{"nvue", "nv set router bgp autonomous-system 1\nnv set vrf default router bgp peer-group g remote-as external\n" +
			"nv set vrf default router bgp neighbor swp1 peer-group g\nnv set vrf default router bgp neighbor swp1 type unnumbered\n", "",
			"no remote-as"},
		{"nvue", "nv set qos congestion-control c traffic-class 3 min-threshold-bytes 100000\n" +
			"nv set interface swp1 qos congestion-control profile other\n", "no congestion-control profile other", ""},
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
