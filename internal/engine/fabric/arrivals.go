package fabric

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// Frames that arrive from another island in a window were on their links before it began. So they are listed
// then, link by link in order of their numbers, and no event is planned for them one by one.

// addLink notes that a link leads from one island to another.
func (ls *links) addLink(id PortID) {
	in := &ls.ingresses[id]
	in.within, in.index = false, int32(len(in.state.links))
	in.state.links = append(in.state.links, id)
	if in.index>>6 == int32(len(in.state.coming)) {
		in.state.coming = append(in.state.coming, 0)
	}
}

// comes tells the island that a link leads to of the first frame on it.
func (in *ingress) comes(at unit.Time) {
	in.state.coming[in.index>>6] |= 1 << (in.index & 63)
	in.isl.Expect(at)
}

type arrivals links

// Before lists the frames on the way to an island: sim.Arrivals.
func (a *arrivals) Before(isl *sim.Island, end unit.Time, due *sim.Due) unit.Time {
	ls := (*links)(a)
	st := ls.state(isl)
	from := ls.busyLinks(st)
	later := unit.Never
	for k, i := range from {
		if ls.large {
			ls.ask(st, from[k:])
		}
		id := st.links[i]
		later = min(later, ls.ingresses[id].before(end, id, due))
	}
	return later
}

// busyLinks returns which of the links that lead to an island have frames on them, by their index.
func (ls *links) busyLinks(st *state) []int32 {
	st.from = st.from[:0]
	for w := range st.coming {
		for m := st.coming[w]; m != 0; m &= m - 1 {
			i := w<<6 + bits.TrailingZeros64(m)
			if ls.ingresses[st.links[i]].n == 0 {
				st.coming[w] &^= m & -m
				continue
			}
			st.from = append(st.from, int32(i))
		}
	}
	return st.from
}

// before lists the frames on a link that arrive before end, and returns when the next one comes, or unit.Never.
func (in *ingress) before(end unit.Time, id PortID, due *sim.Due) unit.Time {
	c, pos, from := in.head, int(in.pos), due.From()
	key := sim.MakeKey(sim.Arrival, classArrive, int32(id))
	for n := int(in.n); n > 0; {
		if pos == chunkFrames {
			c, pos = c.next, 0
		}
		if n > chunkFrames-pos {
			c.next.prefetch()
		}
		frames := c.frames[pos:min(chunkFrames, pos+n)]
		room := due.Room(len(frames))
		for i := range room {
			at := frames[i].arrival()
			if at >= end {
				due.Added(i)
				return at
			}
			room[i] = sim.DueEvent(at.Sub(from), key)
		}
		due.Added(len(frames))
		n -= len(frames)
		pos += len(frames)
	}
	return unit.Never
}

// Frames that another island has put on a link are in its cache, or in none. So those of the links behind the
// one that is looked at are asked for, a step at a time, as a chunk says where the next one is.
const (
	askFirst = 6
	askNext  = 3
)

func (ls *links) ask(st *state, from []int32) {
	if len(from) > askFirst {
		ls.ingresses[st.links[from[askFirst]]].head.prefetch()
	}
	if len(from) > askNext {
		in := &ls.ingresses[st.links[from[askNext]]]
		if in.n > chunkFrames-int32(in.pos) {
			in.head.next.prefetch()
		}
	}
}

func (c *chunk) prefetch() { sim.PrefetchLines(&c.frames[0].at, 4) }
