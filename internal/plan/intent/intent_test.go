package intent

import (
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/run/run"
)

const leafSpine = `cluster: {hosts: 4, host: {preset: hgx-h100, gpus: 8}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  qos: {dscp: 30, cnp_dscp: 50, data_priority: 4}
congestion: {algorithm: dcqcn}
job: {collectives: [{op: all-reduce, bytes: 1MB}]}
`

// What lint, hostlint and a host's own list are told is the plan's, and the same of all three.
func TestDevicesAreMeantToBeAsThePlanIs(t *testing.T) {
	p := plantest.Made(t, leafSpine, run.NewPlan)
	switches, err := Switches(p)
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := Hosts(p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"leaf1", "leaf2", "spine1", "spine2"} {
		if d := switches.Devices[name]; d == nil || d.Name != name {
			t.Errorf("%s is meant to be %v", name, d)
		}
	}
	if len(switches.Devices) != 4 || len(hosts.Hosts) != 4 {
		t.Errorf("%d switches and %d hosts, want 4 and 4", len(switches.Devices), len(hosts.Hosts))
	}
	if switches.DSCP != 30 || switches.CNPDSCP != 50 || hosts.DSCP != 30 || hosts.CNPDSCP != 50 || hosts.Priority != 4 {
		t.Errorf("DSCPs are meant to be %d, %d and %d, %d", switches.DSCP, switches.CNPDSCP, hosts.DSCP, hosts.CNPDSCP)
	}
	if switches.Frame <= hosts.Packet || hosts.Packet <= hosts.MTU {
		t.Errorf("a frame of %v holds a packet of %v, which holds %v", switches.Frame, hosts.Packet, hosts.MTU)
	}
	for at := range p.Graph.Hosts {
		h, err := HostOf(p, in, at)
		if err != nil {
			t.Fatal(err)
		}
		if h.TrafficClass != 30<<2|2 || h.MTU != hosts.Packet || h.RDMAMTU != hosts.MTU || !h.DCQCN {
			t.Errorf("%s is meant to be %+v", h.Host, h)
		}
		for i, n := range h.NICs {
			m := hosts.Hosts[h.Host].NICs[i]
			if m.Leaf != n.Leaf || m.Port != n.Port || netip.MustParsePrefix(n.Address).Addr() != m.Address {
				t.Errorf("%s of %s is meant to be %+v, and by hostlint's design %+v", n.Interface, h.Host, n, m)
			}
			// Light in fibre takes 5 ns a metre.
			if got := switches.Delay(n.Leaf, n.Port); got != m.Cable || got <= 0 || n.Cable*5*float64(unit.Nanosecond) != float64(got) {
				t.Errorf("the cable of %s at %s %s, %v m, takes %v and %v", h.Host, n.Leaf, n.Port, n.Cable, got, m.Cable)
			}
		}
		for _, c := range h.Checks {
			if strings.HasPrefix(c.Key, "port.") && !strings.HasPrefix(c.Key, "port."+h.Host+"/") {
				t.Errorf("%s has a check of another's port: %s", h.Host, c.Key)
			}
		}
		if len(h.Checks) == 0 || len(h.NICs) != len(p.Graph.Hosts[at].NICs) {
			t.Errorf("%s has %d checks and %d NICs", h.Host, len(h.Checks), len(h.NICs))
		}
	}
	if switches.Delay("leaf1", "no port") != 0 {
		t.Error("a port that is not there has a cable")
	}
}

// A board is said of hosts whose preset, or graph, is known.
func TestBoardOfAHost(t *testing.T) {
	for _, c := range []struct{ preset, board string }{
		{"hgx-h100", "cluster.host.preset: hgx-h100, whose PCIe switches are assumed"}, {"cpu", ""},
	} {
		text := strings.Replace(leafSpine, "preset: hgx-h100", "preset: "+c.preset, 1)
		p := plantest.Made(t, text, run.NewPlan)
		in, err := network.Inventory(p.Scenario, p.Graph)
		if err != nil {
			t.Fatal(err)
		}
		h, err := HostOf(p, in, 0)
		if err != nil {
			t.Fatal(err)
		}
		if h.Board != c.board || (h.Topo != nil) != (c.board != "") {
			t.Errorf("the board of %s is %q with %d rows, want %q", c.preset, h.Board, len(h.Topo), c.board)
		}
	}
}
