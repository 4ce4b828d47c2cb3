package report

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// busiestShown is of how many links the use over time is drawn.
const busiestShown = 3

// LogStats is what happened when, from series.parquet or else events.parquet: in parts of equal width.
type LogStats struct {
	Series  bool // of series.parquet, where nothing is left out
	Width   unit.Duration
	Marks   []int64
	CNPs    []int64         // received
	Held    []unit.Duration // by PFC: the sum over ports
	Busiest []PortUse       // without a series none
	LeftOut map[string]int64
}

// PortUse is the use of a port over time.
type PortUse struct {
	Port string
	Busy []unit.Duration
}

// readLog reads what the run has logged, if it has.
func (d *Data) readLog(run *result.Run) {
	tables := run.Tables()
	switch {
	case d.End <= 0:
	case d.Settings.Series && slices.Contains(tables, "series"):
		d.table("series", func() error { return d.readSeries(run) })
	case d.Settings.Events && slices.Contains(tables, "events"):
		d.table("events", func() error { return d.readEvents(run) })
	}
}

// newLog makes room for parts of a width.
func (d *Data) newLog(width unit.Duration) *LogStats {
	n := int((unit.Duration(d.End) + width - 1) / width)
	return &LogStats{Width: width, Marks: make([]int64, n), CNPs: make([]int64, n), Held: make([]unit.Duration, n),
		LeftOut: map[string]int64{}}
}

// part is the part that a time lies in.
func (l *LogStats) part(at unit.Time) int {
	return min(int(unit.Duration(at)/l.Width), len(l.Marks)-1)
}

// readSeries sums intervals: so many of them are a part that there are at most as many parts as a
// chart has.
func (d *Data) readSeries(run *result.Run) error {
	busiest := map[string]int{}
	var l *LogStats
	for row, err := range run.Series() {
		if err != nil {
			return err
		}
		if l == nil {
			every := max(1, row.Until.Sub(row.From))
			parts := (unit.Duration(d.End) + every - 1) / every
			l = d.newLog(every * max(1, (parts+eventBins-1)/eventBins))
			l.Series = true
			for i, port := range d.busiestPorts() {
				busiest[port] = i
				l.Busiest = append(l.Busiest, PortUse{port, make([]unit.Duration, len(l.Marks))})
			}
		}
		i := l.part(row.From)
		l.Marks[i] += row.Marks
		l.CNPs[i] += row.CNPs
		l.Held[i] += row.Paused
		if k, shown := busiest[row.Port]; shown && row.Kind == result.SeriesLink {
			l.Busiest[k].Busy[i] += row.Busy
		}
	}
	d.Log = l
	return nil
}

// busiestPorts names the ports that sent for most of the run.
func (d *Data) busiestPorts() (ports []string) {
	links := slices.Clone(d.Links)
	slices.SortStableFunc(links, func(a, b result.LinkRow) int { return cmp.Compare(b.Busy, a.Busy) })
	for _, l := range links[:min(len(links), busiestShown)] {
		if l.Busy > 0 {
			ports = append(ports, l.Port)
		}
	}
	return ports
}

// readEvents counts events.
func (d *Data) readEvents(run *result.Run) error {
	l := d.newLog(max(1, (unit.Duration(d.End)+eventBins-1)/eventBins))
	held := map[result.Queue]unit.Time{}
	for e, err := range run.Events() {
		if err != nil {
			return err
		}
		q := result.Queue{Port: e.Port, Class: e.Class}
		switch {
		case e.LeftOut > 0:
			l.LeftOut[e.Kind] += e.LeftOut
		case e.Kind == result.EventMark:
			l.Marks[l.part(e.Time)]++
		case e.Kind == result.EventCNPReceived:
			l.CNPs[l.part(e.Time)]++
		case e.Kind == result.EventPause:
			held[q] = e.Time
		case e.Kind == result.EventResume:
			if since, was := held[q]; was {
				l.hold(since, e.Time)
				delete(held, q)
			}
		}
	}
	for _, since := range held { // sums: their order does not matter
		l.hold(since, d.End)
	}
	d.Log = l
	return nil
}

// hold adds a pause to the parts that it lies in.
func (l *LogStats) hold(since, until unit.Time) {
	for i := l.part(since); i < len(l.Held) && since < until; i++ {
		end := min(until, unit.Time(unit.Duration(i+1)*l.Width))
		l.Held[i] += end.Sub(since)
		since = end
	}
}
