package host

import (
	"fmt"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// outgoing is the sending end of a way between two ranks: over queue pairs, or over NVLink within a
// host, which has both ends.
type outgoing struct {
	exec.Way // as the job numbers its ranks
	job      *Job
	src      int32   // the rank: index in Hosts.ranks
	qps      []int32 // none: NVLink
	turn     int     // the queue pair of the next message, of several
	acked    traces
	number   int64  // messages acknowledged
	outlet   int32  // what the rank calls it, -1: it has not been asked
	answers  *lanes // of several queue pairs
}

// incoming is its receiving end.
type incoming struct {
	dst    int32
	inlet  int32     // what the rank calls it, -1: it has not been asked
	there  unit.Time // the last message is, for its receiver: none comes before it
	placed traces
	what   lists.Queue[exec.Arrival] // and not received
	number int64                     // messages placed
	came   *lanes                    // of several queue pairs
}

// inside is both ends of a way within a host: over NVLink, or PCIe.
type inside struct {
	host, src, dst int32                 // ranks: indices in Hosts.ranks
	inlet, outlet  int32                 // what they call it, -1: they have not been asked
	past           int32                 // of messages, how many are past the link and on their way
	feeds          [2]feed               // of NVLink
	peer           *peer                 // nil: NVLink
	messages       lists.Queue[transfer] // not delivered
	busy           unit.Time             // its channel is, until then
	there          unit.Time             // the last message is
	credits        lists.Queue[int32]    // of which collective each is
	given          int64
	job            *Job
	exec.Way
	carries lists.Queue[carried] // what messages carry, if that is real
}

// transfer is a message over NVLink that is posted and not delivered.
type transfer struct {
	posted unit.Time
	ends   [2]mark       // behind its last byte, by feed
	least  unit.Time     // when it may be past the link
	late   unit.Duration // how much later than the link's latency it is there
	what   exec.Arrival
}

// carried is the bytes of a transfer.
type carried struct {
	from []byte
	to   exec.Ref
}

// newInside returns room for a way over NVLink: those of a host, which are connected together, lie together.
func (h *Hosts) newInside() *inside {
	if len(h.room) == cap(h.room) {
		h.room = make([]inside, 0, 64)
	}
	h.room = h.room[:len(h.room)+1]
	return &h.room[len(h.room)-1]
}

// traces is a queue of message traces whose memory is used again.
type traces struct {
	buf     []exec.Trace
	head, n int
}

func (t *traces) push(posted, placed unit.Time, s []exec.Segment, lane int32) {
	if t.n == len(t.buf) {
		buf := make([]exec.Trace, max(1, 2*len(t.buf)))
		for i := range t.n {
			buf[i] = t.buf[(t.head+i)&(len(t.buf)-1)]
		}
		t.buf, t.head = buf, 0
	}
	tr := &t.buf[(t.head+t.n)&(len(t.buf)-1)]
	tr.Posted, tr.Placed, tr.Lane = posted, placed, lane
	tr.Segments = append(tr.Segments[:0], s...)
	t.n++
}

// pop returns the oldest trace, valid until the next push.
func (t *traces) pop() *exec.Trace {
	tr := &t.buf[t.head]
	t.head = (t.head + 1) & (len(t.buf) - 1)
	t.n--
	return tr
}

// postNVLink sends a message to another GPU of the host.
func (h *Hosts) postNVLink(now unit.Time, id int32, m *exec.Message, from []byte) {
	c := h.inside[id]
	t := c.messages.Add()
	t.posted, t.late = now, m.Wire.Inside
	t.what.Bytes, t.what.Step, t.what.Coll = m.Bytes, m.Step, m.Coll
	if c.peer != nil {
		c.peer.post(now, m.Wire.Out)
	} else {
		for i, b := range [...]unit.Bytes{m.Wire.Out, m.Wire.In} {
			t.ends[i] = c.feeds[i].link.add(now, c.feeds[i].flow, b) + mark(b)*markByte
		}
	}
	c.busy = max(c.busy, now).Add(m.Wire.Busy)
	t.least = c.busy
	if c.job.memory != nil {
		c.carries.Push(carried{from, m.To})
	}
	if c.messages.Len() == int(c.past)+1 { // else the one before it is looked at first
		h.carried(now, id)
	}
}

// carried sends what is past NVLink on its way, and looks again when the next message may be.
func (h *Hosts) carried(now unit.Time, id int32) {
	c := h.inside[id]
	for int(c.past) < c.messages.Len() {
		t := c.messages.At(int(c.past))
		end, slow := max(now, t.least), int32(-1)
		if c.peer != nil {
			var past unit.Time
			past, slow = c.peer.past(now, int(c.past))
			end = max(end, past)
		} else {
			for i := range c.feeds {
				end = max(end, c.feeds[i].link.past(now, t.ends[i]))
			}
		}
		if end > now {
			h.plan(c.host, entry{at: end, what: workCarried, a: id})
			return
		}
		if c.peer != nil {
			c.peer.slow.Push(slow)
		}
		c.past++
		c.there = max(c.there, now.Add(h.latencyOf(c)+t.late))
		h.plan(c.host, entry{at: c.there, what: workNVLink, a: id})
	}
}

// delivered completes the oldest NVLink message of a way, for both ranks.
func (h *Hosts) delivered(now unit.Time, id int32) {
	c := h.inside[id]
	m := c.messages.At(0)
	posted, what := m.posted, m.what
	c.messages.Drop()
	c.past--
	if c.carries.Len() > 0 {
		b := c.carries.Pop()
		copy(c.job.memory.Bytes(c.Dst, b.to), b.from)
	}
	at, src, dst := &h.hosts[c.host], h.ranks[c.src].rank, h.ranks[c.dst].rank
	if c.inlet < 0 {
		c.inlet, c.outlet = dst.Inlet(c.AtTarget()), src.Outlet(c.AtSource())
	}
	s := &at.segment[0]
	s.Until, s.Cause, s.At = now, cause.NVLink, -1
	if c.peer != nil {
		s.Cause, s.At = cause.PCIe, c.peer.pop()
	}
	at.trace.Posted, at.trace.Placed, at.trace.Segments = posted, now, at.segment[:]
	in, out := c.inlet, c.outlet
	dst.Received(now, in, what, &at.trace)
	src.Acked(now, out, nil)
}

// way returns the way over a queue pair, and which of its queue pairs it is; -1 if it is of explicit
// flows.
func (h *Hosts) way(qp int32) lane {
	if int(qp) >= len(h.wayOf) {
		return lane{way: -1}
	}
	return h.wayOf[qp]
}

// Received says that the network has received a message of a queue pair.
func (h *Hosts) Received(qp int32, d *Delivery) {
	at := h.way(qp)
	if at.way < 0 {
		return // of an explicit flow
	}
	in, n := &h.in[at.way], len(h.out[at.way].qps)
	if n == 1 {
		h.arrived(at.way, in, d, 0)
		return
	}
	in.came.push(n, at.lane, d.Posted, d.Placed, d.Segments, d.Header)
	for in.came.next(n, h.cfg.Split) {
		d.Posted, d.Placed, d.Header = in.came.whole.Posted, in.came.whole.Placed, in.came.header
		d.Segments = append(d.Segments[:0], in.came.whole.Segments...)
		d.Segments = in.placed.behind(d.Segments, d.Placed, in.there, cause.Dependency)
		h.arrived(at.way, in, d, in.came.whole.Lane)
	}
}

// arrived takes the next message of a way.
func (h *Hosts) arrived(id int32, in *incoming, d *Delivery, lane int32) {
	late := d.Placed.Add(d.Header.Late)
	in.there = max(in.there, late)
	if end := until(d.Segments, d.Placed); in.there > end { // proxy, NIC and rank find out that it is there
		d.Segments = append(d.Segments, exec.Segment{Until: in.there, Cause: cause.NIC, At: -1})
	}
	in.placed.push(d.Posted, in.there, d.Segments, lane)
	in.what.Push(arrivalOf(&d.Header))
	in.number++
	h.plan(h.ranks[in.dst].host, entry{at: in.there, what: workPlaced, a: id, b: in.number})
}

func (h *Hosts) placed(now unit.Time, id int32) {
	in := &h.in[id]
	t := in.placed.pop()
	rank := h.ranks[in.dst].rank
	if in.inlet < 0 {
		in.inlet = rank.Inlet(h.out[id].AtTarget())
	}
	rank.Received(now, in.inlet, in.what.Pop(), t)
}

// Acked says that the oldest message of a queue pair that was not acknowledged has been.
func (h *Hosts) Acked(now unit.Time, qp int32, a *Answer) {
	at := h.way(qp)
	if at.way < 0 {
		return
	}
	o := &h.out[at.way]
	placed, n := min(a.Placed, now), len(o.qps)
	if n == 1 {
		h.answered(now, at.way, placed, a.Segments, 0)
		return
	}
	o.answers.push(n, at.lane, placed, now, a.Segments, verbs.Header{})
	for o.answers.next(n, h.cfg.Split) {
		w := &o.answers.whole
		w.Segments = o.acked.behind(w.Segments, w.Placed, now, cause.Acknowledgement)
		h.answered(now, at.way, w.Posted, w.Segments, w.Lane)
	}
}

// answered takes the acknowledgement of the next message of a way.
func (h *Hosts) answered(now unit.Time, id int32, placed unit.Time, s []exec.Segment, lane int32) {
	o := &h.out[id]
	o.acked.push(placed, now, s, lane)
	o.number++
	h.plan(h.ranks[o.src].host, entry{at: now, what: workAcked, a: id, b: o.number})
}

func (h *Hosts) acked(now unit.Time, id int32) {
	o := &h.out[id]
	rank := h.ranks[o.src].rank
	rank.Acked(now, o.outletOf(rank), o.acked.pop())
}

// Credited says that so many more credits of a collective have come to the sender of a queue pair.
func (h *Hosts) Credited(now unit.Time, qp, coll int32, count int) {
	id := h.way(qp).way
	h.plan(h.ranks[h.out[id].src].host, entry{at: now, what: workCredit, a: id, b: int64(coll)<<32 | int64(count)})
}

// creditNVLink tells the rank at the other end of NVLink.
func (h *Hosts) creditNVLink(now unit.Time, id, coll int32) {
	c := h.inside[id]
	c.credits.Push(coll)
	c.given++
	h.plan(c.host, entry{at: now.Add(h.latencyOf(c)), what: workCredit, a: id, b: c.given})
}

// credited tells the sending rank of credits.
func (h *Hosts) credited(now unit.Time, id int32, b int64) {
	if c := h.inside[id]; c != nil {
		rank := h.ranks[c.src].rank
		if c.outlet < 0 {
			c.outlet = rank.Outlet(c.AtSource())
		}
		rank.Credited(now, c.outlet, c.credits.Pop())
		return
	}
	o := &h.out[id]
	rank := h.ranks[o.src].rank
	for range int32(b) {
		rank.Credited(now, o.outletOf(rank), int32(b>>32))
	}
}

// outletOf returns what the sending rank calls the way.
func (o *outgoing) outletOf(r Rank) int32 {
	if o.outlet < 0 {
		o.outlet = r.Outlet(o.AtSource())
	}
	return o.outlet
}

func notConnected(w exec.Way) string {
	return fmt.Sprintf("host: rank %d is not connected to rank %d in group %d on channel %d", w.Src, w.Dst, w.Group,
		w.Channel)
}
