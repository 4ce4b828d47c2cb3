package host

import (
	"math/bits"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// share is a link inside a host that several flows use at once, each at an equal part of the
// link's rate: generalised processor sharing (Parekh and Gallager, IEEE/ACM ToN 1 (1993),
// section II). A flow's own bytes go in order.
//
// Nothing happens per byte or per quantum. served is how much each flow in service has got
// since the beginning, as if it had been in service all the time; while n flows are in
// service it grows by rate/n. A byte of a flow is past the link when served has come to the
// byte's own mark, which is known when the byte is posted and never changes: only when
// served comes there changes with those that come and go.
//
//	served  |          /------ one flow in service
//	        |      ___/
//	  mark  |---.-'            two
//	        |  /
//	        | /                one
//	        +-----+---+------- time
//
// Invariants:
//   - while a flow is in service the link is busy at its full rate;
//   - served never falls; what a flow got is exact to 1/4096 of a byte per change of n;
//   - asking changes nothing.
type share struct {
	rate  unit.Bitrate         // 0: takes no time; else as it was before the first turn
	turns []turn               // of the rate, to come
	keep  unit.Duration        // how long ago somebody may still ask about
	last  []mark               // by flow: where its last byte is
	nics  map[topo.NICID]int32 // flows of those that bring bytes; nil: none
	leave lists.Heap           // keys of leaving
	next  unit.Time            // before which nothing changes, unless somebody comes
	spans []span               // in order of time; the last one goes on
}

// mark is an amount of service: bytes, in parts of 1/4096.
type mark int64

const markByte = 4096

// span is a time in which as many flows are in service.
type span struct {
	at     unit.Time
	served mark // at its beginning
	n      int
	rate   unit.Bitrate
}

// leaving is a flow in service, and how far it was to be served when that was last looked at.
type leaving struct {
	at   mark
	flow int32
}

// key orders flows by when they leave.
func (l leaving) key() lists.Key { return lists.Key{First: uint64(l.at), Second: uint64(l.flow)} }

// first returns the flow that leaves first, as far as is known.
func (s *share) first() leaving { return leaving{mark(s.leave[0].First), int32(s.leave[0].Second)} }

// newShare returns a link of a rate whose users ask about the last keep.
func newShare(rate unit.Bitrate, keep unit.Duration, turns ...turn) share {
	return share{rate: rate, turns: turns, keep: keep, spans: []span{{rate: rate}}}
}

// flow adds a flow and returns its number.
func (s *share) flow() int32 {
	s.last = append(s.last, 0)
	return int32(len(s.last) - 1)
}

// flowOf returns the flow of what a NIC brings: its packets come one after the other.
func (s *share) flowOf(nic topo.NICID) int32 {
	flow, ok := s.nics[nic]
	if !ok {
		if s.nics == nil {
			s.nics = map[topo.NICID]int32{}
		}
		flow = s.flow()
		s.nics[nic] = flow
	}
	return flow
}

func (s *share) now() *span { return &s.spans[len(s.spans)-1] }

// add puts b more bytes behind what a flow has, and returns the mark before the first.
func (s *share) add(now unit.Time, flow int32, b unit.Bytes) mark {
	if s.rate == 0 {
		return 0
	}
	s.advance(now)
	c := s.now()
	from, served := s.last[flow], c.served+s.service(c, now.Sub(c.at))
	if from > served { // it is in service
		s.last[flow], s.next = from+mark(b)*markByte, now // it leaves later
		return from
	}
	s.last[flow] = served + mark(b)*markByte
	if b > 0 {
		s.begin(span{now, served, c.n + 1, c.rate})
		s.leave.Push(leaving{s.last[flow], flow}.key())
		s.next = now
	}
	return served
}

// begin starts another span, and forgets those that nobody asks about.
func (s *share) begin(c span) {
	old := 0
	for old+1 < len(s.spans) && s.spans[old+1].at.Add(s.keep) <= c.at {
		old++
	}
	s.spans = append(s.spans[:copy(s.spans, s.spans[old:])], c)
}

// turnsAt is when the rate changes next.
func (s *share) turnsAt() unit.Time {
	if len(s.turns) == 0 {
		return unit.Never
	}
	return s.turns[0].at
}

// turn changes the rate, as it is to.
func (s *share) turn() {
	c, to := s.now(), s.turns[0]
	s.turns = s.turns[1:]
	s.begin(span{to.at, c.served + s.service(c, to.at.Sub(c.at)), c.n, to.rate})
}

// advance ends the service of those that have all their bytes by now.
func (s *share) advance(now unit.Time) {
	if now < s.next {
		return
	}
	for len(s.leave) > 0 || s.turnsAt() <= now {
		if len(s.leave) == 0 {
			s.turn()
			continue
		}
		first := s.first()
		if end := s.last[first.flow]; end > first.at { // it got more bytes since
			s.leave.Pop()
			s.leave.Push(leaving{end, first.flow}.key())
			continue
		}
		c := s.now()
		at := c.at.Add(s.time(c, first.at))
		switch {
		case s.turnsAt() <= min(at, now):
			s.turn()
			continue
		case at > now:
			s.next = min(at, s.turnsAt())
			return
		}
		s.begin(span{at, first.at, c.n - 1, c.rate})
		s.leave.Pop()
	}
	s.next = s.turnsAt()
}

// past returns when a byte with this mark is past the link, or was, as far as that is known:
// if somebody leaves service or the rate changes before, the time of that; and a new flow makes it later. So who
// waits for it asks again then. Of what is past for longer than keep it returns some time
// before now - keep.
func (s *share) past(now unit.Time, m mark) unit.Time {
	if s.rate == 0 {
		return now
	}
	s.advance(now)
	i := s.spanOf(m)
	c := &s.spans[i]
	switch {
	case m <= c.served:
		return c.at
	case i < len(s.spans)-1:
		return min(c.at.Add(s.time(c, m)), s.spans[i+1].at)
	case len(s.leave) > 0:
		m = min(m, s.first().at)
	}
	return min(c.at.Add(s.time(c, m)), s.turnsAt())
}

// spanOf returns the span in which served comes to a mark: the last that begins before that, or else the first. It is mostly
// one of the last; where thousands of flows end soon after each other, it may be far back.
func (s *share) spanOf(m mark) int {
	i := len(s.spans) - 1
	for near := max(0, i-nearSpans); i > near; i-- {
		if s.spans[i].served < m {
			return i
		}
	}
	for low := 0; low < i; { // as sort.Search has it, without a function
		mid := int(uint(low+i+1) / 2)
		if s.spans[mid].served < m {
			low = mid
		} else {
			i = mid - 1
		}
	}
	return i
}

// nearSpans are looked at one by one.
const nearSpans = 4

// ifAllStay is when a byte will be past the link if nobody comes, and nobody leaves before it.
func (s *share) ifAllStay(now unit.Time, m mark) unit.Time {
	if s.rate == 0 {
		return now
	}
	s.advance(now)
	c := s.now()
	return c.at.Add(s.time(c, max(m, c.served)))
}

// time is how long it takes from the beginning of a span until served comes to m: rounded up
// to a picosecond.
func (s *share) time(c *span, m mark) unit.Duration {
	hi, lo := bits.Mul64(uint64(m-c.served)*uint64(c.n), 8*uint64(unit.Second))
	q, rest := bits.Div64(hi, lo, markByte*uint64(c.rate))
	if rest > 0 {
		q++
	}
	return unit.Duration(q)
}

// service is what each flow in service gets in a time: rounded down.
func (s *share) service(c *span, d unit.Duration) mark {
	if c.n == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), markByte*uint64(c.rate))
	q, _ := bits.Div64(hi, lo, 8*uint64(unit.Second)*uint64(c.n))
	return mark(q)
}
