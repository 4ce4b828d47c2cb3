package fabric

import (
	"maps"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// Reboot says that a switch loses all that its buffer holds, and what it knows of flows. That its links are down
// meanwhile is said by Downs.
type Reboot struct {
	Switch topo.NodeID
	At     unit.Time
}

// Leak says that a part of a switch's shared buffer is in use for a while though no frame lies in it: no more than
// is free as it begins. A reboot gives it back.
type Leak struct {
	Switch topo.NodeID
	While
	Bytes unit.Bytes
}

// switchFaults is what a switch has of faults.
type switchFaults struct {
	reboots []unit.Time
	leaks   []leak
}

type leak struct {
	Leak
	taken int64
}

func (x *faults) addSwitches(cfg *Faults) {
	x.switches = make([]switchFaults, len(x.f.buf.nodes))
	at := func(id topo.NodeID, t unit.Time) *switchFaults {
		sw := slices.IndexFunc(x.f.buf.nodes, func(n node) bool { return n.id == id })
		x.f.eng.At(x.f.islandOf[id], t, sim.MakeKey(sim.Timer, classFault, x.ownerOfSwitch(int32(sw))))
		return &x.switches[sw]
	}
	for _, r := range cfg.Reboots {
		s := at(r.Switch, r.At)
		s.reboots = append(s.reboots, r.At)
	}
	for _, l := range cfg.Leaks {
		s := at(l.Switch, l.From)
		if l.Until != 0 {
			at(l.Switch, l.Until)
		}
		s.leaks = append(s.leaks, leak{Leak: l})
	}
}

// atSwitch does what an instant holds for a switch.
func (x *faults) atSwitch(isl *sim.Island, now unit.Time, sw int32) {
	s, n := &x.switches[sw], &x.f.buf.nodes[sw]
	if slices.Contains(s.reboots, now) {
		x.f.reboot(isl, now, sw)
		for i := range s.leaks {
			n.shared -= s.leaks[i].taken
			s.leaks[i].taken = 0
		}
	}
	for i := range s.leaks {
		switch l := &s.leaks[i]; now {
		case l.From:
			l.taken = min(int64(l.Bytes), max(0, n.size-n.shared))
			n.shared += l.taken
			n.maxUsed = max(n.maxUsed, n.shared)
		case l.Until:
			n.shared -= l.taken
			l.taken = 0
		}
	}
}

// restarts reports whether a switch rebooted while a frame was in its pipeline.
func (x *faults) restarts(sw int32, from, until unit.Time) bool {
	return sw >= 0 && slices.ContainsFunc(x.switches[sw].reboots, func(t unit.Time) bool { return from < t && t <= until })
}

// leaked is how much of a switch's buffer is in use for nothing.
func (x *faults) leaked(sw int) (sum int64) {
	for i := range x.switches[sw].leaks {
		sum += x.switches[sw].leaks[i].taken
	}
	return sum
}

// reboot empties a switch. Frames in transmission hold their part of the buffer until they have left.
func (f *Fabric) reboot(isl *sim.Island, now unit.Time, sw int32) {
	ports := f.graph.Nodes[f.buf.nodes[sw].id].Ports
	for _, id := range ports {
		f.pfc.forget(isl, now, id)
	}
	for _, id := range ports {
		for c := range f.nc {
			f.flush(isl, now, id, c, LostInReboot)
		}
	}
	if f.router.forwarders == nil {
		return
	}
	w := &f.router.forwarders[sw]
	clear(w.groups)
	clear(w.told)
	if w.restorer == nil {
		return
	}
	for _, flow := range slices.Sorted(maps.Keys(w.restorer.held)) {
		x := w.restorer.held[flow]
		for i := range x.frames {
			f.discard(isl, now, x.out, &x.frames[i], LostInReboot)
		}
		delete(w.restorer.held, flow)
	}
}

// flush discards what waits in a queue.
func (f *Fabric) flush(isl *sim.Island, now unit.Time, id PortID, c int, why LossKind) (frames int64) {
	q, p, st := &f.egress.queues[int(id)*f.nc+c], &f.links.ports[id], f.links.state(isl)
	for q.n > 0 {
		if f.samples && now >= q.sampled {
			f.egress.sample(isl, now, id, c, q)
		}
		pk := *q.front()
		q.drop(&st.chunks)
		q.bytes -= int64(pk.Bytes)
		if q.n == 0 {
			p.backlog &^= 1 << c
			q.deficit = 0
		}
		f.discard(isl, now, id, &pk, why)
		frames++
	}
	if f.cfg.OnEvent != nil && frames > 0 {
		f.witness.tellLevel(isl, now, id, c, q)
	}
	return frames
}

// discard loses a frame that a switch holds.
func (f *Fabric) discard(isl *sim.Island, now unit.Time, id PortID, pk *Packet, why LossKind) {
	f.release(isl, now, pk.account(), int64(pk.Bytes))
	f.lost(isl, pk, Loss{At: now, Port: id, Why: why})
}
