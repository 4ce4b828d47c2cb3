package coll

import (
	"fmt"
	"sort"
)

// NVLS is a collective inside a host whose switch adds and copies (NVLink SHARP; NCCL,
// src/device/all_reduce.h): each rank is the head of a share of the data. The head loads its share
// from the switch, which loads it from all ranks and adds it up (multimem.ld_reduce); it stores the
// sum to the switch, which stores it to all (multimem.st).
//
//  1. reduce     0   1   2   3        2. gather     0   1   2   3
//     \   \ /   /                        ^   ^   ^   ^
//     [ adds ]                           \   \ /   /
//     |                              [ copies ]
//     v                                  ^
//     2, head of share 2                 2
//
// As a schedule both are messages between ranks: every other rank sends the head its part, and the
// head sends all others the sum. The switch makes one load of those that go to a head, and takes one
// store of those that leave it; its ranks' links carry the head's own part too: see Op.Switch.
//
//	each rank out: all of its buffer, and the sum of its own share    (n+1)/n of the bytes
//	each rank in:  the sum of its own share, and all of the result    (n+1)/n of the bytes
//
// The head's sum is defined to the bit: its own part, then those of the ranks 1, 2, .. places before
// it in the channel's order. A switch of silicon may add in another order.
//
// A share is cut into rounds (chunk = head * rounds + round). Four rounds are under way: a rank
// takes the sums of round k-4, adds and hands out round k, and sends round k+4. Each message has
// its own staging slot.
type NVLS struct {
	orders
	coll   Collective
	name   string
	rounds int
}

// nvlsAhead is how many rounds a rank sends before it waits for the first, and how many rounds
// later it takes the sums: enough to keep links busy while a round is on its way.
const nvlsAhead = 4

// NVLSAllReduce returns the all-reduce of a host whose switch adds, each share in so many rounds.
func NVLSAllReduce(orders [][]int32, rounds int) (*NVLS, error) {
	return newNVLS(orders, "nvls-all-reduce", AllReduce, rounds)
}

// NVLSReduceScatter returns the first half of NVLSAllReduce: rank r ends with share r.
func NVLSReduceScatter(orders [][]int32, rounds int) (*NVLS, error) {
	return newNVLS(orders, "nvls-reduce-scatter", ReduceScatter, rounds)
}

// NVLSAllGather returns the second half of NVLSAllReduce: rank r begins with share r.
func NVLSAllGather(orders [][]int32, rounds int) (*NVLS, error) {
	return newNVLS(orders, "nvls-all-gather", AllGather, rounds)
}

func newNVLS(in [][]int32, name string, c Collective, rounds int) (*NVLS, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := pieces(name+": rounds", 2*o.Ranks(), rounds); err != nil {
		return nil, err
	}
	return &NVLS{o, c, name, rounds}, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (v *NVLS) Name() string { return v.name }

// Chunks returns ranks * rounds.
func (v *NVLS) Chunks() int { return v.Ranks() * v.rounds }

// Slices returns the rounds of a share.
func (v *NVLS) Slices() int { return v.rounds }

// Slots returns one for each message that a rank receives.
func (v *NVLS) Slots() int {
	if v.coll == AllReduce {
		return 2 * v.peers() * v.rounds
	}
	return v.peers() * v.rounds
}

// Owner returns the head of a chunk.
func (v *NVLS) Owner(_, chunk int) int32 { return int32(chunk / v.rounds) }

// Goal returns what the schedule is to achieve.
func (v *NVLS) Goal() Goal {
	g := Goal{Collective: v.coll}
	if v.coll != AllReduce {
		g.Owner = v.Owner
	}
	return g
}

// SwitchAdds reports that a switch between the ranks adds and copies.
func (v *NVLS) SwitchAdds() bool { return true }

// peers is the ranks that a rank exchanges messages with.
func (v *NVLS) peers() int { return v.Ranks() - 1 }

// ahead is the rounds under way.
func (v *NVLS) ahead() int { return min(nvlsAhead, v.rounds) }

// nvlsPart is what a rank does in a round.
type nvlsPart uint8

const (
	nvlsOut    nvlsPart = iota // sends its parts to their heads: an op for each peer
	nvlsAdd                    // receives and adds what others have of its share: two for each
	nvlsHand                   // sends the sum to all: one for each
	nvlsGather                 // receives the sums: two for each
	nvlsParts
)

var nvlsOps = [nvlsParts]int{1, 2, 1, 2} // per peer

// opens is what a rank sends ahead, takes is what it does when that has come, in each round.
func (v *NVLS) opens() nvlsPart {
	if v.coll == AllGather {
		return nvlsHand
	}
	return nvlsOut
}

func (v *NVLS) takes() []nvlsPart {
	switch v.coll {
	case ReduceScatter:
		return []nvlsPart{nvlsAdd}
	case AllGather:
		return []nvlsPart{nvlsGather}
	}
	return []nvlsPart{nvlsAdd, nvlsHand}
}

// turn is how many ops per peer the rounds before round k take, those that open not counted that
// come before the first.
func (v *NVLS) turn(k int) int {
	ops := 0
	for _, part := range v.takes() {
		ops += k * nvlsOps[part]
	}
	if v.coll == AllReduce {
		ops += max(0, k-v.ahead()) * nvlsOps[nvlsGather]
	}
	return ops + min(k, v.rounds-v.ahead())*nvlsOps[v.opens()]
}

// Len returns the number of ops.
func (v *NVLS) Len(rank, channel int) int {
	ops := v.ahead()*nvlsOps[v.opens()] + v.turn(v.rounds)
	if v.coll == AllReduce {
		ops += v.ahead() * nvlsOps[nvlsGather]
	}
	return ops * v.peers()
}

// find returns what op i is part of: the op-th of that part of a round.
func (v *NVLS) find(i int) (part nvlsPart, round, op int) {
	a, p := v.ahead(), v.peers()
	if i < a*p*nvlsOps[v.opens()] {
		return v.opens(), i / p, i % p
	}
	i -= a * p * nvlsOps[v.opens()]
	if i >= v.turn(v.rounds)*p { // the last sums
		i -= v.turn(v.rounds) * p
		return nvlsGather, v.rounds - a + i/(2*p), i % (2 * p)
	}
	k := sort.Search(v.rounds, func(k int) bool { return v.turn(k+1)*p > i })
	i -= v.turn(k) * p
	if v.coll == AllReduce && k >= a {
		if i < 2*p {
			return nvlsGather, k - a, i
		}
		i -= 2 * p
	}
	for _, part := range v.takes() {
		if i < p*nvlsOps[part] {
			return part, k, i
		}
		i -= p * nvlsOps[part]
	}
	return v.opens(), k + a, i
}

// begin returns the first op of a part of a round.
func (v *NVLS) begin(part nvlsPart, round int) int {
	a, p := v.ahead(), v.peers()
	opened := a * nvlsOps[v.opens()]
	if v.coll == AllReduce && round >= a { // the sums of an earlier round come first
		opened += nvlsOps[nvlsGather]
	}
	switch {
	case part == v.opens() && round < a:
		return round * p
	case part == v.opens():
		return (a*nvlsOps[part] + v.turn(round-a+1) - nvlsOps[part]) * p
	case part == nvlsHand:
		return (opened + v.turn(round) + nvlsOps[nvlsAdd]) * p
	}
	return (opened + v.turn(round)) * p // nvlsAdd
}

// Op returns op i of rank in channel.
func (v *NVLS) Op(rank, channel, i int) Op {
	at, p := int(v.pos[channel][rank]), v.peers()
	part, k, j := v.find(i)
	op := Op{Slot: -1, After: -1, Acked: -1, Peer: -1}
	if part == nvlsOut || part == nvlsHand {
		op.Peer = v.at(channel, at+1+j)
		head := int(op.Peer)
		op.Switch = int32(v.Ranks())
		if part == nvlsHand {
			head, op.Switch = rank, -op.Switch
			if v.coll == AllReduce {
				op.After = int32(v.begin(nvlsAdd, k) + 2*p - 1)
			}
		}
		op.Chunk = int32(head*v.rounds + k)
		return op
	}
	from, head := v.at(channel, at-1-j/2), rank
	slot := k*p + j/2
	if part == nvlsGather {
		head = int(from)
		if v.coll == AllReduce {
			slot += v.rounds * p
		}
	}
	op.Kind, op.Chunk, op.Slot = Recv, int32(head*v.rounds+k), int32(slot)
	if j%2 == 0 {
		op.Peer = from
		if part == nvlsAdd && j > 0 { // sums are added one after the other
			op.After = int32(i - 1)
		}
		return op
	}
	op.Kind, op.After, op.Switch = Reduce, int32(i-1), 1
	if part == nvlsGather {
		op.Kind, op.Switch = Copy, 0
		if v.coll == AllReduce { // the rank has sent its own part from here: to the rank j/2+1 back
			op.Acked = int32(v.begin(nvlsOut, k) + p - 1 - j/2)
		}
	}
	return op
}

// traffic: to each peer its share, and the own sum.
func (v *NVLS) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	p := int(v.pos[channel][rank])
	for s := 1; s <= v.peers(); s++ {
		t := Traffic{Peer: v.at(channel, p+s)}
		if v.coll != AllGather {
			t.add(sh, int(t.Peer), 1, 1)
		}
		if v.coll != ReduceScatter {
			t.add(sh, rank, 1, 1)
		}
		to = append(to, t)
	}
	return to
}
