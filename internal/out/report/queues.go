package report

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// In how many columns a queue is cut: over the whole run, around its peak, and in the map
// of queues.
const (
	queueColumns = 120
	peakColumns  = 240
	mapColumns   = 160
)

// mapRows is how many queues the map of queues shows.
const mapRows = 40

// shallow is what a queue of a few packets holds at most: no sign of anything.
const shallow = 40 * unit.Kilobyte

// Extent is the least, the greatest and the mean length of a queue within a column of time, and between which lengths it was for
// most of that time.
type Extent struct {
	Low, High unit.Bytes
	Mean      float64 // bytes, weighted by time

	// Percentiles by time, to a levels-th of the queue's greatest length; Low and High where nothing was ranked.
	P5, P25, P75, P95 unit.Bytes
}

// levels is how finely lengths are told apart for percentiles: finer than a drawing shows.
const levels = 500

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

// QueueMap is the deepest queues over the whole run, in few columns.
type QueueMap struct {
	Rows     []QueueSeries // deepest first; without Peak
	Left     int           // queues that held something and are not among them
	LeftMost unit.Bytes    // the most that one of those held
}

func (d *Data) readQueues(run *result.Run) error {
	all, err := d.findQueues(run)
	if err != nil || len(all) == 0 {
		return err
	}
	index := map[result.Queue][]*filler{}
	var fillers []*filler
	watch := func(q *QueueSeries, s *Span, columns int) *filler {
		f := newFiller(s, columns)
		k := result.Queue{Port: q.Port, Class: q.Class}
		index[k], fillers = append(index[k], f), append(fillers, f)
		return f
	}
	q := all[0]
	d.Queue = &q
	q.Whole = Span{To: d.End}
	watch(&q, &q.Whole, queueColumns).rank(q.Max)
	if w := peakWidth(d); w > 0 {
		from := max(0, q.PeakAt.Add(-w/3))
		q.Peak = Span{From: from, To: min(d.End, from.Add(w))}
		watch(&q, &q.Peak, peakColumns)
	}
	d.QueueMap = mapOf(all)
	for i := range d.QueueMap.Rows {
		r := &d.QueueMap.Rows[i]
		r.Whole = Span{To: d.End}
		watch(r, &r.Whole, mapColumns)
	}
	for row, err := range run.Queues() {
		if err != nil {
			return err
		}
		for _, f := range index[result.Queue{Port: row.Port, Class: row.Class}] {
			f.sample(row.Time, row.Bytes)
		}
	}
	for _, f := range fillers {
		f.end()
	}
	return nil
}

// peakWidth is how much time around the peak is worth a chart of its own: a column
// per sample, where the whole run has far more samples than columns.
func peakWidth(d *Data) unit.Duration {
	w := d.Settings.Sample * peakColumns
	if d.Settings.Sample <= 0 || unit.Duration(d.End) < 4*w {
		return 0
	}
	return w
}

// mapOf keeps the queues to show: those with at least a twentieth of the deepest, and a
// few others to compare them with.
func mapOf(all []QueueSeries) *QueueMap {
	const others = 8
	n := 0
	for n < min(len(all), mapRows) && (n < others || all[n].Max >= all[0].Max/20) {
		n++
	}
	m := &QueueMap{Rows: slices.Clone(all[:n]), Left: len(all) - n}
	if m.Left > 0 {
		m.LeftMost = all[n].Max
	}
	return m
}

// findQueues lists the queues that held something, deepest first, and finds the end of
// a run that has no summary.
func (d *Data) findQueues(run *result.Run) ([]QueueSeries, error) {
	type peak struct {
		bytes unit.Bytes
		at    unit.Time
	}
	peaks := map[result.Queue]peak{}
	for row, err := range run.Queues() {
		if err != nil {
			return nil, err
		}
		if err := tooMany(len(peaks), "queues"); err != nil {
			return nil, fmt.Errorf("table queues: %w", err)
		}
		q := result.Queue{Port: row.Port, Class: row.Class}
		if p := peaks[q]; row.Bytes > p.bytes {
			peaks[q] = peak{row.Bytes, row.Time}
		}
		d.End = max(d.End, row.Time)
	}
	links := map[string]*result.LinkRow{}
	for i := range d.Links {
		links[d.Links[i].Port] = &d.Links[i]
	}
	var all []QueueSeries
	for q, p := range peaks {
		s := QueueSeries{Port: q.Port, Class: q.Class, Max: p.bytes, PeakAt: p.at}
		if l := links[q.Port]; l != nil {
			s.Rate, s.Tier = l.Rate, l.Tier
		}
		all = append(all, s)
	}
	sortQueues(all)
	return all, nil
}

// sortQueues puts the deepest first.
func sortQueues(all []QueueSeries) {
	slices.SortFunc(all, func(a, b QueueSeries) int {
		return cmp.Or(cmp.Compare(b.Max, a.Max), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
	})
}

// filler cuts a step function into columns: each holds the least, the greatest and the
// mean value that the function has in it, and its percentiles if it is ranked.
type filler struct {
	span  *Span
	at    unit.Time
	v     unit.Bytes
	most  unit.Bytes
	ranks [][]unit.Duration // by column and level, of levels from 0 to most: how long
}

// rank has percentiles counted of lengths up to most.
func (f *filler) rank(most unit.Bytes) {
	if f.most = most; most <= 0 {
		return
	}
	f.ranks = make([][]unit.Duration, len(f.span.Columns))
	for i := range f.ranks {
		f.ranks[i] = make([]unit.Duration, levels+1)
	}
}

// quantile is the length that the queue did not pass for so many percent of column c.
func (f *filler) quantile(c int, percent unit.Duration) unit.Bytes {
	all := unit.Duration(0)
	for _, w := range f.ranks[c] {
		all += w
	}
	e, want := &f.span.Columns[c], all/100*percent+all%100*percent/100
	for level, w := range f.ranks[c] {
		if want -= w; want <= 0 && w > 0 {
			return min(max(unit.Bytes(math.Ceil(float64(level)*float64(f.most)/levels)), e.Low), e.High)
		}
	}
	return e.High
}

// level is where a length lies between 0 and most, rounded up: of 0 alone it is 0.
func (f *filler) level(v unit.Bytes) int {
	hi, lo := bits.Mul64(uint64(v), levels)
	at, rest := bits.Div64(hi, lo, uint64(f.most))
	if rest > 0 {
		at++
	}
	return int(min(at, levels))
}

func newFiller(s *Span, columns int) *filler {
	s.Columns = make([]Extent, columns)
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

// end says that there are no more samples: the last one stands to the end of the span.
func (f *filler) end() {
	f.sample(max(f.at, f.span.To), 0)
	for i := range f.span.Columns {
		e := &f.span.Columns[i]
		e.Low = max(e.Low, 0)
		if w := f.span.edge(i + 1).Sub(f.span.edge(i)); w > 0 {
			e.Mean /= float64(w)
		}
		e.P5, e.P25, e.P75, e.P95 = e.Low, e.Low, e.High, e.High
		if f.ranks != nil {
			e.P5, e.P25, e.P75, e.P95 = f.quantile(i, 5), f.quantile(i, 25), f.quantile(i, 75), f.quantile(i, 95)
		}
	}
}

func (f *filler) fill(from, to unit.Time, v unit.Bytes) {
	s := f.span
	from, to = max(from, s.From), min(to, s.To)
	if from >= to {
		return
	}
	for c := s.column(from); c <= s.column(to-1); c++ {
		e := &s.Columns[c]
		if e.Low < 0 || v < e.Low {
			e.Low = v
		}
		e.High = max(e.High, v)
		w := min(to, s.edge(c+1)).Sub(max(from, s.edge(c)))
		e.Mean += float64(float64(v) * float64(w))
		if f.ranks != nil {
			f.ranks[c][f.level(v)] += w
		}
	}
}

// column is the column that t lies in.
func (s *Span) column(t unit.Time) int {
	hi, lo := bits.Mul64(uint64(t.Sub(s.From)), uint64(len(s.Columns)))
	c, _ := bits.Div64(hi, lo, uint64(s.To.Sub(s.From)))
	return int(c)
}

// edge is the first instant of column c.
func (s *Span) edge(c int) unit.Time {
	hi, lo := bits.Mul64(uint64(s.To.Sub(s.From)), uint64(c))
	at, rest := bits.Div64(hi, lo, uint64(len(s.Columns)))
	if rest > 0 {
		at++
	}
	return s.From.Add(unit.Duration(at))
}
