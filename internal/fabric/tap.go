package fabric

import (
	"railyard/internal/sim"
	"railyard/internal/unit"
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
func (f *Fabric) tap() {
	for id := range f.cfg.Tapped {
		if f.tapped(PortID(id)) {
			f.ports[id].flags |= flagRare
		}
	}
}

func (f *Fabric) tapped(id PortID) bool {
	return f.cfg.OnSent != nil && int(id) < len(f.cfg.Tapped) && f.cfg.Tapped[id]
}

func (f *Fabric) tellSent(isl *sim.Island, now unit.Time, id PortID, pk *Packet) {
	s := Sent{At: now, Port: id, Frame: *pk, Passed: -1}
	if t := f.Trace(isl, pk); t != nil && pk.Lands() {
		s.Landing = t.Edge.Landing
	}
	if pk.chosen() {
		s.Passed = pk.passed()
	}
	f.cfg.OnSent(isl.Index(), s)
}

func (f *Fabric) tellPauseSent(isl *sim.Island, now unit.Time, id PortID, fr *pauseFrame) {
	f.cfg.OnSent(isl.Index(), Sent{At: now, Port: id, Passed: -1,
		Pause: &Pause{Class: fr.class, Stop: fr.on, Quanta: fr.quanta, Root: fr.root}})
}
