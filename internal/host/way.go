package host

import (
	"fmt"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/lists"
	"railyard/internal/unit"
	"railyard/internal/verbs"
)

// outgoing is the sending end of a way between two ranks: over queue pairs, or over NVLink within a
// host, which has both ends.
type outgoing struct {
	exec.Way // as the job numbers its ranks
	job      *Job
	src      int32   // the rank: index in Hosts.ranks
	qps      []int32 // none: NVLink
	posted   int64   // messages
	acked    traces
	number   int64 // messages acknowledged
	answers  lanes
	inside   *inside // NVLink
}

// incoming is its receiving end.
type incoming struct {
	dst    int32
	there  unit.Time // the last message is, for its receiver: none comes before it
	placed traces
	what   lists.Queue[exec.Arrival] // and not received
	number int64                     // messages placed
	came   lanes
}

// inside is a way over NVLink.
type inside struct {
	feeds    []feed
	messages lists.Queue[transfer] // not delivered
	past     int                   // of those, how many are past the link and on their way
	busy     unit.Time             // its channel is, until then
	segment  [1]exec.Segment
	trace    exec.Trace
	credits  lists.Queue[int32] // of which collective each is
	given    int64
}

// transfer is a message over NVLink that is posted and not delivered.
type transfer struct {
	posted unit.Time
	ends   [2]mark       // behind its last byte, by feed
	least  unit.Time     // when it may be past the link
	late   unit.Duration // how much later than the link's latency it is there
	from   []byte
	to     exec.Ref
}

// traces is a queue of message traces whose memory is used again.
type traces struct {
	buf     []exec.Trace
	head, n int
}

func (t *traces) push(posted, placed unit.Time, s []exec.Segment, lane int32) {
	if t.n == len(t.buf) {
		buf := make([]exec.Trace, max(2, 2*len(t.buf)))
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
	c := h.out[id].inside
	t := transfer{posted: now, from: from, to: m.To, late: m.Wire.Inside}
	for i, b := range [...]unit.Bytes{m.Wire.Out, m.Wire.In} {
		t.ends[i] = c.feeds[i].link.add(now, c.feeds[i].flow, b) + mark(b)*markByte
	}
	c.busy = max(c.busy, now).Add(m.Wire.Busy)
	t.least = c.busy
	c.messages.Push(t)
	h.in[id].what.Push(m.Arrival())
	if c.messages.Len() == c.past+1 { // else the one before it is looked at first
		h.carried(now, id)
	}
}

// carried sends what is past NVLink on its way, and looks again when the next message may be.
func (h *Hosts) carried(now unit.Time, id int32) {
	o, in := &h.out[id], &h.in[id]
	c, at := o.inside, h.ranks[o.src].host
	for c.past < c.messages.Len() {
		t := c.messages.At(c.past)
		end := max(now, t.least)
		for i, f := range c.feeds {
			end = max(end, f.link.past(now, t.ends[i]))
		}
		if end > now {
			h.plan(at, entry{at: end, what: workCarried, a: id})
			return
		}
		c.past++
		in.there = max(in.there, now.Add(h.cfg.NVLink.Latency+t.late))
		h.plan(at, entry{at: in.there, what: workNVLink, a: id})
	}
}

// delivered completes the oldest NVLink message of a way, for both ranks.
func (h *Hosts) delivered(now unit.Time, id int32) {
	o, in := &h.out[id], &h.in[id]
	c := o.inside
	m := c.messages.Pop()
	c.past--
	if m.from != nil {
		copy(o.job.memory.Bytes(o.Dst, m.to), m.from)
	}
	c.segment[0] = exec.Segment{Until: now, Cause: cause.NVLink, At: -1}
	c.trace = exec.Trace{Posted: m.posted, Placed: now, Segments: c.segment[:]}
	h.ranks[in.dst].rank.Received(now, o.AtTarget(), in.what.Pop(), &c.trace)
	h.ranks[o.src].rank.Acked(now, o.AtSource(), nil)
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
	h.ranks[in.dst].rank.Received(now, h.out[id].AtTarget(), in.what.Pop(), t)
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
	h.ranks[o.src].rank.Acked(now, o.AtSource(), o.acked.pop())
}

// Credited says that so many more credits of a collective have come to the sender of a queue pair.
func (h *Hosts) Credited(now unit.Time, qp, coll int32, count int) {
	id := h.way(qp).way
	h.plan(h.ranks[h.out[id].src].host, entry{at: now, what: workCredit, a: id, b: int64(coll)<<32 | int64(count)})
}

// creditNVLink tells the rank at the other end of NVLink.
func (h *Hosts) creditNVLink(now unit.Time, id, coll int32) {
	o := &h.out[id]
	o.inside.credits.Push(coll)
	o.inside.given++
	h.plan(h.ranks[o.src].host, entry{at: now.Add(h.cfg.NVLink.Latency), what: workCredit, a: id, b: o.inside.given})
}

// credited tells the sending rank of credits.
func (h *Hosts) credited(now unit.Time, id int32, b int64) {
	o := &h.out[id]
	rank := h.ranks[o.src].rank
	if o.inside != nil {
		rank.Credited(now, o.AtSource(), o.inside.credits.Pop())
		return
	}
	for range int32(b) {
		rank.Credited(now, o.AtSource(), int32(b>>32))
	}
}

func notConnected(w exec.Way) string {
	return fmt.Sprintf("host: rank %d is not connected to rank %d in group %d on channel %d", w.Src, w.Dst, w.Group,
		w.Channel)
}
