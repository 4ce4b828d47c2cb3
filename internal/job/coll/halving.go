package coll

import (
	"fmt"
	"math/bits"
)

// Halving is a recursive halving, a recursive doubling, or one after the other.
//
// Of n ranks P, the largest power of two, take part; each has a cell of the data.
// In step s of a halving a rank and the one 2^s on or back give each other the
// half of what they still sum that the other keeps; a doubling goes the same way
// back. Neighbours in the order come first, for they exchange most:
//
//	halving, 4 cells    step 0          step 1
//	  rank 0   0123     0 2 of 0 1      0   of 0 1 2 3
//	  rank 1   0123     1 3 of 0 1      1
//	  rank 2   0123     0 2 of 2 3      2
//	  rank 3   0123     1 3 of 2 3      3
//
// Each of the n-P ranks left over, the guests, gives its data to the rank after
// it before, and takes the result from it afterwards. An all-reduce has P cells
// of a chunk. A reduce-scatter and an all-gather have n chunks, one for each
// position; the cell of a rank with a guest has two.
//
// Each message is a chunk and has its own staging slot.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19 (2005), sections 4.3 and 4.5; the order of steps
// of the halving is that of its doubling in reverse.
type Halving struct {
	orders
	coll   Collective
	name   string
	steps  int // P = 2^steps
	guests int
	wide   int // cells of two chunks, the first ones
	slots  int
	starts []start // of position p from p*longest on: a start for each exchange, and the end
}

// start is how many ops and slots the exchanges of a position before one have.
type start struct{ op, slot int32 }

// HalvingDoublingAllReduce returns the all-reduce by recursive halving, then
// doubling.
func HalvingDoublingAllReduce(orders [][]int32) (*Halving, error) {
	return newHalving(orders, "halving-doubling-all-reduce", AllReduce)
}

// HalvingReduceScatter returns the reduce-scatter by recursive halving: position
// p of a channel's order ends owning chunk p.
func HalvingReduceScatter(orders [][]int32) (*Halving, error) {
	return newHalving(orders, "halving-reduce-scatter", ReduceScatter)
}

// DoublingAllGather returns the all-gather by recursive doubling: position p of a
// channel's order owns chunk p.
func DoublingAllGather(orders [][]int32) (*Halving, error) {
	return newHalving(orders, "doubling-all-gather", AllGather)
}

// HypercubeAllGather returns DoublingAllGather as nccl-tests' hypercube goes
// (src/hypercube.cu): in step s a rank and the one 2^s on or back in the order give
// each other all that they have, so the farthest exchange most. Of n ranks that are
// no power of two the last ones are guests.
func HypercubeAllGather(in [][]int32) (*Halving, error) {
	o, err := newOrders(in) // before the order is looked at
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hypercube, err)
	}
	steps := bits.Len(uint(o.Ranks())) - 1
	guests := o.Ranks() - 1<<steps
	reversed := make([][]int32, o.Channels())
	for c, order := range o.rank {
		for w := range 1 << steps {
			if w < guests {
				reversed[c] = append(reversed[c], order[1<<steps+w])
			}
			reversed[c] = append(reversed[c], order[bits.Reverse64(uint64(w))>>(64-steps)])
		}
	}
	return newHalving(reversed, hypercube, AllGather)
}

const hypercube = "hypercube-all-gather"

func newHalving(in [][]int32, name string, c Collective) (*Halving, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h := &Halving{orders: o, coll: c, name: name, steps: bits.Len(uint(o.Ranks())) - 1}
	h.guests = o.Ranks() - 1<<h.steps
	if c != AllReduce {
		h.wide = h.guests
	}
	h.starts = make([]start, o.Ranks()*h.longest())
	for p := range o.Ranks() {
		at := h.begins(p)
		for k := range h.blocks(p) {
			b := h.block(p, k)
			at[k+1] = start{at[k].op + int32(b.ops()), at[k].slot + int32(b.in.size())}
		}
		h.slots = max(h.slots, int(at[h.blocks(p)].slot))
	}
	return h, nil
}

// longest is how many exchanges a position has at most, and one more.
func (h *Halving) longest() int { return 2*h.steps + 3 }

// begins are the starts of a position's exchanges, and where the last one ends.
func (h *Halving) begins(p int) []start {
	return h.starts[p*h.longest():][: h.blocks(p)+1 : h.blocks(p)+1]
}

// Name returns the algorithm's name, a key of Algorithms.
func (h *Halving) Name() string { return h.name }

// Chunks returns the chunks of all cells.
func (h *Halving) Chunks() int { return 1<<h.steps + h.wide }

// Slots returns one for each message that a rank receives.
func (h *Halving) Slots() int { return h.slots }

// Owner returns the rank that owns a chunk of a reduce-scatter or all-gather.
func (h *Halving) Owner(channel, chunk int) int32 { return h.at(channel, chunk) }

// Goal returns what the schedule is to achieve.
func (h *Halving) Goal() Goal {
	g := Goal{Collective: h.coll}
	if h.coll != AllReduce {
		g.Owner = h.Owner
	}
	return g
}

// cells is a set of chunks: those of so many cells from one on, 2^apart from
// each other, or a part of them. Shifts, not divisions: one is made several times
// for each op.
type cells struct {
	first, apart, count int
	wide                int // cells of two chunks
	double              int // of the set
	only                int // >= 0: this chunk alone
	but                 int // >= 0: without this chunk
}

func (h *Halving) every(first, apart int) cells {
	c := cells{first: first, apart: apart, count: 1 << (h.steps - apart), wide: h.wide, only: -1, but: -1}
	c.double = min(max((h.wide-first+1<<apart-1)>>apart, 0), c.count)
	return c
}

func (h *Halving) all() cells { return h.every(0, 0) }

// size is the number of chunks.
func (c *cells) size() int {
	switch {
	case c.only >= 0:
		return 1
	case c.but >= 0:
		return c.count + c.double - 1
	}
	return c.count + c.double
}

// chunk returns the j-th chunk; they are in order.
func (c *cells) chunk(j int) int {
	if c.only >= 0 {
		return c.only
	}
	if c.but >= 0 && j >= c.but { // only a set of all chunks is without one
		j++
	}
	if j < 2*c.double {
		return 2*(c.first+j/2<<c.apart) + j%2
	}
	return c.first + (j-c.double)<<c.apart + c.wide
}

// find returns which of the set a chunk is, -1 for none.
func (c *cells) find(chunk int) int {
	if c.only >= 0 || chunk == c.but {
		if chunk == c.only {
			return 0
		}
		return -1
	}
	cell := chunk - c.wide
	if chunk < 2*c.wide {
		cell = chunk / 2
	}
	k := (cell - c.first) >> c.apart
	if cell < c.first || (cell-c.first)&(1<<c.apart-1) != 0 || k >= c.count {
		return -1
	}
	j := k + c.double
	if k < c.double {
		j = 2*k + chunk%2
	}
	if c.but >= 0 && chunk > c.but {
		j--
	}
	return j
}

// below returns how many of the set are less than a chunk.
func (c *cells) below(chunk int) int {
	lo, hi := 0, c.size()
	for lo < hi {
		if mid := (lo + hi) / 2; c.chunk(mid) < chunk {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// block is an exchange with one peer: chunks sent, then chunks received and
// applied.
type block struct {
	peer    int // position
	out, in cells
	kind    Kind
}

func (b *block) ops() int { return b.out.size() + 2*b.in.size() }

// blocks is the number of exchanges of position p.
func (h *Halving) blocks(p int) int {
	if p < 2*h.guests && p%2 == 0 {
		return 2
	}
	k := h.steps
	if h.coll == AllReduce {
		k *= 2
	}
	if p < 2*h.guests {
		k += 2
	}
	return k
}

// block returns exchange k of position p.
func (h *Halving) block(p, k int) block {
	if p < 2*h.guests && p%2 == 0 {
		return h.guest(p, k)
	}
	w := p - h.guests // its number among the P
	if p < 2*h.guests {
		if w = p / 2; k == 0 || k == h.blocks(p)-1 {
			b := h.guest(p-1, min(k, 1))
			b.peer, b.out, b.in = p-1, b.in, b.out
			return b
		}
		k--
	}
	if h.coll == AllGather {
		k = h.steps - 1 - k
	}
	double := h.coll == AllGather
	if k >= h.steps {
		k, double = 2*h.steps-1-k, true
	}
	other := w ^ 1<<k
	b := block{peer: other + h.guests, kind: Reduce, out: h.every(other&(2<<k-1), k+1), in: h.every(w&(2<<k-1), k+1)}
	if other < h.guests {
		b.peer = 2*other + 1
	}
	if double {
		b.out, b.in, b.kind = b.in, b.out, Copy
	}
	return b
}

// guest returns exchange k of the guest at position p: before all others (0) and
// after them (1). kind is what the receiver does.
func (h *Halving) guest(p, k int) block {
	none := cells{only: -1, but: -1}
	own := cells{only: p, but: -1}
	rest := h.all()
	rest.but = p
	switch {
	case k == 0 && h.coll == AllGather:
		return block{peer: p + 1, out: own, in: none, kind: Copy}
	case k == 0:
		return block{peer: p + 1, out: h.all(), in: none, kind: Reduce}
	case h.coll == AllReduce:
		return block{peer: p + 1, out: none, in: h.all(), kind: Copy}
	case h.coll == AllGather:
		return block{peer: p + 1, out: none, in: rest, kind: Copy}
	}
	return block{peer: p + 1, out: none, in: own, kind: Copy}
}

// Len returns an op for each chunk sent and two for each received.
func (h *Halving) Len(rank, channel int) int {
	p := int(h.pos[channel][rank])
	return int(h.begins(p)[h.blocks(p)].op)
}

// Op returns op i of rank in channel, in O(log ranks).
func (h *Halving) Op(rank, channel, i int) Op {
	p := int(h.pos[channel][rank])
	begins, k := h.begins(p), 0
	for i >= int(begins[k+1].op) {
		k++
	}
	b := h.block(p, k)
	op := Op{Kind: Send, Peer: h.at(channel, b.peer), Slot: -1, After: -1, Acked: -1}
	j := i - int(begins[k].op)
	if j < b.out.size() {
		chunk := b.out.chunk(j)
		op.Chunk, op.After = int32(chunk), h.last(p, k, chunk, false)
		return op
	}
	j -= b.out.size()
	chunk := b.in.chunk(j / 2)
	op.Kind, op.Chunk, op.Slot = Recv, int32(chunk), begins[k].slot+int32(j/2)
	if j%2 == 0 {
		if b.kind == Reduce {
			op.After = h.last(p, k, chunk, false)
		}
		return op
	}
	op.Kind, op.Peer, op.After = b.kind, -1, int32(i-1)
	if b.kind == Copy {
		op.Acked = h.last(p, k, chunk, true)
	}
	return op
}

// last returns the op of the last exchange of position p before number k that
// applied the chunk, or that sent it; -1 for none.
func (h *Halving) last(p, k, chunk int, sent bool) int32 {
	begins := h.begins(p)
	for e := k - 1; e >= 0; e-- {
		b := h.block(p, e)
		if sent {
			if j := b.out.find(chunk); j >= 0 {
				return begins[e].op + int32(j)
			}
		} else if j := b.in.find(chunk); j >= 0 {
			return begins[e].op + int32(b.out.size()+2*j+1)
		}
	}
	return -1
}

// traffic: exchange by exchange; the two of a halving and a doubling have the
// same peer.
func (h *Halving) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	p, begin := int(h.pos[channel][rank]), len(to)
	size, larger := sh.elems/sh.parts, sh.elems%sh.parts
	for k := range h.blocks(p) {
		b := h.block(p, k)
		if b.out.size() == 0 {
			continue
		}
		peer, at := h.at(channel, b.peer), begin
		for at < len(to) && to[at].Peer != peer {
			at++
		}
		if at == len(to) {
			to = append(to, Traffic{Peer: peer})
		}
		n, more := int64(b.out.size()), int64(b.out.below(larger))
		to[at].Elems += n*int64(size) + more
		if size > 0 {
			to[at].Messages += n
		} else {
			to[at].Messages += more
		}
	}
	return to
}
