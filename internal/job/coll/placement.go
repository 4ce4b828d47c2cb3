package coll

import (
	"cmp"
	"fmt"
	"slices"
)

// Place is where a rank runs.
type Place struct {
	Host int32 // number of the host
	GPU  int32 // number of the GPU in its host
	Rail int32 // rail of the NIC nearest to that GPU
	// Order is where the GPU comes among those of its host in rings, chains and trees: by what joins them. Of GPUs with one
	// order, their numbers say it.
	Order int32
}

// Placement says where each rank runs.
type Placement struct {
	Ranks []Place // by rank
	Rails int     // rails (NICs) per host
}

// Validate reports a placement that cannot be: no ranks or rails, a rail out of
// range, two ranks on one GPU.
func (p Placement) Validate() error {
	if len(p.Ranks) == 0 || len(p.Ranks) > maxRanks {
		return fmt.Errorf("placement: %d ranks, want 1 to %d", len(p.Ranks), maxRanks)
	}
	if p.Rails < 1 {
		return fmt.Errorf("placement: %d rails, want at least 1", p.Rails)
	}
	type gpu struct{ host, gpu int32 }
	seen := make(map[gpu]int, len(p.Ranks))
	for r, at := range p.Ranks {
		if at.Host < 0 || at.GPU < 0 {
			return fmt.Errorf("placement: rank %d on host %d, GPU %d, want numbers from 0", r, at.Host, at.GPU)
		}
		if at.Rail < 0 || int(at.Rail) >= p.Rails {
			return fmt.Errorf("placement: rank %d on rail %d, want 0 to %d", r, at.Rail, p.Rails-1)
		}
		if q, ok := seen[gpu{at.Host, at.GPU}]; ok {
			return fmt.Errorf("placement: ranks %d and %d both on host %d, GPU %d, want one rank per GPU",
				q, r, at.Host, at.GPU)
		}
		seen[gpu{at.Host, at.GPU}] = r
	}
	return nil
}

// RailOf returns the rail (NIC index) through which a channel's ring passes
// between hosts: channel mod rails.
func RailOf(channel, rails int) int { return channel % rails }

// Rings returns a rank order per channel that enters and leaves each host once.
// Hosts follow in order of number. In each host the ring enters at the GPU on
// the channel's rail, goes on through the following GPUs cyclically (in order of
// number, unless Order says another), and leaves
// from the last of them through the rail's NIC:
//
//	channel 1:  host 0: gpu1 gpu2 gpu3 gpu0 --rail 1--> host 1: gpu1 gpu2 gpu3 gpu0 --rail 1--> host 0
//
// Where several of a host's GPUs are on that rail, the channels that use it take
// them in turn; where none is, the GPU follows from the rail's number. Rings
// panics if the placement is not valid or channels is not positive.
func Rings(p Placement, channels int) [][]int32 {
	if err := p.Validate(); err != nil {
		panic("coll: " + err.Error())
	}
	if channels < 1 {
		panic(fmt.Sprintf("coll: rings for %d channels", channels))
	}
	hosts := p.byHost()
	rings := make([][]int32, channels)
	for c := range rings {
		ring := make([]int32, 0, len(p.Ranks))
		for _, ranks := range hosts {
			at := p.enter(ranks, c)
			ring = append(append(ring, ranks[at:]...), ranks[:at]...)
		}
		rings[c] = ring
	}
	return rings
}

// byHost returns the ranks of each host in their order, hosts in order.
func (p Placement) byHost() [][]int32 {
	all := make([]int32, len(p.Ranks))
	for r := range all {
		all[r] = int32(r)
	}
	slices.SortFunc(all, func(a, b int32) int {
		x, y := p.Ranks[a], p.Ranks[b]
		return cmp.Or(cmp.Compare(x.Host, y.Host), cmp.Compare(x.Order, y.Order), cmp.Compare(x.GPU, y.GPU))
	})
	var hosts [][]int32
	for len(all) > 0 {
		n := 1
		for n < len(all) && p.Ranks[all[n]].Host == p.Ranks[all[0]].Host {
			n++
		}
		hosts = append(hosts, all[:n])
		all = all[n:]
	}
	return hosts
}

// enter returns the index in a host's ranks at which a channel's ring enters.
func (p Placement) enter(ranks []int32, channel int) int {
	rail := RailOf(channel, p.Rails)
	var on []int
	for i, r := range ranks {
		if int(p.Ranks[r].Rail) == rail {
			on = append(on, i)
		}
	}
	if len(on) == 0 {
		return rail % len(ranks)
	}
	return on[channel/p.Rails%len(on)]
}

// PerHost returns how many ranks each host has, or an error if they differ.
func (p Placement) PerHost() (int, error) {
	hosts := p.byHost()
	for _, ranks := range hosts {
		if len(ranks) != len(hosts[0]) {
			return 0, fmt.Errorf("%d ranks on one host, %d on another, want as many on each", len(hosts[0]), len(ranks))
		}
	}
	return len(hosts[0]), nil
}

// Group returns where the members of a group run, numbered in the order given.
func (p Placement) Group(members []int32) Placement {
	g := Placement{Rails: p.Rails}
	for _, r := range members {
		g.Ranks = append(g.Ranks, p.Ranks[r])
	}
	return g
}
