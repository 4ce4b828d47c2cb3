package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
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

// watch plans a look at a port of a switch that has just been paused, if none is planned.
func (x *pfc) watch(isl *sim.Island, now unit.Time, id PortID, p *port) {
	if w := x.dogs[id]; w != nil && !p.watched {
		p.watched = true
		isl.At(now.Add(w.Detect), sim.MakeKey(sim.Timer, classWatch, int32(id)))
	}
}

type watched pfc

// Handle looks whether a port has been paused for too long, or not for long enough.
func (h *watched) Handle(isl *sim.Island, now unit.Time, owner int32) {
	x := (*pfc)(h)
	id := PortID(owner)
	p, w := &x.links.ports[id], x.dogs[id]
	p.watched = false
	next := unit.Never
	for c := range uint8(x.nc) {
		i := int(id)*x.nc + int(c)
		act, again := x.egress.slow[i].hold.watch(now, w, x.egress.queues[i].n == 0)
		switch act {
		case relieves:
			x.relieve(isl, now, id, c)
		case restores:
			x.restore(isl, now, id, c)
		}
		next = min(next, again)
	}
	if next != unit.Never {
		p.watched = true
		isl.At(next, sim.MakeKey(sim.Timer, classWatch, owner))
	}
}

// relieve takes a queue out of PFC.
func (x *pfc) relieve(isl *sim.Island, now unit.Time, id PortID, c uint8) {
	p := &x.links.ports[id]
	p.detected++
	if x.cfg.OnEvent != nil {
		x.tellDog(isl, now, id, c, EventWatchdog)
	}
	if !x.dogs[id].Forward {
		p.relieved |= 1 << c
		p.discarded += x.f.flush(isl, now, id, int(c), LostByWatchdog)
	}
	x.resume(isl, now, id, p, c)
}

// restore puts a queue back under PFC.
func (x *pfc) restore(isl *sim.Island, now unit.Time, id PortID, c uint8) {
	p := &x.links.ports[id]
	p.relieved &^= 1 << c
	p.restored++
	if x.cfg.OnEvent != nil {
		x.tellDog(isl, now, id, c, EventRestored)
	}
}

// discards drops a frame that goes to a queue which the watchdog empties.
func (x *pfc) discards(isl *sim.Island, now unit.Time, out PortID, pk *Packet) bool {
	o := &x.links.ports[out]
	if o.relieved&(1<<pk.Class()) == 0 {
		return false
	}
	o.discarded++
	x.f.lost(isl, pk, Loss{At: now, Port: out, Why: LostByWatchdog})
	return true
}

func (x *pfc) tellDog(isl *sim.Island, now unit.Time, id PortID, c uint8, kind EventKind) {
	q := int(id)*x.nc + int(c)
	x.cfg.OnEvent(isl.Index(), Event{At: now, Port: id, Root: x.egress.slow[q].hold.root, Flow: -1, Kind: kind, Class: c,
		Bytes: unit.Bytes(x.egress.queues[q].bytes)})
}
