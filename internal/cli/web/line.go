package web

import (
	"context"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// lineFigure is one figure of a link, a queue or a queue pair over time.
type lineFigure struct {
	Name string    `json:"name"`
	Unit string    `json:"unit"` // 1: a share; B, bps; "": a count
	Low  []float64 `json:"low"`
	High []float64 `json:"high"`
	Mean []float64 `json:"mean"` // of counts the sum over the bin, not the mean
}

// lines is what /api/series answers: figures of one thing in bins of time.
type lines struct {
	Kind    string        `json:"kind"`
	Port    string        `json:"port"`
	Class   int32         `json:"class"`
	Job     string        `json:"job"`
	Name    string        `json:"name"`
	From    unit.Time     `json:"from_ps"`  // start of the first bin
	Width   unit.Duration `json:"width_ps"` // of a bin
	Level   int           `json:"level"`    // 0: bins are the table's intervals, and figures those of its rows
	Every   unit.Duration `json:"interval_ps"`
	Bins    int           `json:"bins"`
	Figures []lineFigure  `json:"figures"`
}

// lineQuery names a thing and a span of time.
type lineQuery struct {
	Kind, Port  string
	Class       int32
	Job, Name   string
	From, Until unit.Time
	Bins        int // that are wanted, about
}

// exactIntervals is up to how many intervals are read from the rows: finer than the pyramid knows.
const exactIntervals = 256

// figureOf says which track a figure is, and what a row says of it.
type figureOf struct {
	name, unit string
	count      bool // it is summed, not averaged
	track      int
	held       bool
	of         func(*result.SeriesRow) float64
}

// figures lists the figures of what is asked for; an error where there is no such thing.
func (s *seriesTable) figures(q *lineQuery) (*pyramid, []figureOf, error) {
	switch q.Kind {
	case result.SeriesLink:
		l := s.links[q.Port]
		if l == nil {
			l = &linkTracks{-1, -1, -1, -1}
		}
		return s.ports, []figureOf{
			{"utilisation", "1", false, l.use, false, func(r *result.SeriesRow) float64 { return r.Utilisation }},
			{"paused", "1", false, l.paused, false, func(r *result.SeriesRow) float64 {
				return float64(r.Paused) / float64(r.Until.Sub(r.From))
			}},
			{"marks", "", true, l.marks, false, func(r *result.SeriesRow) float64 { return float64(r.Marks) }},
			{"drops", "", true, l.drops, false, func(r *result.SeriesRow) float64 { return float64(r.Drops) }},
		}, nil
	case result.SeriesQueue:
		id, known := s.queues[queueName{q.Port, q.Class}]
		if !known {
			id = -1
		}
		return s.ports, []figureOf{
			{"queue", "B", false, id, true, func(r *result.SeriesRow) float64 { return float64(r.Bytes) }},
		}, nil
	case result.SeriesFlow:
		f := s.pairs[flowName{q.Job, q.Name, q.Port}]
		if f == nil {
			return nil, nil, fmt.Errorf("no queue pair %q of job %q at port %q in the series", q.Name, q.Job, q.Port)
		}
		return s.flows, []figureOf{
			{"rate", "bps", false, f.rate, true, func(r *result.SeriesRow) float64 { return float64(r.Rate) }},
			{"target", "bps", false, f.target, true, func(r *result.SeriesRow) float64 { return float64(r.Target) }},
			{"alpha", "1", false, f.alpha, true, func(r *result.SeriesRow) float64 { return r.Alpha }},
			{"window", "B", false, f.window, true, func(r *result.SeriesRow) float64 { return float64(r.Window) }},
			{"acknowledged", "B", true, f.acked, false, func(r *result.SeriesRow) float64 { return float64(r.Bytes) }},
			{"CNPs", "", true, f.cnps, false, func(r *result.SeriesRow) float64 { return float64(r.CNPs) }},
		}, nil
	}
	return nil, nil, fmt.Errorf("kind %q: want link, queue or flow", q.Kind)
}

// line answers a query: from the pyramid, on the level that has about as many bins as are wanted, or from the rows.
func (s *seriesTable) line(ctx context.Context, q lineQuery) (*lines, error) {
	p, figures, err := s.figures(&q)
	if err != nil {
		return nil, err
	}
	ends := unit.Time(p.ends * int64(s.every))
	q.From, q.Until = max(q.From, 0), min(q.Until, ends)
	out := &lines{Kind: q.Kind, Port: q.Port, Class: q.Class, Job: q.Job, Name: q.Name, Every: s.every, Figures: []lineFigure{}}
	if q.Until <= q.From {
		return out, nil
	}
	intervals := int64(q.Until.Sub(q.From))/int64(s.every) + 1
	if p.base > 0 && intervals <= exactIntervals {
		return out, s.exactLine(ctx, out, &q, figures)
	}
	level := p.base
	for level < p.top() && intervals>>level > int64(q.Bins) {
		level++
	}
	first := int64(q.From) / int64(s.every) >> level
	last := min((int64(q.Until)-1)/int64(s.every), p.ends-1) >> level
	out.Level, out.Width, out.Bins = level, s.every<<level, int(last-first+1)
	out.From = unit.Time(first * int64(out.Width))
	for _, f := range figures {
		l := lineFigure{f.name, f.unit, make([]float64, out.Bins), make([]float64, out.Bins), make([]float64, out.Bins)}
		if f.track >= 0 {
			for b, c := range p.at(level, f.track)[first : last+1] {
				l.Low[b], l.High[b], l.Mean[b] = float64(c.Low), float64(c.High), float64(c.Mean)
				if f.count {
					l.Mean[b] *= float64(min(int64(1)<<level, p.ends-(first+int64(b))<<level))
				}
			}
		}
		out.Figures = append(out.Figures, l)
	}
	return out, nil
}

// exactLine reads the rows.
func (s *seriesTable) exactLine(ctx context.Context, out *lines, q *lineQuery, figures []figureOf) error {
	first := int64(q.From) / int64(s.every)
	last := (int64(q.Until) - 1) / int64(s.every)
	out.Width, out.Bins, out.From = s.every, int(last-first+1), unit.Time(first*int64(s.every))
	seen := make([]heldBins, len(figures))
	until := out.From.Add(unit.Duration(out.Bins) * s.every)
	from, to := s.overlapping(out.From, until)
	without := ofPairs
	if q.Kind == result.SeriesFlow {
		without = ofPorts
		before := s.beforeFlow.last(from)
		from = before.group
		for i, v := range before.of(flowName{q.Job, q.Name, q.Port}) {
			seen[i].now = v
		}
	} else {
		before := s.before.last(from)
		from = before.group
		if q.Kind == result.SeriesQueue {
			seen[0].now = before.of(queueName{q.Port, q.Class})
		}
	}
	err := s.rowsAt(ctx, q.Port, without, from, to, until, func(r *result.SeriesRow) {
		if r.Kind != q.Kind || r.Port != q.Port || r.Class != q.Class || r.Name != q.Name || r.Job != q.Job {
			return
		}
		b := int((int64(r.From) - int64(out.From)) / int64(s.every))
		for i, f := range figures {
			v := f.of(r)
			switch {
			case f.held:
				seen[i].set(max(b, 0), v)
			case b >= 0:
				seen[i].set(b, v)
				seen[i].set(b+1, 0)
			}
		}
	})
	if err != nil {
		return err
	}
	for i, f := range figures {
		seen[i].set(out.Bins, 0)
		bins := seen[i].bins[:out.Bins]
		out.Figures = append(out.Figures, lineFigure{f.name, f.unit, bins, bins, bins})
	}
	return nil
}
