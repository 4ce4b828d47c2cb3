package coll

import (
	"fmt"
	"math/bits"
)

// PAT is an all-gather or a reduce-scatter along binomial trees, one for each rank's part, all at once:
// NCCL's parallel aggregated trees (PAT, src/include/collectives.h, for hosts of one GPU) with room for
// all of a step.
//
// A part's tree, by how many places a rank stands behind its owner. All-gather: the farthest hop comes
// first, so that what then is sent most often goes to neighbours:
//
//	behind     0 ------- 4 ---       step 0: 0 to 4
//	           0 - 2     4 - 6       step 1: 0 to 2, 4 to 6
//	           0 1 2 3   4 5 6 7     step 2: 0 to 1, 2 to 3, ..
//
// In the step of distance d a rank sends to the one d places on the parts of those who stand a multiple
// of 2d places before it, its own first. Each number below n is a sum of powers of two in one way, so
// each part comes once, for any n. A reduce-scatter goes the same way back, nearest hops first: a rank
// adds to its sum of a part those of the ranks d = 1, 2, 4, .. places on.
//
// S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale" (2025).
// Parts may be cut into slices. Each message has its own staging slot.
type PAT struct {
	orders
	coll   Collective
	slices int
}

// PATAllGather returns the all-gather along trees, each part in so many slices.
func PATAllGather(orders [][]int32, slices int) (*PAT, error) {
	return newPAT(orders, AllGather, slices)
}

// PATReduceScatter returns the reduce-scatter along trees: rank r ends with part r.
func PATReduceScatter(orders [][]int32, slices int) (*PAT, error) {
	return newPAT(orders, ReduceScatter, slices)
}

func newPAT(in [][]int32, c Collective, slices int) (*PAT, error) {
	t := &PAT{coll: c, slices: slices}
	var err error
	if t.orders, err = newOrders(in); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return t, pieces(t.Name()+": slices", t.Ranks(), slices)
}

// Name returns the algorithm's name, a key of Algorithms.
func (t *PAT) Name() string { return "pat-" + t.coll.String() }

// Chunks returns ranks * slices.
func (t *PAT) Chunks() int { return t.Ranks() * t.slices }

// Slices returns the slices of a part.
func (t *PAT) Slices() int { return t.slices }

// Slots returns one for each message that a rank receives.
func (t *PAT) Slots() int { return (t.Ranks() - 1) * t.slices }

// Owner returns the rank that a chunk is of.
func (t *PAT) Owner(_, chunk int) int32 { return int32(chunk / t.slices) }

// Goal returns what the schedule is to achieve.
func (t *PAT) Goal() Goal { return Goal{Collective: t.coll, Owner: t.Owner} }

// Len returns 3 ops for each message.
func (t *PAT) Len(rank, channel int) int { return 3 * t.Slots() }

// steps is the number of distances.
func (t *PAT) steps() int { return bits.Len(uint(t.Ranks() - 1)) }

// distance is that of a step: the farthest first in an all-gather, last in a reduce-scatter.
func (t *PAT) distance(step int) int {
	if t.coll == AllGather {
		step = t.steps() - 1 - step
	}
	return 1 << step
}

// parts is how many a rank sends over a distance, and receives: those x places back, x = 0, 2d, 4d, ..
// with x + d below n.
func (t *PAT) parts(d int) int { return (t.Ranks()-1-d)/(2*d) + 1 }

// before is how many messages a rank sends in the steps before one.
func (t *PAT) before(step int) (messages int) {
	for s := range step {
		messages += t.parts(t.distance(s)) * t.slices
	}
	return messages
}

// applied is the op that ends the message of a slice of the part x places back over distance d.
func (t *PAT) applied(x, d, slice int) int32 {
	step := bits.Len(uint(d)) - 1
	if t.coll == AllGather {
		step = t.steps() - 1 - step
	}
	messages := t.parts(d) * t.slices
	return int32(3*t.before(step) + messages + 2*(x/(2*d)*t.slices+slice) + 1)
}

// Op returns op i of rank in channel: in each step all that it sends, then all that it receives.
func (t *PAT) Op(rank, channel, i int) Op {
	at, step := int(t.pos[channel][rank]), 0
	for ; ; step++ {
		all := 3 * t.parts(t.distance(step)) * t.slices
		if i < all {
			break
		}
		i -= all
	}
	d := t.distance(step)
	messages := t.parts(d) * t.slices
	op := Op{Peer: -1, Slot: -1, After: -1, Acked: -1}
	if i < messages {
		t.send(&op, channel, at, d, i/t.slices*2*d, i%t.slices)
		return op
	}
	i -= messages
	x, slice := i/2/t.slices*2*d, i/2%t.slices
	op.Slot = int32(t.before(step) + i/2)
	if t.coll == AllGather { // from d back, what is x places back there
		op.Kind, op.Chunk = Recv, t.chunk(channel, at-d-x, slice)
		op.Peer = t.at(channel, at-d)
	} else { // from d on, the part that is x back here
		op.Kind, op.Chunk = Recv, t.chunk(channel, at-x, slice)
		op.Peer, op.After = t.at(channel, at+d), t.added(x, d, slice)
	}
	if i%2 == 1 {
		op.Kind, op.Peer, op.After = Copy, -1, t.applied(x, d, slice)-1
		if t.coll == ReduceScatter {
			op.Kind = Reduce
		}
	}
	return op
}

// send is the Send of the part x places back over distance d: in a reduce-scatter of the part x + d back.
func (t *PAT) send(op *Op, channel, at, d, x, slice int) {
	if t.coll == AllGather {
		op.Peer, op.Chunk = t.at(channel, at+d), t.chunk(channel, at-x, slice)
		if x > 0 { // it came over the last distance of those that sum to x
			last := x & -x
			op.After = t.applied(x-last, last, slice)
		}
		return
	}
	op.Peer, op.Chunk = t.at(channel, at-d), t.chunk(channel, at-d-x, slice)
	op.After = t.added(x+d, d, slice)
}

// added is the last op that adds to the part x places back over less than distance d, -1 without one.
func (t *PAT) added(x, d, slice int) int32 {
	for near := d / 2; near > 0; near /= 2 {
		if x+near < t.Ranks() {
			return t.applied(x, near, slice)
		}
	}
	return -1
}

// chunk is a slice of the part of the rank at a place.
func (t *PAT) chunk(channel, at, slice int) int32 {
	return t.at(channel, at)*int32(t.slices) + int32(slice)
}

// traffic: over each distance the parts of the multiples of twice as much.
func (t *PAT) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	at := int(t.pos[channel][rank])
	for step := range t.steps() {
		d := t.distance(step)
		all, first := Traffic{Peer: t.at(channel, at+d)}, 0
		if t.coll == ReduceScatter {
			all.Peer, first = t.at(channel, at-d), d
		}
		for k := range t.parts(d) {
			all.add(sh, int(t.at(channel, at-first-2*d*k)), 1, 1)
		}
		to = append(to, all)
	}
	return to
}
