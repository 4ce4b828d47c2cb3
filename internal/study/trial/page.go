package trial

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/report"
)

// Page is what the page of a tuning shows: the choice, the frontier, the points.
func (f *Found) Page() *report.Page {
	p := &report.Page{Name: f.Name, Kind: "tune", Subject: "Which thresholds to take", Version: f.Version, Sentence: f.answer(),
		About:   fmt.Sprintf("%s, %d points, %d seeds", f.State, len(f.Points), len(f.Seeds)),
		Figures: []chart.Figure{f.plot("paused"), f.plot("throughput")}, Tables: []report.Table{f.table()}}
	for _, r := range f.Formula {
		p.Bullets = append(p.Bullets, fmt.Sprintf("%s by formula: %s, %s.", r.Key, r.Value, r.Why))
	}
	if f.Slice.Hosts < f.Slice.Of {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d hosts take part, evenly apart; the fabric is whole", f.Slice.Hosts,
			f.Slice.Of))
	}
	if f.LeftOut != "" {
		p.Notes = append(p.Notes, f.LeftOut)
	}
	if f.scenario != nil {
		p.Scenario = string(f.scenario.YAML())
	}
	return p
}

// answer says in a sentence what was chosen, and against what.
func (f *Found) answer() string {
	if f.Chosen == 0 {
		return "Every point drops packets or fails: no thresholds were chosen."
	}
	own, p := &f.Points[0], &f.Points[f.Chosen-1]
	if f.Chosen == own.Number {
		return fmt.Sprintf("The scenario's own thresholds are as good as any of %d points.", len(f.Points))
	}
	text := fmt.Sprintf("Point %d of %d is chosen: the longest queue takes %s, ports are paused for %s, throughput is %s of the "+
		"fastest", p.Number, len(f.Points), p.Delay.Human(), p.Paused.Human(), unit.Percent(p.Throughput))
	if own.Drops+own.Failed > 0 {
		return text + "; the scenario's own thresholds drop packets."
	}
	return text + fmt.Sprintf("; with the scenario's own thresholds it is %s, %s and %s.", own.Delay.Human(), own.Paused.Human(),
		unit.Percent(own.Throughput))
}

// kinds of points in a plot.
var kinds = []struct {
	key chart.Key
	is  func(f *Found, p *Point) bool
}{
	{chart.Key{ID: "chosen", Name: "chosen", Ink: chart.Marking}, func(f *Found, p *Point) bool { return p.Number == f.Chosen }},
	{chart.Key{ID: "own", Name: "the scenario's own", Ink: chart.Reference}, func(_ *Found, p *Point) bool { return p.Kind == "own" }},
	{chart.Key{ID: "frontier", Name: "on the frontier", Ink: chart.Subject}, func(_ *Found, p *Point) bool { return p.Frontier }},
	{chart.Key{ID: "dominated", Name: "dominated", Ink: chart.Other}, func(*Found, *Point) bool { return true }},
}

// plot draws the points without drops: queueing delay across, and paused time or throughput up.
func (f *Found) plot(what string) chart.Figure {
	c := chart.Figure{Name: "frontier-" + what, Title: "Queueing delay and time paused",
		Caption: "Each point is thresholds, with its number. Lower and further left is better.",
		Lines: &chart.Lines{X: chart.Axis{Label: "p99 of the longest queue", Unit: chart.Time},
			Y: chart.Axis{Label: "paused, sum over ports", Unit: chart.Time}}}
	y := func(p *Point) chart.Value { return chart.Value(p.Paused) }
	if what == "throughput" {
		c.Title = "Queueing delay and throughput"
		c.Caption = "Each point is thresholds, with its number. Higher and further left is better."
		c.Lines.Y = chart.Axis{Label: "throughput", Unit: chart.Fraction}
		y = func(p *Point) chart.Value { return chart.Value(p.Throughput) }
	}
	of := make([]chart.Series, len(kinds))
	x, low := c.Lines, chart.Value(1)
	for i := range f.Points {
		p := &f.Points[i]
		if p.Throughput == 0 {
			continue
		}
		for k := range kinds {
			if !kinds[k].is(f, p) {
				continue
			}
			of[k].X, of[k].Y = append(of[k].X, chart.Value(p.Delay)), append(of[k].Y, y(p))
			if k < 3 {
				x.Marks = append(x.Marks, chart.Mark{Key: kinds[k].key.ID, X: chart.Value(p.Delay), Y: y(p),
					Label: fmt.Sprint(p.Number)})
			}
			break
		}
		x.X.High, x.Y.High, low = max(x.X.High, chart.Value(p.Delay)), max(x.Y.High, y(p)), min(low, y(p))
	}
	// A little room on all sides, so that no point is cut.
	x.X.High, x.Y.High = max(1, x.X.High*1.08), max(1, x.Y.High*1.08)
	x.Y.Low = -x.Y.High / 40
	if what == "throughput" {
		room := max((1-low)/10, 0.001)
		x.Y.Low, x.Y.High = low-room, 1+room
	}
	for k := range kinds {
		if len(of[k].X) > 0 {
			of[k].Key, of[k].Shape = kinds[k].key.ID, chart.Points
			c.Keys, x.Series = append(c.Keys, kinds[k].key), append(x.Series, of[k])
		}
	}
	return c
}

// table is all points.
func (f *Found) table() report.Table {
	t := report.Table{Name: "points", Title: "The points", File: "tune.json", Columns: []report.Column{
		{Name: "point", Unit: chart.Count}, {Name: "what", Unit: report.Words}, {Name: "WRED min", Unit: chart.Bytes},
		{Name: "WRED max", Unit: chart.Bytes}, {Name: "probability", Unit: chart.Fraction}, {Name: "xOFF", Unit: report.Words},
		{Name: "throughput", Unit: chart.Fraction}, {Name: "queueing delay", Unit: chart.Time}, {Name: "paused", Unit: chart.Time},
		{Name: "pause frames", Unit: chart.Count}, {Name: "drops", Unit: chart.Count}, {Name: "why", Unit: report.Words}}}
	for i := range f.Points {
		p := &f.Points[i]
		row := []report.Cell{chart.Value(p.Number), p.Kind, report.Cell(""), report.Cell(""), report.Cell(""), report.Cell(""),
			chart.Value(p.Throughput), chart.Value(p.Delay), chart.Value(p.Paused), chart.Value(p.Pauses), chart.Value(p.Drops), p.Why}
		if p.Probability != nil {
			row[2], row[3], row[4] = chart.Value(p.Min), chart.Value(p.Max), chart.Value(p.Probability.Float())
		}
		switch {
		case p.XOFF > 0:
			row[5] = p.XOFF.String()
		case p.Alpha != nil:
			row[5] = p.Alpha.String() + " of what is free"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
