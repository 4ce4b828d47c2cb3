package plan

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
)

// An entry may name several links, in either direction; what a later one says of a link comes on top. All that is
// worked out of links goes by what each has: weights by rate, and the way.
func TestLinksThatDiffer(t *testing.T) {
	p, err := New(plantest.Read(t, plantest.Links(plantest.SomeLinks, "")), Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"leaf1/spine1": "400Gb/s 250ns", "leaf2/spine2": "200Gb/s 250ns",
		"spine3/leaf1": "400Gb/s 9us", "spine3/leaf2": "400Gb/s 250ns", "leaf1/host1": "100Gb/s 100ns"} {
		port, err := p.names.Port(name)
		if err != nil {
			t.Fatal(err)
		}
		if x := p.Graph.Ports[port]; fmt.Sprint(x.Rate, " ", x.Delay) != want {
			t.Errorf("%s: %v %v, want %s", name, x.Rate, x.Delay, want)
		}
	}
	edge, weights := p.Graph.Edge(0), []int64{}
	for _, l := range p.Tables.Group(0, edge, 4).Links {
		weights = append(weights, l.Weight/int64(100*unit.GigabitPerSec))
	}
	if fmt.Sprint(weights) != "[4 2 4]" {
		t.Errorf("weights of leaf1's ways: %v", weights)
	}
}

// The chances of a link are those of the last entry that matches it.
func TestFaultsOfALink(t *testing.T) {
	const faults = "faults: [{link: all, drop: 1%}, {link: 'leaf1/*', reorder: 5%}, {link: leaf1/spine2, drop: 1/2, pfc: true}]"
	p, err := New(plantest.Read(t, plantest.Links("{link: leaf1/spine1, rate: 50Gb/s}", faults)), Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := p.FabricConfig().Faults.Of
	for name, want := range map[string]string{"leaf2/spine1": "1/100 0/1 false", "host1/leaf1": "0/1 5/100 false",
		"spine2/leaf1": "1/2 0/1 true"} {
		port, err := p.names.Port(name)
		if err != nil {
			t.Fatal(err)
		}
		all := of(p.Graph.Ports[port])
		c := all[len(all)-1]
		got := fmt.Sprintf("%d/%d %d/%d %v", c.Drop.Num, c.Drop.Den, c.Reorder.Num, c.Reorder.Den, c.PFC)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestLinksThatAreNone(t *testing.T) {
	const one = "{link: leaf1/spine1, rate: 50Gb/s}"
	for _, c := range []struct{ named, faults, want string }{
		{"{link: 'leaf9/*', rate: 1Gb/s}", "", `named[0].link: "leaf9/*" matches no link of this network, want node/peer such as`},
		{one + ", {link: spine1/leaf1, length: 5m}", "", "the link of fabric.links.named[0] too"},
		{one, "faults: [{link: leaf1/spine1, drop: 1%}, {link: 'leaf1/*', drop: 2%}]", "faults[0]: has no effect: later entries"},
		{one, "faults: [{link: 'host9*/leaf1', drop: 1%}]", "faults[0].link"},
		{one, "capture: {links: [all, host9/leaf1]}", `capture.links[1]: "host9/leaf1" is not a port of this network`},
		{one, "capture: {links: [all]}\ntransport: {frames: {ack: 70B}}", "capture.links: frames have other sizes than RoCEv2"},
	} {
		if _, err := New(plantest.Read(t, plantest.Links(c.named, c.faults)), Files{}, nil); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.named, c.faults, err, c.want)
		}
	}
	if topo.IsPattern("leaf1/spine1") || !topo.IsPattern("leaf?/spine1") || !topo.IsPattern("all") {
		t.Error("a pattern is what may match several")
	}
}
