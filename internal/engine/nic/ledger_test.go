package nic

import (
	"slices"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
)

// TestMessageRemembersItsLog: what held up a message is told as the sender knew it when the
// message's last packet left, however far the log has gone when the message arrives: islands may be
// a lookahead apart.
func TestMessageRemembersItsLog(t *testing.T) {
	pace := func(l *ledger, packets int) {
		for range packets {
			l.add(cause.RateLimit, -1, l.end+300)
			l.add(cause.Serialisation, -1, l.end+100)
		}
	}
	tell := func(later int) []exec.Segment {
		l := &ledger{log: true, spare: new(store[cause.Segment])}
		pace(l, 100)
		m := &message{base: l.split}
		m.flow.Posted = l.end
		pace(l, 300)
		start := l.end
		split := senderOf(l, m, start)
		l.remember(start, m)
		pace(l, later) // of messages behind it
		return before(nil, m.held, m.flow.Posted, start, split, 0)
	}
	want := tell(0)
	if len(want) != 600 || want[0] != (exec.Segment{Until: 40_300, Cause: cause.RateLimit, At: -1}) ||
		want[599].Until != unit.Time(160_000) {
		t.Fatalf("%d segments, from %+v to %+v", len(want), want[0], want[len(want)-1])
	}
	for later := range 1000 {
		if !slices.Equal(tell(later), want) {
			t.Fatalf("other segments %d packets later", later)
		}
	}
}

// senderOf is the split of a message's time until a packet left.
func senderOf(l *ledger, m *message, left unit.Time) (s cause.Split) {
	l.at(left, &s)
	m.sender(&s)
	return s
}

// A log that is too long forgets its beginning. What other queue pairs took of the NIC in that time was at its port all the
// same.
func TestQueueingThatTheLogForgotIsAtTheNIC(t *testing.T) {
	const port = 3
	l := &ledger{log: true, port: port, spare: new(store[cause.Segment])}
	m := &message{}
	for range logLimit {
		l.add(cause.Queueing, port, l.end+200)
		l.add(cause.Serialisation, -1, l.end+100)
	}
	split := senderOf(l, m, l.end)
	l.remember(l.end, m)
	at := unit.Time(0)
	var queued unit.Duration
	for _, e := range before(nil, m.held, 0, l.end, split, port) {
		if e.Cause == cause.Queueing {
			if queued += e.Until.Sub(at); e.At != port {
				t.Errorf("queueing until %v at place %d, want %d", e.Until, e.At, port)
			}
		}
		at = e.Until
	}
	if want := unit.Duration(logLimit * 200); queued != want || at != l.end {
		t.Errorf("%v of queueing until %v, want %v until %v", queued, at, want, l.end)
	}
}
