package fabric

import (
	"math/bits"

	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Faults are the faults of links. Each link draws from a random stream of its own.
type Faults struct {
	Chances                            // of all links, unless Of says otherwise
	Of      func(p topo.Port) *Chances // those of a link, nil: it has none; a nil Of: all links have Chances
	Downs   []Down
	Storms  []Storm
}

// Chances are what may happen to each frame on a link.
type Chances struct {
	BitErrors unit.Ratio // probability that a bit is wrong: the frame's FCS fails and it is discarded
	Drop      unit.Ratio // probability that a frame is lost
	Duplicate unit.Ratio // probability that a frame arrives twice
	// Reorder is the probability that a frame changes places with a frame that follows it without a
	// gap.
	Reorder unit.Ratio
	PFC     bool // drops and bit errors hit PFC frames too, and these are lost where the link is down
}

// Down says that both directions of a link carry nothing for a while: frames on the link and frames
// sent onto it are lost. Whether routes change is Config.Routing's. PFC frames get across unless Chances.PFC is set: a
// real port forgets its pauses when its link goes down and up, but here the two ends would disagree
// for ever about who is paused.
type Down struct {
	Link        topo.LinkID
	From, Until unit.Time
}

// Storm says that a NIC sends pause frames for a class without end, as a slow or broken receiver
// does.
type Storm struct {
	Port        PortID // of the NIC
	Class       uint8
	From, Until unit.Time
}

// faults is the state of Faults in a run.
type faults struct {
	f     *Fabric
	links []linkFaults // by port
	downs [][]Down     // by link
	storm []Storm      // by port; zero: none
}

type linkFaults struct {
	chances *Chances // nil: none
	rng     sim.Stream
	held    Packet // changes places with the next frame
	holding bool
}

func newFaults(f *Fabric, cfg *Faults) *faults {
	x := &faults{f: f, links: make([]linkFaults, len(f.ports)), downs: make([][]Down, len(f.graph.Links)),
		storm: make([]Storm, len(f.ports))}
	for i, p := range f.graph.Ports {
		x.links[i] = linkFaults{chances: &cfg.Chances, rng: sim.NewStream(f.cfg.Seed, "fault "+p.Name, 0)}
		if cfg.Of != nil {
			x.links[i].chances = cfg.Of(p)
		}
	}
	for _, d := range cfg.Downs {
		x.downs[d.Link] = append(x.downs[d.Link], d)
	}
	f.eng.Register(classStorm, (*storm)(f))
	for _, s := range cfg.Storms {
		x.storm[s.Port] = s
		f.eng.At(f.islandOf[f.graph.Ports[s.Port].Node], s.From, sim.MakeKey(sim.Timer, classStorm, int32(s.Port)))
	}
	return x
}

// chance draws once.
func chance(r *sim.Stream, p unit.Ratio) bool {
	if p.Num == 0 {
		return false
	}
	hi, _ := bits.Mul64(r.Uint64(), uint64(p.Den))
	return hi < uint64(p.Num)
}

// corrupt draws whether any bit of a frame is wrong. The probability 1-(1-p)^n is taken as n*p,
// which for small p is too large by less than (n*p)^2/2.
func (l *linkFaults) corrupt(bytes int64) bool {
	p := l.chances.BitErrors
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

// hitsPFC reports whether PFC frames on a link are lost as others are.
func (x *faults) hitsPFC(id PortID) bool {
	return x.links[id].chances != nil && x.links[id].chances.PFC
}

// loses draws whether a link loses a frame of so many bytes whose last bit leaves it at an instant.
func (x *faults) loses(last unit.Time, id PortID, bytes int64) bool {
	l, p := &x.links[id], &x.f.ports[id]
	first := last.Add(-p.cable - x.f.txTime(p, bytes+x.f.overhead))
	return x.down(x.f.graph.Ports[id].Link, first, last) ||
		l.chances != nil && (chance(&l.rng, l.chances.Drop) || l.corrupt(bytes))
}

// hits applies faults to a frame at the end of link id. It returns true if the frame was taken:
// lost, or held back.
func (x *faults) hits(isl *sim.Island, now unit.Time, id PortID, in *ingress, pk *Packet) bool {
	l := &x.links[id]
	p := &x.f.ports[id]
	if x.loses(now.Add(p.cable-p.delay), id, int64(pk.Bytes)) {
		in.faulted++
		x.f.lost(isl, now, id, pk, LostOnLink)
		if l.holding {
			l.holding = false
			x.f.receive(isl, now, id, in, &l.held)
		}
		return true
	}
	if l.chances == nil {
		return false
	}
	if chance(&l.rng, l.chances.Duplicate) {
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
	if x.followed(now, p, in) && chance(&l.rng, l.chances.Reorder) {
		l.held, l.holding = *pk, true
		return true
	}
	return false
}

// followed reports whether the next frame on a link came right behind the frame that has just
// arrived. Later frames are not looked at: how many of them are already known here depends on how far
// the sender's island has come. This one is: it began to leave before the frame that has arrived had
// been on its way for the link's delay, which is a lookahead at least.
func (x *faults) followed(now unit.Time, p *port, in *ingress) bool {
	if in.n == 0 {
		return false
	}
	next := in.front()
	return next.arrival() <= now.Add(x.f.txTime(p, int64(next.Bytes)+x.f.overhead))
}

type storm Fabric

// Handle sends one pause frame of a storm and plans the next at half its time.
func (h *storm) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	s := f.faults.storm[owner]
	if now >= s.Until {
		return
	}
	quanta := f.cfg.PFC.Quanta
	if quanta == 0 {
		quanta = 0xffff
	}
	p := &f.ports[owner]
	f.queuePause(isl, now, PortID(owner)^1, pauseFrame{class: s.Class, on: true, quanta: quanta, root: PortID(owner) ^ 1})
	isl.At(now.Add(f.quantaTime(p, quanta)/2), sim.MakeKey(sim.Timer, classStorm, owner))
}
