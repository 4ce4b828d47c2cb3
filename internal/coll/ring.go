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
// as soon as it has been reduced. The program of a rank:
//
//	send(0,0) .. send(0,k-1)                       k ops
//	recv(t,j) apply(t,j) send(t+1,j)               for each step t but the last, each slice j
//	recv(T-1,j) apply(T-1,j)                       for each slice j
//
// Each (step, slice) has its own staging slot, t*k+j. Fewer would not do: see
// doc.go and ReuseSafe.
type Ring struct {
	orders
	coll   Collective
	name   string
	first  int // ring chunk sent first, relative to the position
	reduce int // steps that reduce; the later ones copy
	steps  int // T
	slices int // k
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
	return r, nil
}

// Sliced returns the same ring with each ring chunk cut into k slices, so that a
// hop sends the first slice on while the next one arrives. k >= 1.
func (r *Ring) Sliced(k int) (*Ring, error) {
	if err := pieces(r.name+": slices", 2*r.Ranks(), k); err != nil {
		return nil, err
	}
	s := *r
	s.slices = k
	return &s, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (r *Ring) Name() string { return r.name }

// Chunks returns ranks * slices.
func (r *Ring) Chunks() int { return r.Ranks() * r.slices }

// Slots returns steps * slices.
func (r *Ring) Slots() int { return r.steps * r.slices }

// Len returns 3 ops per step and slice.
func (r *Ring) Len(rank, channel int) int { return 3 * r.steps * r.slices }

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

// Op returns op i of rank in channel, in constant time.
func (r *Ring) Op(rank, channel, i int) Op {
	k, p := r.slices, int(r.pos[channel][rank])
	if i < k {
		return r.send(channel, p, 0, i, -1)
	}
	if last := k + 3*(r.steps-1)*k; i >= last { // the last step sends nothing on
		return r.receive(channel, p, r.steps-1, (i-last)/2, (i-last)%2, i)
	}
	t, j, part := (i-k)/(3*k), (i-k)/3%k, (i-k)%3
	if part == 2 {
		return r.send(channel, p, t+1, j, i-1)
	}
	return r.receive(channel, p, t, j, part, i)
}

// send is the Send of (step t, slice j) at position p.
func (r *Ring) send(channel, p, t, j, after int) Op {
	return Op{Kind: Send, Peer: r.at(channel, p+1), Chunk: r.chunk(p+r.first-t, j), Slot: -1, After: int32(after), Acked: -1}
}

// receive is the Recv (part 0) or the Reduce or Copy (part 1) of (step t, slice
// j) at position p, being op i.
func (r *Ring) receive(channel, p, t, j, part, i int) Op {
	op := Op{Kind: Recv, Peer: r.at(channel, p-1), Chunk: r.chunk(p+r.first-1-t, j), Slot: int32(t*r.slices + j), After: -1, Acked: -1}
	if part == 0 {
		return op
	}
	op.Kind, op.Peer, op.After = Reduce, -1, int32(i-1)
	if t >= r.reduce {
		op.Kind = Copy
		if r.reduce > 0 { // the reduce-scatter sent this chunk in step t-(n-1)
			op.Acked = int32(r.sendIndex(t-r.reduce, j))
		}
	}
	return op
}

// sendIndex is the index of the Send of (step t, slice j).
func (r *Ring) sendIndex(t, j int) int {
	if t == 0 {
		return j
	}
	return r.slices + 3*((t-1)*r.slices+j) + 2
}

// chunk is the chunk of slice j of ring chunk c, c taken modulo n; it lies within a few turns of the ring.
func (r *Ring) chunk(c, j int) int32 {
	return int32(wrap(c, r.Ranks())*r.slices + j)
}
