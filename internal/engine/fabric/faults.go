package fabric

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// Faults are what goes wrong in a network, each thing for a while. Each link draws from a random stream of its own.
type Faults struct {
	Chances // of all links, unless Of says otherwise
	// Of returns the chances of a link; of those in force the last hold. A nil Of: all links have Chances.
	Of       func(p topo.Port) []Chances
	Downs    []Down
	Storms   []Storm
	Settings []Setting
	Reboots  []Reboot
	Leaks    []Leak
}

// While is a stretch of time, from From on and before Until. The zero value is all of it.
type While struct{ From, Until unit.Time }

// Holds reports whether an instant is in it.
func (w While) Holds(t unit.Time) bool { return w.From <= t && (w.Until == 0 || t < w.Until) }

// Chances are what may happen to each frame on a link that arrives meanwhile.
type Chances struct {
	While
	BitErrors unit.Ratio // probability that a bit is wrong: the frame's FCS fails and it is discarded
	Drop      unit.Ratio // probability that a frame is lost
	Duplicate unit.Ratio // probability that a frame arrives twice
	// Reorder is the probability that a frame changes places with a frame that follows it without a
	// gap.
	Reorder unit.Ratio
	PFC     bool // drops and bit errors hit PFC frames too
}

// Down says that both directions of a link carry nothing for a while: frames on the link and frames
// sent onto it are lost, PFC frames too. Whether routes change is Config.Routing's. As the link goes down and
// as it comes up its ends forget their pauses: those that they have heard of and those that they have sent.
type Down struct {
	Link        topo.LinkID
	From, Until unit.Time
}

// Storm says that a node sends pause frames for a class by a port without end: a NIC, as a slow or broken
// receiver does; a switch whose PFC is stuck. Storms of a port do not overlap.
type Storm struct {
	Port        PortID // by which the pause frames leave
	Class       uint8
	From, Until unit.Time
}

// faults is the state of Faults in a run.
type faults struct {
	f        *Fabric
	links    []linkFaults // by port
	downs    [][]Down     // by link
	storms   [][]Storm    // by port
	settings [][]Setting  // by port
	set      []portState  // by port
	switches []switchFaults
}

// linkFaults is what the receiving end of a link has of them.
type linkFaults struct {
	chances []Chances // nil: none
	rng     sim.Stream
	held    Packet // changes places with the next frame
	holding bool
}

// Owners of classFault: what of a port or a switch an event is about.
//
//	0 ..           storms, by port
//	ports ..       settings, and the link's downs and ups, by port
//	2 x ports ..   switches, by index
func (x *faults) ownerOfPort(id PortID) int32 { return int32(len(x.links)) + int32(id) }

func (x *faults) ownerOfSwitch(sw int32) int32 { return 2*int32(len(x.links)) + sw }

func newFaults(f *Fabric, cfg *Faults) *faults {
	n := len(f.links.ports)
	x := &faults{f: f, links: make([]linkFaults, n), downs: make([][]Down, len(f.graph.Links)), storms: make([][]Storm, n),
		settings: make([][]Setting, n), set: make([]portState, n)}
	all := []Chances{cfg.Chances}
	for i, p := range f.graph.Ports {
		x.links[i] = linkFaults{chances: all, rng: sim.NewStream(f.cfg.Seed, "fault "+p.Name, 0)}
		if cfg.Of != nil {
			x.links[i].chances = cfg.Of(p)
		}
	}
	f.eng.Register(classFault, (*fault)(f))
	for _, d := range cfg.Downs {
		x.downs[d.Link] = append(x.downs[d.Link], d)
		for _, id := range []PortID{PortID(2 * d.Link), PortID(2*d.Link + 1)} {
			x.plan(id, d.From, x.ownerOfPort(id))
			x.plan(id, d.Until, x.ownerOfPort(id))
		}
	}
	for _, s := range cfg.Storms {
		x.storms[s.Port] = append(x.storms[s.Port], s)
		x.plan(s.Port, s.From, int32(s.Port))
	}
	x.addSettings(cfg.Settings)
	x.addSwitches(cfg)
	return x
}

// plan plans an event of classFault in the island of the node whose port it is.
func (x *faults) plan(id PortID, at unit.Time, owner int32) {
	if at > 0 || owner < int32(len(x.links)) { // what holds from the beginning is there before the first event
		x.f.eng.At(x.f.islandOf[x.f.graph.Ports[id].Node], at, sim.MakeKey(sim.Timer, classFault, owner))
	}
}

type fault Fabric

// Handle changes what has to be changed at an instant.
func (h *fault) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	x, n := f.faults, int32(len(f.links.ports))
	switch {
	case owner < n:
		x.storm(isl, now, PortID(owner))
	case owner < 2*n:
		id := PortID(owner - n)
		if x.turns(id, now) {
			f.pfc.forget(isl, now, id)
		}
		x.settle(isl, now, id)
	default:
		x.atSwitch(isl, now, owner-2*n)
	}
}

// turns reports whether the link of a port goes down or comes up at an instant.
func (x *faults) turns(id PortID, now unit.Time) bool {
	for _, d := range x.downs[x.f.graph.Ports[id].Link] {
		if d.From == now || d.Until == now {
			return true
		}
	}
	return false
}

// chance draws once.
func chance(r *sim.Stream, p unit.Ratio) bool {
	if p.Num == 0 {
		return false
	}
	hi, _ := bits.Mul64(r.Uint64(), uint64(p.Den))
	return hi < uint64(p.Num)
}

// now returns the chances of a link that hold at an instant, nil: none.
func (l *linkFaults) now(t unit.Time) *Chances {
	for i := len(l.chances) - 1; i >= 0; i-- {
		if c := &l.chances[i]; c.Holds(t) {
			return c
		}
	}
	return nil
}

// corrupt draws whether any bit of a frame is wrong. The probability 1-(1-p)^n is taken as n*p,
// which for small p is too large by less than (n*p)^2/2.
func (l *linkFaults) corrupt(p unit.Ratio, bytes int64) bool {
	if p.Num == 0 {
		return false
	}
	if p.Num > p.Den/(8*bytes) {
		p.Num = p.Den
	} else {
		p.Num *= 8 * bytes
	}
	return chance(&l.rng, p)
}

// down reports whether a link was down at any instant from a frame's first bit on the link to its
// last bit off it.
func (x *faults) down(link topo.LinkID, first, last unit.Time) bool {
	for _, d := range x.downs[link] {
		if d.From <= last && first < d.Until {
			return true
		}
	}
	return false
}

// cuts reports whether a link was down while a frame of so many bytes was on it, whose last bit leaves it at
// an instant.
func (x *faults) cuts(last unit.Time, id PortID, bytes int64) bool {
	link := x.f.graph.Ports[id].Link
	if len(x.downs[link]) == 0 {
		return false
	}
	end := last.Add(-x.f.links.ports[id].cable)
	return x.down(link, end.Add(-x.txTime(id, end, bytes)), last)
}

// loses draws whether a link loses a frame that its chances apply to.
func (l *linkFaults) loses(c *Chances, bytes int64) bool {
	return c != nil && (chance(&l.rng, c.Drop) || l.corrupt(c.BitErrors, bytes))
}

// losesPause draws whether a link loses a PFC frame.
func (x *faults) losesPause(now unit.Time, id PortID) bool {
	bytes := int64(x.f.cfg.PauseFrame)
	if x.cuts(now, id, bytes) {
		return true
	}
	l := &x.links[id]
	c := l.now(now)
	return c != nil && c.PFC && l.loses(c, bytes)
}

// hits applies faults to a frame at the end of link id. It returns true if the frame was taken:
// lost, or held back.
func (x *faults) hits(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) bool {
	l := &x.links[id]
	p := &x.f.links.ports[id]
	last := now.Add(p.cable - p.delay)
	c := l.now(now)
	if why, lost := LostOnLink, x.cuts(last, id, int64(pk.Bytes)) || x.restarts(in.far, last, now) ||
		l.loses(c, int64(pk.Bytes)); lost ||
		x.tooLong(id^1, pk) {
		if !lost {
			why = LostOversize
		}
		in.faulted++
		x.f.lost(isl, pk, Loss{At: now, Port: id, Why: why, Far: true})
		if l.holding {
			l.holding = false
			x.f.receive(isl, now, id, in, &l.held)
		}
		return true
	}
	if c == nil && !l.holding {
		return false
	}
	if c != nil && chance(&l.rng, c.Duplicate) {
		twin := *pk
		x.f.copyTrace(isl, &twin)
		x.f.receive(isl, now, id, in, &twin)
	}
	if l.holding {
		l.holding = false
		x.f.receive(isl, now, id, in, pk)
		x.f.receive(isl, now, id, in, &l.held)
		return true
	}
	if x.followed(now, id, in) && chance(&l.rng, c.Reorder) {
		l.held, l.holding = *pk, true
		return true
	}
	return false
}

// followed reports whether the next frame on a link came right behind the frame that has just
// arrived. Later frames are not looked at: how many of them are already known here depends on how far
// the sender's island has come. This one is: it began to leave before the frame that has arrived had
// been on its way for the link's delay, which is a lookahead at least.
func (x *faults) followed(now unit.Time, id PortID, in *ingress) bool {
	if in.n == 0 {
		return false
	}
	next, delay := in.front(), x.f.links.ports[id].delay
	if len(x.f.links.rates[id]) == 0 {
		return next.arrival() <= now.Add(x.f.links.txTime(&x.f.links.ports[id], int64(next.Bytes)+x.f.links.overhead))
	}
	return x.began(id, next.arrival().Add(-delay), int64(next.Bytes)+x.f.links.overhead) == now.Add(-delay)
}

// began is when a port began to send bytes whose last bit left at an instant; Never: at its rates of different times
// it may have been at more than one.
func (x *faults) began(id PortID, end unit.Time, wire int64) unit.Time {
	at := unit.Never
	try := func(r unit.Bitrate) bool {
		start := end.Add(-x.f.timeAt(r, wire))
		if x.f.links.rateAt(id, start) != r || start == at {
			return true
		}
		one := at == unit.Never
		at = start
		return one
	}
	one := try(x.f.graph.Ports[id].Rate)
	for i := range x.f.links.rates[id] {
		one = try(x.f.links.rates[id][i].Rate) && one
	}
	if !one {
		return unit.Never
	}
	return at
}

// storm sends one pause frame of a storm and plans the next at half its time.
func (x *faults) storm(isl *sim.Island, now unit.Time, id PortID) {
	f := x.f
	for _, s := range x.storms[id] {
		if now < s.From || now >= s.Until {
			continue
		}
		quanta := f.cfg.PFC.Quanta
		if quanta == 0 {
			quanta = 0xffff
		}
		f.pfc.queuePause(isl, now, id^1, pauseFrame{class: s.Class, on: true, quanta: quanta, root: id ^ 1})
		isl.At(now.Add(quantaTime(f.links.ports[id].rate, quanta)/2), sim.MakeKey(sim.Timer, classFault, int32(id)))
		return
	}
}
