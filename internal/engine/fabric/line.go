package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// A frame that comes to a busy port leaves behind those before it, at an instant that is known, if nothing but they
// can hold it up. Then no event is planned for that: it takes its place on the link at once, and stands in line
// there behind those that have left.
//
//	link:   head -> [x x x . . . .]-> [. . . w w w w]-> [w w _ _ _ _ _] <- tail
//	        known to the receiving end       ^ queue.head, queue.pos; queue.n of them wait
//
// Whoever looks at the port, or at what its switch holds, first has those leave whose time has come: catchUp. So does
// the end of a window, before which the receiving end need know of none. Until then more is charged to accounts than
// the switch holds: where that could matter, all lines are caught up with.
//
// Where a frame's buffer is free as its last bit leaves, and not its first, a line begins with the frame in
// transmission: its end is no event either. There it nearly always matters what a switch holds, for how much that was
// at most is told. So before each arrival the ports are caught up with of which a transmission has ended: due.
//
// Where a line might come to be held up, by a pause, a PFC frame or another class, it dissolves: its frames go into a
// queue, and an event is planned as for any.

// lines is frames that stand in line on links.
type lines struct {
	f      *Fabric // what a frame meets as it leaves that is to be marked, or whose way is noted
	links  *links
	egress *egress
	buf    *buffers
	nc     int     // classes
	holds  bool    // Buffer.FreeAtTxEnd
	after  []int32 // by port: the next in its list, see due
}

// line of a port: 1 + the class of those that stand in line, 0: none, nor one in transmission whose end is of
// consequence; and whether the port is among state.lined.
const (
	lineClass  = 15
	lineListed = 16
)

// layLines lets frames stand in line where nothing is asked of the ports of switches but to send one frame after
// the other, and nobody wants to hear of each at its time. With one island there is no end of a window to catch up by.
func (l *lines) lay(index []int32) {
	if l.f.eng.Islands() == 1 || l.f.looks || l.f.cfg.Routing != nil || l.f.cfg.OnEvent != nil {
		return
	}
	for i, k := range index {
		if k >= 0 && l.buf.nodes[k].lossless != 0 {
			st := &l.links.states[l.f.islandOf[i]]
			st.nodes = append(st.nodes, k)
			l.buf.nodes[k].lines, l.buf.nodes[k].late = true, !l.holds
		}
	}
	if l.holds {
		l.after = make([]int32, len(l.links.ports))
	}
	l.f.eng.SetLate(l)
}

// lines reports whether a frame of a class may stand in line for a port.
func (l *lines) takes(id PortID, p *port, class uint8) bool {
	if p.flags != flagFar || p.paused != 0 || p.psPerByte == 0 {
		return false
	}
	of := p.sent.line & lineClass
	return of == 0 || of == class+1 || l.egress.queues[int(id)*l.nc+int(of)-1].n == 0
}

// wait has a frame wait for a port, in line or, where the switch has none or it may not, in the queue.
func (f *Fabric) wait(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, lines bool, pk *Packet) {
	if lines && f.lines.takes(out, o, pk.Class()) {
		f.lines.push(isl, st, now, out, o, pk)
		return
	}
	if o.sent.line&lineClass != 0 {
		f.lines.dissolve(isl, st, now, out)
	}
	f.enqueue(isl, st, now, out, o, pk)
}

// hold sends a frame that came to an idle port and keeps its buffer until its last bit has left.
func (f *Fabric) hold(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, lines bool, pk *Packet) {
	if !lines || !f.lines.takes(out, o, pk.Class()) {
		o.flags |= flagHolds
		f.through(isl, st, now, out, o, pk)
		return
	}
	st.line(out, o, pk.Class())
	f.through(isl, st, now, out, o, pk)
	f.lines.expect(st, out, o)
}

// lineUp has a frame stand in line, as enqueue does to a queue.
func (l *lines) push(isl *sim.Island, st *state, now unit.Time, out PortID, o *port, pk *Packet) {
	q := &l.egress.queues[int(out)*l.nc+int(pk.Class())]
	if now >= q.sampled || q.bytes > q.low || pk.attach != 0 {
		l.f.seen(isl, now, out, o, q, pk)
	}
	room := o.room(&st.chunks)
	*room = *pk
	if q.n == 0 {
		q.head, q.pos = o.tail, o.used
		st.line(out, o, pk.Class())
	}
	o.used++
	q.n++
	q.bytes += int64(pk.Bytes)
	q.high = max(q.high, q.bytes)
}

// line notes that a port has a line of a class.
func (st *state) line(id PortID, p *port, class uint8) {
	if p.sent.line&lineListed == 0 {
		st.lined = append(st.lined, id)
	}
	p.sent.line = lineListed | (class + 1)
}

// catchUp has those of a port's line leave whose time has come.
func (l *lines) catchUp(isl *sim.Island, st *state, now unit.Time, id PortID) {
	p := &l.links.ports[id]
	c := int(p.sent.line&lineClass) - 1
	q := &l.egress.queues[int(id)*l.nc+c]
	for start := p.busyUntil; start <= now; start = p.busyUntil {
		isl.Did(start)
		if l.holds {
			l.buf.accounts[p.sent.account].release(int64(p.sent.bytes))
			if q.n == 0 {
				p.sent.line &^= lineClass
				return
			}
		}
		if start >= q.sampled {
			l.egress.sample(isl, start, id, c, q)
		}
		pk := q.front()
		q.bytes -= int64(pk.Bytes)
		if q.bytes > q.low || pk.attach != 0 {
			l.f.seenInLine(isl, start, id, p, c, q, pk)
		}
		if !l.holds {
			l.buf.accounts[pk.account()].release(int64(pk.Bytes))
		}
		l.links.put(isl, st, start, id, p, pk, pk.Bytes, unit.Duration((int64(pk.Bytes)+l.links.overhead)*int64(p.psPerByte)))
		q.pos++
		if q.n--; q.n == 0 {
			q.head = nil
			if !l.holds {
				p.sent.line &^= lineClass
				return
			}
		} else if q.pos == chunkFrames {
			q.head, q.pos = q.head.next, 0
		}
	}
}

// seenInLine marks the first of a line as it leaves, if it is to be marked then, and notes its way.
func (f *Fabric) seenInLine(isl *sim.Island, start unit.Time, id PortID, p *port, c int, q *queue, pk *Packet) {
	if q.bytes > q.low {
		f.seenLeaving(isl, start, id, p, c, q, pk)
	}
	if f.traced(pk) {
		f.traceStart(start, id, p, pk)
	}
}

// catchUpAll is catchUp of all ports of an island.
func (l *lines) catchUpAll(isl *sim.Island, st *state, now unit.Time) {
	for _, id := range st.lined {
		if l.links.ports[id].sent.line&lineClass != 0 {
			l.catchUp(isl, st, now, id)
		}
	}
}

// dissolve has the line of a port wait in its queue instead.
func (l *lines) dissolve(isl *sim.Island, st *state, now unit.Time, id PortID) {
	l.catchUp(isl, st, now, id)
	p := &l.links.ports[id]
	if p.sent.line&lineClass == 0 {
		return
	}
	class := p.sent.line&lineClass - 1
	p.sent.line &^= lineClass
	if l.holds {
		p.flags |= flagHolds
	}
	if q := &l.egress.queues[int(id)*l.nc+int(class)]; q.n > 0 {
		p.backlog |= 1 << class
		p.intoQueue(q, &st.chunks)
	}
	l.links.awaitTxEnd(isl, id, p)
}

// intoQueue takes the line from a port's link.
func (p *port) intoQueue(q *queue, free *pool) {
	line := q.fifo
	q.fifo = fifo{}
	line.each(func(_ uint32, pk *Packet) { q.push(free, pk) })
	p.tail, p.used = line.head, line.pos
	for c := p.tail.next; c != nil; {
		next := c.next
		free.put(c)
		c = next
	}
}

// dissolveAll dissolves the lines of an island, and lets none begin at a switch for now.
func (l *lines) dissolveAll(isl *sim.Island, st *state, now unit.Time, b *buffer) {
	b.lines = false
	st.without++
	for _, id := range st.lined {
		if l.links.ports[id].sent.line&lineClass != 0 {
			l.dissolve(isl, st, now, id)
		}
	}
}

// CatchUp has those leave whose time has come in a window, and returns when the next ones do.
func (l *lines) CatchUp(isl *sim.Island, until unit.Time) (next unit.Time) {
	st := l.links.state(isl)
	next = unit.Never
	kept := st.lined[:0]
	for _, id := range st.lined {
		p := &l.links.ports[id]
		if p.sent.line&lineClass != 0 {
			l.catchUp(isl, st, until, id)
		}
		if p.sent.line&lineClass == 0 {
			p.sent.line = 0
			continue
		}
		next = min(next, p.busyUntil)
		kept = append(kept, id)
	}
	st.lined = kept
	if st.without > 0 {
		l.layAgain(st)
	}
	return next
}

// layAgain lets lines begin at the switches of an island which are far from holding up a sender.
func (l *lines) layAgain(st *state) {
	st.without = 0
	for _, k := range st.nodes {
		n := &l.buf.nodes[k]
		n.lines = n.lines || n.pausing == 0 && n.shared < n.far/2
		if !n.lines {
			st.without++
		}
	}
}
