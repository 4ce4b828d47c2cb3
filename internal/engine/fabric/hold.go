package fabric

import "railyard/internal/base/unit"

// hold is what PFC does to an egress queue of a port, by frames and by time; port.paused has a bit of each that is on.
//
//	        xOFF             xOFF of another root
//	goes on ----> held, root ----> held, other root
//	    ^           |  |                |
//	    +-----------+--|-- xON ---------+     or its time is over, or the watchdog relieves it
type hold struct {
	on        bool
	since     unit.Time
	total     unit.Duration // of holds that are over
	root      PortID        // of the last, see PauseRoot
	rootSince unit.Time
	expires   unit.Time // when it runs out, while it is on

	relieved bool      // by the watchdog: it does not heed xOFF
	heard    unit.Time // with a watchdog: the last xOFF
}

// begin has the queue held from an instant on, because of another port's.
func (h *hold) begin(now unit.Time, root PortID) {
	h.on, h.since, h.root, h.rootSince = true, now, root, now
}

// move notes that a hold in force now has another root, and returns how long it had the one before.
func (h *hold) move(now unit.Time, root PortID) RootTime {
	was := RootTime{h.root, now.Sub(h.rootSince)}
	h.root, h.rootSince = root, now
	return was
}

// end has it go on, and returns how long it was held because of the last root.
func (h *hold) end(now unit.Time) RootTime {
	h.on = false
	h.total += now.Sub(h.since)
	return RootTime{h.root, now.Sub(h.rootSince)}
}

// lasts sets how long an xOFF of so many quanta holds at a rate, 0: until xON; and returns the instant.
func (h *hold) lasts(now unit.Time, r unit.Bitrate, quanta uint16) unit.Time {
	if h.expires = unit.Never; quanta > 0 {
		h.expires = now.Add(quantaTime(r, quanta))
	}
	return h.expires
}

// over reports whether a hold's time is over.
func (h *hold) over(now unit.Time) bool { return h.on && h.expires <= now }

// by is how long the queue has been held in all, up to now.
func (h *hold) by(now unit.Time) unit.Duration {
	if h.on {
		return h.total + now.Sub(h.since)
	}
	return h.total
}

// heeds notes an xOFF, and reports whether the queue is under PFC.
func (h *hold) heeds(now unit.Time) bool {
	h.heard = now
	return !h.relieved
}

// watching is what a watchdog does.
type watching uint8

const (
	waits    watching = iota
	relieves          // takes the queue out of PFC
	restores          // puts it back
)

// watch has a watchdog look at the queue, and says what it does and when it looks again, or Never: as long as a queue
// is empty nothing suffers.
func (h *hold) watch(now unit.Time, w *Watchdog, empty bool) (act watching, again unit.Time) {
	switch {
	case h.relieved && h.heard.Add(w.Restore) <= now:
		h.relieved = false
		return restores, unit.Never
	case h.relieved:
		return waits, h.heard.Add(w.Restore)
	case !h.on:
		return waits, unit.Never
	case h.since.Add(w.Detect) > now:
		return waits, h.since.Add(w.Detect)
	case empty:
		return waits, now.Add(w.Detect)
	}
	h.relieved = true
	return relieves, now.Add(w.Restore)
}
