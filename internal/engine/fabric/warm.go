package fabric

import "railyard/internal/engine/sim"

// In a large network an island's memory is no longer in the cache when its next window begins: all other
// islands have had theirs. Line by line, as frames happen to need them, each would cost the time of the
// memory. So a busy island asks for all of them at once.

// LargePorts is how many ports a network has that does not fit into a core's cache.
const LargePorts = 1 << 11

// warmFrom is how many events for each of its links make an island busy.
const warmFrom = 2

// listLinks notes for each island which links leave its nodes and which lead to them.
func (ls *links) listLinks() {
	for i := range ls.graph.Ports {
		gp := &ls.graph.Ports[i]
		from, to := &ls.states[ls.islandOf[gp.Node]], &ls.states[ls.islandOf[gp.To]]
		from.outward = append(from.outward, PortID(i))
		to.inward = append(to.inward, PortID(i))
	}
}

// warm has the memory of an island's links brought into the cache, if its window before had so many
// events that this one will need it.
func (f *Fabric) warm(isl *sim.Island, events int64) {
	st := f.links.state(isl)
	if events < warmFrom*int64(len(st.inward)+len(st.outward)) {
		return
	}
	for _, id := range st.inward {
		sim.Prefetch(&f.links.ingresses[id].faulted)
		sim.Prefetch(&f.buf.accounts[int(id)*f.nc].used)
	}
	for _, id := range st.outward {
		sim.Prefetch(&f.links.ports[id].txBytes)
		sim.Prefetch(&f.egress.queues[int(id)*f.nc].bytes)
		sim.Prefetch(&f.links.ingresses[id].faulted)
	}
}
