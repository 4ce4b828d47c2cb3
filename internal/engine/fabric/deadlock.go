package fabric

import (
	"slices"

	"railyard/internal/net/topo"
)

// A paused port waits for the queues of the next switch in which what it has sent there lies: until they get shorter
// that switch does not say xON. If all of these are ports that wait in turn, it waits for them; in a circle of such
// waits nothing ever moves (Dally and Seitz, IEEE Transactions on Computers C-36, 1987; Guo et al., "RDMA over commodity
// Ethernet at scale", SIGCOMM'16, section 4.2).

// Deadlock returns ports each of which waits for the next, and the last for the first, in some class; nil: there are
// none. It looks at all islands: it is for between windows.
func (f *Fabric) Deadlock() []PortID {
	for c := range uint8(f.nc) {
		waits := f.pfc.waits(c)
		f.pfc.prune(waits)
		if circle := circle(waits); circle != nil {
			return circle
		}
	}
	return nil
}

// waits is, by paused port, the ports of the next switch that it waits for.
func (x *pfc) waits(c uint8) map[PortID][]PortID {
	all := map[PortID][]PortID{}
	for id := range x.links.ports {
		in := &x.links.ingresses[id]
		if x.links.ports[id].paused&(1<<c) == 0 || in.far < 0 || !x.buf.accounts[id*x.nc+int(c)].sentOff {
			continue // it is not paused, or by a storm, or xON is on its way
		}
		var waits []PortID
		for _, out := range x.graph.Nodes[x.buf.nodes[in.far].id].Ports {
			if x.holdsFrom(out, PortID(id), c) {
				waits = append(waits, out)
			}
		}
		all[PortID(id)] = waits
	}
	return all
}

// holdsFrom reports whether a port's queue has frames that came over a link.
func (x *pfc) holdsFrom(out, link PortID, c uint8) (found bool) {
	account := int32(int(link)*x.nc + int(c))
	x.egress.queues[int(out)*x.nc+int(c)].each(func(_ uint32, pk *Packet) { found = found || pk.account() == account })
	return found
}

// prune takes out the ports that wait for one which goes on, in the end.
func (x *pfc) prune(waits map[PortID][]PortID) {
	for again := true; again; {
		again = false
		for id, next := range waits { // what is left in the end does not depend on the order
			goesOn := func(p PortID) bool { _, held := waits[p]; return !held }
			if len(next) == 0 || slices.ContainsFunc(next, goesOn) {
				delete(waits, id)
				again = true
			}
		}
	}
}

// circle returns the shortest circle through the first port that is in one.
func circle(waits map[PortID][]PortID) []PortID {
	first := make([]PortID, 0, len(waits))
	for id := range waits {
		first = append(first, id)
	}
	slices.Sort(first)
	for _, start := range first {
		from, queue := map[PortID]PortID{}, []PortID{start}
		for i := 0; i < len(queue); i++ {
			for _, next := range waits[queue[i]] {
				if next == start {
					return walkBack(from, start, queue[i])
				}
				if _, seen := from[next]; !seen {
					from[next] = queue[i]
					queue = append(queue, next)
				}
			}
		}
	}
	return nil
}

func walkBack(from map[topo.PortID]PortID, start, at PortID) []PortID {
	path := []PortID{at}
	for at != start {
		at = from[at]
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}
