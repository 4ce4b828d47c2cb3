package exec

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
)

// find walks back from the end of a step that all ranks have ended into f.record.
func (f *PathFinder) find(step int64) {
	slow := int32(0)
	p := f.of(0, step)
	for r := range f.ranks {
		if q := f.of(int32(r), step); q.end > p.end {
			slow, p = int32(r), q
		}
	}
	f.record = PathRecord{Step: step, Rank: slow, Began: p.start, Start: p.start, End: p.end, Parts: f.record.Parts[:0]}
	f.record.Reached = slices.Grow(f.record.Reached[:0], len(f.ranks))[:len(f.ranks)]
	for r := range f.record.Reached {
		f.record.Reached[r] = unit.Never
	}
	w := pathWalk{finder: f, step: step, at: p.end, record: &f.record}
	w.operations(slow, p.last)
	f.record.Reached[slow] = min(f.record.Reached[slow], p.start)
	slices.Reverse(f.record.Parts)
}

// pathWalk is a walk back in time. All after at is explained.
type pathWalk struct {
	finder *PathFinder
	step   int64 // in which the walk is
	at     unit.Time
	record *PathRecord
}

// rank returns what a rank did in the step in which the walk is.
func (w *pathWalk) rank(rank int32) *rankPath { return w.of(rank, w.step) }

// of returns what a rank did in a step, nil if that is not recorded, and notes that the walk has looked there.
func (w *pathWalk) of(rank int32, step int64) *rankPath {
	w.record.Reached[rank] = min(w.record.Reached[rank], w.at)
	return w.finder.of(rank, step)
}

// arrived reports whether the walk is at the start of the path.
func (w *pathWalk) arrived() bool { return w.at <= w.record.Start }

// back gives the rest of the path after t to a part.
func (w *pathWalk) back(t unit.Time, why cause.Cause, part PathPart) {
	t = max(t, w.record.Start)
	if t >= w.at {
		return
	}
	part.From, part.Until, part.Cause, part.Step = t, w.at, why, w.step
	w.record.Parts = append(w.record.Parts, part)
	w.record.Split[why] += w.at.Sub(t)
	w.at = t
}

// nowhere is a part that is on no message's way.
func nowhere(kind PathKind, rank, op int32) PathPart {
	return PathPart{Kind: kind, Rank: rank, Op: op, Src: -1, Dst: -1, Group: -1, Channel: -1, At: -1}
}

// operations walks back from the end of operation op on a rank, -1 being the start
// of its step: from each operation to the one that released it, and from the
// start of a step to what ended the step before.
func (w *pathWalk) operations(rank, op int32) {
	for !w.arrived() {
		p := w.rank(rank)
		if op < 0 {
			unknown := nowhere(PathUnknown, rank, -1)
			w.back(p.start, cause.Dependency, unknown) // a step without operations takes no time: nothing is left here
			before := w.of(rank, w.step-1)
			if before == nil {
				w.back(w.record.Start, cause.Dependency, unknown)
				return
			}
			w.back(before.end, cause.Dependency, unknown) // a checkpoint lies between
			w.step, op = w.step-1, before.last
			continue
		}
		part, why := nowhere(PathCompute, rank, op), cause.Compute
		if t := &p.layout.program.OpsOf(w.step)[op]; t.Kind == workload.Communication {
			if !p.layout.collective(t.Coll).recorded {
				w.record.Start = w.at
				return
			}
			rank = w.collective(rank, t.Coll)
			p = w.rank(rank)
			op = p.layout.collective(t.Coll).op // on the rank on which the walk has come to its launch
			part.Kind, part.Rank, part.Op = PathLaunch, rank, op
		} else if t.Kind == workload.Copy {
			part.Kind, why = PathCopy, cause.PCIe
		}
		w.back(p.ops[op].start, why, part)
		op = p.ops[op].by
	}
	w.rank(rank)
}

// collective walks back from the end of a collective on a rank to its launch on
// the rank that it returns: along a channel's program, and across messages to
// their senders.
func (w *pathWalk) collective(rank, c int32) int32 {
	p := w.rank(rank)
	if k := p.layout.collective(c); k.Formula {
		return w.meeting(rank, k)
	}
	by := p.released[p.layout.number(c)]
	channel := int(by.channel)
	pc := by.acked
	if pc < 0 {
		pc = int32(len(p.channel(c, channel))) - 1
	} else {
		pc = w.acknowledgement(rank, c, channel, pc)
	}
	for pc >= 0 && !w.arrived() {
		p := w.rank(rank)
		program := p.channel(c, channel)
		at := &program[pc]
		k := p.layout.collective(c)
		op := k.Schedule.Op(k.me, channel, int(pc))
		if op.Kind == coll.Recv && at.done > at.start { // it stood still for the message
			src := k.members[op.Peer]
			w.message(src, rank, c, channel, pc)
			rank, pc = src, p.layout.peers(c, channel)[pc]
			continue
		}
		if op.Kind == coll.Reduce || op.Kind == coll.Copy || op.Kind == coll.Keep {
			part := nowhere(PathLocal, rank, k.op)
			part.Group, part.Channel = k.Group, by.channel
			w.back(at.start, cause.Compute, part)
		}
		if freed := p.creditOf(c, channel, int(pc)); freed != 0 {
			rank, pc = w.credit(rank, c, channel, freed)
			continue
		}
		if pc > 0 && at.start > program[pc-1].done {
			pc = w.acknowledgement(rank, c, channel, op.Acked)
			continue
		}
		pc--
	}
	return rank
}

// meeting walks back from the end of a collective that sends no messages to when the last rank came, which it returns; of
// a send that is the sender, unless the receiver asked so late that all had come.
func (w *pathWalk) meeting(rank int32, k *pathColl) int32 {
	launched := func(r int32) unit.Time {
		p := w.rank(r)
		op := p.layout.collective(k.id).op
		return p.ops[op].start.Add(p.layout.program.OpsOf(w.step)[op].Duration)
	}
	members := w.rank(rank).layout.groups[k.Group].Ranks
	last, all := rank, members
	if k.OneWay() {
		all = members[:1]
		if rank == members[1] && launched(rank) >= launched(members[0]).Add(k.Takes) {
			w.back(launched(rank), cause.Dependency, nowhere(PathLocal, rank, k.op))
			return rank
		}
	}
	for i, r := range all {
		if i == 0 || launched(r) > launched(last) {
			last = r
		}
	}
	part := nowhere(PathLocal, last, k.op)
	part.Group = k.Group
	why := cause.NVLink
	if k.Between {
		why = cause.Dependency
	}
	w.back(launched(last), why, part)
	return last
}

// message walks back from the arrival of the message that operation recv took to its post.
func (w *pathWalk) message(src, dst, c int32, channel int, recv int32) {
	sender, receiver := w.rank(src), w.rank(dst)
	k := sender.layout.collective(c)
	part := PathPart{Kind: PathMessage, Rank: src, Op: k.op, Src: src, Dst: dst, Group: k.Group,
		Channel: int32(channel), At: -1}
	op := &receiver.channel(c, channel)[recv]
	w.back(receiver.placed(op), cause.Dependency, part)
	w.trace(receiver, op, part)
	w.back(sender.channel(c, channel)[receiver.layout.peers(c, channel)[recv]].done, cause.Dependency, part) // without a trace
}

// placed is when the message of an operation came.
func (p *rankPath) placed(op *programOp) unit.Time {
	return op.start.Add(p.messages[op.message].placed)
}

// trace walks back along a message or acknowledgement that a rank has got.
func (w *pathWalk) trace(p *rankPath, op *programOp, part PathPart) {
	m := &p.messages[op.message]
	segments := p.segments[m.first : m.first+m.n]
	part.Lane = m.lane
	for i := len(segments) - 1; i >= 0; i-- {
		from := op.start.Add(m.posted)
		if i > 0 {
			from = from.Add(segments[i-1].until)
		}
		part.At = segments[i].at
		w.back(from, segments[i].cause, part)
	}
}

// acknowledgement walks back from the arrival of the acknowledgement of a rank's Send to the post of the message, and returns
// the Send: of one whose chunk is empty it is the one before it to that peer, since acknowledgements come in order.
func (w *pathWalk) acknowledgement(rank, c int32, channel int, send int32) int32 {
	p := w.rank(rank)
	k := p.layout.collective(c)
	to := k.Schedule.Op(k.me, channel, int(send)).Peer
	for p.channel(c, channel)[send].message == unsent {
		for send--; ; send-- {
			if op := k.Schedule.Op(k.me, channel, int(send)); op.Kind == coll.Send && op.Peer == to {
				break
			}
		}
	}
	peer := k.members[to]
	q, recv := w.rank(peer), p.layout.peers(c, channel)[send]
	part := PathPart{Kind: PathAck, Rank: rank, Op: k.op, Src: rank, Dst: peer, Group: k.Group,
		Channel: int32(channel), At: -1}
	if op := &p.channel(c, channel)[send]; op.message >= 0 {
		w.trace(p, op, part)
	}
	w.back(q.placed(&q.channel(c, channel)[recv]), cause.Acknowledgement, part)
	w.message(rank, peer, c, channel, recv)
	return send
}

// creditOf returns what let an operation of a channel start: see freed.
func (p *rankPath) creditOf(c int32, channel, pc int) int32 {
	if p.freed == nil {
		return 0
	}
	return p.freed[p.layout.collective(c).channels[channel].from+pc]
}

// credit walks back from the arrival of a credit to the operation of the peer that freed the slot.
func (w *pathWalk) credit(rank, c int32, channel int, freed int32) (peer, pc int32) {
	from, send := w.step, freed-1
	if freed < 0 {
		from, send = w.step-1, -freed-1
	}
	p := w.of(rank, from)
	if p == nil || freed == older {
		w.back(w.record.Start, cause.Window, nowhere(PathUnknown, rank, -1))
		return rank, -1
	}
	k := p.layout.collective(c)
	peer = k.members[k.Schedule.Op(k.me, channel, int(send)).Peer]
	q := w.of(peer, from)
	to := q.layout.collective(c)
	recv := p.layout.peers(c, channel)[send]
	pc = int32(freedBy(to.Schedule, to.me, channel, int(recv)))
	w.back(q.channel(c, channel)[pc].done, cause.Window, PathPart{Kind: PathCredit, Rank: rank, Op: k.op, Src: rank,
		Dst: peer, Group: k.Group, Channel: int32(channel), At: -1})
	w.step = from
	return peer, pc
}
