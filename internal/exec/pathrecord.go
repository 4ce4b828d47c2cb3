package exec

import (
	"railyard/internal/cause"
	"railyard/internal/unit"
)

// stepPath is what happened in one step, on all ranks.
type stepPath struct {
	number   int64
	ended    int // ranks
	ranks    []rankPath
	messages []pathMessage
	segments []pathSegment
}

// rankPath is what happened in one step of one rank.
type rankPath struct {
	step       *stepPath
	layout     *pathLayout
	start, end unit.Time
	last       int32       // the operation that ended last
	ops        []opState   // copied at the step's end
	program    []programOp // of all collectives and channels
	released   []release   // by collective
}

// programOp is one operation of a channel's program.
type programOp struct {
	// start is when the one before was done, or later, when the acknowledgement
	// that this one waited for came. Of a Recv that stood still, done is later.
	start, done unit.Time
	peer        int32 // of a Send the index of its Recv in the peer's program, of a Recv that of its Send
	message     int32 // of a Recv: index in stepPath.messages; of others and of empty chunks meaningless
}

// release is what ended a collective.
type release struct {
	channel int32
	acked   int32 // the Send whose acknowledgement it was; -1: the end of the channel's program
}

// pathMessage is the trace of one message.
type pathMessage struct {
	posted, placed unit.Time
	first, n       int32 // its segments
}

// pathSegment is a Segment in 8 bytes: time since the post, in picoseconds, and cause.
type pathSegment uint64

const causeBits = 4

var _ [1<<causeBits - cause.Count]struct{} // every cause fits

// channel returns the records of a channel's program.
func (p *rankPath) channel(coll int32, channel int) []programOp {
	e := p.layout.programs[coll][channel]
	return p.program[e.from:e.to]
}

// began notes that the channel's current operation has started.
func (ch *channelRun) began(now unit.Time) {
	if ch.path != nil {
		ch.path[ch.pc].start = now
	}
}

// did notes that the channel's current operation is done.
func (ch *channelRun) did(now unit.Time) {
	if ch.path != nil {
		ch.path[ch.pc].done = now
	}
}

// matched notes which Recv of the peer belongs to the channel's current Send.
func (ch *channelRun) matched(r *Rank, channel int, peer int32, recv int) {
	if ch.path != nil {
		ch.path[ch.pc].peer = int32(recv)
		r.path.step.ranks[peer].channel(r.running, channel)[recv].peer = int32(ch.pc)
	}
}

// took notes the message that the channel's current Recv has taken.
func (ch *channelRun) took(r *Rank, tr *Trace) {
	if ch.path == nil {
		return
	}
	s := r.path.step
	m := pathMessage{posted: tr.Posted, placed: tr.Placed, first: int32(len(s.segments))}
	for i, g := range tr.Segments {
		next := pathSegment(g.Until.Sub(tr.Posted))<<causeBits | pathSegment(g.Cause)
		if i > 0 && tr.Segments[i-1].Cause == g.Cause {
			s.segments[len(s.segments)-1] = next
			continue
		}
		s.segments = append(s.segments, next)
	}
	m.n = int32(len(s.segments)) - m.first
	ch.path[ch.pc].message = int32(len(s.messages))
	s.messages = append(s.messages, m)
}

// ending notes what may turn out to have ended the running collective: the
// acknowledgement of the Send acked, or, -1, the end of the channel's program.
func (p *rankPath) ending(coll int32, channel int, acked int32) {
	if p != nil {
		p.released[coll] = release{channel: int32(channel), acked: acked}
	}
}
