package coll

import "fmt"

// Range returns the elements [lo, hi) of chunk `chunk` of channel `channel` in a
// buffer of elems elements: contiguous, balanced first over channels, then over
// the channel's chunks (sizes at one level differ by at most 1; the first ones
// are larger).
func Range(elems, channels, chunks, channel, chunk int) (lo, hi int) {
	if elems < 0 || channel < 0 || channel >= channels || chunk < 0 || chunk >= chunks {
		panic(fmt.Sprintf("coll: range of chunk %d of %d, channel %d of %d, in %d elements",
			chunk, chunks, channel, channels, elems))
	}
	first, last := split(elems, channels, channel)
	lo, hi = split(last-first, chunks, chunk)
	return first + lo, first + hi
}

// ChunkRange returns the elements [lo, hi) of a chunk of the output of a
// schedule in place: those of Range for its parts, each cut again into slices.
func ChunkRange(s Schedule, elems, channel, chunk int) (lo, hi int) {
	k := Slices(s)
	lo, hi = Range(elems, s.Channels(), s.Chunks()/k, channel, chunk/k)
	first, last := split(hi-lo, k, chunk%k)
	return lo + first, lo + last
}

// MaxChunk returns the size of the largest chunk, in elements: what a staging
// slot must hold.
func MaxChunk(s Schedule, elems int) int {
	lo, hi := ChunkRange(s, elems, 0, 0)
	return hi - lo
}

// split returns part i of elems elements in n balanced parts.
func split(elems, n, i int) (lo, hi int) {
	q, r := elems/n, elems%n
	lo = i*q + min(i, r)
	hi = lo + q
	if i < r {
		hi++
	}
	return lo, hi
}

// Layout says which elements [lo, hi) of a rank's buffer a chunk is. It is asked
// when a message is sent, not when the schedule is made: the sizes may come from
// what the ranks have just computed.
type Layout func(rank int, b Buffer, channel, chunk int) (lo, hi int)

// EvenLayout is the layout of a schedule in place, in buffers of elems elements.
func EvenLayout(s Schedule, elems int) Layout {
	return func(_ int, _ Buffer, channel, chunk int) (int, int) { return ChunkRange(s, elems, channel, chunk) }
}

// BlockLayout is the layout of a schedule out of place. size tells how many
// elements block `block` of a rank's input has (of an all-to-all what it sends to
// the group's rank `block`; of a gather block 0, all it has). A block of the
// output is as large as the block of the input that comes there. Blocks follow
// each other; each is balanced over channels, then over its slices.
//
//	input of rank 1    [ for 0 | for 1  | for 2 ]      blocks
//	                    / \
//	             channel 0 channel 1                   of which each has its slices
func BlockLayout(s Schedule, goal Goal, size func(rank, block int) int) Layout {
	b := newBlocks(s, goal, size)
	return func(rank int, buf Buffer, channel, chunk int) (int, int) {
		base := 0
		for block := range chunk / b.aim.slices {
			base += b.size(rank, buf, channel, block)
		}
		return b.chunk(rank, buf, channel, chunk, base)
	}
}

// blocks is the layout of a schedule out of place.
type blocks struct {
	s   Schedule
	aim aim
	in  func(rank, block int) int
}

func newBlocks(s Schedule, goal Goal, size func(rank, block int) int) blocks {
	return blocks{s, newAim(goal, s), size}
}

// size is the elements of a block.
func (b *blocks) size(rank int, buf Buffer, channel, block int) int {
	first := block * b.aim.slices
	if buf == In || b.aim.Collective == Barrier {
		if b.aim.Collective == Barrier || b.aim.inputs(rank, first) {
			return b.in(rank, block)
		}
		return 0
	}
	if w, ok := b.aim.size(rank, Out, channel, first); ok {
		return b.in(w.from, w.piece/b.aim.slices)
	}
	return 0
}

// chunk is the elements of a chunk, whose block begins at base.
func (b *blocks) chunk(rank int, buf Buffer, channel, chunk, base int) (lo, hi int) {
	k := b.aim.slices
	lo, hi = split(b.size(rank, buf, channel, chunk/k), b.s.Channels(), channel)
	first, last := split(hi-lo, k, chunk%k)
	return base + lo + first, base + lo + last
}

// OutputElems returns how many elements of a rank's output a BlockLayout takes, with what passes through.
func OutputElems(s Schedule, goal Goal, rank int, size func(rank, block int) int) (elems int) {
	b := newBlocks(s, goal, size)
	for block := range s.Chunks() / b.aim.slices {
		elems += b.size(rank, Out, 0, block)
	}
	return elems
}

// RankLayout is a BlockLayout for one rank, which sums up where blocks begin once: for who asks for
// chunk after chunk.
type RankLayout struct {
	of     blocks
	rank   int
	starts [bufferKinds][][]int // by channel, then block; nil: not summed up
}

// NewRankLayout returns the layout of a rank: see BlockLayout.
func NewRankLayout(s Schedule, goal Goal, rank int, size func(rank, block int) int) *RankLayout {
	return &RankLayout{of: newBlocks(s, goal, size), rank: rank}
}

// Forget lets go of the sums: sizes may have changed, or nobody will ask for long.
func (l *RankLayout) Forget() { l.starts = [bufferKinds][][]int{} }

// Chunk returns the elements of a chunk.
func (l *RankLayout) Chunk(b Buffer, channel, chunk int) (lo, hi int) {
	if l.starts[b] == nil {
		l.starts[b] = make([][]int, l.of.s.Channels())
	}
	if l.starts[b][channel] == nil {
		l.starts[b][channel] = l.sum(b, channel)
	}
	return l.of.chunk(l.rank, b, channel, chunk, l.starts[b][channel][chunk/l.of.aim.slices])
}

// sum returns where the blocks of a buffer begin.
func (l *RankLayout) sum(b Buffer, channel int) []int {
	chunks := l.of.s.Chunks()
	if b == In {
		chunks = Inputs(l.of.s)
	}
	starts, at := make([]int, chunks/l.of.aim.slices), 0
	for block := range starts {
		starts[block] = at
		at += l.of.size(l.rank, b, channel, block)
	}
	return starts
}
