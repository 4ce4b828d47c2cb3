package coll

import (
	"fmt"
	"math/big"
	"math/bits"

	"railyard/internal/base/unit"
)

// Link is what joins a rank to an ideal network: it sends and receives at the same
// time, at this rate, one message after the other; a message takes this latency
// besides.
type Link struct {
	Rate    unit.Bitrate
	Latency unit.Duration
}

// send is how long n messages of so many bytes take one after the other.
func (l Link) send(n int, size unit.Bytes) unit.Duration {
	return unit.Duration(n) * l.Rate.TransmitTime(size)
}

// Time returns the closed-form time of an algorithm of Algorithms over n ranks,
// whose links are all alike: one channel, nothing else on the links, no time to
// reduce, no wait for credits, hosts of one rank. bytes is as nccl-tests counts:
// the whole buffer of one rank, of a gather and scatter the root's; of a barrier
// the token. Sizes are rounded up to those of the largest message.
//
// It is exact but for what is said here to be a bound. Sources: R. Thakur,
// R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), sections 4 and 5 (ring, halving,
// doubling, pairwise); P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for
// full bandwidth broadcast, reduction and scan", Parallel Computing 35 (2009),
// section 2 (pipelined chain and tree).
func Time(algorithm string, n int, bytes unit.Bytes, l Link, pipeline int) unit.Duration {
	f, ok := times[algorithm]
	if !ok || n < 1 || pipeline < 1 {
		panic(fmt.Sprintf("coll: time of %s over %d ranks, pipeline %d", algorithm, n, pipeline))
	}
	if n == 1 {
		return 0
	}
	return f(n, bytes, l, pipeline)
}

type timeOf func(n int, bytes unit.Bytes, l Link, pipeline int) unit.Duration

var times = map[string]timeOf{
	"ring-all-reduce": ringTime(2), "ring-all-gather": ringTime(1), "ring-reduce-scatter": ringTime(1),
	"chain-all-reduce": chainAllReduceTime, "chain-broadcast": chainTime, "chain-reduce": chainTime,
	"tree-all-reduce": treeAllReduceTime, "double-tree-all-reduce": treeAllReduceTime, "nvls-tree-all-reduce": treeAllReduceTime,
	"tree-broadcast": treeTime, "tree-reduce": treeReduceTime,
	"halving-doubling-all-reduce": halvingTime(AllReduce), "halving-reduce-scatter": halvingTime(ReduceScatter),
	"doubling-all-gather": halvingTime(AllGather), "hypercube-all-gather": halvingTime(AllGather),
	"hierarchical-all-reduce": ringTime(2),
	"direct-all-gather":       directTime, "direct-reduce-scatter": directTime, "direct-all-to-all": directTime,
	"direct-gather": directTime, "direct-scatter": directTime, "two-level-all-to-all": directTime,
	"pairwise-all-gather": pairwiseTime, "pairwise-reduce-scatter": pairwiseTime, "pairwise-all-to-all": pairwiseTime,
	"pat-all-gather": patTime, "pat-reduce-scatter": patTime,
	"nvls-all-gather": directTime, "nvls-reduce-scatter": directTime, "nvls-all-reduce": nvlsTime,
	"ring-send-receive": sendTime, "direct-send": sendTime,
	"dissemination-barrier": func(n int, bytes unit.Bytes, l Link, _ int) unit.Duration {
		return unit.Duration(bits.Len(uint(n-1))) * (l.send(1, bytes) + l.Latency)
	},
}

func ceil(bytes unit.Bytes, n int) unit.Bytes { return (bytes + unit.Bytes(n) - 1) / unit.Bytes(n) }

// ringTime: rounds(n-1) steps of k slices. A step begins when the slices of the
// one before are sent and the first of them has arrived:
//
//	(steps-1) max(k t, t + latency) + k t + latency,   t the time of a slice
func ringTime(rounds int) timeOf {
	return func(n int, bytes unit.Bytes, l Link, k int) unit.Duration {
		if n == 1 {
			return 0
		}
		slice := ceil(ceil(bytes, n), k)
		step := max(l.send(k, slice), l.send(1, slice)+l.Latency)
		return unit.Duration(rounds*(n-1)-1)*step + l.send(k, slice) + l.Latency
	}
}

// chainTime: the first of c chunks takes n-1 hops, the others follow it.
func chainTime(n int, bytes unit.Bytes, l Link, c int) unit.Duration {
	size := ceil(bytes, c)
	return unit.Duration(n-1)*(l.send(1, size)+l.Latency) + l.send(c-1, size)
}

// chainAllReduceTime: 2(n-1) hops; what goes up and what comes down are on
// different links but for the ranks' own, which send both: each chunk twice.
// An upper bound.
func chainAllReduceTime(n int, bytes unit.Bytes, l Link, c int) unit.Duration {
	if n == 2 {
		return 2*l.Latency + l.send(c+1, ceil(bytes, c))
	}
	return 2 * chainTime(n, bytes, l, c)
}

// treeTime: log2(n) levels of two sends and a latency, then two sends for each
// further chunk. An upper bound: no rank has more than two children, and not
// every path takes the second child at every level.
func treeTime(n int, bytes unit.Bytes, l Link, c int) unit.Duration {
	size, levels, fan := ceil(bytes, c), bits.Len(uint(n))-1, min(n-1, 2)
	return unit.Duration(levels)*(l.send(fan, size)+l.Latency) + l.send(fan*(c-1), size)
}

// treeReduceTime: as down the tree; the first sums wait for two chunks more. An
// upper bound.
func treeReduceTime(n int, bytes unit.Bytes, l Link, c int) unit.Duration {
	return treeTime(n, bytes, l, c) + l.send(min(n-1, 2), ceil(bytes, c))
}

// treeAllReduceTime: up, then down a tree of one level more, as if nothing went
// up while something comes down. An upper bound.
func treeAllReduceTime(n int, bytes unit.Bytes, l Link, c int) unit.Duration {
	size, levels, fan := ceil(bytes, c), bits.Len(uint(n-1)), min(n-1, 2)
	return 2 * (unit.Duration(levels)*(l.send(fan, size)+l.Latency) + l.send(fan*(c-1), size))
}

// halvingTime: the exchange 2^s on or back has as many messages as the cells that
// one of the two has; guests send all first and get their result last. Exact for
// powers of two. Otherwise it is as if all ranks went from step to step together:
// smaller cells take less, and what a rank's partner sends early may delay what its
// guest sends (up to 17 ranks take 0.8 to 1.4 times as long).
func halvingTime(c Collective) timeOf {
	return func(n int, bytes unit.Bytes, l Link, _ int) unit.Duration {
		steps := bits.Len(uint(n)) - 1
		power, guests := 1<<steps, n-1<<steps
		chunks := power
		if c != AllReduce {
			chunks = n
		}
		size, messages, exchanges := ceil(bytes, chunks), 0, steps
		for s := range steps {
			cells := power >> (s + 1)
			if c != AllReduce {
				cells += min(cells, guests)
			}
			messages += cells
		}
		if c == AllReduce {
			messages, exchanges = 2*messages, 2*exchanges
		}
		if guests > 0 {
			exchanges += 2
			if c == AllReduce {
				messages += 2 * chunks
			} else { // all one way, one chunk or all but one the other
				messages += chunks + 1
			}
		}
		return l.send(messages, size) + unit.Duration(exchanges)*l.Latency
	}
}

// sendTime: k slices through one link.
func sendTime(_ int, bytes unit.Bytes, l Link, k int) unit.Duration {
	return l.send(k, ceil(bytes, k)) + l.Latency
}

// directTime: n-1 blocks through one link.
func directTime(n int, bytes unit.Bytes, l Link, k int) unit.Duration {
	return l.send((n-1)*k, ceil(ceil(bytes, n), k)) + l.Latency
}

// nvlsTime: as if the switch neither added nor copied, and nothing were handed out while something
// is added. An upper bound.
func nvlsTime(n int, bytes unit.Bytes, l Link, k int) unit.Duration {
	return 2 * directTime(n, bytes, l, k)
}

// patTime: step after step, each as long as its messages and a hop. An upper bound: a rank does not
// wait for all of a step before it sends of the next.
func patTime(n int, bytes unit.Bytes, l Link, k int) (t unit.Duration) {
	for d := 1; d < n; d *= 2 {
		t += l.send(((n-1-d)/(2*d)+1)*k, ceil(ceil(bytes, n), k)) + l.Latency
	}
	return t
}

// pairwiseTime: n-1 steps of a block.
func pairwiseTime(n int, bytes unit.Bytes, l Link, k int) unit.Duration {
	return unit.Duration(n-1) * (l.send(k, ceil(ceil(bytes, n), k)) + l.Latency)
}

// BusFactor returns bus bandwidth / algorithm bandwidth of a collective over n
// ranks, as nccl-tests defines it (PERFORMANCE.md; GetBw in src/all_reduce.cu,
// all_gather.cu, reduce_scatter.cu, alltoall.cu, gather.cu, scatter.cu,
// broadcast.cu, reduce.cu, sendrecv.cu): 2(n-1)/n for all-reduce, (n-1)/n where
// each rank, or the root, moves all blocks but its own, 1 for broadcast, reduce and
// send/receive. A barrier has none.
func BusFactor(c Collective, n int) unit.Ratio {
	if n < 1 {
		panic(fmt.Sprintf("coll: bus factor over %d ranks", n))
	}
	switch c {
	case AllReduce:
		return unit.Ratio{Num: 2 * int64(n-1), Den: int64(n)}
	case AllGather, ReduceScatter, AllToAll, GatherTo, ScatterFrom:
		return unit.Ratio{Num: int64(n - 1), Den: int64(n)}
	case BroadcastFrom, ReduceTo, SendReceive:
		return unit.Ratio{Num: 1, Den: 1}
	}
	panic("coll: bus factor of " + c.String())
}

// BusBandwidth returns bytes/d times the bus factor, rounded down: the rate at
// which the hardware moved data, to be compared with a link's. bytes is the
// whole buffer of one rank: of an all-gather the gathered result, of a
// reduce-scatter the input. d > 0.
func BusBandwidth(c Collective, n int, bytes unit.Bytes, d unit.Duration) unit.Bitrate {
	if d <= 0 || bytes < 0 {
		panic(fmt.Sprintf("coll: bus bandwidth of %d bytes in %d ps", bytes, d))
	}
	f := BusFactor(c, n)
	num := new(big.Int).Mul(big.NewInt(int64(bytes)), big.NewInt(8*int64(unit.Second)))
	num.Mul(num, big.NewInt(f.Num))
	den := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(f.Den))
	q := num.Quo(num, den)
	if !q.IsInt64() {
		panic(fmt.Sprintf("coll: bus bandwidth of %d bytes in %d ps overflows", bytes, d))
	}
	return unit.Bitrate(q.Int64())
}
