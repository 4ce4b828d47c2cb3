package nic

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// logLimit is how many spans a queue pair keeps in order of time. Of a message with more spans, the
// older half is kept as totals only.
const logLimit = 1024

// ledger says why a queue pair's next byte did not leave, up to end.
type ledger struct {
	split  cause.Split
	end    unit.Time
	last   cause.Cause // of the transmission that was added last
	log    bool        // entries are kept
	pauses []fabric.RootTime
	links  []fabric.RootTime // of PCIe, by their places: see host.Place
	spans  []cause.Segment   // in order of time; those of queue pairs without a message lie in one
	one    [1]cause.Segment
	spare  *store[cause.Segment]
	port   topo.PortID // of the NIC: where other queue pairs are served first
}

// add notes that from the end of the ledger to until, c held up the queue pair, at a port or a link of
// PCIe or, with -1, at no particular place.
func (l *ledger) add(c cause.Cause, at topo.PortID, until unit.Time) {
	if until <= l.end {
		return
	}
	l.split[c] += until.Sub(l.end)
	switch {
	case c == cause.Pause:
		l.pauses = fabric.AddRoot(l.pauses, at, until.Sub(l.end))
	case c == cause.PCIe && at >= 0:
		l.links = fabric.AddRoot(l.links, at, until.Sub(l.end))
	}
	l.end = until
	if !l.log {
		return
	}
	if k := len(l.spans); k > 0 && l.spans[k-1].Cause == c && l.spans[k-1].At == int32(at) {
		l.spans[k-1].Until = until
		return
	}
	if len(l.spans) >= logLimit {
		l.spans = l.spans[:copy(l.spans, l.spans[logLimit/2:])]
	}
	if cap(l.spans) <= len(l.one) {
		l.spans = append(l.spare.take()[:0], l.spans...)
	}
	l.spans = append(l.spans, cause.Segment{Until: until, Cause: c, At: int32(at)})
}

// settle gives back the memory of spans, since no message is there. The last stays: see restart.
func (l *ledger) settle() {
	if k := len(l.spans); k > 0 && cap(l.spans) > len(l.one) {
		l.one[0] = l.spans[k-1]
		l.spare.give(l.spans)
		l.spans = l.one[:]
	}
}

// restart forgets the spans but for the last: no message is there that began before its end. So what is kept of a message does
// not depend on those before it, where the queue pair had come to rest between them.
func (l *ledger) restart() {
	if k := len(l.spans); k > 1 {
		l.spans[0] = l.spans[k-1]
		l.spans = l.spans[:1]
	}
}

// addHost adds the way of a packet's bytes from the GPU to the NIC: NVLink to the GPU at the NIC,
// PCIe, the NIC itself; then the time that the slowest pipe takes to carry the bytes before it.
func (l *ledger) addHost(w *host.Way, until unit.Time) {
	l.add(cause.NVLink, -1, min(until, w.NVLink))
	l.add(cause.PCIe, -1, min(until, w.PCIe))
	l.add(cause.NIC, -1, min(until, w.NIC))
	l.add(w.Slowest, topo.PortID(w.At), until)
}

// account brings the ledger up to now, according to the queue pair's state since the end of the
// ledger. It is called before any change of that state.
func (s *sender) account(now unit.Time) {
	l := &s.ledger
	if now <= l.end {
		return
	}
	switch s.state {
	case idle:
		// Either nothing is posted, and no message's span covers this; or all is sent and something
		// was lost.
		l.add(cause.Retransmission, -1, now)
	case blocked:
		l.add(cause.Window, -1, now)
	default:
		// If two limits are in force, the cause is the one that ends later.
		if s.Here() >= s.Paced() {
			l.addHost(&s.way, min(now, s.Here()))
		} else {
			l.add(cause.RateLimit, -1, min(now, s.Paced()))
		}
		if c := s.card; c.paused&(1<<s.class) != 0 {
			l.add(cause.Pause, c.net.fab.PauseRoot(c.port, s.class), now)
		} else {
			l.add(cause.Queueing, c.port, now)
		}
	}
}

// at writes the ledger as of now to s; now may be before the end of the transmission that was added
// last.
func (l *ledger) at(now unit.Time, s *cause.Split) {
	*s = l.split
	s[l.last] = l.of(l.last, now)
}

// of returns what the ledger has for a cause as of now.
func (l *ledger) of(c cause.Cause, now unit.Time) unit.Duration {
	d := l.split[c]
	if c == l.last && l.end > now {
		d -= l.end.Sub(now)
	}
	return d
}

// since lists in order of time what held up a message from its post until its last packet left
// at start. total is the exact split of that time. Where the log does not reach back far enough,
// the missing part is laid out in the order of the causes.
func (l *ledger) since(out []cause.Segment, posted, start unit.Time, total cause.Split) []cause.Segment {
	from := len(l.spans) // most messages are of the last few spans
	for from > 0 && l.spans[from-1].Until > posted {
		from--
	}
	begin := posted
	rest := total
	if from < len(l.spans) {
		if from == 0 {
			begin = l.spans[0].Until // what the first entry covers has no known start
			from = 1
		}
		at := begin
		for _, e := range l.spans[from:] {
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
	if begin > posted {
		out = layOut(out, posted, begin, &rest, l.port)
	}
	at := begin
	for _, e := range l.spans[min(from, len(l.spans)):] {
		until := min(e.Until, start)
		if until > at {
			out = append(out, cause.Segment{Until: until, Cause: e.Cause, At: e.At})
			at = until
		}
	}
	return out
}

// layOut lists the causes of the time from at to end in their own order. A sender queues at the port of its NIC; where
// the others were is not known.
func layOut(out []cause.Segment, at, end unit.Time, rest *cause.Split, port topo.PortID) []cause.Segment {
	for c, d := range rest {
		if d > 0 && at < end {
			place := int32(-1)
			if cause.Cause(c) == cause.Queueing {
				place = int32(port)
			}
			at = min(end, at.Add(d))
			out = append(out, cause.Segment{Until: at, Cause: cause.Cause(c), At: place})
		}
	}
	return out
}

// remember keeps with a message what held it up, when its last packet leaves for the first time.
// The log goes on and forgets.
func (l *ledger) remember(now unit.Time, m *message) {
	var total cause.Split
	l.at(now, &total)
	total.Sub(&m.base)
	m.held = m.ownBefore(l.since(l.spare.take()[:0], m.flow.Posted, now, total))
}

// ownBefore gives the bits that were sent before a message's first packet their cause for this
// message: earlier packets of its queue pair.
func (m *message) ownBefore(s []cause.Segment) []cause.Segment {
	from := m.flow.Posted
	for i := 0; i < len(s) && from < m.begun; i++ {
		until := s[i].Until
		if s[i].Cause == cause.Serialisation {
			if until > m.begun { // cut in two
				s = append(s, cause.Segment{})
				copy(s[i+1:], s[i:])
				s[i].Until = m.begun
			}
			s[i].Cause = cause.OwnQueueing
		}
		from = until
	}
	return s
}

// sender makes of the ledger's split that of a message's time until a packet left.
func (m *message) sender(total *cause.Split) {
	total.Sub(&m.base)
	if ahead := m.ahead - m.base[cause.Serialisation]; m.begun >= 0 && ahead > 0 {
		total[cause.Serialisation] -= ahead
		total[cause.OwnQueueing] += ahead
	}
}

// times are those of all that have been at some place.
func times(into []unit.Duration, all []fabric.RootTime) []unit.Duration {
	into = into[:0]
	for _, r := range all {
		into = append(into, r.Time)
	}
	return into
}

// most returns the place with most of the times since they were as given, -1 if there were none.
func most(all []fabric.RootTime, since []unit.Duration) topo.PortID {
	place, most := topo.PortID(-1), unit.Duration(0)
	for i, r := range all {
		d := r.Time
		if i < len(since) {
			d -= since[i]
		}
		if d > most {
			place, most = r.Root, d
		}
	}
	return place
}

// before lists in order of time what held up a message from its post until the packet that completed
// it left at start: as the sender listed it when the last packet left for the first time. The time
// after that is laid out in the order of the causes.
func before(out, held []cause.Segment, posted, start unit.Time, rest cause.Split, port topo.PortID) []cause.Segment {
	at := posted
	for _, e := range held {
		if until := min(e.Until, start); until > at {
			out = append(out, cause.Segment{Until: until, Cause: e.Cause, At: e.At})
			rest[e.Cause] -= until.Sub(at)
			at = until
		}
	}
	return layOut(out, at, start, &rest, port)
}

// waited puts the wait for a slot before the segments of a message. Its cause is the window.
func waited(s []exec.Segment, asked, posted unit.Time) []exec.Segment {
	if posted == asked {
		return s
	}
	s = append(s, exec.Segment{})
	copy(s[1:], s)
	s[0] = exec.Segment{Until: posted, Cause: cause.Window, At: -1}
	return s
}
