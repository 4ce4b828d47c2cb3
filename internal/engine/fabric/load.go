package fabric

import (
	"slices"

	"railyard/internal/base/unit"
)

// A port's load over time, as far as traced frames saw it: what it had sent, and how long it had been paused, as
// each of them left. The first and last packet of each message are traced, so the line between two points is flat
// while nothing is sent. Of each part of the run the last point is kept: parts grow as the run does.

// loadPoints is how many parts there are, firstPart how long they are at first.
const (
	loadPoints = 32
	firstPart  = unit.Microsecond
)

// LoadPoint is what a port had done by a time since the start of the run.
type LoadPoint struct {
	At   unit.Time
	Sent unit.Bytes    // on the link, preamble and gap included
	Held unit.Duration // the class of the frame was paused
}

// load is the points of a port; those of parts without a traced frame have At 0. It belongs to the port's island.
type load struct {
	part   unit.Duration
	points [loadPoints]LoadPoint
}

// noteLoad notes what a port has done by now, as a frame of a class leaves.
func (ev *evidence) noteLoad(now unit.Time, id PortID, class uint8, sent int64, held unit.Duration) {
	if ev.repeat != nil {
		ev.keepLoad(now, id, class, sent, held)
		return
	}
	ev.loadAt(now, id, sent, held)
}

func (ev *evidence) loadAt(now unit.Time, id PortID, sent int64, held unit.Duration) {
	ev.loadOf(id).note(now, sent, held)
}

func (ev *evidence) loadOf(id PortID) *load {
	if ev.loads[id] == nil {
		ev.loads[id] = &load{part: firstPart}
	}
	return ev.loads[id]
}

func (l *load) note(now unit.Time, sent int64, held unit.Duration) {
	for int64(now) >= loadPoints*int64(l.part) {
		l.fold()
	}
	l.points[int64(now)/int64(l.part)] = LoadPoint{now, unit.Bytes(sent), held}
}

// again notes what a run of notes has so much later, with so many bytes more: of each part the last.
func (l *load) again(r *touchRun, shift unit.Duration, more int64, held unit.Duration) {
	for i := int64(0); i < int64(r.n); i++ {
		at, _ := r.touch(i)
		end := (int64(at.Add(shift))/int64(l.part) + 1) * int64(l.part)
		i = r.from(i+1, unit.Time(end).Add(-shift)) - 1
		last, sent := r.touch(i)
		l.note(last.Add(shift), sent+more, held)
	}
}

// fold makes parts twice as long.
func (l *load) fold() {
	for i := range loadPoints / 2 {
		l.points[i] = l.points[2*i]
		if later := l.points[2*i+1]; later.At > 0 {
			l.points[i] = later
		}
	}
	clear(l.points[loadPoints/2:])
	l.part *= 2
}

// Load returns a port's load in order of time; nothing of a port by which no traced frame came.
func (ev *evidence) Load(id PortID) []LoadPoint {
	l := ev.loads[id]
	if l == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.points[:]), func(p LoadPoint) bool { return p.At == 0 })
}
