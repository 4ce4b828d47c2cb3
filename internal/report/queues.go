package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// shownQueues is how many queues are drawn over time.
const shownQueues = 3

// queueColumns is in how many columns a series is cut.
const queueColumns = 480

// Extent is the least and the greatest length of a queue within a column of time.
type Extent struct{ Low, High unit.Bytes }

// Span is a queue between two times, in columns of equal width.
type Span struct {
	From, To unit.Time
	Columns  []Extent
}

// QueueSeries is one egress queue over time.
type QueueSeries struct {
	Port   string
	Class  int32
	Rate   unit.Bitrate // of the port; 0: unknown
	Tier   string       // of the port's node; "": unknown
	Max    unit.Bytes
	PeakAt unit.Time
	Whole  Span
	Peak   Span // around PeakAt; no columns where the whole run shows as much
}

func (d *Data) readQueues(run *result.Run) error {
	if err := d.findQueues(run); err != nil || len(d.Queues) == 0 {
		return err
	}
	index := map[result.Queue]int{}
	spans := make([][]*filler, len(d.Queues))
	for i := range d.Queues {
		q := &d.Queues[i]
		index[result.Queue{Port: q.Port, Class: q.Class}] = i
		q.Whole = Span{To: d.End}
		spans[i] = append(spans[i], newFiller(&q.Whole))
		if w := peakWidth(d); w > 0 {
			from := max(0, q.PeakAt.Add(-w/3))
			q.Peak = Span{From: from, To: min(d.End, from.Add(w))}
			spans[i] = append(spans[i], newFiller(&q.Peak))
		}
	}
	for row, err := range run.Queues() {
		if err != nil {
			return err
		}
		if i, ok := index[result.Queue{Port: row.Port, Class: row.Class}]; ok {
			for _, f := range spans[i] {
				f.sample(row.Time, row.Bytes)
			}
		}
	}
	for _, fs := range spans {
		for _, f := range fs {
			f.sample(f.span.To, 0)
		}
	}
	return nil
}

// peakWidth is how much time around the peak is worth a chart of its own: a column
// per sample, where the whole run has far more samples than columns.
func peakWidth(d *Data) unit.Duration {
	w := d.Settings.Sample * queueColumns
	if d.Settings.Sample <= 0 || unit.Duration(d.End) < 4*w {
		return 0
	}
	return w
}

// findQueues finds the deepest queues, and the end of a run that has no summary.
func (d *Data) findQueues(run *result.Run) error {
	type peak struct {
		bytes unit.Bytes
		at    unit.Time
	}
	peaks := map[result.Queue]peak{}
	for row, err := range run.Queues() {
		if err != nil {
			return err
		}
		if err := tooMany(len(peaks), "queues"); err != nil {
			return fmt.Errorf("table queues: %w", err)
		}
		q := result.Queue{Port: row.Port, Class: row.Class}
		if p := peaks[q]; row.Bytes > p.bytes {
			peaks[q] = peak{row.Bytes, row.Time}
		}
		d.End = max(d.End, row.Time)
	}
	links := map[string]result.LinkRow{}
	for _, l := range d.Links {
		links[l.Port] = l
	}
	all := slices.SortedFunc(maps.Keys(peaks), func(a, b result.Queue) int {
		return cmp.Or(cmp.Compare(peaks[b].bytes, peaks[a].bytes), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
	})
	for _, q := range all[:min(len(all), shownQueues)] {
		p := peaks[q]
		d.Queues = append(d.Queues, QueueSeries{Port: q.Port, Class: q.Class, Rate: links[q.Port].Rate, Tier: links[q.Port].Tier, Max: p.bytes, PeakAt: p.at})
	}
	return nil
}

// filler cuts a step function into columns: each holds the least and the greatest
// value that the function has in it.
type filler struct {
	span *Span
	at   unit.Time
	v    unit.Bytes
}

func newFiller(s *Span) *filler {
	s.Columns = make([]Extent, queueColumns)
	for i := range s.Columns {
		s.Columns[i].Low = -1
	}
	return &filler{span: s}
}

// sample says that from t on the queue holds v.
func (f *filler) sample(t unit.Time, v unit.Bytes) {
	f.fill(f.at, t, f.v)
	f.at, f.v = t, v
}

func (f *filler) fill(from, to unit.Time, v unit.Bytes) {
	s := f.span
	from, to = max(from, s.From), min(to, s.To)
	if from >= to {
		return
	}
	width := float64(s.To.Sub(s.From))
	column := func(t unit.Time) int {
		return min(int(float64(t.Sub(s.From))/width*queueColumns), queueColumns-1)
	}
	for c := column(from); c <= column(to-1); c++ {
		e := &s.Columns[c]
		if e.Low < 0 || v < e.Low {
			e.Low = v
		}
		e.High = max(e.High, v)
	}
}
