package lint_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
)

// ofValues checks devices of which no file is known.
func ofValues(dialect string, all ...*netconf.Device) []lint.Finding {
	var devices []*lint.Device
	for _, d := range all {
		devices = append(devices, &lint.Device{Parsed: &netconf.Parsed{Device: d}, Dialect: dialect, File: d.Name})
	}
	return lint.Check(devices, nil, lint.Hosts{})
}

// clean is the clean leaf, changed.
func clean(change func(d *netconf.Device)) *netconf.Device {
	d := linttest.Clean()
	change(d)
	return d
}

// leaves are the two that NICs share, of which the second is changed.
func leaves(change func(d *netconf.Device)) []*netconf.Device {
	first, second := routed("eos", "leaf1"), routed("eos", "leaf2")
	change(second)
	return []*netconf.Device{first, second}
}

func port(d *netconf.Device, name string) *netconf.Interface {
	return &d.Interfaces[slices.IndexFunc(d.Interfaces, func(i netconf.Interface) bool { return i.Name == name })]
}

// What is just allowed is not found, and what is just not is, with what it says of it.
func TestEdges(t *testing.T) {
	summaries := func(all ...string) func(*netconf.Device) {
		return func(d *netconf.Device) {
			d.BGP.Aggregates = nil
			for _, a := range all {
				d.BGP.Aggregates = append(d.BGP.Aggregates, netconf.Aggregate{Prefix: netip.MustParsePrefix(a)})
			}
		}
	}
	one := func(change func(*netconf.Device)) []*netconf.Device { return []*netconf.Device{clean(change)} }
	pausing := func(priority int) func(d *netconf.Device) {
		return func(d *netconf.Device) {
			qos := clean(func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause.Priority = uint8(priority) }).QoS
			d.QoS = qos
			port(d, "Ethernet1/1").QoS = &netconf.PortQoS{PFC: netconf.PFCOn, Watchdog: true}
		}
	}
	pair := leaves(pausing(4))
	pausing(3)(pair[0])
	for _, c := range []struct {
		what    string
		devices []*netconf.Device
		want    string // in texts, with | between findings
	}{
		{"nothing", leaves(func(*netconf.Device) {}), ""},
		{"a summary that is its subnet", leaves(summaries("10.0.1.0/25", "10.0.1.128/25")), ""},
		{"no summaries", leaves(summaries()), ""},
		{"a subnet beside the summary", leaves(summaries("10.0.1.0/25")),
			"10.0.1.128/25 of Vlan102 is in no summary of the switch"},
		{"a VLAN without a gateway", leaves(func(d *netconf.Device) { port(d, "Ethernet1/2").VLAN = 109 }),
			"VLAN 109 here, 102 there|Ethernet1/2 is in VLAN 109, which has no gateway here"},
		{"rates of legs", leaves(func(d *netconf.Device) { port(d, "Ethernet1/2").Speed = 100 * unit.GigabitPerSec }),
			""}, // the other one does not say its rate
		{"priorities of legs", pair,
			"host1 nic0 is on Ethernet1/1 and on leaf1 Ethernet1/1: priorities that pause 4 here, 3 there"},
		{"a switch without a peer beside two", append(leaves(func(*netconf.Device) {}), &netconf.Device{Name: "spine1"}), ""},
		{"one that names another, which does not know", []*netconf.Device{
			{Name: "a", Peer: &netconf.Peer{Domain: "1", Address: netip.MustParseAddr("10.0.0.2"), Link: 10}},
			{Name: "b", Interfaces: []netconf.Interface{{Name: "Vlan1", Kind: netconf.SVI, VLAN: 1,
				Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/24")}}}}},
			"a takes this switch for its peer, and here is none"},
		{"a watchdog that looks twice", one(func(d *netconf.Device) { d.QoS.Watchdog.Poll = 200 * unit.Millisecond }), ""},
		{"no watchdog at PFC where no class pauses", one(func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[1].Pause, d.QoS.Profiles[0].Classes[1].ECN = nil, nil
			for i := range d.Interfaces {
				d.Interfaces[i].QoS.Watchdog = false
			}
		}), ""},
		{"more ports than are named", one(func(d *netconf.Device) {
			d.QoS.Profiles[0].Classes[2].Strict = false
			for i := range 2 {
				next := d.Interfaces[0]
				next.Name, next.Description = netconf.JoinPort(4+i, 0), ""
				d.Interfaces = append(d.Interfaces, next)
			}
		}), "Ethernet1/1, Ethernet1/2, Ethernet1/3 and 2 more: " +
			"DSCP 48 of CNPs is in traffic class 6, whose queue is not strict"},
		{"everything marked late", one(func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].ECN.Max = 8 * unit.Megabyte }),
			"alpha 1/8 of the 63"},
	} {
		var texts []string
		for _, f := range ofValues("eos", c.devices...) {
			texts = append(texts, f.Text)
		}
		want := strings.Split(c.want, "|")
		if c.want == "" {
			want = nil
		}
		if !slices.EqualFunc(texts, want, strings.Contains) {
			t.Errorf("%s: %q, want %q", c.what, texts, want)
		}
	}
}

// Shares that differ are said as they are; and of ends of which one has no class that pauses, in either order, none.
func TestSharesOfThePausing(t *testing.T) {
	ends := func(leaf, spine func(*netconf.Device)) string {
		other := clean(func(d *netconf.Device) {
			d.Name, d.Balance.Seed = "spine1", 2
			for i := range d.Interfaces {
				d.Interfaces[i].Description = fmt.Sprintf("to leaf%d Ethernet1/2", i+1)
			}
		})
		spine(other)
		var texts []string
		for _, f := range ofValues("nxos", clean(leaf), other) {
			if f.Rule == "Q23" {
				texts = append(texts, f.Text)
			}
		}
		return strings.Join(texts, "|")
	}
	same := func(*netconf.Device) {}
	without := func(d *netconf.Device) { d.QoS.Profiles[0].Classes[1].Pause = nil }
	more := func(d *netconf.Device) {
		d.QoS.Profiles[0].Classes[0].Share, d.QoS.Profiles[0].Classes[1].Share = 20, 80
	}
	if got := ends(same, more); !strings.Contains(got, "the class that pauses has 50% of the link here, 80% there") {
		t.Errorf("shares: %s", got)
	}
	for _, got := range []string{ends(without, same), ends(same, without)} {
		if got == "" || strings.Contains(got, "%") {
			t.Errorf("one end pauses: %s", got)
		}
	}
}

// A class that marks and does not pause may mark alike at all rates.
func TestMarkingAloneIsNotScaled(t *testing.T) {
	d := clean(func(d *netconf.Device) {
		d.QoS.Profiles[0].Classes[0].ECN = &netconf.ECN{Min: 100 * unit.Kilobyte, Max: unit.Megabyte, Probability: 10}
		d.QoS.Profiles[0].Classes[1].Pause.Buffer.Headroom = 300 * unit.Kilobyte
	})
	meant := clean(func(d *netconf.Device) { d.Interfaces[2].Speed = 100 * unit.GigabitPerSec })
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{"leaf1": meant},
		Delay: func(string, string) unit.Duration { return 25 * unit.Nanosecond }}
	n := 0
	for _, f := range lint.Check([]*lint.Device{{Parsed: &netconf.Parsed{Device: d}, Dialect: "eos", File: "f"}}, design, lint.Hosts{}) {
		if f.Rule == "Q08" {
			n++
			if !strings.Contains(f.Text, "both mark traffic class 3 alike") {
				t.Error(f.Text)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d findings of marking, want one", n)
	}
}

// Each rule is found by its number.
func TestRuleOf(t *testing.T) {
	for _, r := range lint.Rules {
		if got := lint.RuleOf(r.ID); got != r {
			t.Errorf("%s is %+v", r.ID, got)
		}
	}
	if got := lint.RuleOf("Q99"); got != (lint.Rule{ID: "Q99"}) {
		t.Errorf("no such rule is %+v", got)
	}
}

// The port that a finding is about is named; none where it is about the device.
func TestPortsOfFindings(t *testing.T) {
	forgotten := clean(func(d *netconf.Device) { d.Interfaces[2].QoS = nil })
	if all := ofValues("eos", forgotten); len(all) != 1 || all[0].Port != "Ethernet1/3" {
		t.Errorf("%+v, want one finding of Ethernet1/3", all)
	}
	slow := clean(func(d *netconf.Device) { d.QoS.Watchdog.Poll = 300 * unit.Millisecond })
	if all := ofValues("eos", slow); len(all) != 1 || all[0].Port != "" {
		t.Errorf("%+v, want one finding of no port", all)
	}
}

// Where a switch weighs loads, what egress policies do is to be looked at; elsewhere it is not said.
func TestPoliciesBesideDLB(t *testing.T) {
	dlb := clean(func(d *netconf.Device) {
		d.Balance = &netconf.Balance{Method: "dlb", Unit: "packet", MAC: "aa:bb:cc:dd:ee:ff"}
	})
	const text = "egress policies have no effect on DLB's traffic"
	says(t, ofValues("nxos", dlb), "Q17", text)
	for _, f := range ofValues("eos", dlb) {
		if strings.Contains(f.Text, text) {
			t.Errorf("%+v", f)
		}
	}
}
