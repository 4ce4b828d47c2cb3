package nic

import (
	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/fabric"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// logLimit is how many spans a queue pair keeps in order of time. Of a message with more spans, the
// older half is kept as totals only.
const logLimit = 1024

// add notes that from the end of the ledger to until, c held up the queue pair, at a port or, with
// -1, at no particular place.
func (q *qp) add(c cause.Cause, at topo.PortID, until unit.Time) {
	if until <= q.accounted {
		return
	}
	q.ledger[c] += until.Sub(q.accounted)
	if c == cause.Pause {
		q.pauses = fabric.AddRoot(q.pauses, at, until.Sub(q.accounted))
	}
	q.accounted = until
	if !q.log {
		return
	}
	if k := len(q.entries); k > 0 && q.entries[k-1].Cause == c && q.entries[k-1].At == int32(at) {
		q.entries[k-1].Until = until
		return
	}
	if len(q.entries) >= logLimit {
		q.entries = q.entries[:copy(q.entries, q.entries[logLimit/2:])]
	}
	q.entries = append(q.entries, exec.Segment{Until: until, Cause: c, At: int32(at)})
}

// account brings the ledger up to now, according to the queue pair's state since the end of the
// ledger. It is called before any change of that state.
func (n *Net) account(q *qp, now unit.Time) {
	if now <= q.accounted {
		return
	}
	switch q.state {
	case idle:
		// Either nothing is posted, and no message's span covers this; or all is sent and something
		// was lost.
		q.add(cause.Retransmission, -1, now)
	case blocked:
		q.add(cause.Window, -1, now)
	default:
		// If two limits are in force, the cause is the one that ends later.
		if q.hostAvail >= q.nextAvail {
			q.addHost(min(now, q.hostAvail))
		} else {
			q.add(cause.RateLimit, -1, min(now, q.nextAvail))
		}
		port := n.nics[q.nic].port
		if n.nics[q.nic].paused&(1<<q.class) != 0 {
			q.add(cause.Pause, n.fab.PauseRoot(port, q.class), now)
		} else {
			q.add(cause.Queueing, port, now)
		}
	}
}

// addHost adds the way of a packet's bytes from the GPU to the NIC: NVLink to the GPU at the NIC,
// PCIe, the NIC itself; then the time that the slowest pipe takes to carry the bytes before it.
func (q *qp) addHost(until unit.Time) {
	w := &q.way
	q.add(cause.NVLink, -1, min(until, w.nvlink))
	q.add(cause.PCIe, -1, min(until, w.pcie))
	q.add(cause.NIC, -1, min(until, w.nic))
	q.add(w.slowest, -1, until)
}

// ledgerAt returns the ledger as of now; now may be before the end of the transmission that was
// added last.
func (q *qp) ledgerAt(now unit.Time) cause.Split {
	l := q.ledger
	if q.accounted > now {
		l[q.txCause] -= q.accounted.Sub(now)
	}
	return l
}

// segmentsOf lists in order of time what held up a message from its post until its last packet left
// at start. total is the exact split of that time. Where the log does not reach back far enough,
// the missing part is laid out in the order of the causes.
func (q *qp) segmentsOf(out []exec.Segment, posted, start unit.Time, total cause.Split) []exec.Segment {
	from := 0
	for from < len(q.entries) && q.entries[from].Until <= posted {
		from++
	}
	begin := posted
	rest := total
	if from < len(q.entries) {
		if from == 0 {
			begin = q.entries[0].Until // what the first entry covers has no known start
			from = 1
		}
		at := begin
		for _, e := range q.entries[from:] {
			until := min(e.Until, start)
			if until > at {
				rest[e.Cause] -= until.Sub(at)
				at = until
			}
		}
	} else {
		begin = start
	}
	// What the log does not cover lies between posted and begin.
	at := posted
	if begin > posted {
		for c, d := range rest {
			if d > 0 && at < begin {
				at = min(begin, at.Add(d))
				out = append(out, exec.Segment{Until: at, Cause: cause.Cause(c), At: -1})
			}
		}
	}
	at = begin
	for _, e := range q.entries[min(from, len(q.entries)):] {
		until := min(e.Until, start)
		if until > at {
			out = append(out, exec.Segment{Until: until, Cause: e.Cause, At: e.At})
			at = until
		}
	}
	return out
}

// remember keeps with a message what held it up, when its last packet leaves for the first time.
// The log goes on and forgets, and how far it has come when the message arrives depends on the
// partition.
func (q *qp) remember(now unit.Time, m *message) {
	total := q.ledgerAt(now)
	total.Sub(&m.base)
	m.held = m.ownBefore(q.segmentsOf(m.held[:0], m.flow.Posted, now, total))
}

// ownBefore gives the bits that were sent before a message's first packet their cause for this
// message: earlier packets of its queue pair.
func (m *message) ownBefore(s []exec.Segment) []exec.Segment {
	from := m.flow.Posted
	for i := 0; i < len(s) && from < m.begun; i++ {
		until := s[i].Until
		if s[i].Cause == cause.Serialisation {
			if until > m.begun { // cut in two
				s = append(s, exec.Segment{})
				copy(s[i+1:], s[i:])
				s[i].Until = m.begun
			}
			s[i].Cause = cause.OwnQueueing
		}
		from = until
	}
	return s
}

// sender returns the split of a message's time until its last packet left; total is that of the
// ledger.
func (m *message) sender(total cause.Split) cause.Split {
	total.Sub(&m.base)
	if ahead := m.ahead - m.base[cause.Serialisation]; m.begun >= 0 && ahead > 0 {
		total[cause.Serialisation] -= ahead
		total[cause.OwnQueueing] += ahead
	}
	return total
}

// pauseRoot returns the port that caused most of the pauses since a message was posted, -1 if there
// were none.
func (q *qp) pauseRoot(m *message) topo.PortID {
	root, most := topo.PortID(-1), unit.Duration(0)
	for i, r := range q.pauses {
		d := r.Time
		if i < len(m.pauses0) {
			d -= m.pauses0[i]
		}
		if d > most {
			root, most = r.Root, d
		}
	}
	return root
}

// segments lists in order of time what held up a message until the packet that completed it left at
// start. The time after its last packet had left for the first time is laid out in the order of the
// causes.
func (m *message) segments(out []exec.Segment, start unit.Time) []exec.Segment {
	at, rest := m.flow.Posted, m.flow.Split
	for _, e := range m.held {
		if until := min(e.Until, start); until > at {
			out = append(out, exec.Segment{Until: until, Cause: e.Cause, At: e.At})
			rest[e.Cause] -= until.Sub(at)
			at = until
		}
	}
	for c, d := range rest {
		if d > 0 && at < start {
			at = min(start, at.Add(d))
			out = append(out, exec.Segment{Until: at, Cause: cause.Cause(c), At: -1})
		}
	}
	return out
}
