package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// box is what one island sends to another in a window, while other islands run at the same time:
// how many frames it has put on which link, and PFC frames. The frames themselves lie on the link.
//
// Frames of a link stay in order. That of links does not matter: the receiving end plans an event
// for the first frame of each, and events go by time and key.
type box struct {
	out, in  mail
	earliest unit.Time // of out
	to       *sim.Island
}

type mail struct {
	frames []posted
	pauses []postedPause
	// messages between switches, see tell.go
	messages []postedMessage
}

// posted is frames that were put on a link.
type posted struct {
	first *chunk    // with the first of them
	at    unit.Time // when that arrives
	link  PortID
	n     int32
}

type postedPause struct {
	link PortID
	pauseFrame
}

type postedMessage struct {
	link PortID
	message
}

func (m *mail) empty() bool { return len(m.frames) == 0 && len(m.pauses) == 0 && len(m.messages) == 0 }

// cleared is a mail without anything in it, with the memory of another.
func (m *mail) cleared() mail {
	clear(m.messages)
	return mail{m.frames[:0], m.pauses[:0], m.messages[:0]}
}

// opened returns the box by which a port sends.
func (ls *links) opened(st *state, p *port, at unit.Time) *box {
	b := &ls.boxes[p.box]
	if b.out.empty() {
		st.dirty = append(st.dirty, p.box)
	}
	b.earliest = min(b.earliest, at)
	return b
}

// post tells the far end of a link, in another island, of a frame that is now on it.
func (ls *links) post(st *state, id PortID, p *port, at unit.Time) {
	b := ls.opened(st, p, at)
	if k := int(p.posted); k < len(b.out.frames) && b.out.frames[k].link == id {
		b.out.frames[k].n++
		return
	}
	p.posted = int32(len(b.out.frames))
	b.out.frames = append(b.out.frames, posted{first: p.tail, at: at, link: id, n: 1})
}

// post office: sim.Mail.
type office Fabric

func (o *office) Collect(isl *sim.Island) {
	f := (*Fabric)(o)
	st := f.links.state(isl)
	for _, i := range st.dirty {
		b := &f.links.boxes[i]
		to := f.links.state(b.to)
		if b.in.empty() {
			b.in, b.out = b.out, b.in
			to.inbox = append(to.inbox, i)
		} else { // it has not been emptied: nothing was due
			b.in.frames = append(b.in.frames, b.out.frames...)
			b.in.pauses = append(b.in.pauses, b.out.pauses...)
			b.in.messages = append(b.in.messages, b.out.messages...)
		}
		b.out = b.out.cleared()
		b.to.Wake(b.earliest)
		b.earliest = unit.Never
	}
	st.dirty = st.dirty[:0]
	f.links.depot.even(st)
}

func (o *office) Empty(isl *sim.Island) {
	f := (*Fabric)(o)
	st := f.links.state(isl)
	for _, i := range st.inbox {
		in := &f.links.boxes[i].in
		for k := range in.frames {
			m := &in.frames[k]
			to := &f.links.ingresses[m.link]
			if to.n == 0 {
				f.links.planArrival(m.link, to, m.first, m.at)
			}
			to.n += m.n
		}
		for k := range in.pauses {
			f.pfc.pauseArriving(in.pauses[k].link, in.pauses[k].pauseFrame)
		}
		for k := range in.messages {
			f.router.telling(in.messages[k].link, in.messages[k].message)
		}
		*in = in.cleared()
	}
	st.inbox = st.inbox[:0]
}

// planArrival plans the event of a frame on a link that the receiving end knows no other of: it lies in a
// chunk, and arrives at an instant. Where events go in order of scheduling each frame has one.
func (ls *links) planArrival(id PortID, in *ingress, first *chunk, at unit.Time) {
	if in.head == nil {
		in.head = first
	}
	if !in.within {
		in.comes(at)
		return
	}
	in.isl.At(at, sim.MakeKey(sim.Arrival, classArrive, int32(id)))
}
