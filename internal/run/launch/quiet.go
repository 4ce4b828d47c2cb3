package launch

import (
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// Processes and launchers say that they live every so often, and are asked after when they have not for so long.
const (
	beatEvery = 500 * time.Millisecond
	silence   = 5 * time.Second

	firstSilence = 30 * time.Second // of a process that has just been started
)

// quiet is for how long somebody who gives signs has given none, as far as who looks could have seen one. A gap between two
// looks counts as lookMost: who looks late had no processor, and a sign of that time may not have come to be seen yet.
type quiet struct {
	at     time.Time // of the last look
	length time.Duration
}

const lookMost = 2 * beatEvery

// look is a look, at which there was a sign since the last, or none.
func (q *quiet) look(now time.Time, sign bool) time.Duration {
	if gap := now.Sub(q.at); sign || q.at.IsZero() {
		q.length = 0
	} else {
		q.length += min(gap, lookMost)
	}
	q.at = now
	return q.length
}

// sentry watches a process, whose sign is a counter: a clock may be set. One that wants a processor and gets none is slow,
// and not silent.
type sentry struct {
	quiet quiet
	beat  int64
	asked bool          // used is known
	used  time.Duration // processor time, soon after its last sign
}

// enough is the processor time in which a process that lives gives a sign, many times over.
const enough = time.Second

// look is a look at a process, and reports whether its silence counts. processor says what processor time it has used,
// and whether it wants more.
func (s *sentry) look(now time.Time, beat int64, processor func() (used time.Duration, wants bool)) bool {
	sign := beat != s.beat
	s.beat = beat
	length := s.quiet.look(now, sign)
	if length < lookMost {
		s.asked = false
		return false
	}
	if !s.asked {
		s.used, _ = processor()
		s.asked = true
	}
	if length < silence {
		return false
	}
	if used, wants := processor(); wants && used-s.used < enough {
		s.quiet.length = lookMost
		return false
	}
	return true
}

// text says of a process whose silence counts what is the matter; "": it has only begun.
func (s *sentry) text(stopped bool) string {
	switch {
	case stopped:
		return "is stopped (by a signal or a debugger: kill -CONT lets it go on)"
	case s.beat > 0:
		return fmt.Sprintf("has not answered for %v", silence)
	case s.quiet.length < firstSilence:
		return ""
	}
	return fmt.Sprintf("has given no sign for %v", firstSilence)
}

// hearing is a connection that is read by one goroutine and judged by another. Each byte that comes is a sign, be it of a
// frame that takes long; and while what has come is handed on, more may lie there unread.
type hearing struct {
	net.Conn
	signs atomic.Int64
	busy  atomic.Bool

	quiet quiet // of who judges
	seen  int64
}

func (h *hearing) Read(b []byte) (n int, err error) {
	if n, err = h.Conn.Read(b); n > 0 {
		h.signs.Add(1)
	}
	return n, err
}

// hand hands on what was read.
func (h *hearing) hand(on func()) {
	h.busy.Store(true)
	on()
	h.signs.Add(1)
	h.busy.Store(false)
}

// quietFor is for how long nothing has come, where who judges looks now.
func (h *hearing) quietFor(now time.Time) time.Duration {
	n := h.signs.Load()
	sign := n != h.seen || h.busy.Load()
	h.seen = n
	return h.quiet.look(now, sign)
}
