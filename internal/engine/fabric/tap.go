package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// Sent is a frame whose first bit leaves by a tapped port, for Config.OnSent.
type Sent struct {
	At      unit.Time
	Port    PortID
	Frame   Packet  // not of a PFC frame
	Landing Landing // of a frame that lands
	Passed  int     // switches that it has passed, with this one, if each of them chose the next hop; else -1
	Pause   *Pause  // of a PFC frame; else nil
}

// Pause is a PFC frame.
type Pause struct {
	Class  uint8
	Stop   bool
	Quanta uint16
	Root   PortID // of one that stops: the port from whose queue it spread, see PauseRoot
}

// tap marks the ports that OnSent hears of. Other ports are not asked: a bit of theirs that is looked at anyway
// says so.
func (ls *links) tap() {
	for id := range ls.cfg.Tapped {
		if ls.tapped(PortID(id)) {
			ls.ports[id].flags |= flagRare
		}
	}
}

func (ls *links) tapped(id PortID) bool {
	return ls.cfg.OnSent != nil && int(id) < len(ls.cfg.Tapped) && ls.cfg.Tapped[id]
}

func (ls *links) tellSent(isl *sim.Island, now unit.Time, id PortID, pk *Packet) {
	s := Sent{At: now, Port: id, Frame: *pk, Passed: -1}
	if t := ls.traceOf(pk); t != nil && pk.Lands() {
		s.Landing = t.Edge.Landing
	}
	if pk.chosen() {
		s.Passed = pk.passed()
	}
	ls.cfg.OnSent(isl.Index(), s)
}

func (ls *links) tellPauseSent(isl *sim.Island, now unit.Time, id PortID, fr *pauseFrame) {
	ls.cfg.OnSent(isl.Index(), Sent{At: now, Port: id, Passed: -1,
		Pause: &Pause{Class: fr.class, Stop: fr.on, Quanta: fr.quanta, Root: fr.root}})
}
