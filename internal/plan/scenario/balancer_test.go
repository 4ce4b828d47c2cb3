package scenario

import (
	"railyard/internal/net/topo"
	"slices"
	"testing"
)

// What is said of each balancer: each that scenarios may name stands here.
func TestWhatBalancersGoBy(t *testing.T) {
	type says struct{ whole, hashes, weighs, sprays bool }
	want := map[Balancer]says{
		BalanceECMP:      {hashes: true},
		BalanceWCMP:      {hashes: true},
		BalanceResilient: {hashes: true},
		BalancePinned:    {whole: true},
		BalanceFlowlet:   {},
		BalanceDLB:       {weighs: true},
		BalanceGLB:       {weighs: true},
		BalanceConWeave:  {whole: true},
		BalanceSpray:     {sprays: true},
	}
	for _, choice := range Balancers {
		b := Balancer(choice.Name)
		is, there := want[b]
		if got := (says{b.WholeWay(), b.Hashes(), b.WeighsLinks(), b.Sprays()}); got != is || !there {
			t.Errorf("%s: %+v, want %+v (%t)", b, got, is, there)
		}
		if bySwitch := slices.ContainsFunc(SwitchBalancers, func(c Choice) bool { return c.Name == choice.Name }); bySwitch == is.whole {
			t.Errorf("%s: a switch may have it by itself: %t", b, bySwitch)
		}
		delete(want, b)
	}
	if len(want) > 0 {
		t.Errorf("no scenario may name %v", want)
	}
}

// What each design has, by which keys a scenario may give with it: each that scenarios may name stands here.
func TestWhatDesignsHave(t *testing.T) {
	want := map[topo.DesignName][]string{ // of keys that belong to some designs
		topo.DesignRailOptimized: {"fabric.spines", "fabric.planes", "fabric.rails_per_leaf"},
		topo.DesignSingleSwitch:  {"fabric.vlans"},
		topo.DesignDualRail:      {"fabric.vlans", "fabric.links.peer"},
		topo.DesignLeafSpine:     {"fabric.leaves", "fabric.spines", "fabric.planes"},
		topo.DesignRailOnly:      {"fabric.planes", "fabric.rails_per_leaf"},
		topo.DesignDragonfly:     {"fabric.dragonfly.groups"},
		topo.DesignDirect:        {},
		topo.DesignCustom:        {"fabric.topology"},
	}
	keys := []string{"fabric.topology", "fabric.vlans", "fabric.leaves", "fabric.spines", "fabric.planes", "fabric.rails_per_leaf",
		"fabric.links.peer", "fabric.dragonfly.groups"}
	for _, choice := range Designs {
		d := topo.DesignName(choice.Name)
		has, there := want[d]
		for _, key := range keys {
			f := byPath[key]
			if f == nil {
				t.Fatalf("no key %s", key)
			}
			var s Scenario
			s.Fabric.Design, s.Cluster.NIC.Ports = d, 1
			if fits := f.Unfit(&s) == ""; fits != slices.Contains(has, key) || !there {
				t.Errorf("%s with %s: %t", key, d, fits)
			}
		}
		delete(want, d)
	}
	if len(want) > 0 {
		t.Errorf("no scenario may name %v", want)
	}
}
