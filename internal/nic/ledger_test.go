package nic

import (
	"slices"
	"testing"

	"railyard/internal/cause"
	"railyard/internal/exec"
	"railyard/internal/unit"
)

// TestMessageRemembersItsLog: what held up a message is told as the sender knew it when the
// message's last packet left, however far the log has gone when the message arrives: islands may be
// a lookahead apart.
func TestMessageRemembersItsLog(t *testing.T) {
	pace := func(q *qp, packets int) {
		for range packets {
			q.add(cause.RateLimit, -1, q.accounted+300)
			q.add(cause.Serialisation, -1, q.accounted+100)
		}
	}
	tell := func(later int) []exec.Segment {
		q := &qp{log: true}
		pace(q, 100)
		m := &message{base: q.ledger}
		m.flow.Posted = q.accounted
		pace(q, 300)
		start := q.accounted
		m.flow.Split = q.ledger
		m.flow.Split.Sub(&m.base)
		q.remember(start, m)
		pace(q, later) // of messages behind it
		return m.segments(nil, start)
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
