package fabric

import (
	"fmt"

	"railyard/internal/base/unit"
)

// PortStats are a port's counters since the start of the run.
type PortStats struct {
	// Sent: all frames, PFC frames too, with preamble and gap. DataBytes: data packets alone.
	Frames, Bytes, DataBytes int64
	// the time that Bytes took; of a frame in transmission, the part that has left
	Busy                       unit.Duration
	PausesSent, PausesReceived int64 // PFC frames that left by this port; that stopped this port
	Paused                     unit.Duration
	Held                       bool  // by PFC, as of now
	Marks, Drops               int64 // at this port's queues
	Faulted                    int64 // frames that a fault of the link, or of a port at its ends, discarded
	MaxQueue                   unit.Bytes
	// Of the watchdog: queues taken out of PFC and put back, frames that it dropped.
	Detected, Restored, Discarded int64
}

// Stats returns the counters of a port as of now.
func (f *Fabric) Stats(now unit.Time, id PortID) PortStats {
	p := &f.links.ports[id]
	pfc := p.pfcFrames * (int64(f.cfg.PauseFrame) + f.links.overhead)
	s := PortStats{Frames: p.txFrames() + p.pfcFrames, Bytes: p.txBytes + pfc, DataBytes: p.dataBytes, Busy: p.busy,
		PausesSent: p.pausesSent, PausesReceived: p.pausesReceived, Paused: p.pausedTotal, Marks: p.marks, Drops: p.drops,
		Faulted: f.links.ingresses[id].faulted}
	s.Detected, s.Restored, s.Discarded = p.detected, p.restored, p.discarded
	if f.faults != nil {
		s.Faulted += f.faults.set[id].oversize
	}
	if p.psPerByte != 0 {
		s.Busy = f.links.txTime(p, s.Bytes)
	}
	if p.paused != 0 {
		s.Held = true
		s.Paused += now.Sub(p.pausedSince)
	}
	if over := p.busyUntil.Sub(now); over > 0 {
		s.Busy -= over
	}
	for c := range f.nc {
		s.MaxQueue = max(s.MaxQueue, unit.Bytes(f.egress.queues[int(id)*f.nc+c].high))
	}
	return s
}

// MaxShared returns the largest number of bytes that was ever in the shared part of a switch's
// buffer, and the size of that part.
func (f *Fabric) MaxShared(switchIndex int) (used, size unit.Bytes) {
	n := &f.buf.nodes[switchIndex]
	return unit.Bytes(n.maxUsed), unit.Bytes(n.size)
}

// Waiting returns the bytes that wait in the egress queue of a class, without the frame in
// transmission.
func (f *Fabric) Waiting(id PortID, class int) unit.Bytes {
	return unit.Bytes(f.egress.queues[int(id)*f.nc+class].bytes)
}

// Peak returns the most bytes that ever waited in the egress queue of a class.
func (f *Fabric) Peak(id PortID, class int) unit.Bytes {
	return unit.Bytes(f.egress.queues[int(id)*f.nc+class].high)
}

// FlushSamples reports the samples up to now of every queue.
func (f *Fabric) FlushSamples(now unit.Time) {
	if f.cfg.SampleEvery <= 0 {
		return
	}
	for i := range f.egress.queues {
		isl := f.eng.Island(f.islandOf[f.graph.Ports[i/f.nc].Node])
		f.egress.sample(isl, now, PortID(i/f.nc), i%f.nc, &f.egress.queues[i])
	}
}

// Check verifies the accounts of every switch. It walks every queue, so it is for tests and fault
// searches.
func (f *Fabric) Check() error {
	held := make([]int64, len(f.buf.accounts))
	for i := range f.egress.queues {
		q := &f.egress.queues[i]
		sum := int64(0)
		q.each(func(_ uint32, pk *Packet) {
			sum += int64(pk.Bytes)
			held[pk.account()] += int64(pk.Bytes)
		})
		if bit := f.links.ports[i/f.nc].paused >> (i % f.nc) & 1; f.egress.slow[i].hold.on != (bit != 0) {
			return fmt.Errorf("fabric: queue %s class %d: held %v, but its port says %d", f.graph.Ports[i/f.nc].Name, i%f.nc,
				f.egress.slow[i].hold.on, bit)
		}
		if sum != q.bytes {
			return fmt.Errorf("fabric: queue %s class %d: holds %d bytes, counts %d",
				f.graph.Ports[i/f.nc].Name, i%f.nc, sum, q.bytes)
		}
	}
	for i := range f.router.forwarders {
		f.router.forwarders[i].eachHeld(func(pk *Packet) { held[pk.account()] += int64(pk.Bytes) })
	}
	for i := range f.links.ports {
		if p := &f.links.ports[i]; p.flags&flagHolds != 0 || f.holds && p.sent.line&lineClass != 0 {
			held[p.sent.account] += int64(p.sent.bytes)
		}
	}
	leaked := func(sw int) int64 {
		if f.faults == nil {
			return 0
		}
		return f.faults.leaked(sw)
	}
	return f.buf.check(f.graph, held, func(account int) int32 { return f.links.ingresses[account/f.nc].far }, leaked)
}

// LosslessDrops returns how many frames of classes under PFC that came over a link were dropped
// because headroom was full.
func (f *Fabric) LosslessDrops(id PortID) int64 {
	return f.buf.refusedOver(id)
}

// Shared returns the bytes of the shared part of a switch's buffer in use.
func (f *Fabric) Shared(switchIndex int) unit.Bytes {
	return unit.Bytes(f.buf.nodes[switchIndex].shared)
}
