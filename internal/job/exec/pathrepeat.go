package exec

import (
	"math"

	"railyard/internal/base/unit"
)

// repeatPath has what is recorded for the path finder say that a period was done so many times more: what was recorded lies
// earlier, and collectives that ended in the period are recorded once more for each time.
func (r *Rank) repeatPath(p *Period, n int, took unit.Duration) {
	if r.path == nil {
		return
	}
	before := -unit.Duration(n) * took
	waiting := begunChannels(r, p)
	for _, of := range r.cfg.Paths.ranks[r.cfg.Rank].steps {
		of.moved(before)
	}
	for s, queue := range p.in.Queues {
		for at := p.from.ended[s]; at < p.to.ended[s]; at++ {
			from := r.in.collOf(queue[at])
			if from < 0 {
				continue
			}
			for k := 1; k <= n; k++ {
				to := r.in.collOf(queue[at+k*p.span[s]])
				r.path.again(r.colls[from].id, r.colls[to].id, unit.Duration(k)*took, k*(p.to.told-p.from.told))
			}
		}
	}
	for _, w := range waiting {
		op := p.image(w.op, n)
		if c := r.colls[r.in.collOf(op)].id; r.path.layout.collective(c).recorded {
			r.path.channel(c, w.channel)[0].start = w.start
		}
	}
}

// begunChannel is a channel that waits for its first message, since it began.
type begunChannel struct {
	op      int32
	channel int
	start   unit.Time
}

// begunChannels returns the channels of collectives in progress that began in a period, which wait for their first message.
func begunChannels(r *Rank, p *Period) (all []begunChannel) {
	for s := range r.streams {
		c := r.running(int32(s))
		if c == nil || p.span[s] == 0 {
			continue
		}
		for i := range c.channels {
			if ch := &c.channels[i]; ch.path != nil && ch.length > 0 {
				all = append(all, begunChannel{c.op, i, ch.path[0].start})
			}
		}
	}
	return all
}

// moved has all that is recorded of a step lie so much later.
func (p *rankPath) moved(d unit.Duration) {
	p.start, p.end = p.start.Add(d), p.end.Add(d)
	for i := range p.ops {
		p.ops[i].start = p.ops[i].start.Add(d)
	}
	for i := range p.program {
		p.program[i].start, p.program[i].done = p.program[i].start.Add(d), p.program[i].done.Add(d)
	}
}

// again records of a collective what is recorded of another that is like it, so much later and behind so many more segments. What
// there is no room for then has its totals.
func (p *rankPath) again(from, to int32, d unit.Duration, more int) {
	l := p.layout
	a, b := l.collective(from), l.collective(to)
	p.released[l.number(to)] = p.released[l.number(from)]
	if !a.recorded || !b.recorded {
		return
	}
	for channel := range a.channels {
		src, dst := a.channels[channel], b.channels[channel]
		for i := range src.to - src.from {
			op := p.program[src.from+i]
			op.start, op.done = op.start.Add(d), op.done.Add(d)
			if op.message >= 0 {
				m := &p.messages[op.message]
				p.told += int(m.whole)
				had := p.room(op.told, m)
				op.told = int32(min(int(op.told)+more, math.MaxInt32))
				if had && !p.room(op.told, m) {
					op.message = p.totalled(op.message)
				}
			}
			p.program[dst.from+i] = op
			if peer := l.peer[src.from+i]; l.peer[dst.from+i] < 0 && peer >= 0 {
				l.peer[dst.from+i], l.news = peer, true
			}
		}
		if p.freed != nil {
			copy(p.freed[dst.from:dst.to], p.freed[src.from:src.to])
		}
	}
}
