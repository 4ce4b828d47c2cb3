package host

import (
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

// Busy reports whether a message is on its way inside a host, or a copy, or about to be where it is read. It is asked
// between windows.
func (h *Hosts) Busy() bool {
	for _, c := range h.inside {
		if c != nil && c.messages.Len() > 0 {
			return true
		}
	}
	for i := range h.hosts {
		for _, k := range h.hosts[i].agenda {
			if e := entryOf(k); e.what != workDone && e.what != workAlarm && e.what != workIdle {
				return true
			}
		}
	}
	return false
}

// Agenda is a number that says what ranks are computing, and for how long: of two instants at which that differs it differs too, but
// for chance.
func (h *Hosts) Agenda(now unit.Time) (sum uint64) {
	for i := range h.hosts {
		for _, k := range h.hosts[i].agenda {
			if entryOf(k).what == workDone { // a heap may have them in any order
				left := splitmix.Mix(k.First - uint64(now))
				sum += splitmix.Mix(splitmix.Mix(left^k.Second) ^ k.Third)
			}
		}
	}
	return sum
}

// Rest has links inside hosts take note of those that have all their bytes by now, and forget times that only messages of
// the past could ask about, where no flow is in service. It is called between windows, while neither hosts nor queue pairs
// are Busy: of a message of a host that hangs it is asked late when it was past a link.
func (h *Hosts) Rest(now unit.Time) {
	for i := range h.hosts {
		at := &h.hosts[i]
		for _, c := range at.copies {
			if c == nil {
				continue
			}
			for _, f := range c.feeds {
				f.link.rest(now)
			}
		}
		for _, all := range [][]share{at.out, at.in, at.links} {
			for k := range all {
				all[k].rest(now)
			}
		}
	}
	for i := range h.pcie {
		if down := h.pcie[i].down; down != nil {
			down.rest(now)
		}
	}
}

func (s *share) rest(now unit.Time) {
	if s.rate == 0 {
		return
	}
	if s.advance(now); len(s.leave) == 0 {
		s.spans = s.spans[:copy(s.spans, s.spans[len(s.spans)-1:])]
	}
}
