package exec

import (
	"encoding/binary"
	"hash"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Past writes a digest of what the rank has done in the step that it is in, as long ago as it is: all that the rows of the step,
// and its critical path, will be made from. Two steps in which states, places and pasts are the same go on alike, and are told
// alike. The rank is at rest, and what its collectives in progress wait for is part of its state: see Rest. Without paths no critical
// path will be asked for.
func (r *Rank) Past(now unit.Time, paths bool, to hash.Hash) {
	p := past{now: now, to: to}
	if paths {
		p.path = r.path
	}
	p.ledger(&r.ledger)
	for s, queue := range r.in.Queues {
		st := &r.streams[s]
		for at, id := range queue[:st.next] {
			o := &r.ops[id]
			p.put(int64(o.by), o.positions, p.ago(o.start))
			if st.busy && at == st.next-1 {
				continue // it has not ended
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
	now  unit.Time
	path *rankPath // nil: none is kept, or asked for
	to   hash.Hash
	buf  []byte
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

func (p *past) ago(at unit.Time) int64 { return int64(at.Sub(p.now)) }

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
			p.put(p.ago(op.start), p.ago(op.done), min(0, int64(op.message)))
			if p.path.freed != nil {
				p.put(int64(p.path.freed[at]))
			}
			if op.message < 0 {
				continue
			}
			m := &p.path.messages[op.message]
			p.put(int64(m.posted), int64(m.placed), int64(m.lane), int64(m.n))
			for _, g := range p.path.segments[m.first : m.first+m.n] {
				p.put(int64(g.until), int64(g.cause), int64(g.at))
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
