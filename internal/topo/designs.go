package topo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Designs lists the designs that Generate makes, each with one line on what it is.
var Designs = map[string]string{
	"single-switch":  "every NIC of every host on one switch",
	"rail-optimized": "one rail switch per NIC index, joined by spines (0 spines: rails are islands)",
	"leaf-spine":     "hosts with one NIC, split evenly over leaves, every leaf linked to every spine",
}

var generators = map[string]func(Params) (*Graph, error){
	"single-switch":  SingleSwitch,
	"rail-optimized": RailOptimized,
	"leaf-spine":     LeafSpine,
}

// Params are the sizes of a generated design. Every design needs Hosts, GPUs, NICs
// and HostLink; the others say which of the rest they take, and refuse what they
// would ignore.
type Params struct {
	Hosts     int   // at least 1
	GPUs      int   // per host, at least 1
	NICs      int   // per host, at least 1
	HostLink  Cable // between a NIC and its switch
	Leaves    int   // leaf-spine only
	Spines    int   // rail-optimised and leaf-spine
	Parallel  int   // links between a leaf and a spine; 0 means 1
	SpineLink Cable // between a leaf and a spine, if there are spines
}

// Generate makes the named design.
func Generate(design string, p Params) (*Graph, error) {
	gen, ok := generators[design]
	if !ok {
		return nil, fmt.Errorf("design %q is unknown, want one of %s", design,
			strings.Join(slices.Sorted(maps.Keys(Designs)), ", "))
	}
	return gen(p)
}

// SingleSwitch puts every NIC on one switch, rail1 (book chapter 13, the single rail
// switch). NIC i of each host is on rail i all the same: rails share the switch.
//
//	        rail1
//	 / |    |  |    | \
//	host1  host2   host3
func SingleSwitch(p Params) (*Graph, error) {
	if p.Spines != 0 || p.Leaves != 0 {
		return nil, fmt.Errorf("design single-switch: %d leaves and %d spines given, want none", p.Leaves, p.Spines)
	}
	if err := p.check("single-switch", 0); err != nil {
		return nil, err
	}
	b := NewBuilder()
	hosts := p.addHosts(b)
	sw := b.AddSwitch("rail1", Leaf)
	for _, h := range hosts {
		for rail := range p.NICs {
			b.ConnectRail(h, sw, p.HostLink, rail)
		}
	}
	return b.Build()
}

// RailOptimized gives each NIC index a switch of its own, its rail, and links every
// rail switch to every spine with Parallel links. Without spines the rails are
// islands, and traffic between them crosses NVLink inside a host (rail-only).
//
//	    spine1    spine2
//	     |   \    /   |
//	     |    \  /    |
//	   rail1   ..   rail2        rail r: NIC r-1 of every host
//	   /   \        /   \
//	host1 host2  host1 host2
func RailOptimized(p Params) (*Graph, error) {
	if p.Leaves != 0 {
		return nil, fmt.Errorf("design rail-optimized: %d leaves given, want none (it has one per NIC of a host)",
			p.Leaves)
	}
	if err := p.check("rail-optimized", product(p.NICs, p.Spines, p.parallel())); err != nil {
		return nil, err
	}
	b := NewBuilder()
	hosts := p.addHosts(b)
	rails := addSwitches(b, "rail", Leaf, p.NICs)
	spines := addSwitches(b, "spine", Spine, p.Spines)
	for _, h := range hosts {
		for rail, sw := range rails {
			b.ConnectRail(h, sw, p.HostLink, rail)
		}
	}
	p.connectSpines(b, rails, spines)
	return b.Build()
}

// LeafSpine splits hosts with one NIC each evenly over the leaves, in order: host1..
// under leaf1, and so on. Every leaf has Parallel links to every spine.
//
//	  spine1       spine2
//	    |   \     /   |
//	  leaf1   ...   leaf2
//	  /   \         /   \
//	host1 host2  host3 host4
func LeafSpine(p Params) (*Graph, error) {
	switch {
	case p.NICs != 1:
		return nil, fmt.Errorf("design leaf-spine: %d NICs per host, want 1", p.NICs)
	case p.Leaves < 1 || p.Leaves > maxNodes:
		return nil, fmt.Errorf("design leaf-spine: %d leaves, want 1 to %d", p.Leaves, maxNodes)
	case p.Hosts%p.Leaves != 0:
		return nil, fmt.Errorf("design leaf-spine: %d hosts do not split evenly over %d leaves, want a multiple of %d",
			p.Hosts, p.Leaves, p.Leaves)
	}
	if err := p.check("leaf-spine", product(p.Leaves, p.Spines, p.parallel())); err != nil {
		return nil, err
	}
	b := NewBuilder()
	hosts := p.addHosts(b)
	leaves := addSwitches(b, "leaf", Leaf, p.Leaves)
	spines := addSwitches(b, "spine", Spine, p.Spines)
	for i, h := range hosts {
		b.ConnectRail(h, leaves[i/(p.Hosts/p.Leaves)], p.HostLink, 0)
	}
	p.connectSpines(b, leaves, spines)
	return b.Build()
}

// check reports the first parameter that is out of bounds; uplinks counts the links
// that the design adds to those of the hosts.
func (p Params) check(design string, uplinks int) error {
	for _, c := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"hosts", p.Hosts, 1, maxNodes / 2},
		{"GPUs per host", p.GPUs, 1, maxGPUs},
		{"NICs per host", p.NICs, 1, maxGPUs},
		{"spines", p.Spines, 0, maxNodes / 4},
		{"parallel links", p.Parallel, 0, 1 << 10},
	} {
		if c.value < c.least || c.value > c.most {
			return fmt.Errorf("design %s: %d %s, want %d to %d", design, c.value, c.name, c.least, c.most)
		}
	}
	if err := p.HostLink.check("design " + design + ": host link"); err != nil {
		return err
	}
	if p.Spines > 0 {
		if err := p.SpineLink.check("design " + design + ": spine link"); err != nil {
			return err
		}
	}
	if n := product(p.Hosts, p.NICs); n > maxLinks || uplinks > maxLinks-n {
		return fmt.Errorf("design %s: %d host links and %d spine links, want at most %d in all",
			design, n, uplinks, maxLinks)
	}
	return nil
}

func (p Params) parallel() int { return max(p.Parallel, 1) }

func (p Params) addHosts(b *Builder) []NodeID {
	hosts := make([]NodeID, p.Hosts)
	for i := range hosts {
		hosts[i] = b.AddHost("host"+strconv.Itoa(i+1), p.GPUs)
	}
	return hosts
}

func addSwitches(b *Builder, name string, kind Kind, n int) []NodeID {
	switches := make([]NodeID, n)
	for i := range switches {
		switches[i] = b.AddSwitch(name+strconv.Itoa(i+1), kind)
	}
	return switches
}

// connectSpines links each leaf to each spine, parallel links next to each other.
func (p Params) connectSpines(b *Builder, leaves, spines []NodeID) {
	for _, leaf := range leaves {
		for _, spine := range spines {
			for range p.parallel() {
				b.Connect(leaf, spine, p.SpineLink)
			}
		}
	}
}
