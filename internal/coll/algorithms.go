package coll

import (
	"maps"
	"slices"
)

// Algorithm is a schedule generator that a scenario can name.
type Algorithm struct {
	Collective  Collective
	Description string // one line, for `railyard list`
	// New makes the schedule over one rank order per channel. pipeline is the
	// number of slices per ring chunk, or of chunks per channel of a broadcast.
	New func(orders [][]int32, pipeline int) (Schedule, error)
}

// Algorithms holds every algorithm by name; the schedules' Name is the key.
var Algorithms = map[string]Algorithm{
	"ring-all-reduce": {AllReduce, "reduce-scatter, then all-gather round a ring: 2(n-1) steps of 1/n of the data",
		ringOf(RingAllReduce)},
	"ring-all-gather": {AllGather, "each owner's chunk round a ring: n-1 steps of 1/n of the data",
		ringOf(RingAllGather)},
	"ring-reduce-scatter": {ReduceScatter, "partial sums round a ring: n-1 steps of 1/n of the data",
		ringOf(RingReduceScatter)},
	"chain-broadcast": {BroadcastFrom, "from the root along a chain, pipelined by chunks: full bandwidth, latency of n-1 hops",
		broadcastOf(ChainBroadcast)},
	"tree-broadcast": {BroadcastFrom, "from the root down a binary tree, pipelined by chunks: half bandwidth, latency of log2(n) levels",
		broadcastOf(TreeBroadcast)},
}

// AlgorithmNames returns the keys of Algorithms in order.
func AlgorithmNames() []string { return slices.Sorted(maps.Keys(Algorithms)) }

func ringOf(f func([][]int32) (*Ring, error)) func([][]int32, int) (Schedule, error) {
	return func(orders [][]int32, pipeline int) (Schedule, error) {
		r, err := f(orders)
		if err != nil {
			return nil, err
		}
		r, err = r.Sliced(pipeline)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

func broadcastOf(f func([][]int32, int) (*Broadcast, error)) func([][]int32, int) (Schedule, error) {
	return func(orders [][]int32, pipeline int) (Schedule, error) {
		b, err := f(orders, pipeline)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
}
