package exec

import (
	"math"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Place is where in its program a rank is at rest, and what it had added up by then.
type Place struct {
	step   int64
	begun  []int  // by stream: operations of the step that have begun
	ended  []int  // by stream: that have ended; one less where one is in progress
	own    ages   // of the rank
	ages   []ages // by stream
	ledger ledger
	told   int // segments of its path: see rankPath
}

// Place returns where the rank is, at rest: see Rest.
func (r *Rank) Place(now unit.Time) *Place {
	p := &Place{step: r.step, ledger: r.ledger,
		begun: make([]int, len(r.streams)), ended: make([]int, len(r.streams))}
	for s := range r.streams {
		st := &r.streams[s]
		p.begun[s], p.ended[s] = st.next, st.next
		if st.busy {
			p.ended[s]--
		}
	}
	if r.path != nil {
		p.told = r.path.told
	}
	p.own, p.ages = r.stands.ages(now)
	return p
}

// Same reports whether two places are one in the program, of whatever steps.
func (p *Place) Same(o *Place) bool {
	return slices.Equal(p.begun, o.begun) && slices.Equal(p.ended, o.ended)
}

// Period is what a rank does between two places of a step: of each stream the operations that began in it. Its state was the
// same at both, so that it will do the same again if the operations that follow are like those, and wait for each other as
// those do.
//
//	stream 0  a b c | d e f | d'e'f'| d"e"f"| g h
//	stream 1  A-----|-------|-------|-------|---      it stands still
//	                ^from   ^to              ^ two times more: g is not like d
type Period struct {
	in       *template
	job      *workload.Job
	from, to *Place
	span     []int // by stream: how many operations
	moves    bool  // the rank has not stood still
	Times    int64 // how often it can follow once more, at most
}

// Ever is how often it can follow that a rank stands still.
const Ever = math.MaxInt64

// PeriodSince returns what the rank has done since a place, so long ago, where its state was what it is now but for how long it
// had stood. Times is 0 if it cannot be done again: all of it lies in one step, and more. like is that of another rank of the
// same program, or nil: where both have done the same, what that was is not looked at again.
func (r *Rank) PeriodSince(now unit.Time, from *Place, took unit.Duration, like *Period) Period {
	p := Period{in: r.in, job: r.cfg.Job, from: from, to: r.Place(now), span: make([]int, len(r.streams))}
	if r.status != OK || r.step != from.step || r.step < 0 {
		return p
	}
	for s := range p.span {
		p.span[s] = p.to.begun[s] - from.begun[s]
		if p.to.ended[s]-from.ended[s] != p.span[s] {
			return p // a stream is busy at one place and not at the other
		}
		p.moves = p.moves || p.span[s] > 0
	}
	switch {
	case !p.stands(took):
		return p
	case !p.moves:
		p.Times = Ever
		return p
	case !p.recent(r):
		return p
	}
	if like != nil && like.Times > 0 && like.moves && like.from.Same(from) && like.to.Same(p.to) {
		p.Times = like.Times
	} else {
		for p.likeAfter(int(p.Times) + 1) {
			p.Times++
		}
	}
	for p.Times > 0 && !p.headsWait(int(p.Times)) {
		p.Times--
	}
	return p
}

// stands reports whether what moves stands as it did, and what stands still has done so for longer.
func (p *Period) stands(took unit.Duration) bool {
	longer := took
	if p.moves {
		longer = 0
	}
	if !p.to.own.since(p.from.own, longer) || len(p.to.ages) != len(p.from.ages) {
		return false
	}
	for s := range p.to.ages {
		longer := took
		if p.span[s] > 0 {
			longer = 0
		}
		if !p.to.ages[s].since(p.from.ages[s], longer) {
			return false
		}
	}
	return true
}

// recent reports whether all that is in progress of what moves, and what of it is still to be explained, began in the period,
// and whether its collectives in progress have sent and received nothing.
func (p *Period) recent(r *Rank) bool {
	for s := range r.stands.streams {
		if p.span[s] == 0 {
			continue
		}
		for n, l := range r.stands.streams[s].links {
			switch {
			case l.start:
				return false
			case r.streams[l.stream].next-l.back < p.from.ended[l.stream]:
				return false
			case n == 0 && l.coll != nil && !l.coll.Formula && r.streams[s].running >= 0 && !l.coll.fresh():
				return false
			}
		}
	}
	return true
}

// image is the operation that stands for one of the period after so many times more.
func (p *Period) image(id int32, times int) int32 {
	if id < 0 {
		return id
	}
	s := p.in.ops[id].Stream
	return p.in.Queues[s][int(p.in.At[id])+times*p.span[s]]
}

// live reports whether an operation has not ended when the period begins for so many times more.
func (p *Period) live(id int32, times int) bool {
	s := p.in.ops[id].Stream
	return int(p.in.At[id]) >= p.from.ended[s]+times*p.span[s]
}

// likeAfter reports whether the operations that follow after so many times are like those of the period.
func (p *Period) likeAfter(times int) bool {
	for s, queue := range p.in.Queues {
		if p.to.begun[s]+times*p.span[s] > len(queue) {
			return false
		}
		for at := p.from.begun[s]; at < p.to.begun[s]; at++ {
			if !p.like(queue[at], queue[at+times*p.span[s]], times) {
				return false
			}
		}
	}
	return true
}

// like reports whether two operations are alike, and wait for what is alike of what has not ended when the period begins.
func (p *Period) like(id, image int32, times int) bool {
	a, b := &p.in.ops[id], &p.in.ops[image]
	if !p.job.Alike(a, b) {
		return false
	}
	for _, d := range a.Deps {
		if p.live(d, 0) && !slices.Contains(b.Deps, p.image(d, times)) {
			return false
		}
	}
	for _, d := range b.Deps {
		if !p.live(d, times) {
			continue
		}
		s := p.in.ops[d].Stream
		if !slices.Contains(a.Deps, p.in.Queues[s][int(p.in.At[d])-times*p.span[s]]) {
			return false
		}
	}
	return true
}

// headsWait reports whether the first operations that have not begun after so many times still wait, where their streams are
// free: nothing but what is alike began before.
func (p *Period) headsWait(times int) bool {
	for s, queue := range p.in.Queues {
		next := p.to.begun[s] + times*p.span[s]
		if p.to.ended[s] < p.to.begun[s] || next == len(queue) {
			continue
		}
		if !slices.ContainsFunc(p.in.ops[queue[next]].Deps, func(d int32) bool { return p.live(d, times+1) }) {
			return false
		}
	}
	return true
}

// InGroup is how many collectives of a group begin in the period.
func (r *Rank) InGroup(p *Period, group int32) int {
	for s := range r.streams {
		if r.streams[s].group == group {
			return p.span[s]
		}
	}
	return 0
}

// Moved has an operation be that which stands for it after so many times more.
func (p *Period) Moved(o *OperationRecord, times int64) {
	o.Op, o.ReleasedBy = p.image(o.Op, int(times)), p.image(o.ReleasedBy, int(times))
	o.Name = p.in.ops[o.Op].Name
}

// Repeat has the rank have done a period n <= p.Times times more, each of which takes so long, without anybody having been
// told. Its clock stands still for that: what was lies earlier by as much.
func (r *Rank) Repeat(p *Period, n int64, took unit.Duration) {
	before := -unit.Duration(n) * took
	r.repeatPath(p, int(n), took)
	r.repeatOps(p, int(n), took)
	l, was := &r.ledger, &p.from.ledger
	l.start = l.start.Add(before)
	if !p.moves {
		l.at, l.idle = l.at.Add(before), l.idle.Add(before)
	}
	for c := range cause.Count {
		l.split[c] += unit.Duration(n) * (l.split[c] - was.split[c])
	}
	l.comm += unit.Duration(n) * (l.comm - was.comm)
	l.overlap += unit.Duration(n) * (l.overlap - was.overlap)
	l.computing += unit.Duration(n) * (l.computing - was.computing)
	l.last = p.image(l.last, int(n))
	own := slices.Clone(l.waits[len(was.waits):])
	for i := range l.waits {
		l.waits[i] = l.waits[i].later(before)
	}
	for k := range int(n) {
		for _, w := range own {
			w.Op = p.image(w.Op, k+1)
			l.waits = append(l.waits, w.later(before+unit.Duration(k+1)*took))
		}
	}
}

func (w Wait) later(d unit.Duration) Wait {
	w.From, w.To = w.From.Add(d), w.To.Add(d)
	return w
}

// repeatOps moves the rank on in its program.
func (r *Rank) repeatOps(p *Period, n int, took unit.Duration) {
	before := -unit.Duration(n) * took
	moved := func(st opState, d unit.Duration, times int) opState {
		st.start, st.end, st.by = st.start.Add(d), st.end.Add(d), p.image(st.by, times)
		return st
	}
	for s, queue := range p.in.Queues {
		st, span := &r.streams[s], p.span[s]
		var busy opState
		if st.busy && span == 0 {
			r.stands.streams[s].stood(-before)
			r.ops[queue[st.next-1]].start = r.ops[queue[st.next-1]].start.Add(before)
		} else if st.busy {
			busy = r.ops[queue[st.next-1]]
			busy.by = p.image(busy.by, n)
		}
		own := make([]opState, 0, span)
		for at := range p.to.ended[s] {
			id := queue[at]
			if at >= p.from.ended[s] {
				own = append(own, r.ops[id])
			}
			r.ops[id] = moved(r.ops[id], before, 0)
		}
		for k := 1; k <= n; k++ {
			for i := range own {
				id := queue[p.from.ended[s]+k*span+i]
				r.ops[id] = moved(own[i], before+unit.Duration(k)*took, k)
			}
		}
		if st.busy && span > 0 { // before it is overwritten: once more, and its place is that of an operation that ended
			r.moveColl(st, queue[st.next-1], queue[st.next-1+n*span])
			r.ops[queue[st.next-1+n*span]] = busy
		}
		for i := range own {
			r.repeatColl(queue[p.from.ended[s]+i], queue[p.from.ended[s]+n*span+i])
		}
		st.next += n * span
		r.left -= n * span
	}
	p.recount(r)
}

// recount counts anew what operations wait for that have not begun.
func (p *Period) recount(r *Rank) {
	ended := func(d int32) bool {
		st := &r.streams[r.in.ops[d].Stream]
		at := int(r.in.At[d])
		return at < st.next-1 || at == st.next-1 && !st.busy
	}
	for s, queue := range r.in.Queues {
		for _, id := range queue[r.streams[s].next:] {
			r.ops[id].waiting = 0
			for _, d := range r.in.ops[id].Deps {
				if !ended(d) {
					r.ops[id].waiting++
				}
			}
		}
	}
}

// repeatColl has the collective of an operation have gone as that of another did.
func (r *Rank) repeatColl(from, to int32) {
	if r.in.collOf(from) < 0 {
		return
	}
	a, b := &r.colls[r.in.collOf(from)], &r.colls[r.in.collOf(to)]
	b.last, b.joined = a.last, a.joined
	if a.Formula {
		return
	}
	b.answer.set(&a.answer)
	for i := range b.channels {
		b.channels[i].went(&a.channels[i])
	}
}

// went has a channel have gone as another did.
func (ch *channelRun) went(o *channelRun) {
	ch.pc, ch.length, ch.wait, ch.end, ch.src, ch.gated, ch.known = o.pc, o.length, o.wait, o.end, o.src, o.gated, 0
	ch.trace.set(&o.trace)
	ch.gates = ch.gates[:0]
	for _, g := range o.gates {
		g.answer.Segments = slices.Clone(g.answer.Segments)
		ch.gates = append(ch.gates, g)
	}
}

// moveColl has the collective of an operation in progress be that of another, which has gone as far: it waits for its first
// messages, or sends none.
func (r *Rank) moveColl(st *streamState, from, to int32) {
	place := r.in.collOf(from)
	if place < 0 {
		return
	}
	a, b := &r.colls[place], &r.colls[r.in.collOf(to)]
	b.met, a.met = a.met, b.met
	if st.running < 0 {
		return
	}
	r.repeatColl(from, to)
	st.running = r.in.collOf(to)
	b.open, a.open = a.open, 0
	for i := range b.channels {
		ch := &b.channels[i]
		ch.recordIn(r.path, b.id, i)
		ch.op = b.at(i, ch.pc)
		if ch.op.conn < 0 {
			r.connect(b, i, ch.op)
		}
		ch.wait = message
	}
}
