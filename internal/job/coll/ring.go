package coll

import "fmt"

// Ring is a ring all-reduce, reduce-scatter or all-gather.
//
// At position p of a channel's ring, step t sends ring chunk p+first-t to
// position p+1 and receives ring chunk p+first-1-t from position p-1:
//
//	reduce-scatter   first 0, n-1 steps, all Reduce
//	all-gather       first 1, n-1 steps, all Copy
//	all-reduce       first 0, 2(n-1) steps, n-1 Reduce then n-1 Copy
//
// Each ring chunk is k slices (chunk = ring chunk * k + slice); a slice goes on
// as soon as it has been reduced. Message m = t*k+j carries slice j in step t. Of
// M = T*k messages to its successor a rank sends L ahead (see lane), L = k or, if
// they are fewer, the slots.
//
// Without credit each message has its own staging slot. Fewer would not do: see
// doc.go and ReuseSafe. With credit (Credited) S slots serve in turn, and message
// m waits until message m-S is read:
//
//	slot   0  1  2  0  1  2  0 ..     S = 3; staging takes S slices
type Ring struct {
	orders
	coll   Collective
	name   string
	first  int // ring chunk sent first, relative to the position
	reduce int // steps that reduce; the later ones copy
	steps  int // T
	slices int // k
	window
}

// RingAllReduce returns the ring all-reduce over the given rank orders, one
// permutation of the ranks per channel: reduce-scatter, then all-gather.
func RingAllReduce(orders [][]int32) (*Ring, error) {
	return newRing(orders, "ring-all-reduce", AllReduce)
}

// RingReduceScatter returns the ring reduce-scatter: position p of a channel's
// order ends owning ring chunk p+1 (in a ring of four: 0 B, 1 C, 2 D, 3 A).
func RingReduceScatter(orders [][]int32) (*Ring, error) {
	return newRing(orders, "ring-reduce-scatter", ReduceScatter)
}

// RingAllGather returns the ring all-gather from the ownership that
// RingReduceScatter leaves: the two in turn are an all-reduce.
func RingAllGather(orders [][]int32) (*Ring, error) {
	return newRing(orders, "ring-all-gather", AllGather)
}

func newRing(in [][]int32, name string, c Collective) (*Ring, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &Ring{orders: o, coll: c, name: name, steps: o.Ranks() - 1, slices: 1}
	switch c {
	case AllReduce:
		r.reduce, r.steps = r.steps, 2*r.steps
	case ReduceScatter:
		r.reduce = r.steps
	case AllGather:
		r.first = 1
	}
	r.messages = r.steps
	return r, nil
}

// Sliced returns the same ring with each ring chunk cut into k slices, so that a
// hop sends the first slice on while the next one arrives. k >= 1. The ring
// chunks stay what they are, so every element is summed in the same order.
func (r *Ring) Sliced(k int) (*Ring, error) {
	if err := pieces(r.name+": slices", 2*r.Ranks(), k); err != nil {
		return nil, err
	}
	s := *r
	s.slices, s.messages = k, r.steps*k
	return &s, nil
}

// Credited returns the same ring with so many staging slots, at least 1, which
// its messages take in turn.
func (r *Ring) Credited(slots int) (*Ring, error) {
	if err := pieces(r.name+": slots", 1, slots); err != nil {
		return nil, err
	}
	s := *r
	s.window.slots = slots
	return &s, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (r *Ring) Name() string { return r.name }

// Chunks returns ranks * slices.
func (r *Ring) Chunks() int { return r.Ranks() * r.slices }

// Slots returns steps * slices, or with credit what was asked for, if it is less.
func (r *Ring) Slots() int { return r.size() }

// Slices returns the number of slices per ring chunk.
func (r *Ring) Slices() int { return r.slices }

// NeedsCredit reports whether the slots serve in turn.
func (r *Ring) NeedsCredit() bool { return r.frees() && r.messages > 0 }

// Len returns 3 ops per message.
func (r *Ring) Len(rank, channel int) int { return 3 * r.messages }

// Owner returns the rank that holds chunk after the reduce-scatter (before the
// all-gather).
func (r *Ring) Owner(channel, chunk int) int32 { return r.at(channel, chunk/r.slices-1) }

// Goal returns what the schedule is to achieve.
func (r *Ring) Goal() Goal {
	g := Goal{Collective: r.coll}
	if r.coll != AllReduce {
		g.Owner = r.Owner
	}
	return g
}

// lane is the order of a rank's messages: L of them ahead.
func (r *Ring) lane() lane {
	l := lane{r.messages, min(r.slices, r.messages)}
	if r.frees() {
		l.ahead = min(l.ahead, r.size())
	}
	return l
}

// Op returns op i of rank in channel, in constant time.
func (r *Ring) Op(rank, channel, i int) (op Op) {
	r.put(&op, rank, channel, i)
	return op
}

// put writes op i of rank in channel to op.
func (r *Ring) put(op *Op, rank, channel, i int) {
	p, l := int(r.pos[channel][rank]), r.lane()
	*op = Op{}
	op.After, op.Acked = -1, -1
	if part, m := l.at(i); part == sends {
		r.send(op, channel, p, m, l)
	} else {
		r.receive(op, channel, p, m, part, i, l)
	}
}

// send makes op the Send of message m at position p.
func (r *Ring) send(op *Op, channel, p, m int, l lane) {
	t, j := r.cut(m)
	op.Kind, op.Peer, op.Slot, op.Window = Send, r.at(channel, p+1), -1, r.window.window(m)
	op.Chunk = r.chunk(p+r.first-t, j)
	if m >= r.slices {
		op.After = int32(l.apply(m - r.slices))
	}
}

// receive makes op the Recv, or the Reduce or Copy, of message m at position p, being op i.
func (r *Ring) receive(op *Op, channel, p, m, part, i int, l lane) {
	t, j := r.cut(m)
	op.Kind, op.Peer, op.Slot = Recv, r.at(channel, p-1), int32(r.slot(m))
	op.Chunk = r.chunk(p+r.first-1-t, j)
	if part == receives {
		return
	}
	op.Kind, op.Peer, op.After, op.Frees = Reduce, -1, int32(i-1), r.frees()
	if t >= r.reduce {
		op.Kind = Copy
		if r.reduce > 0 { // the reduce-scatter sent this chunk in step t-(n-1)
			op.Acked = int32(l.send(m - r.reduce*r.slices))
		}
	}
}

// Matching returns the Recv of the message that op i of a rank sends, in its successor's program.
func (r *Ring) Matching(rank, channel, i int) int {
	l := r.lane()
	_, m := l.at(i)
	return l.apply(m) - 1
}

// cut returns the step and the slice of message m. Most rings are not sliced, and a division takes as long as
// all the rest of an operation.
func (r *Ring) cut(m int) (t, j int) {
	if r.slices == 1 {
		return m, 0
	}
	return m / r.slices, m % r.slices
}

// chunk is the chunk of slice j of ring chunk c, c taken modulo n; it lies within a few turns of
// the ring.
func (r *Ring) chunk(c, j int) int32 {
	return int32(wrap(c, r.Ranks())*r.slices + j)
}
