package fabric

import (
	"slices"
	"sort"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// With short cables a PFC frame is what acts on another island soonest: a frame of data has the pipeline of
// a switch before it, and a PFC frame the cable alone. But PFC frames are rare, and a switch knows when it
// is far from sending one: its accounts grow no faster than its links bring bytes. So while all switches
// are calm, windows are as long as frames allow.
//
//	shared  now      +1 window
//	  |      |           |
//	  +------+===========+---- xOFF of any account, with so much of the buffer in use
//
// Faults of links may bring more than that: with them windows stay short.

// A switch is calm if, with so many bytes of its shared part in use, none of its accounts can come to xOFF
// in a window. What is known of an account is that it has no more of the shared part than all have.
type calm struct {
	buf   *buffers
	reach unit.Duration // the shortest time in which a frame, not of PFC, acts on another island
	below []int64       // by switch: it is calm below so many bytes of the shared part in use
}

// newCalm works out when switches are calm, for windows as long as frames allow between islands.
func newCalm(ls *links, buf *buffers) calm {
	c := calm{buf: buf, reach: ls.cfg.FramesAhead(ls.graph, ls.islandOf, ls.eng.InTurn()),
		below: make([]int64, len(buf.nodes))}
	for i := range buf.nodes {
		c.below[i] = calmBelow(ls, &buf.nodes[i], c.reach)
	}
	return c
}

// calmBelow returns with how many bytes of a switch's shared part in use it is no longer calm.
func calmBelow(ls *links, n *node, window unit.Duration) int64 {
	if n.lossless == 0 {
		return n.size + n.spare + 1 // it never sends PFC frames
	}
	var all int64 // that a window can bring
	var kinds []kind
	for _, out := range ls.graph.Nodes[n.id].Ports {
		in := ls.graph.Peer(out)
		k := kind{*ls.ingresses[in].xoff, ls.inflow(in, window)}
		if all += k.bytes; !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return int64(sort.Search(int(n.size)+1, func(used int) bool {
		return slices.ContainsFunc(kinds, func(k kind) bool {
			return int64(used)+k.bytes >= k.xoff.at(n.size-int64(used)-all)
		})
	}))
}

// kind is of the ports of a switch that are alike: their threshold, and what a window can bring to one.
type kind struct {
	xoff  threshold
	bytes int64
}

// inflow is the most bytes that a link can bring in a window: at its rate, and a frame that began before.
func (ls *links) inflow(in topo.PortID, window unit.Duration) int64 {
	return int64(ls.ports[in].rate.BytesIn(window)+ls.cfg.largest()) + 1
}

// window is how long the next window may be: called between windows.
func (c *calm) window() unit.Duration {
	for i := range c.buf.nodes {
		if n := &c.buf.nodes[i]; n.pausing != 0 || n.shared >= c.below[i] {
			return 0
		}
	}
	return c.reach
}
