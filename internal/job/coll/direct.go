package coll

import "fmt"

// Direct is a collective in which every block of data goes straight from the rank
// that has it to the rank that wants it.
//
// In step s the rank at position p sends to position p+s and receives from
// position p-s, so that in each step every rank has one peer each way:
//
//	step      0 ->  1 ->  2 ->  3 ->
//	  1         1     2     3     0
//	  2         2     3     0     1
//	  3         3     0     1     2
//
// Paced (pairwise), the sends of a step come after what applies the step before,
// which waits for its messages; else a rank starts all its sends at once. A gather
// and a scatter have the root at position 0: only one side sends.
//
// A block is cut into slices (chunk = block * slices + slice). Each message has
// its own staging slot, or with credit (Credited) each link S slots in turn.
type Direct struct {
	orders
	coll   Collective
	name   string
	paced  bool
	pair   bool // SendReceive: only position 0 sends, to position 1
	slices int
	window
}

// DirectAllGather returns the all-gather in which each rank sends its chunk to
// every other: rank r owns chunks r*slices to r*slices + slices-1.
func DirectAllGather(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "direct-all-gather", AllGather, slices, false)
}

// DirectReduceScatter returns the reduce-scatter in which each rank sends every
// other rank its chunk, which adds them up in order of steps.
func DirectReduceScatter(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "direct-reduce-scatter", ReduceScatter, slices, false)
}

// PairwiseAllGather is DirectAllGather, step after step.
func PairwiseAllGather(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "pairwise-all-gather", AllGather, slices, true)
}

// PairwiseReduceScatter is DirectReduceScatter, step after step.
func PairwiseReduceScatter(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "pairwise-reduce-scatter", ReduceScatter, slices, true)
}

// DirectAllToAll returns the all-to-all in which a rank starts all its sends at
// once. Blocks of input and output are in order of ranks.
func DirectAllToAll(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "direct-all-to-all", AllToAll, slices, false)
}

// PairwiseAllToAll is DirectAllToAll, step after step.
func PairwiseAllToAll(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "pairwise-all-to-all", AllToAll, slices, true)
}

// DirectGather returns the gather to the first rank of the orders.
func DirectGather(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "direct-gather", GatherTo, slices, false)
}

// DirectScatter returns the scatter from the first rank of the orders.
func DirectScatter(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "direct-scatter", ScatterFrom, slices, false)
}

// RingSendReceive returns the send/receive of nccl-tests: every rank sends its
// input to the next in the first channel's order, and receives from the one
// before. Over two ranks it is an exchange.
func RingSendReceive(orders [][]int32, slices int) (*Direct, error) {
	return newDirect(orders, "ring-send-receive", SendReceive, slices, false)
}

// DirectSend returns the send of the first rank of the first channel's order to
// the second, as between two stages of a pipeline. Other ranks do nothing.
func DirectSend(orders [][]int32, slices int) (*Direct, error) {
	d, err := newDirect(orders, "direct-send", SendReceive, slices, false)
	if err != nil {
		return nil, err
	}
	d.pair = true
	return d, nil
}

func newDirect(in [][]int32, name string, c Collective, slices int, paced bool) (*Direct, error) {
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := pieces(name+": slices", o.Ranks(), slices); err != nil {
		return nil, err
	}
	if c == GatherTo || c == ScatterFrom {
		if err := sameRoot(name, in); err != nil {
			return nil, err
		}
	}
	return &Direct{orders: o, coll: c, name: name, paced: paced, slices: slices, window: window{messages: slices}}, nil
}

// Credited returns the same schedule with so many staging slots for each link.
// Where a rank starts all its sends before it receives, they must hold a block.
func (d *Direct) Credited(slots int) (*Direct, error) {
	if err := pieces(d.name+": slots", d.Ranks(), slots); err != nil {
		return nil, err
	}
	if d.exchange() && !d.paced && slots < d.slices {
		return nil, fmt.Errorf("%s: %d slots for %d slices, want as many slots: all sends start before the first "+
			"receive",
			d.name, slots, d.slices)
	}
	s := *d
	s.window.slots = slots
	return &s, nil
}

// exchange reports whether ranks send and receive at once.
func (d *Direct) exchange() bool { return d.coll != GatherTo && d.coll != ScatterFrom && !d.pair }

// Name returns the algorithm's name, a key of Algorithms.
func (d *Direct) Name() string { return d.name }

// Slices returns how many slices a block is cut into.
func (d *Direct) Slices() int { return d.slices }

// Chunks returns the slices of all blocks of the output.
func (d *Direct) Chunks() int {
	if d.coll == ScatterFrom || d.coll == SendReceive {
		return d.slices
	}
	return d.Ranks() * d.slices
}

// Inputs returns the slices of all blocks of the input.
func (d *Direct) Inputs() int {
	switch d.coll {
	case AllGather, ReduceScatter:
		return 0
	case GatherTo, SendReceive:
		return d.slices
	}
	return d.Ranks() * d.slices
}

// Slots returns the slots of the links on which a rank receives.
func (d *Direct) Slots() int {
	links := d.Ranks() - 1
	if d.coll == ScatterFrom || d.coll == SendReceive {
		links = min(links, 1)
	}
	return links * d.size()
}

// NeedsCredit reports whether the slots of a link serve in turn.
func (d *Direct) NeedsCredit() bool { return d.frees() && d.Ranks() > 1 }

// Owner returns the rank that owns a chunk.
func (d *Direct) Owner(_, chunk int) int32 { return int32(chunk / d.slices) }

// Goal returns what the schedule is to achieve.
func (d *Direct) Goal() Goal {
	g := Goal{Collective: d.coll}
	switch d.coll {
	case AllGather, ReduceScatter:
		g.Owner = d.Owner
	case GatherTo, ScatterFrom:
		g.Root = d.rank[0][0]
	case SendReceive:
		g.From = func(rank int32) int32 {
			p := int(d.pos[0][rank])
			if d.Ranks() == 1 || d.pair && p != 1 {
				return -1
			}
			return d.at(0, p-1)
		}
	}
	return g
}

// place is a rank's part in a channel.
type place struct {
	channel, p int
	me         int // the rank
	keeps      int // slices that the rank keeps
	out, in    int // peers that it sends to, that it receives from
}

func (d *Direct) place(rank, channel int) place {
	if d.coll == SendReceive {
		channel = 0 // who sends to whom is the same in every channel
	}
	n := d.Ranks()
	at := place{channel: channel, p: int(d.pos[channel][rank]), me: rank, out: n - 1, in: n - 1}
	switch root := at.p == 0; {
	case d.coll == AllToAll:
		at.keeps = d.slices
	case d.pair:
		at.out, at.in = 0, 0
		if root && n > 1 {
			at.out = 1
		} else if at.p == 1 {
			at.in = 1
		}
	case d.coll == SendReceive:
		at.out, at.in = min(n-1, 1), min(n-1, 1)
	case d.exchange():
	case root:
		at.keeps = d.slices
		if d.coll == GatherTo {
			at.out = 0
		} else {
			at.in = 0
		}
	case d.coll == GatherTo:
		at.out, at.in = 1, 0
	default:
		at.out, at.in = 0, 1
	}
	return at
}

// to and from are the steps in which a rank sends to and receives from its i-th
// peer.
func (d *Direct) to(at *place, i int) int {
	if d.coll == GatherTo {
		return -at.p
	}
	return i + 1
}

func (d *Direct) from(at *place, i int) int {
	if d.coll == ScatterFrom {
		return at.p
	}
	return i + 1
}

// Len returns an op per slice kept and sent, two per slice received.
func (d *Direct) Len(rank, channel int) int {
	at := d.place(rank, channel)
	return at.keeps + d.slices*(at.out+2*at.in)
}

// lane is the order of a paced rank's messages to and from one pair of peers.
func (d *Direct) lane() lane {
	l := lane{d.slices, d.slices}
	if d.frees() {
		l.ahead = d.size()
	}
	return l
}

// Op returns op i of rank in channel, in constant time.
func (d *Direct) Op(rank, channel, i int) Op {
	at, k := d.place(rank, channel), d.slices
	if i < at.keeps {
		return d.keep(&at, i)
	}
	j := i - at.keeps
	if d.paced {
		l := d.lane()
		part, m := l.at(j % l.ops())
		if part == sends {
			return d.send(&at, j/l.ops(), m)
		}
		return d.receive(&at, j/l.ops(), m, part == applies, i)
	}
	if j < at.out*k {
		return d.send(&at, j/k, j%k)
	}
	j -= at.out * k
	return d.receive(&at, j/(2*k), j/2%k, j%2 == 1, i)
}

// apply is the index of the op that applies slice j from the i-th peer.
func (d *Direct) apply(at *place, i, j int) int {
	if d.paced {
		l := d.lane()
		return at.keeps + i*l.ops() + l.apply(j)
	}
	return at.keeps + at.out*d.slices + 2*(i*d.slices+j) + 1
}

// keep is the Keep of slice j.
func (d *Direct) keep(at *place, j int) Op {
	own := int32(at.me*d.slices + j)
	op := Op{Kind: Keep, Peer: -1, Chunk: own, Slot: -1, After: -1, Acked: -1, Source: own}
	switch d.coll {
	case GatherTo:
		op.Source = int32(j)
	case ScatterFrom:
		op.Chunk = int32(j)
	}
	return op
}

// send is the Send of slice j to the i-th peer.
func (d *Direct) send(at *place, i, j int) Op {
	op := Op{Kind: Send, Peer: d.at(at.channel, at.p+d.to(at, i)), Slot: -1, After: -1, Acked: -1}
	op.Window = d.window.window(j)
	block := int(op.Peer)
	switch d.coll {
	case AllGather:
		block = at.me
	case AllToAll, ScatterFrom:
		op.Buffer = In
	case GatherTo, SendReceive:
		op.Buffer, block = In, 0
	}
	op.Chunk = int32(block*d.slices + j)
	return op
}

// receive is the Recv, or what applies it, of slice j from the i-th peer, being
// op number `number`.
func (d *Direct) receive(at *place, i, j int, apply bool, number int) Op {
	op := Op{Kind: Recv, Peer: d.at(at.channel, at.p-d.from(at, i)), After: -1, Acked: -1}
	op.Slot = int32(i*d.size() + d.slot(j))
	block := int(op.Peer)
	switch d.coll {
	case ReduceScatter:
		if block = at.me; i > 0 { // sums are added one after the other
			op.After = int32(d.apply(at, i-1, j))
		}
	case ScatterFrom, SendReceive:
		block = 0
	}
	op.Chunk = int32(block*d.slices + j)
	if !apply {
		return op
	}
	op.Kind, op.Peer, op.After, op.Frees = Copy, -1, int32(number-1), d.frees()
	if d.coll == ReduceScatter {
		op.Kind = Reduce
	}
	return op
}

// Matching returns the Recv of the message that op i of a rank sends, in its peer's program.
func (d *Direct) Matching(rank, channel, i int) int {
	at := d.place(rank, channel)
	j, k := i-at.keeps, d.slices
	nth, slice := j/k, j%k
	if d.paced {
		l := d.lane()
		nth = j / l.ops()
		_, slice = l.at(j % l.ops())
	}
	peer := d.place(int(d.at(at.channel, at.p+d.to(&at, nth))), channel)
	switch d.coll {
	case GatherTo:
		nth = d.Ranks() - 1 - at.p // root
	case ScatterFrom:
		nth = 0
	}
	return d.apply(&peer, nth, slice) - 1
}
