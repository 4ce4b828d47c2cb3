package balance

import "railyard/internal/base/unit"

// ConWeave in outline (Song et al., SIGCOMM 2023): the first switch of a flow asks the last one for an answer; where
// that does not come in time the way is congested, and the flow moves to another, with a mark on the last packet
// of the old way (tail) and on those of the new one (rerouted). The last switch holds rerouted packets back until
// the tail has passed, so hosts see them in order, and then clears the flow for its next move. It also notifies the
// first switch of marked packets: a way that brings them is not moved to for a while.
//
//	first switch                                                     last switch
//	  request ------------------------------------------------------->
//	          <------------------------------------------------- answer
//	  (no answer in time) tail, by the old way ---------------------->  passes, then what is held
//	  rerouted, by the new way -------------------------------------->  held until the tail has passed
//	          <-------------------------------------------------- clear
//
// Simplified: a way is the link that the first switch takes, the rest of it goes by the hash; what switches tell one
// another takes the time of a smallest frame in an idle network and is never lost. The paper estimates when a tail will
// have come from the times at which packets of the old way were sent and came, and adds a margin; here each packet that
// still comes by the old way puts the end off, so that the margin is what the old way may be silent for.

// ConWeave is its parameters.
type ConWeave struct {
	Reply  unit.Duration // a way whose answer takes longer is left
	Busy   unit.Duration // how long after a notification no flow moves to a link
	Resume unit.Duration // rerouted packets wait for a tail until the old way was silent for so long
}

// Header is what the first switch writes into a frame for the last one: three flags, the number of the flow's move
// in 5 bits, the link in 8.
type Header uint16

// The flags.
const (
	Request  Header = 1 << iota // wants an answer
	Tail                        // the last by its way
	Rerouted                    // by another way than the tail of the same move
)

// Move is the number of the flow's move, modulo 32.
func (h Header) Move() uint8 { return uint8(h>>3) & 31 }

// Link is the link that the first switch took, modulo 256.
func (h Header) Link() uint8 { return uint8(h >> 8) }

func header(flags Header, move uint8, link int32) Header {
	return flags | Header(move&31)<<3 | Header(uint8(link))<<8
}

// Signal is what the last switch of a flow tells the first.
type Signal struct {
	Kind SignalKind
	Flow uint64 // as in Frame
	Move uint8  // of an answer and a clear
	Link uint8  // of a notification
}

// SignalKind is what a Signal says.
type SignalKind uint8

// The kinds.
const (
	Answer SignalKind = iota // to a request
	Notify                   // a frame by a link came marked
	Clear                    // the move is done: packets are in order
)

// Weaver chooses at the first switch of flows.
type Weaver struct {
	g     *Group
	p     ConWeave
	flows map[uint64]*woven
	busy  []unit.Time // by link: until when no flow moves to it
}

// woven is a flow.
type woven struct {
	link  int32
	move  uint8
	asked unit.Time
	waits bool // for an answer
	moved bool // and not cleared
}

func newWeaver(p *Params, g *Group) Chooser {
	return &Weaver{g: g, p: p.ConWeave, flows: map[uint64]*woven{}, busy: make([]unit.Time, len(g.Links))}
}

// Pick also writes the frame's header.
func (c *Weaver) Pick(f *Frame, _ Links) int {
	w := c.flows[f.Flow]
	if w == nil {
		w = &woven{link: int32(c.g.below(len(c.g.Links)))}
		c.flows[f.Flow] = w
	}
	link := w.link
	switch {
	case w.moved:
		f.Header = header(Rerouted, w.move, link)
	case !w.waits:
		w.waits, w.asked = true, f.Now
		f.Header = header(Request, w.move, link)
	case f.Now.Sub(w.asked) > c.p.Reply && c.moves(f.Now, w):
		f.Header = header(Tail, w.move, link)
	default:
		f.Header = header(0, w.move, link)
	}
	return int(link)
}

// moves gives a flow another link, if one of two that are drawn is not busy. What comes next goes by it.
func (c *Weaver) moves(now unit.Time, w *woven) bool {
	for range 2 {
		link := int32(c.g.below(len(c.g.Links)))
		if link != w.link && c.busy[link] <= now {
			w.link, w.moved, w.waits = link, true, false
			w.move = (w.move + 1) & 31
			return true
		}
	}
	return false
}

// Hear takes what a last switch tells.
func (c *Weaver) Hear(now unit.Time, s Signal) {
	w := c.flows[s.Flow]
	switch {
	case s.Kind == Notify:
		if int(s.Link) < len(c.busy) {
			c.busy[s.Link] = now.Add(c.p.Busy)
		}
	case w == nil || s.Move != w.move:
	case s.Kind == Answer:
		w.waits = false
	case s.Kind == Clear:
		w.moved = false
	}
}

// Restorer puts the frames of flows in order at their last switch.
type Restorer struct {
	flows map[uint64]*restored
	hold  unit.Duration
}

type restored struct {
	move  uint8     // the last whose tail has passed, or was given up
	until unit.Time // while it holds frames: when the tail is given up; else 0
	asked unit.Time // when Due was promised to be called
	held  uint8     // the move of those frames
}

// Verdict is what happens to a frame at the last switch of its flow.
type Verdict uint8

// The verdicts.
const (
	Pass    Verdict = iota
	Hold            // until the tail has passed
	Release         // it passes, then what is held
)

// NewRestorer returns one that holds frames no longer than hold.
func NewRestorer(hold unit.Duration) *Restorer {
	return &Restorer{flows: map[uint64]*restored{}, hold: hold}
}

// Arrive says what happens to a frame. The first that is held sets when to give up (see Due).
func (r *Restorer) Arrive(now unit.Time, flow uint64, h Header) (v Verdict, first bool) {
	w := r.flows[flow]
	if w == nil {
		w = &restored{}
		r.flows[flow] = w
	}
	switch {
	case h&Tail != 0:
		if later := (h.Move() - w.move) & 31; later == 0 || later >= 16 || w.until != 0 && h.Move() != w.held {
			return Pass, false // it was given up
		}
		w.move, w.until = h.Move(), 0
		return Release, false
	case h&Rerouted == 0 && w.until != 0:
		w.until = now.Add(r.hold) // the old way brings packets: the tail is behind them
		return Pass, false
	case h&Rerouted == 0 || h.Move() == w.move:
		return Pass, false
	}
	if first = w.until == 0; first {
		w.until, w.held = now.Add(r.hold), h.Move()
		w.asked = w.until
	}
	return Hold, first
}

// Due reports whether the tail of what a flow holds is given up by now: what is held then passes. Else it says when to
// ask again; 0: somebody will.
func (r *Restorer) Due(now unit.Time, flow uint64) (move uint8, due bool, again unit.Time) {
	w := r.flows[flow]
	switch {
	case w == nil || w.until == 0:
		return 0, false, 0
	case w.until <= now:
		w.move, w.until = w.held, 0
		return w.move, true, 0
	case w.asked > now:
		return 0, false, 0
	}
	w.asked = w.until
	return 0, false, w.until
}
