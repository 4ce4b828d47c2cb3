package record

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// events is the log of what happened at ports and to queue pairs: events.parquet. Of each kind so many
// are kept at each port and of each queue pair, the first. Each end of a queue pair, and each port,
// belongs to one island, so what is kept does not depend on the partition.
type events struct {
	plan *plan.Plan
	jobs []*Job

	table   *result.Table[result.EventRow] // nil: nobody watches
	keep    int64
	tallies []tally           // by port and kind, then by queue pair and kind
	links   []result.EventRow // that links go down and up, in order of time; those still to come
}

// tally counts the events of one kind at one place.
type tally struct {
	n    int64
	last unit.Time
}

// The kinds of event: those of ports, then those of queue pairs.
const (
	portKinds     = int(fabric.EventKinds) + 3 // and what was dropped, lost, and lost at the far end of the link
	pairKinds     = int(nic.EventKinds) + 1    // and timeouts
	aDroppedFrame = int(fabric.EventKinds)
	aLostFrame    = aDroppedFrame + 1
	aFarLoss      = aLostFrame + 1 // apart: another island may count it
	anExpiry      = int(nic.EventKinds)
)

var portEventNames = [portKinds]string{
	fabric.EventMark:     result.EventMark,
	fabric.EventXOFF:     result.EventXOFF,
	fabric.EventXON:      result.EventXON,
	fabric.EventPause:    result.EventPause,
	fabric.EventResume:   result.EventResume,
	fabric.EventOverMin:  result.EventOverMin,
	fabric.EventOverMax:  result.EventOverMax,
	fabric.EventUnderMax: result.EventUnderMax,
	fabric.EventUnderMin: result.EventUnderMin,
	fabric.EventPath:     result.EventPath,
	fabric.EventWatchdog: result.EventWatchdog,
	fabric.EventRestored: result.EventRestored,
	fabric.EventGaveUp:   result.EventGaveUp,
	aDroppedFrame:        result.EventDrop,
	aLostFrame:           result.EventLoss,
	aFarLoss:             result.EventLoss,
}

var pairEventNames = [pairKinds]string{
	nic.EventCNPSent:     result.EventCNPSent,
	nic.EventNAKSent:     result.EventNAKSent,
	nic.EventCNPReceived: result.EventCNPReceived,
	nic.EventNAKReceived: result.EventNAKReceived,
	nic.EventRate:        result.EventRate,
	nic.EventMoved:       result.EventMoved,
	anExpiry:             result.EventTimeout,
}

// open begins the log.
func (log *events) open(r *Recorder) {
	log.plan, log.jobs = r.plan, r.jobs
	log.table, log.keep = r.dir.Events(), int64(log.plan.Scenario.Output.EventsKept)
	log.tallies = make([]tally, len(log.plan.Graph.Ports)*portKinds+len(log.plan.Pairs)*pairKinds)
	if f := log.plan.Faults.Fabric; f != nil {
		for _, d := range f.Downs {
			log.linkChanges(d)
		}
	}
	slices.SortStableFunc(log.links, func(a, b result.EventRow) int { return cmp.Compare(a.Time, b.Time) })
}

// linkChanges notes when both ports of a link go down, and up.
func (log *events) linkChanges(d fabric.Down) {
	for id, p := range log.plan.Graph.Ports {
		if p.Link != d.Link {
			continue
		}
		down := log.about(result.EventLinkDown, int32(id), d.From)
		up := down
		up.Kind, up.Time = result.EventLinkUp, d.Until
		log.links = append(log.links, down, up)
	}
}

// keeps counts an event, of a kind at a place, and reports whether it gets a row.
func (log *events) keeps(slot int, at unit.Time) bool {
	t := &log.tallies[slot]
	t.n++
	t.last = at
	return t.n <= log.keep
}

// portSlot and pairSlot are where the events of a kind are counted.
func portSlot(port int32, kind int) int { return int(port)*portKinds + kind }

func (log *events) pairSlot(qp int32, kind int) int {
	return len(log.plan.Graph.Ports)*portKinds + int(qp)*pairKinds + kind
}

// port takes what happened at a port.
func (log *events) port(isl *island, e fabric.Event) {
	if !log.keeps(portSlot(int32(e.Port), int(e.Kind)), e.At) {
		return
	}
	row := log.about(portEventNames[e.Kind], int32(e.Port), e.At)
	row.Class = log.plan.Switches.Priority(e.Port, e.Class)
	row.Bytes, row.Threshold = e.Bytes, e.Threshold
	if e.Root >= 0 {
		row.Root = log.plan.Graph.Ports[e.Root].Name
	}
	if e.Flow >= 0 {
		log.named(&row, e.Flow)
		if row.Frame = kindNames[e.Frame]; !unnumbered[row.Frame] {
			row.PSN = log.psn(e.PSN)
		}
	}
	log.note(isl, fabric.EndOf(e.Port, e.Far()), row)
}

// pair takes what happened at an end of a queue pair.
func (log *events) pair(isl *island, e nic.Event) {
	if log.table == nil || !log.keeps(log.pairSlot(e.QP, int(e.Kind)), e.At) {
		return
	}
	row := log.about(pairEventNames[e.Kind], int32(e.Port), e.At)
	log.named(&row, e.QP)
	switch e.Kind {
	case nic.EventNAKSent, nic.EventNAKReceived:
		row.PSN = log.psn(e.PSN)
	case nic.EventMoved:
		row.Root = log.plan.Graph.Ports[e.PSN].Name
	case nic.EventRate:
		row.Before, row.Rate, row.Target = e.Before, e.State.Rate, e.State.Target
		row.Alpha, row.Window = e.State.Alpha, e.State.Window
		if row.Why = kindNames[e.Why]; e.Why == fabric.Data {
			row.Why = result.EventTimeout
		}
	}
	log.note(isl, log.pairOwner(e.QP, e.Kind.AtReceiver()), row)
}

// loss logs a frame that did not arrive.
func (log *events) loss(isl *island, l *fabric.Loss) {
	kind := aLostFrame
	switch {
	case l.Why == fabric.LostInBuffer:
		kind = aDroppedFrame
	case l.Far:
		kind = aFarLoss
	}
	if log.table == nil || !log.keeps(portSlot(int32(l.Port), kind), l.At) {
		return
	}
	row := log.about(portEventNames[kind], int32(l.Port), l.At)
	log.named(&row, l.Flow)
	if row.Frame = kindNames[l.Kind]; !unnumbered[row.Frame] {
		row.PSN = log.psn(l.Seq)
	}
	if kind != aDroppedFrame {
		row.Why = lossNames[l.Why]
	}
	log.note(isl, fabric.EndOf(l.Port, l.Far), row)
}

// timeout logs a retransmission timeout.
func (log *events) timeout(isl *island, now unit.Time, qp int32, oldest int64) {
	if log.table == nil || !log.keeps(log.pairSlot(qp, anExpiry), now) {
		return
	}
	from := log.plan.Graph.NICs[log.plan.Pairs[qp].From].Port
	row := log.about(result.EventTimeout, int32(from), now)
	log.named(&row, qp)
	row.PSN = log.psn(uint32(oldest & roce.PSNMask))
	log.note(isl, log.pairOwner(qp, false), row)
}

// psn is a packet sequence number as it is on the wire.
func (log *events) psn(n uint32) int32 { return int32(log.plan.PSN(n)) }

// about is a row about a port.
func (log *events) about(kind string, port int32, at unit.Time) result.EventRow {
	return result.EventRow{Time: at, Kind: kind, Port: log.plan.Graph.Ports[port].Name, Class: -1, PSN: -1}
}

// named says whose queue pair a row is about.
func (log *events) named(row *result.EventRow, qp int32) {
	q := &log.plan.Pairs[qp]
	row.Name = q.Name
	if q.Job >= 0 {
		row.Job = log.jobs[q.Job].name()
	}
}

// pairOwner is the owner of events at an end of a queue pair, after those of ports (fabric.EndOf).
func (log *events) pairOwner(qp int32, receives bool) int32 {
	owner := 2 * (int32(len(log.plan.Graph.Ports)) + qp)
	if receives {
		owner++
	}
	return owner
}

func (log *events) note(isl *island, owner int32, row result.EventRow) {
	isl.events = append(isl.events, row)
	isl.note(row.Time, anEvent, owner, len(isl.events)-1)
}

// add writes a row, after what links did until then.
func (log *events) add(row *result.EventRow) {
	log.linksUntil(row.Time)
	log.table.Add(*row)
}

func (log *events) linksUntil(now unit.Time) {
	for ; len(log.links) > 0 && log.links[0].Time <= now; log.links = log.links[1:] {
		log.table.Add(log.links[0])
	}
}

// finish ends the log: it says what was left out, and returns how much that is.
func (log *events) finish(now unit.Time) (out int64) {
	if log.tallies == nil {
		return 0
	}
	log.linksUntil(now)
	for i := range log.tallies {
		t := &log.tallies[i]
		if t.n <= log.keep {
			continue
		}
		row := log.placeOf(i)
		row.Time, row.LeftOut = t.last, t.n-log.keep
		out += row.LeftOut
		log.table.Add(row)
	}
	return out
}

// placeOf is what is counted in a slot.
func (log *events) placeOf(slot int) result.EventRow {
	ports := len(log.plan.Graph.Ports) * portKinds
	if slot < ports {
		return log.about(portEventNames[slot%portKinds], int32(slot/portKinds), 0)
	}
	qp, kind := (slot-ports)/pairKinds, (slot-ports)%pairKinds
	q := &log.plan.Pairs[qp]
	at := q.Path[0]
	if kind < int(nic.EventKinds) && nic.EventKind(kind).AtReceiver() {
		at = q.Back[0]
	}
	row := log.about(pairEventNames[kind], int32(at), 0)
	log.named(&row, int32(qp))
	return row
}

// leftOutNote says that the log is not whole.
func (log *events) leftOutNote(n int64) string {
	return fmt.Sprintf("events.parquet leaves out %s: of each kind it keeps the first %s at a port and of a queue "+
		"pair (output.events_kept); its last rows count the others", unit.CountOf(n, "event"), unit.Count(log.keep))
}

// PortEvent takes what happened at a port.
func (r *Recorder) PortEvent(island int32, e fabric.Event) { r.events.port(r.islands[island], e) }

// PairEvent takes what happened at an end of a queue pair.
func (r *Recorder) PairEvent(island int32, e nic.Event) {
	r.watch.pair(&e)
	if e.Kind == nic.EventCNPReceived && r.series.cnps != nil {
		r.series.cnps[e.QP]++
	}
	r.events.pair(r.islands[island], e)
}
