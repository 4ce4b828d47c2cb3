package coll

import (
	"fmt"
	"math/bits"
)

// Dissemination is a barrier: in round i every rank tells the one 2^i positions
// on that it, and all it has heard of, have begun.
//
//	round 0   0 -> 1 -> 2 -> 3 -> 4 -> 0
//	round 1   0 -> 2 -> 4 -> 1 -> 3 -> 0
//	round 2   0 -> 4 -> 3 -> 2 -> 1 -> 0
//
// A message is chunk 0 of the input, a token whose content does not matter; it
// must not be empty.
//
// D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization",
// International Journal of Parallel Programming 17 (1988), section 3.
type Dissemination struct {
	orders
	rounds int
	window window // of each link, which has one message
}

// DisseminationBarrier returns the barrier over the given rank orders.
func DisseminationBarrier(orders [][]int32) (*Dissemination, error) {
	o, err := newOrders(orders)
	if err != nil {
		return nil, fmt.Errorf("dissemination-barrier: %w", err)
	}
	return &Dissemination{orders: o, rounds: bits.Len(uint(o.Ranks() - 1)), window: window{messages: 1}}, nil
}

// Credited returns the same barrier with credit. The peers of all rounds differ, and so each of a
// rank's links has one message, which no more slots than one can serve.
func (d *Dissemination) Credited(slots int) (*Dissemination, error) {
	if err := pieces(d.Name()+": slots", 1, slots); err != nil {
		return nil, err
	}
	s := *d
	s.window.slots = slots
	return &s, nil
}

// NeedsCredit reports whether the slots serve in turn.
func (d *Dissemination) NeedsCredit() bool { return d.window.frees() && d.rounds > 0 }

// Name returns the algorithm's name, a key of Algorithms.
func (d *Dissemination) Name() string { return "dissemination-barrier" }

// Chunks returns one for each round.
func (d *Dissemination) Chunks() int { return max(d.rounds, 1) }

// Inputs returns 1, the token.
func (d *Dissemination) Inputs() int { return 1 }

// Slots returns one for each round.
func (d *Dissemination) Slots() int { return d.rounds }

// Goal returns what the schedule is to achieve.
func (d *Dissemination) Goal() Goal { return Goal{Collective: Barrier} }

// Len returns 3 ops per round.
func (d *Dissemination) Len(rank, channel int) int { return 3 * d.rounds }

// Op returns op i of rank in channel, in constant time.
func (d *Dissemination) Op(rank, channel, i int) Op {
	p, round := int(d.pos[channel][rank]), i/3
	op := Op{Peer: -1, Chunk: int32(round), Slot: int32(round), After: -1, Acked: -1}
	switch i % 3 {
	case 0:
		op.Kind, op.Buffer, op.Chunk, op.Slot, op.Window = Send, In, 0, -1, d.window.window(0)
		op.Peer = d.at(channel, p+1<<round) // it starts after the copy before it, which waits for its message
	case 1:
		op.Kind, op.Peer = Recv, d.at(channel, p-1<<round)
	case 2:
		op.Kind, op.After, op.Frees = Copy, int32(i-1), d.window.frees()
	}
	return op
}
