package exec

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// ledger accounts for every instant of the step in progress.
type ledger struct {
	start, at      unit.Time // of the step; up to which all is accounted for
	busy, speaking int       // compute operations and collectives that run
	idle           unit.Time // since when no compute operation has run
	split          cause.Split
	comm, overlap  unit.Duration
	computing      unit.Duration
	last           int32 // the operation that ended last
	waits          []Wait
}

func (l *ledger) begin(now unit.Time) {
	*l = ledger{start: now, at: now, idle: now, last: -1, waits: l.waits[:0]}
}

// advance accounts for the time since the last change. Waits are explained when they end.
func (l *ledger) advance(now unit.Time) {
	d := now.Sub(l.at)
	l.at = now
	if l.busy > 0 {
		l.split[cause.Compute] += d
		l.computing += d
	}
	if l.speaking > 0 {
		l.comm += d
		if l.busy > 0 {
			l.overlap += d
		}
	}
}

func (l *ledger) compute(now unit.Time, n int) {
	l.advance(now)
	l.busy += n
	l.idle = now
}

func (l *ledger) communicate(now unit.Time, n int) {
	l.advance(now)
	l.speaking += n
}

// explain splits the wait that ends now among its causes. by is the operation whose end ended the
// wait, -1: the start of the step.
func (r *Rank) explain(now unit.Time, by int32) {
	r.wait(now, by)
	p := painter{from: r.ledger.idle, to: now, split: &r.ledger.split}
	for by >= 0 && p.from < p.to {
		op := &r.in.ops[by]
		if op.Kind == workload.Copy {
			p.back(r.ops[by].start, cause.PCIe)
			by = r.ops[by].by
			continue
		}
		if op.Kind != workload.Communication {
			break
		}
		if r.colls[r.in.collOf(by)].explain(&p, r.ops[by].start) {
			break
		}
		by = r.ops[by].by
	}
	p.back(p.from, cause.Dependency)
}

// wait notes what a wait that ends now was for: the operation whose end ended it, since that began; before it whatever let
// that begin.
func (r *Rank) wait(now unit.Time, by int32) {
	l := &r.ledger
	for to := now; l.idle < to; {
		w := Wait{Op: -1, From: l.idle, To: to}
		if by >= 0 && r.in.ops[by].Kind != workload.Compute {
			w.Op, w.From = by, min(to, max(l.idle, r.ops[by].start))
			by = r.ops[by].by
		}
		if to = w.From; w.From < w.To {
			l.waits = append(l.waits, w)
		}
	}
}

// explain gives causes to the part of a wait that this collective, started at start, held up. It
// returns true if a message explains all of it.
func (c *collRun) explain(p *painter, start unit.Time) bool {
	if c.Formula { // what it took, and before that whoever came last
		p.back(c.joined, c.why())
		return c.joined > start
	}
	ch := &c.channels[c.last]
	p.waitOut(ch.end, &c.answer) // for the last acknowledgement
	for i := len(ch.gates) - 1; i >= 0; i-- {
		g := &ch.gates[i]
		p.back(g.to, cause.Compute)
		if g.why == cause.Acknowledgement {
			p.waitOut(g.from, &g.answer)
		} else {
			p.back(g.from, g.why)
		}
	}
	if ch.src < 0 {
		p.back(start, cause.Compute)
		return false
	}
	p.back(ch.trace.Placed, cause.Compute)
	p.along(&ch.trace)
	return true
}

// why is what the time of a collective is that sends no messages: between hosts nothing is known of it.
func (c *collRun) why() cause.Cause {
	if c.Between {
		return cause.Dependency
	}
	return cause.NVLink
}

// painter splits [from, to) among causes, from its end back to its beginning.
type painter struct {
	from, to unit.Time
	split    *cause.Split
}

// back gives the rest of the span after t to cause why.
func (p *painter) back(t unit.Time, why cause.Cause) {
	t = max(t, p.from)
	if t < p.to {
		p.split[why] += p.to.Sub(t)
		p.to = t
	}
}

// along gives the span of a trace to the causes of the trace.
func (p *painter) along(tr *Trace) {
	for i := len(tr.Segments) - 1; i >= 0; i-- {
		from := tr.Posted
		if i > 0 {
			from = tr.Segments[i-1].Until
		}
		p.back(from, tr.Segments[i].Cause)
	}
}

// waitOut explains a wait since t for an acknowledgement. Time that was not its own way, such as
// the time until a lost acknowledgement was made good, gets that cause.
func (p *painter) waitOut(t unit.Time, answer *Trace) {
	q := painter{from: max(p.from, t), to: p.to, split: p.split}
	q.along(answer)
	q.back(q.from, cause.Acknowledgement)
	p.to = min(p.to, q.from)
}

// releasedBy returns the source and channel of the message that ended operation
// by, or -1 and -1 where no message did.
func (r *Rank) releasedBy(by int32) (src, channel int32) {
	if by < 0 || r.in.ops[by].Kind != workload.Communication {
		return -1, -1
	}
	c := &r.colls[r.in.collOf(by)]
	if c.Formula || c.channels[c.last].src < 0 {
		return -1, -1
	}
	return c.channels[c.last].src, c.last
}
