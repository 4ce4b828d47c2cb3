package nic

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/sim"
	"railyard/internal/unit"
)

type hostWork Net

// host is a server: its NVLink pipes and its agenda.
type host struct {
	island  int32
	agenda  heap[entry] // of future work
	wakeAt  unit.Time
	last    bool      // AsScheduled: its event was put behind the others of this instant
	out, in []share   // NVLink, by GPU
	copies  []*copies // by GPU; nil: none yet
	copying bool      // some GPU has
}

// work is what an agenda entry is about; entries of one instant are taken in this order.
type work uint8

const (
	workPost    work = iota // post the next message of explicit flow a
	workStart               // start rank a
	workDone                // rank a: token b has run
	workNVLink              // connection a: the oldest message is delivered
	workCarried             // connection a: look whether the oldest messages are past NVLink
	workPlaced              // connection a: the oldest received message is placed
	workAcked               // connection a: the oldest sent message is acknowledged
	workClear               // connection a: a slice is placed, its slot is free
	workAdmit               // connection a: the sender knows of a free slot
	workMissed              // connection a: the clear-to-send of slice b must have come by now
	workCredit              // connection a: the sender knows of b credits
	workRepeat              // connection a: the sender's answer to b credits must have come by now
	workCopied              // rank a: look whether its copy is past PCIe
)

type entry struct {
	at   unit.Time
	what work
	a    int32
	b    int64
}

func (x entry) Before(y entry) bool {
	switch {
	case x.at != y.at:
		return x.at < y.at
	case x.what != y.what:
		return x.what < y.what
	case x.a != y.a:
		return x.a < y.a
	}
	return x.b < y.b
}

// plan puts work on a host's agenda.
func (n *Net) plan(id int32, e entry) {
	h := &n.hosts[id]
	h.agenda.push(e)
	if e.at < h.wakeAt {
		h.wakeAt = e.at
		n.eng.At(h.island, e.at, sim.MakeKey(sim.Host, classHost, id))
	}
}

// Handle does the work that is due on host owner.
func (hw *hostWork) Handle(_ *sim.Island, now unit.Time, owner int32) {
	n := (*Net)(hw)
	h := &n.hosts[owner]
	if h.wakeAt > now {
		return // an earlier event did this one's work and armed anew
	}
	if n.cfg.AsScheduled && !h.last {
		h.last = true
		n.eng.At(h.island, now, sim.MakeKey(sim.Host, classHost, owner))
		return
	}
	h.last = false
	n.now = now
	h.wakeAt = now // what is planned for this instant is taken by the loop
	for len(h.agenda) > 0 && h.agenda[0].at <= now {
		n.do(now, h.agenda.pop())
	}
	h.wakeAt = unit.Never
	if len(h.agenda) > 0 {
		h.wakeAt = h.agenda[0].at
		n.eng.At(h.island, h.wakeAt, sim.MakeKey(sim.Host, classHost, owner))
	}
}

func (n *Net) do(now unit.Time, e entry) {
	switch e.what {
	case workPost:
		n.postFlow(now, e.a)
	case workStart:
		n.ranks[e.a].rank.Start(now)
	case workDone:
		n.finish(e.a, exec.Token(e.b))
		n.ranks[e.a].rank.Done(now, exec.Token(e.b))
	case workNVLink:
		n.delivered(now, e.a)
	case workCarried:
		n.carried(now, e.a)
	case workPlaced:
		c := &n.conns[e.a]
		t := c.placed.pop()
		n.ranks[c.dst].rank.Received(now, c.AtTarget(), c.posted.pop(), t)
	case workAcked:
		c := &n.conns[e.a]
		n.ranks[c.src].rank.Acked(now, c.AtSource(), c.acked.pop())
	case workAdmit:
		n.postAdmitted(now, e.a)
	case workClear:
		n.clear(now, e.a)
	case workMissed:
		n.missedClear(now, e.a, uint32(e.b))
	case workCredit:
		n.takeCredits(now, e.a, uint32(e.b))
	case workRepeat:
		n.repeatCredit(now, e.a, uint32(e.b))
	case workCopied:
		n.copied(now, e.a)
	}
}

// rankState is a rank and where it lives.
type rankState struct {
	rank  *exec.Rank
	host  int32
	gpu   int32
	tasks map[exec.Token]*task
}

// conn is a way over a queue pair, or over NVLink within a host.
type conn struct {
	exec.Way // as the job numbers its ranks
	job      *Job
	src, dst int32           // the ranks: indices in Net.ranks
	qp       int32           // -1: NVLink
	feeds    []feed          // of NVLink
	nvlink   queue[transfer] // not delivered
	past     int             // of those, how many are past the link and on their way
	busy     unit.Time       // its channel is, until then
	there    unit.Time       // the last message is, for its receiver: none comes before it
	placed   traces
	acked    traces
	posted   queue[exec.Arrival] // and not received
	segment  [1]exec.Segment
	trace    exec.Trace

	admitted admitted
	credited credited
}

// transfer is a message over NVLink that is posted and not delivered.
type transfer struct {
	posted   unit.Time
	ends     [2]mark       // behind its last byte, by feed
	least    unit.Time     // when it may be past the link
	late     unit.Duration // how much later than the link's latency it is there
	from, to []byte
}

// feed is a flow of a link inside a host.
type feed struct {
	link *share
	flow int32
}

func newFeed(s *share) feed { return feed{s, s.flow()} }

// traces is a queue of message traces whose memory is used again.
type traces struct {
	buf     []exec.Trace
	head, n int
}

func (t *traces) push(posted, placed unit.Time, s []exec.Segment) {
	if t.n == len(t.buf) {
		buf := make([]exec.Trace, max(2, 2*len(t.buf)))
		for i := range t.n {
			buf[i] = t.buf[(t.head+i)&(len(t.buf)-1)]
		}
		t.buf, t.head = buf, 0
	}
	tr := &t.buf[(t.head+t.n)&(len(t.buf)-1)]
	tr.Posted, tr.Placed = posted, placed
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
func (n *Net) postNVLink(now unit.Time, id int32, w exec.Wire, from, to []byte) {
	c := &n.conns[id]
	t := transfer{posted: now, from: from, to: to, late: w.Inside}
	for i, b := range [...]unit.Bytes{w.Out, w.In} {
		t.ends[i] = c.feeds[i].link.add(now, c.feeds[i].flow, b) + mark(b)*markByte
	}
	c.busy = max(c.busy, now).Add(w.Busy)
	t.least = c.busy
	c.nvlink.push(t)
	if c.nvlink.n == c.past+1 { // else the one before it is looked at first
		n.carried(now, id)
	}
}

// carried sends what is past NVLink on its way, and looks again when the next message may be.
func (n *Net) carried(now unit.Time, id int32) {
	c := &n.conns[id]
	for c.past < c.nvlink.n {
		t := c.nvlink.at(c.past)
		at := max(now, t.least)
		for i, f := range c.feeds {
			at = max(at, f.link.past(now, t.ends[i]))
		}
		h := n.ranks[c.src].host
		if at > now {
			n.plan(h, entry{at: at, what: workCarried, a: id})
			return
		}
		c.past++
		c.there = max(c.there, now.Add(n.cfg.NVLink.Latency+t.late))
		n.plan(h, entry{at: c.there, what: workNVLink, a: id})
	}
}

// delivered completes the oldest NVLink message of a connection, for both ranks.
func (n *Net) delivered(now unit.Time, id int32) {
	c := &n.conns[id]
	m := c.nvlink.pop()
	c.past--
	copy(m.to, m.from)
	c.segment[0] = exec.Segment{Until: now, Cause: cause.NVLink, At: -1}
	c.trace = exec.Trace{Posted: m.posted, Placed: now, Segments: c.segment[:]}
	n.ranks[c.dst].rank.Received(now, c.AtTarget(), c.posted.pop(), &c.trace)
	n.ranks[c.src].rank.Acked(now, c.AtSource(), nil)
}

// received plans the completion of a message that came over a queue pair.
func (n *Net) received(id int32, m *message, s []exec.Segment) {
	c := &n.conns[id]
	if c.job.admission.Slots > 0 {
		n.plan(n.ranks[c.dst].host, entry{at: m.flow.Placed, what: workClear, a: id, b: n.ends[c.qp].done})
	}
	if m.part {
		return
	}
	s = waited(s, m.asked, m.flow.Posted)
	c.there = max(c.there, m.flow.Placed.Add(m.msg.Wire.Between))
	if c.there > m.flow.Placed { // proxy, NIC and rank find out that it is there
		s = append(s, exec.Segment{Until: c.there, Cause: cause.NIC, At: -1})
	}
	c.placed.push(m.asked, c.there, s)
	n.plan(n.ranks[c.dst].host, entry{at: c.there, what: workPlaced, a: id, b: int64(n.ends[c.qp].done)})
}

// sent plans the sender's side of it.
func (n *Net) sent(id int32, m *message, now unit.Time) {
	if m.part {
		return
	}
	c := &n.conns[id]
	c.acked.push(min(m.flow.Placed, now), now, n.segments)
	n.plan(n.ranks[c.src].host, entry{at: now, what: workAcked, a: id, b: n.qps[c.qp].popped})
}

// run lets a rank's operation take its time.
func (n *Net) run(rank int32, tok exec.Token, d unit.Duration, body func()) {
	r := &n.ranks[rank]
	if body != nil {
		if t := n.cfg.Bodies.start(d, body); t != nil {
			r.tasks[tok] = t
		}
	}
	n.plan(r.host, entry{at: n.now.Add(d), what: workDone, a: rank, b: int64(tok)})
}

// finish waits for the real work of an operation whose virtual time is over.
func (n *Net) finish(rank int32, tok exec.Token) {
	r := &n.ranks[rank]
	if t, ok := r.tasks[tok]; ok {
		delete(r.tasks, tok)
		t.wait()
	}
}

// FlowSpec is an explicit flow: messages of Bytes each, Count of them, the k-th posted at Start +
// k*Every. Count 0: no end.
type FlowSpec struct {
	QP    int32
	Start unit.Time
	Bytes unit.Bytes
	Count int64
	Every unit.Duration
	// From and To are the bytes that each message carries, of length Bytes; nil: none.
	From, To []byte
}

// AddFlow plans an explicit flow; the Tag of its messages is their number.
func (n *Net) AddFlow(s FlowSpec) {
	n.flows = append(n.flows, flowState{FlowSpec: s})
	n.planPost(s.Start, int32(len(n.flows)-1))
}

// planPost plans the next post of an explicit flow. In order of scheduling, the agenda of the first
// host holds the posts of all hosts: at one instant, the flow that was added first goes first.
func (n *Net) planPost(at unit.Time, id int32) {
	h := n.nics[n.qps[n.flows[id].QP].nic].host
	if n.cfg.AsScheduled {
		h = 0
	}
	n.plan(h, entry{at: at, what: workPost, a: id})
}

type flowState struct {
	FlowSpec
	posted int64
}

func (n *Net) postFlow(now unit.Time, id int32) {
	f := &n.flows[id]
	m := n.post(now, f.QP, f.Bytes, f.posted)
	m.from, m.to = f.From, f.To
	f.posted++
	if f.Count == 0 || f.posted < f.Count {
		n.planPost(now.Add(f.Every), id)
	}
}
