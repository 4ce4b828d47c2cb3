package coll

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
)

// Kind says what an Op does.
type Kind uint8

// The kinds of operation.
const (
	Send   Kind = iota // read Chunk of Buffer, write it into a staging slot of Peer
	Recv               // wait until the message from Peer is whole in Slot; it has the size of Chunk
	Reduce             // chunk = chunk + slot, in that operand order, float32
	Copy               // chunk = slot
	Keep               // chunk = chunk Source of the input: what a rank has for itself
	kinds
)

var kindNames = [kinds]string{"send", "recv", "reduce", "copy", "keep"}

// String returns the kind's name in the text form.
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Buffer names one of a rank's two buffers.
type Buffer uint8

// The buffers of a rank.
const (
	Out         Buffer = iota // where the result ends; of a schedule in place, what it begins with too
	In                        // the input of a schedule out of place: only read
	bufferKinds               // their number
)

// String returns the buffer's name.
func (b Buffer) String() string {
	switch b {
	case Out:
		return "output"
	case In:
		return "input"
	}
	return fmt.Sprintf("buffer(%d)", uint8(b))
}

// Op is one operation of one rank in one channel. A rank starts the ops of a
// channel strictly in order.
type Op struct {
	Kind   Kind
	Buffer Buffer // Send: which buffer it reads; otherwise Out
	// Frees says of a Reduce or Copy that it is the last to read Slot: when it is
	// done, the sender of the message gets a credit.
	Frees bool
	Peer  int32 // Send: to; Recv: from; otherwise -1
	// Chunk of the channel's share: read by Send, written by Reduce, Copy and Keep;
	// of a Recv the chunk that the message is for.
	Chunk int32
	// Slot is the staging slot filled by Recv, read by Reduce and Copy; otherwise -1
	// (a Send's matching Recv names it).
	Slot  int32
	After int32 // op (same rank, same channel) that must have completed before this one starts, -1 none
	// Acked is an earlier Send that must have been acknowledged before this op, which
	// overwrites what it reads, starts; -1 none.
	Acked int32
	// Window of a Send: when it starts, it and the messages to Peer that have no
	// credit yet are at most so many; 0: any number. See doc.go.
	Window int32
	Source int32 // Keep: the chunk of the input; otherwise 0
	// Switch is among how many ranks a switch adds up or copies: N of a Send to the head of what it
	// carries, which N-1 send at once; -N of a Send from the head to the N-1 others; 1 of a Reduce of
	// what a switch has added, which costs the rank nothing; 0: no switch does.
	Switch int32
}

// String returns the op as the text form writes it, without its number.
func (o Op) String() string { return o.Kind.String() + " " + o.operands() }

// chunk names the op's chunk: "chunk 3", "input chunk 3".
func (o Op) chunk() string {
	if o.Buffer == In {
		return fmt.Sprintf("input chunk %d", o.Chunk)
	}
	return fmt.Sprintf("chunk %d", o.Chunk)
}

// operands returns what follows the kind in the text form.
func (o Op) operands() string {
	var b strings.Builder
	b.WriteString(o.chunk())
	switch o.Kind {
	case Send:
		fmt.Fprintf(&b, " to %d", o.Peer)
	case Recv:
		fmt.Fprintf(&b, " from %d slot %d", o.Peer, o.Slot)
	case Keep:
		fmt.Fprintf(&b, " source %d", o.Source)
	default:
		fmt.Fprintf(&b, " slot %d", o.Slot)
	}
	if o.After >= 0 {
		fmt.Fprintf(&b, " after %d", o.After)
	}
	if o.Acked >= 0 {
		fmt.Fprintf(&b, " acked %d", o.Acked)
	}
	if o.Window != 0 {
		fmt.Fprintf(&b, " window %d", o.Window)
	}
	if o.Frees {
		b.WriteString(" frees")
	}
	switch {
	case o.Kind == Reduce && o.Switch > 0:
		b.WriteString(" added")
	case o.Switch > 0:
		fmt.Fprintf(&b, " adds %d", o.Switch)
	case o.Switch < 0:
		fmt.Fprintf(&b, " copies %d", -o.Switch)
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
	Chunks() int                // of the output, per channel
	Slots() int                 // staging slots per rank and channel
	Len(rank, channel int) int  // number of ops
	Op(rank, channel, i int) Op // 0 <= i < Len
}

// Inputs returns how many chunks per channel the input buffer of a schedule
// has; 0: it works in place, in the output alone.
func Inputs(s Schedule) int {
	if o, ok := s.(interface{ Inputs() int }); ok {
		return o.Inputs()
	}
	return 0
}

// Slices returns how many chunks in a row are one part of the algorithm, a ring
// chunk, say: they subdivide it, so that its boundaries are those of 1 slice.
func Slices(s Schedule) int {
	if o, ok := s.(interface{ Slices() int }); ok {
		return o.Slices()
	}
	return 1
}

// GoalOf returns what a schedule was made to achieve, false where it does not say: a Table's is
// what Check proves of it.
func GoalOf(s Schedule) (Goal, bool) {
	if made, ok := s.(interface{ Goal() Goal }); ok {
		return made.Goal(), true
	}
	return Goal{}, false
}

// NeedsCredit reports whether some Send of a schedule has a Window: then the
// driver must carry credits.
func NeedsCredit(s Schedule) bool {
	o, ok := s.(interface{ NeedsCredit() bool })
	return ok && o.NeedsCredit()
}

// Put writes op i of a rank's program in a channel to op: s.Op, without the copies of a large value where programs are longest.
func Put(op *Op, s Schedule, rank, channel, i int) {
	if r, ok := s.(*Ring); ok {
		r.put(op, rank, channel, i)
		return
	}
	*op = s.Op(rank, channel, i)
}

// Matching returns the Recv of the message that op i of a rank sends, as its index in the program of
// the peer, false where the schedule has no quick way to it: then the peer's Recvs are to be counted.
func Matching(s Schedule, rank, channel, i int) (recv int, ok bool) {
	if o, quick := s.(interface {
		Matching(rank, channel, i int) int
	}); quick {
		return o.Matching(rank, channel, i), true
	}
	return 0, false
}

// ReadsOnce reports whether in the program of a rank one operation at most reads what a Recv has put
// into its slot.
func ReadsOnce(s Schedule, rank int) bool {
	read := make([]bool, s.Slots())
	for c := range s.Channels() {
		clear(read)
		for i := range s.Len(rank, c) {
			op := s.Op(rank, c, i)
			switch {
			case op.Kind == Recv:
				read[op.Slot] = false
			case op.Kind != Reduce && op.Kind != Copy:
			case read[op.Slot]:
				return false
			default:
				read[op.Slot] = true
			}
		}
	}
	return true
}

// Carried returns what part of the bytes of a Send the link of the sender and that of the receiver
// carry: all, but where a switch between them adds up or copies messages. Of N ranks, of a message
// that N-1 send at once, the sender's link carries N/(N-1) and the head's 1/(N-1): with the head's own
// part N out, and one sum in. Of a sum the head's link carries 1/(N-1), the receiver's N/(N-1).
func (o *Op) Carried() (out, in unit.Ratio) {
	n := int64(o.Switch)
	switch {
	case n > 0:
		return unit.Ratio{Num: n, Den: n - 1}, unit.Ratio{Num: 1, Den: n - 1}
	case n < 0:
		return unit.Ratio{Num: 1, Den: -n - 1}, unit.Ratio{Num: -n, Den: -n - 1}
	}
	return unit.Ratio{Num: 1, Den: 1}, unit.Ratio{Num: 1, Den: 1}
}

// SwitchAdds reports whether switches add up and copy some of what ranks send: the two ends of such a
// message must be on one.
func SwitchAdds(s Schedule) bool {
	o, ok := s.(interface{ SwitchAdds() bool })
	return ok && o.SwitchAdds()
}
