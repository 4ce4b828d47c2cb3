package record

import (
	"slices"

	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/result"
	"railyard/internal/splitmix"
	"railyard/internal/telemetry"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// watch reads the counters of devices as a collector does: telemetry.parquet. A device is read once in an interval, each a
// little later than the interval begins, by as much as its place says. It reads between windows, as a series does, so the
// run goes on as if nobody read.
//
//	leaf1   |.   |.   |.   |.      so late: 0 to 7 64ths of the interval
//	host1   |  . |  . |  . |  .
type watch struct {
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

// openWatch begins to read.
func (r *Recorder) openWatch() {
	w, g := &r.watch, r.plan.Graph
	w.table, w.every = r.dir.Telemetry(), r.plan.Scenario.Output.Telemetry.Value
	w.ports, w.cards = make([]watched, len(g.Ports)), make([]cardCounts, len(g.Ports))
	w.gpus, w.seqs = map[gpu]*worked{}, map[member]int64{}
	for id := range g.Nodes {
		slot := splitmix.Mix(uint64(id)) % slots
		w.slots[slot] = append(w.slots[slot], topo.NodeID(id))
	}
	r.staticLines()
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

// lookWatch reads the devices of a slot.
func (r *Recorder) lookWatch(now unit.Time) {
	w := &r.watch
	for _, n := range w.slots[w.slot] {
		r.readNode(now, n)
	}
	if w.slot++; w.slot == slots {
		w.slot, w.from, w.done = 0, w.from.Add(w.every), w.done+1
	}
}

// readNode reads all ports of a device.
func (r *Recorder) readNode(now unit.Time, n topo.NodeID) {
	node := &r.plan.Graph.Nodes[n]
	for _, id := range node.Ports {
		st := r.network.Stats(now, id)
		row := telemetry.NewRow(telemetry.Port, node.Name, r.plan.Graph.Ports[id].Name, now)
		row.Priority = r.plan.Switches.Priority(id, 0)
		r.readPort(now, id, &st, &row)
		if node.Kind == topo.HostKind {
			row.Kind = string(telemetry.NIC)
			r.readCard(id, &row)
		} else {
			r.readSwitchPort(id, &st, &row)
		}
		r.watch.table.Add(row)
		if node.Kind != topo.HostKind {
			r.readQueues(now, id)
		}
	}
}

// readPort reads what both ends of a link have. What a port has received is what its peer has sent and was not lost; what
// is on its way counts from when it left.
func (r *Recorder) readPort(now unit.Time, id topo.PortID, st *fabric.PortStats, row *telemetry.Row) {
	far := r.network.Stats(now, id^1)
	w, from := &r.watch.ports[id], &r.watch.ports[id^1]
	missing := w.errors + from.dark
	w.rx[0] = max(w.rx[0], far.Bytes-from.lostBytes)
	w.rx[1] = max(w.rx[1], far.Frames-missing)
	row.TxBytes, row.TxPackets = st.Bytes, st.Frames
	row.RxBytes, row.RxPackets = w.rx[0], w.rx[1]
	row.InErrors, row.Oversize, row.InDiscards = w.errors, w.oversize, w.inDiscards
	row.OutDiscards = st.Drops + w.dark + w.emptied
	row.TxPFC, row.RxPFC, row.RxPause = st.PausesSent, st.PausesReceived, int64(st.Paused/unit.Microsecond)
	row.LinkDowns, row.Up = r.linkState(now, id)
	row.Speed = int64(r.speed(now, id) / unit.MegabitPerSec)
}

// speed is what the ends of a port's link have agreed upon.
func (r *Recorder) speed(now unit.Time, id topo.PortID) unit.Bitrate {
	rate := r.plan.Graph.Ports[id].Rate
	if f := r.plan.Mishaps().Fabric; f != nil {
		for i := range f.Settings {
			if s := &f.Settings[i]; s.Port == id && s.Rate > 0 && s.Holds(now) {
				rate = s.Rate
			}
		}
	}
	return rate
}

// pcie is what the PCIe link of a host's NICs carries, as it came up. Hosts with a graph of links have no one figure.
func (r *Recorder) pcie(now unit.Time, host int32) int64 {
	of := &r.plan.Scenario.Cluster.Host
	rate := of.PCIe
	if rate == 0 || of.Graph.Set {
		return telemetry.Unknown
	}
	for i := range r.plan.Mishaps().Hosts {
		if f := &r.plan.Mishaps().Hosts[i]; f.Host == host && f.PCIe > 0 && f.Holds(now) {
			rate = f.PCIe
		}
	}
	return int64(rate / unit.MegabitPerSec)
}

// linkState is how often the port's link has gone down, and whether it is up.
func (r *Recorder) linkState(now unit.Time, id topo.PortID) (downs, up int64) {
	up = 1
	f := r.plan.Mishaps().Fabric
	if f == nil {
		return 0, up
	}
	for _, d := range f.Downs {
		if d.Link != r.plan.Graph.Ports[id].Link || d.From > now {
			continue
		}
		if downs++; now < d.Until {
			up = 0
		}
	}
	return downs, up
}

// readSwitchPort reads what switches have.
func (r *Recorder) readSwitchPort(id topo.PortID, st *fabric.PortStats, row *telemetry.Row) {
	row.ECNMarked, row.Watchdog = st.Marks, st.Detected
	row.Watermark = int64(r.network.Peak(id, 0))
	if w := &r.watch.ports[id]; st.Detected > w.seenDetected {
		w.seenDetected = st.Detected
		r.line(row.Time, row.Device, row.Port, "PFC Watchdog detected PFC storm on port %s, queue index %d", row.Port, row.Priority)
	}
}

// readQueues reads the watermarks of the port's other queues.
func (r *Recorder) readQueues(now unit.Time, id topo.PortID) {
	p := &r.plan.Graph.Ports[id]
	for c := 1; c < r.plan.Switches.Classes(); c++ {
		if high := r.network.Peak(id, c); high > 0 {
			row := telemetry.NewRow(telemetry.Queue, r.plan.Graph.Nodes[p.Node].Name, p.Name, now)
			row.Priority, row.Watermark = r.plan.Switches.Priority(id, uint8(c)), int64(high)
			r.watch.table.Add(row)
		}
	}
}

// readCard reads what NICs have. Counters of queue pairs are 32 bits wide.
func (r *Recorder) readCard(id topo.PortID, row *telemetry.Row) {
	c := &r.watch.cards[id]
	row.PCIe = r.pcie(row.Time, r.plan.Graph.NICs[r.plan.Graph.Ports[id].NIC].Host)
	row.NPMarked, row.NPSent, row.RPHandled = c.marked, c.cnpsSent, c.cnpsGot
	row.OutOfSequence, row.SequenceErrors = c.gaps&0xffff_ffff, c.naks&0xffff_ffff
	row.AckTimeouts = c.timeouts & 0xffff_ffff
}

// watchPair counts what happened at an end of a queue pair. Each NIC is in one island.
func (r *Recorder) watchPair(e *nic.Event) {
	if r.watch.table == nil {
		return
	}
	switch c := &r.watch.cards[e.Port]; e.Kind {
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

// watchTimeout counts a timer that ran out, and watchFlow the marks of a message that has ended.
func (r *Recorder) watchTimeout(qp int32) {
	if r.watch.table != nil {
		r.watch.cards[r.plan.Graph.NICs[r.plan.Pairs[qp].From].Port].timeouts++
	}
}

func (r *Recorder) watchFlow(qp int32, marks int64) {
	if r.watch.table != nil {
		r.watch.cards[r.plan.Graph.NICs[r.plan.Pairs[qp].To].Port].marked += marks
	}
}

// watchLoss counts a frame that was lost where the device that lost it does.
func (r *Recorder) watchLoss(l *fabric.Loss) {
	if r.watch.table == nil {
		return
	}
	at, far := &r.watch.ports[l.Port], &r.watch.ports[l.Port^1]
	switch l.Why {
	case fabric.LostOnLink:
		if _, up := r.linkState(l.At, l.Port); up == 0 {
			at.dark++
		} else {
			far.errors++
		}
		at.lostBytes += r.lostBytes(l)
	case fabric.LostOversize:
		if r.small(l.Port) {
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
func (r *Recorder) small(id topo.PortID) bool {
	f := r.plan.Mishaps().Fabric
	return f != nil && slices.ContainsFunc(f.Settings, func(s fabric.Setting) bool { return s.Port == id && s.MTU > 0 })
}

// lostBytes is about how long a lost frame was: a loss does not say, and most data frames are full.
func (r *Recorder) lostBytes(l *fabric.Loss) int64 {
	frames := r.plan.Frames()
	if l.Kind == fabric.Data {
		return int64(frames.OnLink(frames.MaxDataFrame(r.plan.Scenario.Transport.MTU)))
	}
	return int64(frames.OnLink(frames.ACK))
}
