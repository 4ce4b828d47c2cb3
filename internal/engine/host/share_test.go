package host

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

// end asks a share again and again, as its users do, until the byte is past.
func end(s *share, now unit.Time, m mark) unit.Time {
	for {
		at := s.past(now, m)
		if at <= now {
			return at
		}
		now = at
	}
}

// 1 kB behind 100 MB: it takes twice its own time, not the time of the 100 MB.
func TestASmallTransferBesideALargeOne(t *testing.T) {
	s := newShare(504*unit.GigabitPerSec, unit.Microsecond)
	large, small := s.flow(), s.flow()
	s.add(0, large, 100*unit.Megabyte)
	m := s.add(1000, small, 1000)
	if got, want := end(&s, 1000, m+1000*markByte), unit.Time(1000+2*15874); got < want-2 || got > want+2 {
		t.Errorf("1 kB ends at %d ps, want %d", got, want)
	}
}

// Alone, a flow takes what the link takes to transmit its bytes.
func TestAloneAFlowHasTheLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newShare(unit.Bitrate(rapid.Int64Range(1e9, 8e12).Draw(t, "rate")), 0)
		b := unit.Bytes(rapid.Int64Range(1, 1<<40).Draw(t, "bytes"))
		from := unit.Time(rapid.Int64Range(0, 1e12).Draw(t, "from"))
		f := s.flow()
		m := s.add(from, f, b)
		if got, want := end(&s, from, m+mark(b)*markByte), from.Add(s.rate.TransmitTime(b)); got != want {
			t.Fatalf("%d bytes at %v: until %d, want %d", b, s.rate, got, want)
		}
	})
}

// Whoever comes when: the link is busy at its full rate while anybody has bytes, flows that are
// there together get the same, and asking in between changes nothing but the last digits.
func TestSharesAreEqualAndTheLinkIsBusy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newShare(100*unit.GigabitPerSec, unit.Microsecond)
		type transfer struct {
			at   unit.Time
			m    mark
			size unit.Bytes
		}
		var all []transfer
		n := rapid.IntRange(1, 12).Draw(t, "flows")
		now, busy := unit.Time(0), unit.Time(0)
		for range n {
			now = now.Add(unit.Duration(rapid.Int64Range(0, 100_000).Draw(t, "gap")))
			size := unit.Bytes(rapid.Int64Range(1, 3000).Draw(t, "bytes"))
			if rapid.Bool().Draw(t, "ask") && len(all) > 0 {
				s.past(now, all[0].m)
			}
			all = append(all, transfer{now, s.add(now, s.flow(), size) + mark(size)*markByte, size})
			// a link that serves one after the other ends at the same time
			busy = max(busy, now).Add(s.rate.TransmitTime(size))
		}
		// In the order in which they end. Asked again later, each ended when it ended.
		last, at := unit.Time(0), now
		for len(all) > 0 {
			next := 0
			for i := range all {
				if all[i].m < all[next].m {
					next = i
				}
			}
			ended := end(&s, at, all[next].m)
			if again := s.past(ended.Add(unit.Microsecond/2), all[next].m); again != ended {
				t.Fatalf("it ended at %d, asked later at %d", ended, again)
			}
			last = max(last, ended)
			at = max(at, ended)
			all = append(all[:next], all[next+1:]...)
		}
		if late := last.Sub(max(busy, now)); late < 0 || late > unit.Duration(50*n) {
			t.Fatalf("the last ends at %d, want %d and at most 50 ps per flow more", last, busy)
		}
		if n := len(s.leave); n > 0 {
			s.advance(at)
			t.Fatalf("%d flows in service at the end", n)
		}
	})
}
