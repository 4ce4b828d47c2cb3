package coll

import (
	"fmt"
	"strings"
)

// Kind says what an Op does.
type Kind uint8

// The kinds of operation.
const (
	Send   Kind = iota // read Chunk, write it into a staging slot of Peer
	Recv               // wait until the message from Peer is whole in Slot
	Reduce             // chunk = chunk + slot, in that operand order, float32
	Copy               // chunk = slot
	kinds
)

var kindNames = [kinds]string{"send", "recv", "reduce", "copy"}

// String returns the kind's name in the text form.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Op is one operation of one rank in one channel. A rank starts the ops of a
// channel strictly in order.
type Op struct {
	Kind  Kind
	Peer  int32 // Send: to; Recv: from; otherwise -1
	Chunk int32 // chunk of the channel's share: read by Send, carried by Recv's message, written by Reduce and Copy
	Slot  int32 // staging slot: filled by Recv, read by Reduce and Copy; Send: -1 (the matching Recv names it)
	After int32 // op (same rank, same channel) that must have completed before this one starts, -1 none
	Acked int32 // earlier Send that must have been acknowledged before this op, which overwrites what it reads, starts; -1 none
}

// String returns the op as the text form writes it, without its number.
func (o Op) String() string { return o.Kind.String() + " " + o.operands() }

// operands returns what follows the kind in the text form.
func (o Op) operands() string {
	var b strings.Builder
	fmt.Fprintf(&b, "chunk %d", o.Chunk)
	switch o.Kind {
	case Send:
		fmt.Fprintf(&b, " to %d", o.Peer)
	case Recv:
		fmt.Fprintf(&b, " from %d slot %d", o.Peer, o.Slot)
	default:
		fmt.Fprintf(&b, " slot %d", o.Slot)
	}
	if o.After >= 0 {
		fmt.Fprintf(&b, " after %d", o.After)
	}
	if o.Acked >= 0 {
		fmt.Fprintf(&b, " acked %d", o.Acked)
	}
	return b.String()
}

// Schedule is what every rank does in a collective. The k-th Send from a to b
// in a channel matches the k-th Recv of b from a in that channel.
//
// Invariant: a Schedule is immutable and safe for concurrent use.
type Schedule interface {
	Name() string
	Ranks() int
	Channels() int
	Chunks() int                // per channel
	Slots() int                 // staging slots per rank and channel
	Len(rank, channel int) int  // number of ops
	Op(rank, channel, i int) Op // 0 <= i < Len
}

// Range returns the elements [lo, hi) of chunk `chunk` of channel `channel` in a
// buffer of elems elements: contiguous, balanced first over channels, then over
// the channel's chunks (sizes at one level differ by at most 1; the first ones
// are larger).
func Range(elems, channels, chunks, channel, chunk int) (lo, hi int) {
	if elems < 0 || channel < 0 || channel >= channels || chunk < 0 || chunk >= chunks {
		panic(fmt.Sprintf("coll: range of chunk %d of %d, channel %d of %d, in %d elements", chunk, chunks, channel, channels, elems))
	}
	first, last := split(elems, channels, channel)
	lo, hi = split(last-first, chunks, chunk)
	return first + lo, first + hi
}

// MaxChunk returns the size of the largest chunk, in elements: what a staging
// slot must hold.
func MaxChunk(elems, channels, chunks int) int {
	lo, hi := Range(elems, channels, chunks, 0, 0)
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
