package record

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/result"
	"railyard/internal/roce"
	"railyard/internal/unit"
)

// events is the log of what happened at ports and to queue pairs: events.parquet. Of each kind so many
// are kept at each port and of each queue pair, the first. Each end of a queue pair, and each port,
// belongs to one island, so what is kept does not depend on the partition.
type events struct {
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

// openEvents begins the log.
func (r *Recorder) openEvents() {
	r.events.table, r.events.keep = r.dir.Events(), int64(r.plan.Scenario.Output.EventsKept)
	r.events.tallies = make([]tally, len(r.plan.Graph.Ports)*portKinds+len(r.plan.Pairs)*pairKinds)
	if f := r.plan.Mishaps().Fabric; f != nil {
		for _, d := range f.Downs {
			r.linkChanges(d)
		}
	}
	slices.SortStableFunc(r.events.links, func(a, b result.EventRow) int { return cmp.Compare(a.Time, b.Time) })
}

// linkChanges notes when both ports of a link go down, and up.
func (r *Recorder) linkChanges(d fabric.Down) {
	for id, p := range r.plan.Graph.Ports {
		if p.Link != d.Link {
			continue
		}
		down := r.portEvent(result.EventLinkDown, int32(id), d.From)
		up := down
		up.Kind, up.Time = result.EventLinkUp, d.Until
		r.events.links = append(r.events.links, down, up)
	}
}

// keeps counts an event, of a kind at a place, and reports whether it gets a row.
func (r *Recorder) keeps(slot int, at unit.Time) bool {
	t := &r.events.tallies[slot]
	t.n++
	t.last = at
	return t.n <= r.events.keep
}

// portSlot and pairSlot are where the events of a kind are counted.
func portSlot(port int32, kind int) int { return int(port)*portKinds + kind }

func (r *Recorder) pairSlot(qp int32, kind int) int {
	return len(r.plan.Graph.Ports)*portKinds + int(qp)*pairKinds + kind
}

// PortEvent takes what happened at a port.
func (r *Recorder) PortEvent(island int32, e fabric.Event) {
	if !r.keeps(portSlot(int32(e.Port), int(e.Kind)), e.At) {
		return
	}
	row := r.portEvent(portEventNames[e.Kind], int32(e.Port), e.At)
	row.Class = r.plan.Switches.Priority(e.Port, e.Class)
	row.Bytes, row.Threshold = e.Bytes, e.Threshold
	if e.Root >= 0 {
		row.Root = r.plan.Graph.Ports[e.Root].Name
	}
	if e.Flow >= 0 {
		r.named(&row, e.Flow)
		if row.Frame = kindNames[e.Frame]; !unnumbered[row.Frame] {
			row.PSN = r.psn(e.PSN)
		}
	}
	r.noteEvent(island, fabric.EndOf(e.Port, e.Far()), row)
}

// PairEvent takes what happened at an end of a queue pair.
func (r *Recorder) PairEvent(island int32, e nic.Event) {
	r.watchPair(&e)
	if e.Kind == nic.EventCNPReceived && r.series.cnps != nil {
		r.series.cnps[e.QP]++
	}
	if r.events.table == nil || !r.keeps(r.pairSlot(e.QP, int(e.Kind)), e.At) {
		return
	}
	row := r.portEvent(pairEventNames[e.Kind], int32(e.Port), e.At)
	r.named(&row, e.QP)
	switch e.Kind {
	case nic.EventNAKSent, nic.EventNAKReceived:
		row.PSN = r.psn(e.PSN)
	case nic.EventMoved:
		row.Root = r.plan.Graph.Ports[e.PSN].Name
	case nic.EventRate:
		row.Before, row.Rate, row.Target = e.Before, e.State.Rate, e.State.Target
		row.Alpha, row.Window = e.State.Alpha, e.State.Window
		if row.Why = kindNames[e.Why]; e.Why == fabric.Data {
			row.Why = result.EventTimeout
		}
	}
	r.noteEvent(island, r.pairOwner(e.QP, e.Kind.AtReceiver()), row)
}

// lossEvent logs a frame that did not arrive.
func (r *Recorder) lossEvent(island int32, l *fabric.Loss) {
	kind := aLostFrame
	switch {
	case l.Why == fabric.LostInBuffer:
		kind = aDroppedFrame
	case l.Far:
		kind = aFarLoss
	}
	if r.events.table == nil || !r.keeps(portSlot(int32(l.Port), kind), l.At) {
		return
	}
	row := r.portEvent(portEventNames[kind], int32(l.Port), l.At)
	r.named(&row, l.Flow)
	if row.Frame = kindNames[l.Kind]; !unnumbered[row.Frame] {
		row.PSN = r.psn(l.Seq)
	}
	if kind != aDroppedFrame {
		row.Why = lossNames[l.Why]
	}
	r.noteEvent(island, fabric.EndOf(l.Port, l.Far), row)
}

// timeoutEvent logs a retransmission timeout.
func (r *Recorder) timeoutEvent(island int32, now unit.Time, qp int32, oldest int64) {
	if r.events.table == nil || !r.keeps(r.pairSlot(qp, anExpiry), now) {
		return
	}
	from := r.plan.Graph.NICs[r.plan.Pairs[qp].From].Port
	row := r.portEvent(result.EventTimeout, int32(from), now)
	r.named(&row, qp)
	row.PSN = r.psn(uint32(oldest & roce.PSNMask))
	r.noteEvent(island, r.pairOwner(qp, false), row)
}

// psn is a packet sequence number as it is on the wire.
func (r *Recorder) psn(n uint32) int32 { return int32(r.plan.PSN(n)) }

// portEvent is a row about a port.
func (r *Recorder) portEvent(kind string, port int32, at unit.Time) result.EventRow {
	return result.EventRow{Time: at, Kind: kind, Port: r.plan.Graph.Ports[port].Name, Class: -1, PSN: -1}
}

// named says whose queue pair a row is about.
func (r *Recorder) named(row *result.EventRow, qp int32) {
	q := &r.plan.Pairs[qp]
	row.Name = q.Name
	if j := r.jobOf(q); j != nil {
		row.Job = j.name()
	}
}

// pairOwner is the owner of events at an end of a queue pair, after those of ports (fabric.EndOf).
func (r *Recorder) pairOwner(qp int32, receives bool) int32 {
	owner := 2 * (int32(len(r.plan.Graph.Ports)) + qp)
	if receives {
		owner++
	}
	return owner
}

func (r *Recorder) noteEvent(island, owner int32, row result.EventRow) {
	isl := r.islands[island]
	isl.events = append(isl.events, row)
	isl.note(row.Time, anEvent, owner, len(isl.events)-1)
}

// event writes a row, after what links did until then.
func (r *Recorder) event(row *result.EventRow) {
	r.linksUntil(row.Time)
	r.events.table.Add(*row)
}

func (r *Recorder) linksUntil(now unit.Time) {
	for e := &r.events; len(e.links) > 0 && e.links[0].Time <= now; e.links = e.links[1:] {
		e.table.Add(e.links[0])
	}
}

// finishEvents ends the log: it says what was left out, and returns how much that is.
func (r *Recorder) finishEvents(now unit.Time) (out int64) {
	e := &r.events
	if e.tallies == nil {
		return 0
	}
	r.linksUntil(now)
	for i := range e.tallies {
		t := &e.tallies[i]
		if t.n <= e.keep {
			continue
		}
		row := r.placeOf(i)
		row.Time, row.LeftOut = t.last, t.n-e.keep
		out += row.LeftOut
		e.table.Add(row)
	}
	return out
}

// placeOf is what is counted in a slot.
func (r *Recorder) placeOf(slot int) result.EventRow {
	ports := len(r.plan.Graph.Ports) * portKinds
	if slot < ports {
		return r.portEvent(portEventNames[slot%portKinds], int32(slot/portKinds), 0)
	}
	qp, kind := (slot-ports)/pairKinds, (slot-ports)%pairKinds
	q := &r.plan.Pairs[qp]
	at := q.Path[0]
	if kind < int(nic.EventKinds) && nic.EventKind(kind).AtReceiver() {
		at = q.Back[0]
	}
	row := r.portEvent(pairEventNames[kind], int32(at), 0)
	r.named(&row, int32(qp))
	return row
}

// leftOutNote says that the log is not whole.
func (r *Recorder) leftOutNote(n int64) string {
	return fmt.Sprintf("events.parquet leaves out %s: of each kind it keeps the first %s at a port and of a queue "+
		"pair (output.events_kept); its last rows count the others", unit.CountOf(n, "event"), unit.Count(r.events.keep))
}
