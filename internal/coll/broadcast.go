package coll

import "fmt"

// Broadcast sends the root's buffer to every rank along a chain or a binary
// tree over a rank order, chunk after chunk, so that the hops work in parallel.
//
//	chain  0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6
//
//	tree         0            positions of the order; a subtree is a contiguous
//	          1     4         run of them, so ranks that are neighbours in the
//	         2 3   5 6        order (one host) are neighbours in the tree
//
// The program of a rank, for each chunk c: recv c and copy c unless it is the
// root, then send c to each child. Each chunk has its own staging slot: the root
// is held back by nobody.
type Broadcast struct {
	orders
	name   string
	tree   bool
	chunks int
}

// ChainBroadcast returns the broadcast along a chain per channel: the ranks in
// the order given, the root first. Each channel's share is cut into chunks.
func ChainBroadcast(orders [][]int32, chunks int) (*Broadcast, error) {
	return newBroadcast(orders, "chain-broadcast", false, chunks)
}

// TreeBroadcast returns the broadcast along a binary tree per channel, over the
// ranks in the order given, the root first.
func TreeBroadcast(orders [][]int32, chunks int) (*Broadcast, error) {
	return newBroadcast(orders, "tree-broadcast", true, chunks)
}

func newBroadcast(in [][]int32, name string, tree bool, chunks int) (*Broadcast, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := pieces(name+": chunks", 1, chunks); err != nil {
		return nil, err
	}
	for c, order := range in {
		if order[0] != in[0][0] {
			return nil, fmt.Errorf("%s: the rank order of channel %d begins with rank %d, that of channel 0 with rank %d, want the root first in all", name, c, order[0], in[0][0])
		}
	}
	return &Broadcast{orders: o, name: name, tree: tree, chunks: chunks}, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (b *Broadcast) Name() string { return b.name }

// Chunks returns the number of chunks per channel.
func (b *Broadcast) Chunks() int { return b.chunks }

// Slots returns one slot per chunk.
func (b *Broadcast) Slots() int { return b.chunks }

// Root returns the rank whose buffer everybody gets.
func (b *Broadcast) Root() int32 { return b.rank[0][0] }

// Goal returns what the schedule is to achieve.
func (b *Broadcast) Goal() Goal { return Goal{Collective: BroadcastFrom, Root: b.Root()} }

// Len returns chunks * (2 unless root + number of children).
func (b *Broadcast) Len(rank, channel int) int {
	return b.chunks * b.node(int(b.pos[channel][rank])).ops()
}

// Op returns op i of rank in channel: constant time in a chain, O(log ranks) in
// a tree.
func (b *Broadcast) Op(rank, channel, i int) Op {
	v := b.node(int(b.pos[channel][rank]))
	stride := v.ops()
	c, part := i/stride, i%stride
	op := Op{Peer: -1, Chunk: int32(c), Slot: int32(c), After: -1, Acked: -1}
	if v.parent >= 0 {
		switch part {
		case 0:
			op.Kind, op.Peer = Recv, b.at(channel, v.parent)
			return op
		case 1:
			op.Kind, op.After = Copy, int32(i-1)
			return op
		}
		part -= 2
		op.After = int32(c*stride + 1)
	}
	op.Kind, op.Peer, op.Slot = Send, b.at(channel, v.children[part]), -1
	return op
}

// node is a position's place in the chain or tree: positions, -1 for none.
type node struct {
	parent   int
	children [2]int
}

// ops is the number of ops per chunk.
func (v node) ops() int {
	n := 0
	if v.parent >= 0 {
		n = 2
	}
	for _, c := range v.children {
		if c >= 0 {
			n++
		}
	}
	return n
}

// node finds position p. In the tree a subtree [lo, hi) has its root at lo and
// the rest in two halves, the first the smaller.
func (b *Broadcast) node(p int) node {
	n := b.Ranks()
	v := node{parent: p - 1, children: [2]int{-1, -1}}
	if !b.tree {
		if p+1 < n {
			v.children[0] = p + 1
		}
		return v
	}
	v.parent = -1
	lo, hi := 0, n
	for lo != p {
		v.parent = lo
		if mid := half(lo, hi); p < mid {
			lo, hi = lo+1, mid
		} else {
			lo = mid
		}
	}
	switch mid := half(lo, hi); {
	case hi-lo == 2:
		v.children[0] = lo + 1
	case hi-lo > 2:
		v.children = [2]int{lo + 1, mid}
	}
	return v
}

// half is where the second child's subtree of [lo, hi) begins.
func half(lo, hi int) int { return lo + 1 + (hi-lo-1)/2 }
