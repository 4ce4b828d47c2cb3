package coll

import (
	"fmt"
	"maps"
	"slices"
)

// Algorithm is a schedule generator that a scenario can name.
type Algorithm struct {
	Collective  Collective
	Description string // one line, for `railyard list`
	// Pipeline is the number of slices or chunks that it cuts its data into unless
	// asked for another; 0: it cannot cut more than it does, and wants 1.
	Pipeline int
	// New makes the schedule over one rank order per channel. pipeline is the
	// number of slices per ring chunk or block, or of chunks per channel of a tree.
	New func(orders [][]int32, pipeline int) (Schedule, error)
	// OnHosts is New for orders that have perHost ranks of a host in a row; nil:
	// hosts do not matter.
	OnHosts func(orders [][]int32, pipeline, perHost int) (Schedule, error)
	// ByNumber: Over's orders are those of the ranks' numbers, not of rings.
	ByNumber bool
}

// Algorithms holds every algorithm by name; the schedules' Name is the key.
var Algorithms = map[string]Algorithm{
	"ring-all-reduce": ringOf(AllReduce,
		"reduce-scatter, then all-gather round a ring: 2(n-1) steps of 1/n of the data",
		RingAllReduce),
	"chain-all-reduce": treeOf(AllReduce,
		"sums along a chain, then back, pipelined by chunks: every rank sends the data twice, latency of 2(n-1) hops",
		ChainAllReduce),
	"tree-all-reduce": onHosts(AllReduce, 8,
		"up and down a binary tree of hosts with a chain in each: inner ranks send the data 3 times, latency of 2 "+
			"log2(n)",
		TreeAllReduce),
	"double-tree-all-reduce": onHosts(AllReduce, 8,
		"half of the channels each over two binary trees, a leaf of one being none of the other: NCCL's tree",
		DoubleTreeAllReduce),
	"halving-doubling-all-reduce": uncut(AllReduce,
		"recursive halving, then doubling: 2 log2(n) exchanges, 2(n-1)/n of the data if n is a power of two",
		HalvingDoublingAllReduce),
	"hierarchical-all-reduce": onHosts(AllReduce, 0,
		"rings: reduce-scatter in each host, all-reduce between hosts, all-gather in each host",
		func(orders [][]int32, pipeline, perHost int) (*Hierarchical, error) {
			if err := onlyOne("hierarchical-all-reduce", pipeline); err != nil {
				return nil, err
			}
			return HierarchicalAllReduce(orders, perHost)
		}),
	"nvls-tree-all-reduce": onHosts(AllReduce, 4,
		"as nvls inside each host; between hosts each rank's share over NCCL's double binary tree", NVLSTreeAllReduce),
	"nvls-all-reduce": nvlsOf(AllReduce,
		"in a host whose switch adds: each rank has it add 1/n of the data and hand the sum to all",
		NVLSAllReduce),

	"ring-all-gather": ringOf(AllGather,
		"each owner's chunk round a ring: n-1 steps of 1/n of the data",
		RingAllGather),
	"doubling-all-gather": uncut(AllGather,
		"recursive doubling: log2(n) exchanges with ever more data",
		DoublingAllGather),
	"hypercube-all-gather": byNumber(uncut(AllGather,
		"recursive doubling as nccl-tests' hypercube: in step s with the rank 2^s on or back, so the farthest "+
			"exchange most",
		HypercubeAllGather)),
	"direct-all-gather": directOf(AllGather,
		"each owner's chunk straight to every rank, all at once",
		DirectAllGather),
	"pairwise-all-gather": directOf(AllGather,
		"each owner's chunk straight to every rank, one after the other",
		PairwiseAllGather),
	"pat-all-gather": patOf(AllGather,
		"each owner's chunk along a binomial tree of its own, far hops first: log2(n) steps for any n; NCCL's for hosts of one GPU",
		PATAllGather),
	"nvls-all-gather": nvlsOf(AllGather,
		"in a host whose switch copies: each owner's chunk leaves it once",
		NVLSAllGather),

	"ring-reduce-scatter": ringOf(ReduceScatter,
		"partial sums round a ring: n-1 steps of 1/n of the data",
		RingReduceScatter),
	"halving-reduce-scatter": uncut(ReduceScatter,
		"recursive halving: log2(n) exchanges with ever less data",
		HalvingReduceScatter),
	"direct-reduce-scatter": directOf(ReduceScatter,
		"each rank's part of every chunk straight to its owner, all at once",
		DirectReduceScatter),
	"pairwise-reduce-scatter": directOf(ReduceScatter,
		"each rank's part of every chunk straight to its owner, one after the other",
		PairwiseReduceScatter),
	"pat-reduce-scatter": patOf(ReduceScatter,
		"each rank's sum along a binomial tree of its own, near hops first: log2(n) steps for any n; NCCL's for hosts of one GPU",
		PATReduceScatter),
	"nvls-reduce-scatter": nvlsOf(ReduceScatter,
		"in a host whose switch adds: each rank's sum comes to it once",
		NVLSReduceScatter),

	"chain-broadcast": treeOf(BroadcastFrom,
		"from the root along a chain, pipelined by chunks: full bandwidth, latency of n-1 hops",
		ChainBroadcast),
	"tree-broadcast": treeOf(BroadcastFrom,
		"from the root down a binary tree, pipelined by chunks: half bandwidth, latency of log2(n) levels",
		TreeBroadcast),
	"chain-reduce": treeOf(ReduceTo,
		"to the root along a chain, pipelined by chunks: full bandwidth, latency of n-1 hops",
		ChainReduce),
	"tree-reduce": treeOf(ReduceTo,
		"to the root up a binary tree, pipelined by chunks: half bandwidth, latency of log2(n) levels",
		TreeReduce),

	"direct-gather": directOf(GatherTo,
		"every rank's input straight to the root",
		DirectGather),
	"direct-scatter": directOf(ScatterFrom,
		"the root's blocks straight to their ranks",
		DirectScatter),
	"direct-all-to-all": directOf(AllToAll,
		"every block straight to its rank, all at once",
		DirectAllToAll),
	"pairwise-all-to-all": directOf(AllToAll,
		"every block straight to its rank: in step s to the rank s on, from the rank s back",
		PairwiseAllToAll),
	"two-level-all-to-all": onHosts(AllToAll, 1,
		"what is for another host goes inside the host first, to the rank of the receiver's place, and from there on",
		TwoLevelAllToAll),
	"ring-send-receive": directOf(SendReceive,
		"every rank's input to the next rank",
		RingSendReceive),
	"direct-send": directOf(SendReceive,
		"the first rank's input to the second rank",
		DirectSend),
	"dissemination-barrier": uncut(Barrier,
		"in round i a token to the rank 2^i on: log2(n) rounds",
		DisseminationBarrier),
}

// AlgorithmNames returns the keys of Algorithms in order.
func AlgorithmNames() []string { return slices.Sorted(maps.Keys(Algorithms)) }

// Over makes the schedule over the ranks of a placement, with rank orders from
// Rings, or ByNumber. Where the collective has a root it is rank 0, and every order begins with it.
func (a Algorithm) Over(p Placement, channels, pipeline int) (Schedule, error) {
	orders := Rings(p, channels)
	if a.ByNumber {
		for _, o := range orders {
			slices.Sort(o)
		}
	}
	if a.Collective.Rooted() {
		for c, o := range orders {
			at := slices.Index(o, 0)
			orders[c] = slices.Concat(o[at:], o[:at])
		}
	}
	if a.OnHosts == nil {
		return a.New(orders, pipeline)
	}
	perHost, err := p.PerHost()
	if err != nil {
		return nil, fmt.Errorf("over hosts: %w", err)
	}
	return a.OnHosts(orders, pipeline, perHost)
}

// cut is an algorithm that cuts its data into as many pieces as asked for, or so many.
func cut(c Collective, description string, pipeline int, f func([][]int32, int) (Schedule, error)) Algorithm {
	return Algorithm{Collective: c, Description: description, Pipeline: pipeline, New: f}
}

func ringOf(c Collective, description string, f func([][]int32) (*Ring, error)) Algorithm {
	return cut(c, description, 1, func(orders [][]int32, pipeline int) (Schedule, error) {
		r, err := f(orders)
		if err != nil {
			return nil, err
		}
		r, err = r.Sliced(pipeline)
		return schedule(r, err)
	})
}

func treeOf(c Collective, description string, f func([][]int32, int) (*Tree, error)) Algorithm {
	return cut(c, description, 8, func(orders [][]int32, pipeline int) (Schedule, error) {
		t, err := f(orders, pipeline)
		return schedule(t, err)
	})
}

func directOf(c Collective, description string, f func([][]int32, int) (*Direct, error)) Algorithm {
	return cut(c, description, 1, func(orders [][]int32, pipeline int) (Schedule, error) {
		d, err := f(orders, pipeline)
		return schedule(d, err)
	})
}

func nvlsOf(c Collective, description string, f func([][]int32, int) (*NVLS, error)) Algorithm {
	return cut(c, description, 4, func(orders [][]int32, pipeline int) (Schedule, error) {
		v, err := f(orders, pipeline)
		return schedule(v, err)
	})
}

func patOf(c Collective, description string, f func([][]int32, int) (*PAT, error)) Algorithm {
	return cut(c, description, 1, func(orders [][]int32, pipeline int) (Schedule, error) {
		t, err := f(orders, pipeline)
		return schedule(t, err)
	})
}

func onHosts[S Schedule](c Collective, pipeline int, description string,
	f func([][]int32, int, int) (S, error)) Algorithm {
	on := func(orders [][]int32, pipeline, perHost int) (Schedule, error) {
		s, err := f(orders, pipeline, perHost)
		return schedule(s, err)
	}
	return Algorithm{Collective: c, Description: description, Pipeline: pipeline, OnHosts: on,
		New: func(orders [][]int32, pipeline int) (Schedule, error) { return on(orders, pipeline, 1) }}
}

func uncut[S Schedule](c Collective, description string, f func([][]int32) (S, error)) Algorithm {
	return Algorithm{Collective: c, Description: description,
		New: func(orders [][]int32, pipeline int) (Schedule, error) {
			s, err := f(orders)
			if err == nil {
				err = onlyOne(s.Name(), pipeline)
			}
			return schedule(s, err)
		}}
}

func byNumber(a Algorithm) Algorithm {
	a.ByNumber = true
	return a
}

// schedule is s as a Schedule, nil with an error.
func schedule[S Schedule](s S, err error) (Schedule, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// onlyOne refuses to cut what cannot be cut.
func onlyOne(name string, pipeline int) error {
	if pipeline != 1 {
		return fmt.Errorf("%s: pipeline of %d, want 1: the algorithm itself says how its data are cut", name, pipeline)
	}
	return nil
}
