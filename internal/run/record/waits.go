package record

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
)

// circles looks for circles of waits while the run goes on. Where a watchdog breaks them up it looks twice in the time
// that the watchdog takes to see a port, so that it sees each circle first.
type circles struct {
	every unit.Duration // 0: it does not look
	at    unit.Time     // it looked last
	found *result.Deadlock
	ports []topo.PortID // of found
}

// openWaits begins to look.
func (r *Recorder) openWaits() {
	if w := r.plan.Switches.Watchdog(); w != nil {
		r.waits.every = max(w.Detect/2, 1)
	}
}

// next is when it looks next. One circle is enough.
func (w *circles) next() unit.Time {
	if w.every == 0 || w.found != nil {
		return unit.Never
	}
	return w.at.Add(w.every)
}

// Idle says that nothing happens until an instant: the waits stay as they are.
func (r *Recorder) Idle(until unit.Time) {
	r.watch.idle(until)
	if r.waits.every > 0 {
		r.waits.at = until
	}
}

func (r *Recorder) lookWaits(now unit.Time) {
	r.waits.at = now
	if ports := r.network.Deadlock(); ports != nil {
		r.waits.ports = ports
		r.waits.found = &result.Deadlock{At: now}
		for _, id := range ports {
			r.waits.found.Ports = append(r.waits.found.Ports, r.plan.Graph.Ports[id].Name)
		}
	}
}

// LastLook looks for a circle that the run ends in, while the queues of switches are still there.
func (r *Recorder) LastLook() {
	if r.waits.found == nil && r.plan.Switches.Pauses() {
		r.lookWaits(r.network.Now())
	}
}

// finishWatchdog notes what the watchdog did, and a circle of waits: one that was found, or that the run ends in.
func (r *Recorder) finishWatchdog(now unit.Time, s *result.Summary) {
	for id, p := range r.plan.Graph.Ports {
		if st := r.network.Stats(now, topo.PortID(id)); st.Detected > 0 {
			s.Watchdog = append(s.Watchdog, result.WatchdogFigures{
				Port: p.Name, Detected: st.Detected, Restored: st.Restored, Dropped: st.Discarded,
			})
		}
	}
	s.Deadlock = r.waits.found
}

// waitNotes is about circles of waits, and the watchdog.
func (r noting) waitNotes() (notes []string) {
	if d := r.s.Deadlock; d != nil {
		notes = append(notes, fmt.Sprintf("deadlock at %s: %d ports wait for each other in a circle, and none of them moves: %s",
			unit.Duration(d.At).Human(), len(d.Ports), d.Text()))
	}
	if len(r.s.Watchdog) > 0 {
		var all result.WatchdogFigures
		for _, w := range r.s.Watchdog {
			all.Detected, all.Restored, all.Dropped = all.Detected+w.Detected, all.Restored+w.Restored, all.Dropped+w.Dropped
		}
		notes = append(notes, fmt.Sprintf("the PFC watchdog took %s out of PFC (%s put back) and dropped %s",
			countOf(all.Detected, "queue"), unit.Count(all.Restored), countOf(all.Dropped, "frame")))
	}
	return notes
}
