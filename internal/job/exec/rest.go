package exec

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// standing is all of a rank at rest that has a say in what comes, but for where in its program it is: who compares two ranks
// looks at that by itself, see Period.
type standing struct {
	at, idle       unit.Time // as in its ledger
	busy, speaking int
	streams        []doing
}

// doing is the operation in progress of a stream, and what released it; none where the stream is free.
type doing struct{ links []link }

// link is an operation of a chain, each of which released the one before: as far as a wait that is still to be explained
// reaches back.
type link struct {
	start      bool // none: the step's start
	stream     int32
	back       int // how many operations before the first of its stream that has not begun
	began, end unit.Time
	positions  int64
	coll       *collRun
}

// Rest says how the rank stands, at an instant at which nothing is on its way, and forgets what nothing asks for any more:
// how collectives that have not begun in the step in progress went when they last did, and operations of the start phase.
// It changes nothing that happens; two states that differ in this alone are the same.
func (r *Rank) Rest() {
	r.stands = standing{}
	if r.over || !r.begun {
		return
	}
	clear(r.ops[len(r.in.ops):])
	l := &r.ledger
	r.stands = standing{at: l.at, busy: l.busy, speaking: l.speaking, streams: make([]doing, len(r.streams))}
	if l.busy == 0 {
		r.stands.idle = l.idle
	}
	for s := range r.streams {
		if r.streams[s].busy {
			op := r.inProgress(s)
			if op.Kind == workload.Communication {
				r.colls[r.in.collOf(op.ID)].rest()
			}
			r.stands.streams[s].links = r.chain(op.ID)
		}
	}
}

// Unsettled reports whether a message of the rank is not answered for, or has come before it was asked for, or one of its
// collectives reduces or copies what has come: it is not at rest.
func Unsettled(r *Rank) bool {
	if r.owing > 0 {
		return true
	}
	for s := range r.streams {
		if c := r.running(int32(s)); c != nil && c.open > 0 && c.reduces() {
			return true
		}
	}
	for i := range r.inboxes {
		if r.inboxes[i].queued() > 0 {
			return true
		}
	}
	return false
}

// chain returns an operation in progress, what released it, and what released that as long as the rank has computed nothing
// since.
func (r *Rank) chain(id int32) (all []link) {
	for n := 0; ; n++ {
		if id < 0 {
			return append(all, link{start: true})
		}
		op, st := &r.in.ops[id], &r.ops[id]
		l := link{stream: op.Stream, back: r.streams[op.Stream].next - int(r.in.At[id]), began: st.start, end: st.end,
			positions: st.positions}
		if c := r.in.collOf(id); c >= 0 {
			l.coll = &r.colls[c]
		}
		all = append(all, l)
		if n > 0 && (op.Kind == workload.Compute || r.ledger.busy > 0 || st.start <= r.ledger.idle) {
			return all
		}
		id = st.by
	}
}

// rest forgets what of a collective in progress was so when it last ran.
func (c *collRun) rest() {
	if c.Formula || c.open == 0 && c.inFlight == 0 { // it sends nothing, or is not launched yet
		c.forget()
		return
	}
	if c.fresh() {
		c.answer.forget()
	}
	for i := range c.channels {
		ch := &c.channels[i]
		if ch.wait != nothing || ch.pc < ch.length {
			ch.end = 0
		}
		if ch.wait != acknowledge && ch.wait != credit {
			ch.gated = 0
		}
		if ch.src < 0 {
			ch.trace.forget()
		}
	}
}

// reduces reports whether a channel does, or copies.
func (c *collRun) reduces() bool {
	for i := range c.channels {
		if c.channels[i].wait == local {
			return true
		}
	}
	return false
}

// fresh reports whether a collective that is launched waits for its first message on all channels, and has sent none.
func (c *collRun) fresh() bool {
	for i := range c.channels {
		if ch := &c.channels[i]; ch.pc > 0 || ch.wait != message {
			return false
		}
	}
	return true
}

func (c *collRun) forget() {
	c.last, c.joined = -1, 0
	if c.Formula {
		return
	}
	c.answer.forget()
	for i := range c.channels {
		ch := &c.channels[i]
		ch.pc, ch.length, ch.src, ch.end, ch.gated, ch.gates = 0, 0, -1, 0, 0, ch.gates[:0]
		ch.trace.forget()
	}
}

func (t *Trace) forget() { *t = Trace{Segments: t.Segments[:0]} }
