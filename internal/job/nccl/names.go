package nccl

import (
	"fmt"

	"railyard/internal/job/coll"
)

// Algorithm is one of NCCL's, in the order of its table: of equal times the first wins.
type Algorithm uint8

// The algorithms. Direct is what NCCL does without a choice: grouped sends and receives.
const (
	Tree Algorithm = iota // double binary tree of hosts, a chain in each
	Ring
	CollNetDirect // reduction in the network, all GPUs of a host to the one beside the NIC
	CollNetChain  // the same along a chain
	NVLS          // reduction in the NVSwitch of a host
	NVLSTree      // NVLS inside hosts, a tree between them
	PAT           // parallel aggregated trees, hosts of one GPU
	Direct
	algorithms
)

var algorithmNames = [algorithms]string{
	"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT", "Direct",
}

// String returns NCCL's name of the algorithm.
func (a Algorithm) String() string { return nameOf("algorithm", algorithmNames[:], int(a)) }

// Protocol is how bytes and their flags travel.
type Protocol uint8

// The protocols, in the order of NCCL's table.
const (
	LL     Protocol = iota // 4 bytes of data and 4 of flag: no fence, half the rate
	LL128                  // 120 bytes of data and 8 of flag, where a store of 128 is never split
	Simple                 // whole slices, then a fence and a flag
	protocols
)

var protocolNames = [protocols]string{"LL", "LL128", "Simple"}

// String returns NCCL's name of the protocol.
func (p Protocol) String() string { return nameOf("protocol", protocolNames[:], int(p)) }

// Generation is the generation of a group's GPUs: the oldest decides.
type Generation uint8

// Generations by compute capability: from 7.0, 8.0, 9.0, 10.0.
const (
	Volta Generation = iota
	Ampere
	Hopper
	Blackwell
	generations
)

var generationNames = [generations]string{"volta", "ampere", "hopper", "blackwell"}

// String returns the generation's name.
func (g Generation) String() string { return nameOf("generation", generationNames[:], int(g)) }

// Hop is a kind of step from rank to rank.
type Hop uint8

// The kinds of hop.
const (
	NVLink Hop = iota
	PCI
	Net
	hops
)

var hopNames = [hops]string{"NVLink", "PCI", "NET"}

// String returns NCCL's name of the kind of hop.
func (h Hop) String() string { return nameOf("hop", hopNames[:], int(h)) }

func nameOf(kind string, names []string, i int) string {
	if i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

// Schedule returns the name in coll.Algorithms of what the algorithm does for a collective, "" if
// coll has none: CollNet is predicted only.
func (a Algorithm) Schedule(c coll.Collective) string { return schedules[a][c] }

// NCCL's broadcast and reduce along a ring stop before they close it: chains.
var schedules = [algorithms]map[coll.Collective]string{
	Tree: {coll.AllReduce: "double-tree-all-reduce"},
	Ring: {
		coll.AllReduce: "ring-all-reduce", coll.AllGather: "ring-all-gather",
		coll.ReduceScatter: "ring-reduce-scatter",
		coll.BroadcastFrom: "chain-broadcast", coll.ReduceTo: "chain-reduce",
	},
	NVLSTree: {coll.AllReduce: "nvls-tree-all-reduce"},
	PAT:      {coll.AllGather: "pat-all-gather", coll.ReduceScatter: "pat-reduce-scatter"},
	NVLS: {
		coll.AllReduce: "nvls-all-reduce", coll.AllGather: "nvls-all-gather",
		coll.ReduceScatter: "nvls-reduce-scatter",
	},
	Direct: {
		coll.AllToAll: "direct-all-to-all", coll.GatherTo: "direct-gather", coll.ScatterFrom: "direct-scatter",
		coll.SendReceive: "ring-send-receive",
	},
}
