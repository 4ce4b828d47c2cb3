package exec

import (
	"math"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// rankPath is what happened in one step of one rank.
type rankPath struct {
	number     int64 // of the step
	layout     *pathLayout
	start, end unit.Time
	last       int32       // the operation that ended last
	ops        []pathOp    // of the step, at its end
	program    []programOp // of all collectives and channels
	released   []release   // by collective that the rank runs
	messages   []pathMessage
	segments   []pathSegment
	told       int             // segments of all messages, as if each had its own and none were totals
	totals     map[int32]int32 // by message that is kept whole, the one that has its totals: see totalled

	// freed is, as program, what let a Send start that had to wait for a credit: 0 for one that
	// did not, i+1 if it was the credit of the message of Send i, -i-1 if that of the step before.
	freed []int32 // nil: no collective needs credits
}

func newRankPath(l *pathLayout) *rankPath {
	p := &rankPath{layout: l, program: make([]programOp, l.length), released: make([]release, len(l.colls))}
	if l.credit {
		p.freed = make([]int32, l.length)
	}
	return p
}

// ended notes the end of the step.
func (p *rankPath) ended(now unit.Time, ops []opState, last int32) {
	p.end, p.last = now, last
	p.ops = slices.Grow(p.ops[:0], len(ops))
	for i := range ops {
		p.ops = append(p.ops, pathOp{ops[i].start, ops[i].by})
	}
}

// pathOp is an operation of a step: when it began, and the one that released it, -1: the step's start.
type pathOp struct {
	start unit.Time
	by    int32
}

// programOp is one operation of a channel's program.
type programOp struct {
	// start is when the one before was done, or later, when the acknowledgement
	// that this one waited for came. Of a Recv that stood still, done is later.
	start, done unit.Time
	message     int32 // in rankPath.messages: of a Recv its message, of a Send its acknowledgement, -1: none, unsent: it was empty
	told        int32 // rankPath.told before that message
}

// release is what ended a collective.
type release struct {
	channel int32
	acked   int32 // the Send whose acknowledgement it was; -1: the end of the channel's program
}

// pathMessage is the trace of one message, or of an acknowledgement. Its times are since the start of the operation that names it:
// one that is told again later has the same.
type pathMessage struct {
	posted, placed unit.Duration
	first, n       int32 // its segments, which may be another's, too
	lane           int32 // which queue pair of its way carried it
	whole          int32 // segments that its trace has
}

// pathSegment is a Segment of a pathMessage.
type pathSegment struct {
	until unit.Duration // since the post
	at    int32
	cause cause.Cause
}

// channel returns the records of a channel's program.
func (p *rankPath) channel(coll int32, channel int) []programOp {
	e := p.layout.collective(coll).channels[channel]
	return p.program[e.from:e.to]
}

// credits returns the records of the credits of a channel, empty; nil where there are none.
func (p *rankPath) credits(coll int32, channel int) []int32 {
	if p.freed == nil {
		return nil
	}
	e := p.layout.collective(coll).channels[channel]
	clear(p.freed[e.from:e.to])
	return p.freed[e.from:e.to]
}

// recordIn has a channel of a collective recorded in a step, or nowhere.
func (ch *channelRun) recordIn(p *rankPath, coll int32, channel int) {
	ch.path, ch.freed = nil, nil
	if p != nil && p.layout.collective(coll).recorded {
		ch.path, ch.freed, ch.peerOps = p.channel(coll, channel), p.credits(coll, channel), p.layout.peers(coll, channel)
	}
}

// older stands for a credit of a message of an earlier step than the one before.
const older = math.MinInt32

// credited notes the credit for which the channel's current Send has waited in a step.
func (ch *channelRun) credited(step int64, m sentMessage) {
	if ch.freed == nil {
		return
	}
	switch step - m.step {
	case 0:
		ch.freed[ch.pc] = m.op + 1
	case 1:
		ch.freed[ch.pc] = -m.op - 1
	default:
		ch.freed[ch.pc] = older
	}
}

// began notes that the channel's current operation has started.
func (ch *channelRun) began(now unit.Time) {
	if ch.path != nil {
		op := &ch.path[ch.pc]
		op.start, op.message = now, -1
	}
}

// did notes that the channel's current operation is done.
func (ch *channelRun) did(now unit.Time) {
	if ch.path != nil {
		ch.path[ch.pc].done = now
	}
}

// matched notes which Recv of the peer belongs to the channel's current Send.
func (ch *channelRun) matched(r *Rank, recv int32) {
	if ch.path != nil && ch.peerOps[ch.pc] < 0 {
		ch.peerOps[ch.pc] = recv
		r.path.layout.news = true
	}
}

// unsent is the message of a Send whose chunk is empty.
const unsent = -2

// unsent notes that the channel's current Send has an empty chunk.
func (ch *channelRun) unsent() {
	if ch.path != nil {
		ch.path[ch.pc].message = unsent
	}
}

// took notes the message that the channel's current Recv has taken.
func (ch *channelRun) took(r *Rank, tr *Trace) {
	if ch.path != nil {
		r.path.keep(tr, ch.path[:ch.pc+1])
	}
}

// keep notes the trace of a message of the last of a channel's operations.
func (p *rankPath) keep(tr *Trace, program []programOp) {
	op := &program[len(program)-1]
	m := pathMessage{posted: tr.Posted.Sub(op.start), placed: tr.Placed.Sub(op.start), first: int32(len(p.segments)), lane: tr.Lane}
	for i, g := range tr.Segments {
		own := pathSegment{g.Until.Sub(tr.Posted), g.At, g.Cause}
		if i > 0 && tr.Segments[i-1].Cause == g.Cause && tr.Segments[i-1].At == g.At {
			p.segments[len(p.segments)-1] = own
			continue
		}
		p.segments = append(p.segments, own)
	}
	m.n = int32(len(p.segments)) - m.first
	m.whole = m.n
	op.told = int32(min(p.told, math.MaxInt32))
	if !p.room(op.told, &m) {
		p.total(&m)
	}
	p.told += int(m.whole)
	p.share(&m, program[:len(program)-1])
	op.message = int32(len(p.messages))
	p.messages = append(p.messages, m)
}

// room reports whether the trace of a message is kept whole, before which so many segments were told.
func (p *rankPath) room(told int32, m *pathMessage) bool {
	return int(told)+int(m.whole) <= p.layout.most
}

// total has a message, whose segments are the last, have their totals.
func (p *rankPath) total(m *pathMessage) {
	var totals [cause.Count]pathSegment
	n := copy(totals[:], appendTotals(totals[:0], p.segments[m.first:]))
	p.segments = append(p.segments[:m.first], totals[:n]...)
	m.n = int32(n)
}

// totalled returns the message that has the totals of one that is kept whole: those that are told again behind what there is room for
// have it in common.
func (p *rankPath) totalled(message int32) int32 {
	if of, is := p.totals[message]; is {
		return of
	}
	m := p.messages[message]
	whole := p.segments[m.first : m.first+m.n]
	m.first = int32(len(p.segments))
	p.segments = append(p.segments, whole...)
	p.total(&m)
	if p.totals == nil {
		p.totals = map[int32]int32{}
	}
	of := int32(len(p.messages))
	p.totals[message] = of
	p.messages = append(p.messages, m)
	return of
}

// sharers is among how many operations before it a message looks for one whose way took as long: the last round's of a ring or a tree.
const sharers = 6

// share has a message, whose segments are the last, have those of one before it that are the same. Rounds of a collective mostly are.
func (p *rankPath) share(m *pathMessage, before []programOp) {
	own := p.segments[m.first:]
	for _, op := range before[max(0, len(before)-sharers):] {
		if op.message < 0 || int(op.message) >= len(p.messages) { // of one that is told to have begun: an earlier step's
			continue
		}
		o := &p.messages[op.message]
		if o.n == m.n && slices.Equal(p.segments[o.first:o.first+o.n], own) {
			p.segments, m.first = p.segments[:m.first], o.first
			return
		}
	}
}

// appendTotals appends one segment for each cause of a trace, in the order of the causes, at the place of its longest.
func appendTotals(to, whole []pathSegment) []pathSegment {
	var total cause.Split
	var longest [cause.Count]unit.Duration
	var at [cause.Count]int32
	from := unit.Duration(0)
	for _, g := range whole {
		d := g.until - from
		total[g.cause] += d
		if d > longest[g.cause] {
			longest[g.cause], at[g.cause] = d, g.at
		}
		from = g.until
	}
	until := unit.Duration(0)
	for c, d := range total {
		if d > 0 {
			until += d
			to = append(to, pathSegment{until, at[c], cause.Cause(c)})
		}
	}
	return to
}

// answered notes the way of the acknowledgement of the Send op.
func (ch *channelRun) answered(r *Rank, op int32, tr *Trace) {
	if ch.path == nil {
		return
	}
	ch.path[op].message = -1
	if tr != nil {
		r.path.keep(tr, ch.path[:op+1])
	}
}

// ending notes what may have ended the running collective, by its place among those of the rank: the acknowledgement of the Send acked
// or, with -1, the end of the channel's program.
func (p *rankPath) ending(coll int32, channel int, acked int32) {
	if p != nil {
		p.released[coll] = release{channel: int32(channel), acked: acked}
	}
}
