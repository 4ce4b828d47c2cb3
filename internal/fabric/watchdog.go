package fabric

import (
	"railyard/internal/sim"
	"railyard/internal/unit"
)

// Watchdog is what switches do about a queue that PFC holds for too long, as SONiC's PFC watchdog does: a port that has
// been paused for Detect, with frames waiting and none leaving, is relieved. What waits is dropped, and what comes
// meanwhile; or with Forward it leaves in spite of the pause. When no xOFF has come for Restore all is as before.
//
//	xOFF ... xOFF ... xOFF                        no more xOFF
//	  |---- Detect ----|========= relieved =========|--- Restore ---|
//	                   detected                                     restored
type Watchdog struct {
	Detect, Restore unit.Duration
	Forward         bool
}

// dog is what a queue has of the watchdog.
type dog struct {
	relieved bool
	heard    unit.Time // the last xOFF
}

// addWatchdogs gives ports of switches theirs.
func (f *Fabric) addWatchdogs(index []int32) {
	if f.cfg.Watchdog == nil && f.cfg.Watchdogs == nil {
		return
	}
	f.dogs = make([]*Watchdog, len(f.links.ports))
	for id := range f.links.ports {
		if index[f.graph.Ports[id].Node] >= 0 {
			if f.dogs[id] = f.cfg.Watchdog; f.cfg.Watchdogs != nil {
				f.dogs[id] = f.cfg.Watchdogs[id]
			}
		}
	}
}

// watch plans a look at a port of a switch that has just been paused, if none is planned.
func (f *Fabric) watch(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if w := f.dogs[id]; w != nil && !p.watched {
		p.watched = true
		isl.At(now.Add(w.Detect), sim.MakeKey(sim.Timer, classWatch, int32(id)))
	}
}

type watched Fabric

// Handle looks whether a port has been paused for too long, or not for long enough.
func (h *watched) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f, id := (*Fabric)(h), PortID(owner)
	p, w := &f.links.ports[id], f.dogs[id]
	p.watched = false
	next := unit.Never
	for c := range uint8(f.nc) {
		q := &f.egress.slow[int(id)*f.nc+int(c)]
		if q.dog.relieved {
			if q.dog.heard.Add(w.Restore) <= now {
				f.restore(isl, now, id, c)
			} else {
				next = min(next, q.dog.heard.Add(w.Restore))
			}
			continue
		}
		if p.paused&(1<<c) == 0 {
			continue
		}
		switch due := q.pausedSince.Add(w.Detect); {
		case due > now:
			next = min(next, due)
		case f.egress.queues[int(id)*f.nc+int(c)].n == 0: // nothing suffers
			next = min(next, now.Add(w.Detect))
		default:
			f.relieve(isl, now, id, c)
			next = min(next, now.Add(w.Restore))
		}
	}
	if next != unit.Never {
		p.watched = true
		isl.At(next, sim.MakeKey(sim.Timer, classWatch, owner))
	}
}

// relieve takes a queue out of PFC.
func (f *Fabric) relieve(isl *sim.Island, now unit.Time, id PortID, c uint8) {
	q, p := &f.egress.slow[int(id)*f.nc+int(c)], &f.links.ports[id]
	q.dog.relieved = true
	p.detected++
	if f.cfg.OnEvent != nil {
		f.tellDog(isl, now, id, c, EventWatchdog)
	}
	if !f.dogs[id].Forward {
		p.relieved |= 1 << c
		p.discarded += f.flush(isl, now, id, int(c), LostByWatchdog)
	}
	f.resume(isl, now, id, p, c)
}

// restore puts a queue back under PFC.
func (f *Fabric) restore(isl *sim.Island, now unit.Time, id PortID, c uint8) {
	f.egress.slow[int(id)*f.nc+int(c)].dog.relieved = false
	p := &f.links.ports[id]
	p.relieved &^= 1 << c
	p.restored++
	if f.cfg.OnEvent != nil {
		f.tellDog(isl, now, id, c, EventRestored)
	}
}

// heeds notes an xOFF, and reports whether the queue is under PFC.
func (q *slow) heeds(now unit.Time) bool {
	q.dog.heard = now
	return !q.dog.relieved
}

// discards drops a frame that goes to a queue which the watchdog empties.
func (f *Fabric) discards(isl *sim.Island, now unit.Time, out PortID, pk *Packet) bool {
	o := &f.links.ports[out]
	if o.relieved&(1<<pk.Class()) == 0 {
		return false
	}
	o.discarded++
	f.lost(isl, pk, Loss{At: now, Port: out, Why: LostByWatchdog})
	return true
}

func (f *Fabric) tellDog(isl *sim.Island, now unit.Time, id PortID, c uint8, kind EventKind) {
	f.cfg.OnEvent(isl.Index(), Event{At: now, Port: id, Root: f.egress.slow[int(id)*f.nc+int(c)].root, Flow: -1, Kind: kind, Class: c,
		Bytes: unit.Bytes(f.egress.queues[int(id)*f.nc+int(c)].bytes)})
}
