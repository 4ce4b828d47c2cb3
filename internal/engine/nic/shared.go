package nic

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
)

// Quirks are what the NIC of the HPCC authors' simulator does and no other: packets leave later than
// they could. The zero value has none of them.
type Quirks struct {
	// Repace: a change of rate moves the start of the next packet, which was set when the packet
	// before it left.
	Repace bool
	// SharedTimer: one pacing timer for all queue pairs of a NIC, see armShared, and one list of
	// those with messages, see ring. It is slow: a NIC that has nothing to send looks at all its
	// queue pairs.
	SharedTimer bool
}

// sharedTimer is the state of a NIC with one pacing timer.
type sharedTimer struct {
	rings     [8]ring     // queue pairs with messages, by class
	cancelled []unit.Time // classSend events still to come that mean nothing
	// Windows are looked at whenever a NIC looks for something to send, since they grow unasked.
	reopens bool
}

func newSharedTimer(ctl cc.Params) *sharedTimer {
	return &sharedTimer{reopens: cc.WindowGrowsUnasked(ctl)}
}

// wasCancelled reports whether an event of now means nothing: it was scheduled before any that does.
func (t *sharedTimer) wasCancelled(now unit.Time) bool {
	i := slices.Index(t.cancelled, now)
	if i >= 0 {
		t.cancelled = slices.Delete(t.cancelled, i, i+1)
	}
	return i >= 0
}

// enter puts a queue pair that gets a message into its NIC's ring. A queue pair that had finished
// and is still in the ring keeps its place.
func (c *card) enter(s *sender) {
	r := &c.shared.rings[s.class]
	before := len(r.list)
	if r.add(s.number); len(r.list) == before && s.n == 0 {
		r.done--
	}
}

// reopen looks again at the queue pairs whose windows were full.
func (c *card) reopen(now unit.Time) {
	if !c.shared.reopens {
		return
	}
	for _, id := range c.qps {
		if s := &c.net.senders[id]; s.state == blocked && !s.WindowFull(now, &c.net.cfg.Transport) {
			s.account(now)
			s.schedule(now, now)
		}
	}
}

// swept tells a NIC's ring which queue pair is served, -1: none.
func (c *card) swept(class uint8, number int32) {
	c.shared.rings[class].served(number, func(i int32) bool { return c.net.senders[c.qps[i]].n == 0 })
}

// armShared schedules an idle NIC as the HPCC authors' simulator does. There is one timer. If it is
// not pending, it is set to the earliest time at which pacing allows any queue pair with something
// to send, even one whose window is full. If that time is over because a window is full, no timer
// is set: queue pairs that are paced for later wait until an acknowledgement or another event makes
// the NIC look again.
func (c *card) armShared(now unit.Time) {
	for i := range c.out.Classes() {
		cl := c.out.Class(i)
		c.swept(cl, -1)
		c.out.Ready[cl].Served(c.shared.rings[cl].before())
	}
	if c.wakeAt != unit.Never {
		return
	}
	first := unit.Never
	for _, i := range c.qps {
		if s := &c.net.senders[i]; s.Ready() {
			first = min(first, s.Due())
		}
	}
	if first > now && first != unit.Never {
		c.wake(first)
	}
}

// repace moves the start of a queue pair's next packet to where the present rate puts it.
func (s *sender) repace(now unit.Time) {
	c := s.card
	left, frame := s.Left()
	if frame == 0 {
		return
	}
	tx, gap := c.net.fab.Spacing(c.port, frame, s.Rate(now))
	at := left.Add(max(tx, gap))
	if t := c.shared; t != nil && c.wakeAt != unit.Never && at < c.wakeAt {
		t.cancelled = append(t.cancelled, c.wakeAt)
		c.wake(max(at, now))
	}
	if at == s.Paced() {
		return
	}
	s.Repace(at)
	if s.state == waiting {
		c.out.Wait(s.Due(), s.id)
		c.kick(now)
	}
}
