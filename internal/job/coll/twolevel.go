package coll

import "fmt"

// TwoLevel is an all-to-all in which what is for another host goes inside the host first, to the rank
// whose place is that of the receiver, and from there to the receiver: between hosts each rank sends
// to ranks of its own place alone.
//
//	host 0   a   b        what a has for d:  a -> b -> d
//	         |   |        for c:             a -> c
//	host 1   c   d        for b:             a -> b
//
// The output has room behind its blocks for what passes through: block (i-1)(H-1)+j of it is what the
// rank i places back has for the host j+1 on. Blocks are not joined: each is sent on as it came.
//
// DeepEP and Megatron-Core's hybrid dispatch go between the ranks of a place as well, and between
// hosts first; NCCL's PXN goes as here.
//
// Each message has its own staging slot.
type TwoLevel struct {
	orders
	perHost, hosts int
	slices         int
}

// TwoLevelAllToAll returns the all-to-all over orders that have perHost ranks of a host in a row.
func TwoLevelAllToAll(orders [][]int32, slices, perHost int) (*TwoLevel, error) {
	const name = "two-level-all-to-all"
	o, err := newOrders(orders)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkHosts(name, orders, perHost); err != nil {
		return nil, err
	}
	t := &TwoLevel{o, perHost, o.Ranks() / perHost, slices}
	if err := pieces(name+": slices", o.Ranks()+t.through(), slices); err != nil {
		return nil, err
	}
	return t, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (t *TwoLevel) Name() string { return "two-level-all-to-all" }

// Goal returns what the schedule is to achieve.
func (t *TwoLevel) Goal() Goal { return Goal{Collective: AllToAll} }

// Slices returns how many slices a block is cut into.
func (t *TwoLevel) Slices() int { return t.slices }

// through is how many blocks pass through a rank.
func (t *TwoLevel) through() int { return (t.perHost - 1) * (t.hosts - 1) }

// Chunks returns the slices of all blocks of the output, and of those that pass through.
func (t *TwoLevel) Chunks() int { return (t.Ranks() + t.through()) * t.slices }

// Inputs returns the slices of all blocks of the input.
func (t *TwoLevel) Inputs() int { return t.Ranks() * t.slices }

// Slots returns one for each message that a rank receives.
func (t *TwoLevel) Slots() int {
	return (t.through() + t.perHost - 1 + t.perHost*(t.hosts-1)) * t.slices
}

// Passes returns who sends the block of the output that passes through a rank, and to whom; false of
// a block that stays.
func (t *TwoLevel) Passes(rank, block int) (from, to int32, passes bool) {
	block -= t.Ranks()
	if block < 0 || block >= t.through() {
		return 0, 0, false
	}
	i, j := block/(t.hosts-1)+1, block%(t.hosts-1)
	host, at := t.stands(rank)
	return t.rankAt(host, at-i), t.rankAt(host+1+j, at), true
}

// stands is a rank's host and its place there: those of the first channel's order, in every channel, so
// that what passes through a rank is the same in all.
func (t *TwoLevel) stands(rank int) (host, at int) {
	p := int(t.pos[0][rank])
	return p / t.perHost, p % t.perHost
}

// rankAt is the rank at a place of a host, each modulo their number.
func (t *TwoLevel) rankAt(host, at int) int32 {
	return t.rank[0][wrap(host, t.hosts)*t.perHost+wrap(at, t.perHost)]
}

// The parts of a rank's program, in order.
const (
	keepsOwn  = iota // what it has for itself
	toHost           // to each other rank of the host: what is for those of its place, hosts in turn, then for it
	toRail           // to those of its own place
	passesOn         // from each other rank of the host: what is for those of its own place, received, put down and sent on
	fromHost         // from each other rank of the host: what is for it
	fromRail         // from those of its own place: what each of their host has for it
	partsOfIt        // their number
)

// blocks are how many blocks each part moves, and operations how many operations each takes.
func (t *TwoLevel) blocks() [partsOfIt]int {
	return [...]int{1, (t.perHost - 1) * t.hosts, t.hosts - 1, t.through(), t.perHost - 1, t.perHost * (t.hosts - 1)}
}

var operations = [partsOfIt]int{1, 1, 1, 3, 2, 2}

// Len returns an op per slice kept or sent, two per slice received, three per slice passed on.
func (t *TwoLevel) Len(int, int) int {
	n := 0
	for part, blocks := range t.blocks() {
		n += blocks * operations[part] * t.slices
	}
	return n
}

// find returns the part, block, slice and step of op i.
func (t *TwoLevel) find(i int) (part, block, slice, step int) {
	for p, blocks := range t.blocks() {
		n := blocks * operations[p] * t.slices
		if i < n {
			m := i / operations[p]
			return p, m / t.slices, m % t.slices, i % operations[p]
		}
		i -= n
	}
	panic("coll: an operation behind the last")
}

// first is the first op of a slice of a block of a part.
func (t *TwoLevel) first(part, block, slice int) int {
	at := (block*t.slices + slice) * operations[part]
	for p, blocks := range t.blocks() {
		if p == part {
			break
		}
		at += blocks * operations[p] * t.slices
	}
	return at
}

// Op returns op i of rank in channel, in constant time.
func (t *TwoLevel) Op(rank, _, i int) Op {
	part, m, slice, step := t.find(i)
	host, at := t.stands(rank)
	of := func(block int) int32 { return int32(block*t.slices + slice) }
	far := max(t.hosts-1, 1)
	switch part {
	case keepsOwn:
		return Op{Kind: Keep, Peer: -1, Chunk: of(rank), Slot: -1, After: -1, Acked: -1, Source: of(rank)}
	case toHost:
		peer, j := t.rankAt(host, at+1+m/t.hosts), m%t.hosts
		return Op{Kind: Send, Buffer: In, Peer: peer, Chunk: of(int(t.rankAt(host+1+j, at+1+m/t.hosts))), Slot: -1,
			After: -1, Acked: -1}
	case toRail:
		peer := t.rankAt(host+1+m, at)
		return Op{Kind: Send, Buffer: In, Peer: peer, Chunk: of(int(peer)), Slot: -1, After: -1, Acked: -1}
	case passesOn:
		op := t.taken(t.rankAt(host, at-1-m/far), of(t.Ranks()+m), of(m), i, step)
		if step == 2 {
			op = Op{Kind: Send, Peer: t.rankAt(host+1+m%far, at), Chunk: op.Chunk, Slot: -1, After: int32(i - 1), Acked: -1}
		}
		return op
	case fromHost:
		from := t.rankAt(host, at-1-m)
		return t.taken(from, of(int(from)), of(t.through()+m), i, step)
	}
	from := host - 1 - m%far
	return t.taken(t.rankAt(from, at), of(int(t.rankAt(from, at-m/far))), of(t.through()+t.perHost-1+m), i, step)
}

// taken is the Recv of a message from a peer or, in the next step, what puts it into its chunk.
func (t *TwoLevel) taken(peer, chunk, slot int32, i, step int) Op {
	if step == 0 {
		return Op{Kind: Recv, Peer: peer, Chunk: chunk, Slot: slot, After: -1, Acked: -1}
	}
	return Op{Kind: Copy, Peer: -1, Chunk: chunk, Slot: slot, After: int32(i - 1), Acked: -1}
}

// Matching returns the Recv of the message that op i of a rank sends, in its peer's program.
func (t *TwoLevel) Matching(_, _, i int) int {
	part, m, slice, _ := t.find(i)
	switch part {
	case toHost:
		back, j := m/t.hosts, m%t.hosts
		if j == t.hosts-1 {
			return t.first(fromHost, back, slice)
		}
		return t.first(passesOn, back*(t.hosts-1)+j, slice)
	case toRail:
		return t.first(fromRail, m, slice)
	}
	return t.first(fromRail, m+t.hosts-1, slice)
}
