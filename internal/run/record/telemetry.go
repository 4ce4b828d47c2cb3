package record

import (
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/transport"
)

// watch reads the counters of devices as a collector does: telemetry.parquet. A device is read once in an interval, each a
// little later than the interval begins, by as much as its place says. It reads between windows, as a series does, so the
// run goes on as if nobody read.
//
//	leaf1   |.   |.   |.   |.      so late: 0 to 7 64ths of the interval
//	host1   |  . |  . |  . |  .
type watch struct {
	plan    *plan.Plan
	network Network

	table *result.Table[telemetry.Row] // nil: nobody wants it
	every unit.Duration
	from  unit.Time // of the interval
	done  int       // intervals
	slot  int       // of the interval, that is read next
	slots [slots][]topo.NodeID

	ports []watched       // by port
	cards []cardCounts    // by port of a NIC
	gpus  map[gpu]*worked // by GPU
	seqs  map[member]int64
}

// slots is how many instants of an interval there are at which devices are read, and lateness the part of an interval
// between two of them.
const (
	slots    = 8
	lateness = 64
)

// watched is what the engine does not keep of a port as devices do.
type watched struct {
	rx                                          [2]int64 // bytes, packets: as they were read last
	errors, oversize, inDiscards, dark, emptied int64
	lostBytes, seenDetected                     int64
}

// cardCounts are those of a NIC's port.
type cardCounts struct{ marked, cnpsSent, cnpsGot, gaps, naks, timeouts int64 }

// gpu names a GPU, and member a rank in a group.
type gpu struct{ host, gpu int32 }

type member struct {
	job, group, rank int32
}

// open begins to read.
func (w *watch) open(r *Recorder) {
	w.plan, w.network = r.plan, r.network
	g := w.plan.Graph
	w.table, w.every = r.dir.Telemetry(), w.plan.Scenario.Output.Telemetry.Value
	w.ports, w.cards = make([]watched, len(g.Ports)), make([]cardCounts, len(g.Ports))
	w.gpus, w.seqs = map[gpu]*worked{}, map[member]int64{}
	for id := range g.Nodes {
		slot := splitmix.Mix(uint64(id)) % slots
		w.slots[slot] = append(w.slots[slot], topo.NodeID(id))
	}
	w.staticLines(r.jobs)
}

// Watches reports whether telemetry.parquet is wanted.
func (r *Recorder) Watches() bool { return r.dir != nil && r.plan.Scenario.Output.Telemetry.Set }

func (w *watch) due() unit.Time {
	if w.table == nil || w.done >= mostWritten {
		return unit.Never
	}
	return w.at()
}

// at is when the devices of the slot are read.
func (w *watch) at() unit.Time { return w.from.Add(w.every * unit.Duration(w.slot) / lateness) }

// idle says that nothing happens until an instant: the next read is after it.
func (w *watch) idle(until unit.Time) {
	if w.table == nil || until < w.from {
		return
	}
	w.from, w.slot = unit.Time(int64(until)/int64(w.every)*int64(w.every)).Add(w.every), 0
}

// look reads the devices of a slot.
func (w *watch) look(now unit.Time) {
	for _, n := range w.slots[w.slot] {
		w.readNode(now, n)
	}
	if w.slot++; w.slot == slots {
		w.slot, w.from, w.done = 0, w.from.Add(w.every), w.done+1
	}
}

// readNode reads all ports of a device.
func (w *watch) readNode(now unit.Time, n topo.NodeID) {
	node := &w.plan.Graph.Nodes[n]
	for _, id := range node.Ports {
		st := w.network.Stats(now, id)
		row := telemetry.NewRow(telemetry.Port, node.Name, w.plan.Graph.Ports[id].Name, now)
		row.Priority = w.plan.Switches.Priority(id, 0)
		w.readPort(now, id, &st, &row)
		if node.Kind == topo.HostKind {
			row.Kind = string(telemetry.NIC)
			w.readCard(id, &row)
		} else {
			w.readSwitchPort(id, &st, &row)
		}
		w.table.Add(row)
		if node.Kind != topo.HostKind {
			w.readQueues(now, id)
		}
	}
}

// readPort reads what both ends of a link have. What a port has received is what its peer has sent and was not lost; what
// is on its way counts from when it left.
func (w *watch) readPort(now unit.Time, id topo.PortID, st *fabric.PortStats, row *telemetry.Row) {
	far := w.network.Stats(now, id^1)
	at, from := &w.ports[id], &w.ports[id^1]
	missing := at.errors + from.dark
	at.rx[0] = max(at.rx[0], far.Bytes-from.lostBytes)
	at.rx[1] = max(at.rx[1], far.Frames-missing)
	row.TxBytes, row.TxPackets = st.Bytes, st.Frames
	row.RxBytes, row.RxPackets = at.rx[0], at.rx[1]
	row.InErrors, row.Oversize, row.InDiscards = at.errors, at.oversize, at.inDiscards
	row.OutDiscards = st.Drops + at.dark + at.emptied
	row.TxPFC, row.RxPFC, row.RxPause = st.PausesSent, st.PausesReceived, int64(st.Paused/unit.Microsecond)
	row.LinkDowns, row.Up = w.linkState(now, id)
	row.Speed = int64(w.speed(now, id) / unit.MegabitPerSec)
}

// speed is what the ends of a port's link have agreed upon.
func (w *watch) speed(now unit.Time, id topo.PortID) unit.Bitrate {
	rate := w.plan.Graph.Ports[id].Rate
	if f := w.plan.Faults.Fabric; f != nil {
		for i := range f.Settings {
			if s := &f.Settings[i]; s.Port == id && s.Rate > 0 && s.Holds(now) {
				rate = s.Rate
			}
		}
	}
	return rate
}

// pcie is what the PCIe link of a host's NICs carries, as it came up. Hosts with a graph of links have no one figure.
func (w *watch) pcie(now unit.Time, host int32) int64 {
	of := &w.plan.Scenario.Cluster.Host
	rate := of.PCIe
	if rate == 0 || of.Graph.Set {
		return telemetry.Unknown
	}
	for i := range w.plan.Faults.Hosts {
		if f := &w.plan.Faults.Hosts[i]; f.Host == host && f.PCIe > 0 && f.Holds(now) {
			rate = f.PCIe
		}
	}
	return int64(rate / unit.MegabitPerSec)
}

// linkState is how often the port's link has gone down, and whether it is up.
func (w *watch) linkState(now unit.Time, id topo.PortID) (downs, up int64) {
	up = 1
	f := w.plan.Faults.Fabric
	if f == nil {
		return 0, up
	}
	for _, d := range f.Downs {
		if d.Link != w.plan.Graph.Ports[id].Link || d.From > now {
			continue
		}
		if downs++; now < d.Until {
			up = 0
		}
	}
	return downs, up
}

// readSwitchPort reads what switches have.
func (w *watch) readSwitchPort(id topo.PortID, st *fabric.PortStats, row *telemetry.Row) {
	row.ECNMarked, row.Watchdog = st.Marks, st.Detected
	row.Watermark = int64(w.network.Peak(id, 0))
	if at := &w.ports[id]; st.Detected > at.seenDetected {
		at.seenDetected = st.Detected
		w.line(row.Time, row.Device, row.Port, "PFC Watchdog detected PFC storm on port %s, queue index %d", row.Port, row.Priority)
	}
}

// readQueues reads the watermarks of the port's other queues.
func (w *watch) readQueues(now unit.Time, id topo.PortID) {
	p := &w.plan.Graph.Ports[id]
	for c := 1; c < w.plan.Switches.Classes(); c++ {
		if high := w.network.Peak(id, c); high > 0 {
			row := telemetry.NewRow(telemetry.Queue, w.plan.Graph.Nodes[p.Node].Name, p.Name, now)
			row.Priority, row.Watermark = w.plan.Switches.Priority(id, uint8(c)), int64(high)
			w.table.Add(row)
		}
	}
}

// readCard reads what NICs have. Counters of queue pairs are 32 bits wide.
func (w *watch) readCard(id topo.PortID, row *telemetry.Row) {
	c := &w.cards[id]
	row.PCIe = w.pcie(row.Time, w.plan.Graph.NICs[w.plan.Graph.Ports[id].NIC].Host)
	row.NPMarked, row.NPSent, row.RPHandled = c.marked, c.cnpsSent, c.cnpsGot
	row.OutOfSequence, row.SequenceErrors = c.gaps&0xffff_ffff, c.naks&0xffff_ffff
	row.AckTimeouts = c.timeouts & 0xffff_ffff
}

// pair counts what happened at an end of a queue pair. Each NIC is in one island.
func (w *watch) pair(e *nic.Event) {
	if w.table == nil {
		return
	}
	switch c := &w.cards[e.Port]; e.Kind {
	case nic.EventCNPSent:
		c.cnpsSent++
	case nic.EventCNPReceived:
		c.cnpsGot++
	case nic.EventNAKSent:
		c.gaps++
	case nic.EventNAKReceived:
		c.naks++
	}
}

// timeout counts a timer that ran out, and flow the marks of a message that has ended.
func (w *watch) timeout(qp int32) {
	if w.table != nil {
		w.cards[w.plan.Graph.NICs[w.plan.Pairs[qp].From].Port].timeouts++
	}
}

func (w *watch) flow(qp int32, marks int64) {
	if w.table != nil {
		w.cards[w.plan.Graph.NICs[w.plan.Pairs[qp].To].Port].marked += marks
	}
}

// loss counts a frame that was lost where the device that lost it does.
func (w *watch) loss(l *fabric.Loss) {
	if w.table == nil {
		return
	}
	at, far := &w.ports[l.Port], &w.ports[l.Port^1]
	switch l.Why {
	case fabric.LostOnLink:
		if _, up := w.linkState(l.At, l.Port); up == 0 {
			at.dark++
		} else {
			far.errors++
		}
		at.lostBytes += w.lostBytes(l)
	case fabric.LostOversize:
		if w.small(l.Port) {
			at.oversize++
		} else {
			far.oversize++
		}
	case fabric.LostWithoutRoute, fabric.LostBeforePCIe, fabric.LostInNIC:
		far.inDiscards++
	case fabric.LostByWatchdog, fabric.LostAtThreshold, fabric.LostInReboot:
		at.emptied++
	}
}

// small reports whether the port's own MTU is set otherwise than its switch's.
func (w *watch) small(id topo.PortID) bool {
	f := w.plan.Faults.Fabric
	return f != nil && slices.ContainsFunc(f.Settings, func(s fabric.Setting) bool { return s.Port == id && s.MTU > 0 })
}

// lostBytes is about how long a lost frame was: a loss does not say, and most data frames are full.
func (w *watch) lostBytes(l *fabric.Loss) int64 {
	frames := transport.Frames(w.plan.Scenario)
	if l.Kind == fabric.Data {
		return int64(frames.OnLink(frames.MaxDataFrame(w.plan.Scenario.Transport.MTU)))
	}
	return int64(frames.OnLink(frames.ACK))
}
