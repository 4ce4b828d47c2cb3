package exec

import (
	"encoding/binary"
	"hash"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Past writes a digest of what the rank has done in the step that it is in, as long ago as it is: all that the rows of the step,
// and its critical path, will be made from. Two steps in which states, places and pasts are the same go on alike, and are told
// alike. The rank is at rest, and what its collectives in progress wait for is part of its state: see Rest. Without paths no critical
// path will be asked for.
func (r *Rank) Past(now unit.Time, paths bool, to hash.Hash) {
	p := past{now: now, to: to, since: math.MinInt64}
	p.ledger(&r.ledger)
	p.done(r, paths)
}

// Late writes a digest of what of that is no earlier than the first end of an operation of the step, or of one in its collectives, and
// returns how long ago that is, -1 where none has ended. For what it began with a rank may have waited longer in one
// step than in another.
func Late(r *Rank, now unit.Time, paths bool, to hash.Hash) unit.Duration {
	first := unit.Never
	for s, queue := range r.in.Queues {
		if st := &r.streams[s]; st.next > 1 || st.next == 1 && !st.busy {
			first = min(first, r.ops[queue[0]].end)
			first = min(first, firstDone(r, queue[0]))
		}
	}
	if first == unit.Never {
		return -1
	}
	p := past{now: now, to: to, since: first}
	p.put(p.ago(first))
	p.done(r, paths)
	return now.Sub(first)
}

// firstDone is when the first operation in a collective was done, as far as that is recorded.
func firstDone(r *Rank, id int32) unit.Time {
	first := unit.Never
	if n := r.in.collOf(id); n >= 0 && r.path != nil && !r.colls[n].Formula {
		c := &r.colls[n]
		if of := r.path.layout.collective(c.id); of.recorded {
			for i := range c.channels {
				if c.channels[i].pc > 0 {
					first = min(first, r.path.program[of.channels[i].from].done)
				}
			}
		}
	}
	return first
}

// done writes operations.
func (p *past) done(r *Rank, paths bool) {
	if paths {
		p.path = r.path
	}
	for s, queue := range r.in.Queues {
		st := &r.streams[s]
		for at, id := range queue[:st.next] {
			o, ends := &r.ops[id], !st.busy || at < st.next-1
			if ends && o.end < p.since {
				continue
			}
			start := p.ago(o.start)
			if c := r.in.collOf(id); c >= 0 && r.colls[c].Formula { // when it came its members ask
				start = int64(o.start.Sub(p.now))
			}
			p.put(int64(id), int64(o.by), o.positions, start)
			if !ends {
				continue
			}
			p.put(p.ago(o.end))
			if c := r.in.collOf(id); c >= 0 && p.path != nil {
				by := p.path.released[c]
				p.put(int64(by.channel), int64(by.acked))
				p.channels(&r.colls[c])
			}
		}
		if c := r.running(int32(s)); c != nil && c.open > 0 && p.path != nil {
			p.channels(c)
		}
	}
	p.flush()
}

// past writes numbers.
type past struct {
	now, since unit.Time // what was before since is as if it had been then
	path       *rankPath // nil: none is kept, or asked for
	to         hash.Hash
	buf        []byte
}

func (p *past) put(all ...int64) {
	for _, v := range all {
		p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(v))
	}
	if len(p.buf) > 1<<15 {
		p.flush()
	}
}

func (p *past) flush() {
	p.to.Write(p.buf)
	p.buf = p.buf[:0]
}

func (p *past) ago(at unit.Time) int64 { return int64(max(at, p.since).Sub(p.now)) }

func (p *past) ledger(l *ledger) {
	idle := l.at
	if l.busy == 0 {
		idle = l.idle
	}
	p.put(p.ago(l.start), p.ago(l.at), p.ago(idle), int64(l.busy), int64(l.speaking), int64(l.comm), int64(l.overlap),
		int64(l.computing), int64(l.last), int64(len(l.waits)))
	for _, d := range l.split {
		p.put(int64(d))
	}
	for _, w := range l.waits {
		p.put(int64(w.Op), p.ago(w.From), p.ago(w.To))
	}
}

// channels writes what is recorded of the channels of a collective, as far as they have come.
func (p *past) channels(c *collRun) {
	of := p.path.layout.collective(c.id)
	if !of.recorded || c.Formula {
		return
	}
	for i := range c.channels {
		ch, own := &c.channels[i], of.channels[i]
		p.put(int64(ch.pc), int64(ch.length))
		for at := own.from; at < own.from+ch.pc; at++ {
			op := &p.path.program[at]
			if op.done < p.since {
				continue
			}
			p.put(int64(at), int64(min(1, op.done.Sub(op.start))), p.ago(op.start), p.ago(op.done), min(0, int64(op.message)))
			if p.path.freed != nil {
				p.put(int64(p.path.freed[at]))
			}
			if op.message < 0 {
				continue
			}
			m := &p.path.messages[op.message]
			posted := op.start.Add(m.posted).Sub(p.now)
			p.put(int64(posted), int64(op.start.Add(m.placed).Sub(p.now)), int64(m.lane), int64(m.n))
			for _, g := range p.path.segments[m.first : m.first+m.n] {
				p.put(int64(posted+g.until), int64(g.cause), int64(g.at))
			}
		}
		if ch.pc < ch.length {
			p.put(p.ago(p.path.program[own.from+ch.pc].start))
		}
	}
}

// LeftToCompute reports whether all that is left of the step that the rank is in is to compute.
func (r *Rank) LeftToCompute() bool {
	for s, queue := range r.in.Queues { // each of one kind
		st := &r.streams[s]
		if last := len(queue) - 1; last >= 0 && (st.next <= last || st.busy) && r.in.ops[queue[last]].Kind != workload.Compute {
			return false
		}
	}
	return true
}
