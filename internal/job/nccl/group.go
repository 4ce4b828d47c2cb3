package nccl

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// Group is the ranks of a collective and what joins them. Hosts are alike: as many ranks on each.
type Group struct {
	Ranks, Nodes int
	Generation   Generation
	Intra        Hop          // NVLink or PCI: what joins the GPUs of a host
	IntraRate    unit.Bitrate // of a GPU to the others of its host, raw, per direction; of no use with one
	NVSwitch     bool         // the GPUs of a host share a switch that reduces, if their generation's does
	NICs         int          // of a host, that the group may use
	NICRate      unit.Bitrate
	PCIe         unit.Bitrate // what links inside a host leave each NIC, raw; 0: all
	AMD          bool         // the hosts' processors are AMD's
	InNetwork    bool         // switches between hosts reduce (CollNet)
	Channels     int          // 0: as NCCL's search finds
}

// Bounds of a group and of sizes: within them no time overflows.
const (
	MaxRanks = 1 << 16
	MaxBytes = 64 * unit.Tebibyte
	MinRate  = 1 * unit.GigabitPerSec
	MaxRate  = 100 * unit.TerabitPerSec
	maxNICs  = 64
)

// PerNode is the ranks of a host.
func (g Group) PerNode() int { return g.Ranks / g.Nodes }

// Validate says what of the group cannot be.
func (g Group) Validate() error {
	rate := func(what string, r unit.Bitrate) error {
		if r < MinRate || r > MaxRate {
			return fmt.Errorf("group: %s of %v, want %v to %v", what, r, MinRate, MaxRate)
		}
		return nil
	}
	switch {
	case g.Ranks < 1 || g.Ranks > MaxRanks:
		return fmt.Errorf("group: %d ranks, want 1 to %d", g.Ranks, MaxRanks)
	case g.Nodes < 1 || g.Ranks%g.Nodes != 0:
		return fmt.Errorf("group: %d ranks on %d nodes, want as many on each", g.Ranks, g.Nodes)
	case g.Generation >= generations:
		return fmt.Errorf("group: %v, want one of %v", g.Generation, generationNames)
	case g.Intra != NVLink && g.Intra != PCI:
		return fmt.Errorf("group: %v between the GPUs of a host, want NVLink or PCI", g.Intra)
	case g.Channels < 0 || g.Channels > 64: // device.h: MAXCHANNELS
		return fmt.Errorf("group: %d channels, want 1 to 64, or 0 for NCCL's", g.Channels)
	}
	if g.PerNode() > 1 {
		if err := rate("a rate inside a host", g.IntraRate); err != nil {
			return err
		}
	}
	if g.Nodes > 1 {
		if g.NICs < 1 || g.NICs > maxNICs {
			return fmt.Errorf("group: %d NICs per host, want 1 to %d", g.NICs, maxNICs)
		}
		return rate("NIC's rate", g.NICRate)
	}
	return nil
}

// Graph is what NCCL's search finds for an algorithm: channels and the bandwidth of each.
type Graph struct {
	Channels     int
	Intra, Inter unit.Bitrate // per channel, inside a host and between hosts
}

// Graph follows NCCL's search where hosts are alike and their GPUs all equally near: the speed of
// its list by which most bandwidth fits the links, then channels of half the speed (search.cc:
// ncclTopoCompute, ncclTopoDupChannels). Of PCIe switches and sockets it knows what they leave a NIC, and it gives
// trees the ring's channels.
func (p Params) Graph(g Group, a Algorithm) Graph {
	speeds, total, most := p.Speeds[g.Generation][0], p.intraTotal(g), unit.Bitrate(MaxRate)
	if g.Nodes > 1 {
		speeds, most = p.Speeds[g.Generation][1], p.netRate(g)
		if g.PerNode() == 1 {
			total = unit.Bitrate(g.NICs) * most
		}
	}
	if a == NVLS || a == NVLSTree {
		return nvlsGraph(g, speeds, total, most)
	}
	var best Graph
	for _, s := range speeds {
		if best.Channels > 0 && 100*s <= 49*best.Intra {
			break
		}
		n := min(total/s, unit.Bitrate(p.MaxChannels/2))
		if g.Nodes > 1 {
			n = min(n, unit.Bitrate(g.NICs)*(most/s))
		}
		if s <= most && n*s > unit.Bitrate(best.Channels)*best.Intra {
			best = Graph{Channels: int(n), Intra: s}
		}
	}
	if best.Channels == 0 { // links slower than any speed of the list: the search gives them the least
		best = Graph{Channels: 1, Intra: speeds[len(speeds)-1]}
	}
	if best.Intra >= p.FastChannel && (g.Generation <= Ampere || best.Intra >= p.FasterChannel || best.Channels <= p.FewChannels) {
		best.Channels, best.Intra = 2*best.Channels, best.Intra/2
	}
	best.Inter = best.Intra
	if a != Ring && g.Nodes > 1 { // a tree leaves a host once: its links inside may be faster
		for _, s := range slices.Backward(speeds) {
			if s > best.Intra && s*unit.Bitrate(best.Channels) <= total && best.Intra < 2*best.Inter {
				best.Intra = s
			}
		}
	}
	return best
}

// nvlsGraph has a channel per head: a GPU, between hosts one with a NIC. The search then raises the
// speed between hosts as far as NICs go; inside one host nothing limits it.
func nvlsGraph(g Group, speeds []unit.Bitrate, total, most unit.Bitrate) Graph {
	heads := g.PerNode()
	if g.Nodes > 1 {
		heads = min(heads, g.NICs)
	}
	best := Graph{Channels: heads}
	for _, s := range speeds {
		if s <= most && unit.Bitrate(heads)*s <= total {
			best.Intra = s
			break
		}
	}
	best.Inter = 2 * best.Intra
	if g.Nodes > 1 {
		best.Inter = best.Intra
	}
	return best
}

// netRate is what NCCL counts on of a NIC and of what leads to it.
func (p Params) netRate(g Group) unit.Bitrate {
	if g.PCIe == 0 {
		return g.NICRate
	}
	return min(g.NICRate, of(p.PCIShare, g.PCIe))
}

// intraTotal is what NCCL counts on of the links of a GPU inside its host.
func (p Params) intraTotal(g Group) unit.Bitrate {
	share := p.PCIShare
	if g.Intra == NVLink {
		share = p.NVLinkShare[g.Generation]
	}
	return unit.Bitrate(share.Of(int64(g.IntraRate)))
}

// channels is how many NCCL opens: twice those of the ring's graph (connect.cc).
func (p Params) channels(g Group) int {
	if g.Channels > 0 {
		return g.Channels
	}
	return min(p.MaxChannels, 2*p.Graph(g, Ring).Channels)
}
