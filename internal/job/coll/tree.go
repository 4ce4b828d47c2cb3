package coll

import "fmt"

// Tree sums over a tree (or chain) up to its root, sends the root's buffer down
// to every rank, or does one after the other, chunk after chunk, so that the hops
// work in parallel.
//
//	reduce        broadcast     all-reduce: chunk c up, later down
//
//	   0             0             up 0  up 1  up 2  down 0  up 3  down 1 ..
//	  / \           / \            (root: up 0 down 0 up 1 down 1 ..)
//	 1   4         1   4
//	 ^   ^         v   v
//
// The program of a rank for chunk c:
//
//	up      for each child: recv c, reduce c; then send c to the parent
//	down    recv c from the parent, copy c; then send c to each child
//
// In an all-reduce chunk c comes down to depth d about 2d chunks after it went
// up from there: so many chunks the rank sends up first, then one down, one up.
// Where a hop takes longer than a chunk it is as many times more (Lagged).
//
// Without credit each chunk has its own staging slot for each child and for the
// parent. With credit (Credited) each of these links has S slots in turn.
type Tree struct {
	orders
	coll   Collective
	name   string
	shapes []shape // the channels in so many equal runs, each over one shape
	chunks int
	fan    int // most children
	lags   [2]int
	window
}

// ChainBroadcast returns the broadcast along a chain per channel: the ranks in
// the order given, the root first. Each channel's share is cut into chunks.
func ChainBroadcast(orders [][]int32, chunks int) (*Tree, error) {
	return newTree(orders, "chain-broadcast", BroadcastFrom, chunks, chain)
}

// TreeBroadcast returns the broadcast along a binary tree per channel, over the
// ranks in the order given, the root first.
func TreeBroadcast(orders [][]int32, chunks int) (*Tree, error) {
	return newTree(orders, "tree-broadcast", BroadcastFrom, chunks, halves)
}

// ChainReduce returns the reduce along a chain: to the first rank of the order.
func ChainReduce(orders [][]int32, chunks int) (*Tree, error) {
	return newTree(orders, "chain-reduce", ReduceTo, chunks, chain)
}

// TreeReduce returns the reduce along a binary tree, to the first rank.
func TreeReduce(orders [][]int32, chunks int) (*Tree, error) {
	return newTree(orders, "tree-reduce", ReduceTo, chunks, halves)
}

// ChainAllReduce returns the all-reduce along a chain: to the first rank of the
// order, and back.
func ChainAllReduce(orders [][]int32, chunks int) (*Tree, error) {
	return newTree(orders, "chain-all-reduce", AllReduce, chunks, chain)
}

// TreeAllReduce returns the all-reduce over a binary tree of hosts, and a chain
// in each. The order has perHost ranks of a host in a row.
func TreeAllReduce(orders [][]int32, chunks, perHost int) (*Tree, error) {
	if err := checkHosts("tree-all-reduce", orders, perHost); err != nil {
		return nil, err
	}
	return newTree(orders, "tree-all-reduce", AllReduce, chunks, overHosts(perHost, btree))
}

// DoubleTreeAllReduce is TreeAllReduce over two trees: NCCL's double binary tree.
// The first half of the channels uses the one, the second half the other, so that
// each tree has half of the data, and hardly a host is a leaf in both.
func DoubleTreeAllReduce(orders [][]int32, chunks, perHost int) (*Tree, error) {
	const name = "double-tree-all-reduce"
	if err := checkHosts(name, orders, perHost); err != nil {
		return nil, err
	}
	if len(orders)%2 != 0 {
		return nil, fmt.Errorf("%s: %d channels, want an even number: half of them for each tree", name, len(orders))
	}
	return newTree(orders, name, AllReduce, chunks, overHosts(perHost, btree), overHosts(perHost, mirrored))
}

// checkHosts refuses orders that do not have so many ranks of each host.
func checkHosts(name string, orders [][]int32, perHost int) error {
	if perHost < 1 || len(orders) > 0 && len(orders[0])%perHost != 0 {
		return fmt.Errorf("%s: %d ranks per host, want as many on each host", name, perHost)
	}
	return nil
}

func newTree(in [][]int32, name string, c Collective, chunks int, shapes ...shape) (*Tree, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := pieces(name+": chunks", 1, chunks); err != nil {
		return nil, err
	}
	if c != AllReduce {
		if err := sameRoot(name, in); err != nil {
			return nil, err
		}
	}
	t := &Tree{orders: o, coll: c, name: name, shapes: shapes, chunks: chunks, lags: [2]int{1, 1},
		window: window{messages: chunks}}
	if c != BroadcastFrom { // only what goes up has a slot per child
		for _, s := range shapes {
			for p := range o.Ranks() {
				t.fan = max(t.fan, s(o.Ranks(), p).fan())
			}
		}
	}
	return t, nil
}

// sameRoot refuses orders that do not all begin with the same rank.
func sameRoot(name string, in [][]int32) error {
	for c, order := range in {
		if order[0] != in[0][0] {
			return fmt.Errorf("%s: the rank order of channel %d begins with rank %d, that of channel 0 with rank %d, "+
				"want the root first in all", name, c, order[0], in[0][0])
		}
	}
	return nil
}

// Credited returns the same tree with so many staging slots, at least 1, for each
// of a rank's links.
func (t *Tree) Credited(slots int) (*Tree, error) {
	if err := pieces(t.name+": slots", t.fan+1, slots); err != nil {
		return nil, err
	}
	s := *t
	s.window.slots = slots
	return &s, s.checkLags()
}

// checkLags refuses fewer slots than a hop is long in chunks: a rank would send up more than its
// parent has slots for, which waits for it to take what comes down.
func (t *Tree) checkLags() error {
	if most := max(t.lags[0], t.lags[1]); t.frees() && t.window.slots < most && t.coll == AllReduce {
		return fmt.Errorf("%s: %d slots where a hop takes as long as %d chunks, want as many slots", t.name,
			t.window.slots, most)
	}
	return nil
}

// Lagged returns the same tree for hops that take as long as so many chunks, inside a host and
// between hosts; where the shape knows no hosts all are inside. A chunk comes down so much later.
func (t *Tree) Lagged(inside, between int) (*Tree, error) {
	for _, lag := range []int{inside, between} {
		if err := pieces(t.name+": chunks per hop", 2*t.Ranks(), lag); err != nil {
			return nil, err
		}
	}
	s := *t
	s.lags = [2]int{inside, between}
	return &s, s.checkLags()
}

// Name returns the algorithm's name, a key of Algorithms.
func (t *Tree) Name() string { return t.name }

// Chunks returns the number of chunks per channel.
func (t *Tree) Chunks() int { return t.chunks }

// NeedsCredit reports whether the slots serve in turn.
func (t *Tree) NeedsCredit() bool { return t.frees() && t.Ranks() > 1 }

// Slots returns one slot per chunk, or with credit what was asked for, for each
// child and for the parent.
func (t *Tree) Slots() int {
	if t.coll == ReduceTo {
		return t.size() * t.fan
	}
	return t.size() * (t.fan + 1)
}

// Root returns the rank to whom a reduce goes, or from whom a broadcast comes.
func (t *Tree) Root() int32 { return t.rank[0][0] }

// Goal returns what the schedule is to achieve.
func (t *Tree) Goal() Goal {
	if t.coll == AllReduce {
		return Goal{Collective: AllReduce}
	}
	return Goal{Collective: t.coll, Root: t.Root()}
}

// Len returns the chunks times the ops for one.
func (t *Tree) Len(rank, channel int) int {
	v := t.node(rank, channel)
	return t.chunks * (t.up(&v) + t.down(&v))
}

// node is the place of a rank in the tree of a channel.
func (t *Tree) node(rank, channel int) node {
	return t.shapes[channel*len(t.shapes)/t.Channels()](t.Ranks(), int(t.pos[channel][rank]))
}

// up is the number of ops with which a chunk goes up.
func (t *Tree) up(v *node) int {
	switch {
	case t.coll == BroadcastFrom:
		return 0
	case v.parent < 0:
		return 2 * v.fan()
	}
	return 2*v.fan() + 1
}

// down is the number of ops with which a chunk goes down.
func (t *Tree) down(v *node) int {
	switch {
	case t.coll == ReduceTo:
		return 0
	case v.parent < 0:
		return v.fan()
	}
	return v.fan() + 2
}

// ahead is how many chunks go up before the first comes down.
func (t *Tree) ahead(v *node) int {
	return min(t.chunks, 2*(t.lags[0]*(v.depth-v.outer)+t.lags[1]*v.outer)+1)
}

// Op returns op i of rank in channel: constant time in a chain, O(log ranks) in a
// tree.
func (t *Tree) Op(rank, channel, i int) Op {
	v := t.node(rank, channel)
	up, down, ahead := t.up(&v), t.down(&v), t.ahead(&v)
	if i < ahead*up {
		return t.upOp(channel, &v, i/up, i%up, i)
	}
	k := i - ahead*up
	if last := (t.chunks - ahead) * (up + down); k >= last {
		k -= last
		return t.downOp(channel, &v, t.chunks-ahead+k/down, k%down, i)
	}
	if c, part := k/(up+down), k%(up+down); part < down {
		return t.downOp(channel, &v, c, part, i)
	} else {
		return t.upOp(channel, &v, c+ahead, part-down, i)
	}
}

// upAt is the index of the first op of chunk c on its way up.
func (t *Tree) upAt(v *node, c int) int {
	up, ahead := t.up(v), t.ahead(v)
	if c < ahead {
		return c * up
	}
	return ahead*up + (c-ahead)*(up+t.down(v)) + t.down(v)
}

// upOp is part `part` of chunk c on its way up, being op i.
func (t *Tree) upOp(channel int, v *node, c, part, i int) Op {
	op := Op{Peer: -1, Chunk: int32(c), Slot: -1, After: int32(i - 1), Acked: -1}
	if part == 0 { // of a rank with children a Recv, of a leaf the Send
		op.After = -1
	}
	if part == 2*v.fan() {
		op.Kind, op.Peer, op.Window = Send, t.at(channel, v.parent), t.window.window(c)
		return op
	}
	child := part / 2
	op.Kind, op.Slot = Recv, int32(child*t.size()+t.slot(c))
	if part%2 == 0 {
		op.Peer = t.at(channel, v.children[child])
		return op
	}
	op.Kind, op.Frees = Reduce, t.frees()
	return op
}

// downOp is part `part` of chunk c on its way down, being op i.
func (t *Tree) downOp(channel int, v *node, c, part, i int) Op {
	op := Op{Peer: -1, Chunk: int32(c), Slot: int32(t.fan*t.size() + t.slot(c)), After: -1, Acked: -1}
	child := part
	if v.parent >= 0 {
		switch child = part - 2; part {
		case 0:
			op.Kind, op.Peer = Recv, t.at(channel, v.parent)
			return op
		case 1:
			op.Kind, op.After, op.Frees = Copy, int32(i-1), t.frees()
			if t.coll == AllReduce {
				op.Acked = int32(t.upAt(v, c) + 2*v.fan())
			}
			return op
		}
		op.After = int32(i - part + 1)
	} else if t.coll == AllReduce {
		op.After = int32(t.upAt(v, c) + t.up(v) - 1)
	}
	op.Kind, op.Peer, op.Slot, op.Window = Send, t.at(channel, v.children[child]), -1, t.window.window(c)
	return op
}

// traffic: every chunk to the parent, to each child, or to all of them.
func (t *Tree) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	v := t.node(rank, channel)
	add := func(p int) {
		if p >= 0 {
			all := Traffic{Peer: t.at(channel, p)}
			all.add(sh, 0, t.chunks, 1)
			to = append(to, all)
		}
	}
	if t.coll != BroadcastFrom {
		add(v.parent)
	}
	if t.coll != ReduceTo {
		for _, c := range v.children {
			add(c)
		}
	}
	return to
}
