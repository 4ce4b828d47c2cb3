package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// waterfall shows what a step's time is made of, mean over ranks: bars that lie end to end and sum to the step.
func (t *text) waterfall(s *result.Summary) {
	if s.Efficiency == nil || len(s.Efficiency.Waterfall) == 0 || s.StepTime <= 0 {
		return
	}
	t.Title("The step of " + s.StepTime.Human() + " as a waterfall, mean over ranks")
	rows := [][]string{{"part", "time", "share", ""}}
	names, figures := []string{"the step"}, [2][]string{{s.StepTime.Human()}, {"share"}}
	for _, b := range s.Efficiency.Waterfall {
		names = append(names, b.Name)
		figures[0], figures[1] = append(figures[0], b.Time.Human()), append(figures[1], unit.Percent(float64(b.Time)/float64(s.StepTime)))
	}
	columns := min(max(t.Width-sheet.WidthOf(names, figures[0], figures[1])-2, leastFall), fallColumns)
	at := unit.Duration(0)
	for _, b := range s.Efficiency.Waterfall {
		rows = append(rows, []string{b.Name, b.Time.Human(), unit.Percent(float64(b.Time) / float64(s.StepTime)),
			fallen(at, at+b.Time, s.StepTime, columns)})
		at += b.Time
	}
	t.Grid("lrrl", append(rows, []string{"the step", at.Human(), "", ""}))
	if f := s.Efficiency; f.MFU > 0 {
		t.Wrap("  ", fmt.Sprintf("%s is MFU x the step: %sFLOP of the model at %sFLOP/s (%s, dense) on each of %s",
			mfu.Ideal, unit.Rate(float64(f.ModelFLOP)), unit.Rate(float64(f.Peak)), f.Precision,
			count(f.GPUs/max(f.Alike, 1), "GPU")+alike(f.Alike)))
	}
}

// alike says for how many GPUs each stands that was run.
func alike(n int64) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" that were run; each stands for %s", unit.Count(n))
}

// fallColumns is how wide the drawing of a waterfall is where there is room, leastFall where there is not.
const (
	fallColumns = 36
	leastFall   = 12
)

// fallen draws where a bar lies in a whole; one too short to be seen is a line.
func fallen(from, to, whole unit.Duration, columns int) string {
	from, to = min(from, to), max(from, to)
	at := func(d unit.Duration) int { return int(min(max(float64(d)/float64(whole), 0), 1) * float64(columns)) }
	a, b := min(at(from), columns-1), at(to)
	if b <= a {
		return strings.Repeat(" ", a) + "|"
	}
	return strings.Repeat(" ", a) + strings.Repeat("#", b-a)
}

// waterfallChart is the same as a picture.
func waterfallChart(d *Data) []chart.Figure {
	s := d.Summary
	if s.Efficiency == nil || len(s.Efficiency.Waterfall) == 0 || s.StepTime <= 0 {
		return nil
	}
	f := chart.Figure{Name: "waterfall", Title: "The step as a waterfall",
		Caption: "What the step time of " + s.StepTime.Human() + " is made of, mean over ranks and steps: parts lie end to end.",
		Lanes:   &chart.Lanes{X: chart.Axis{Label: "of the step", Unit: chart.Time, High: chart.Value(s.StepTime)}}}
	at := unit.Duration(0)
	for _, b := range s.Efficiency.Waterfall {
		key := fallKey(b.Name)
		if !slices.ContainsFunc(f.Keys, func(k chart.Key) bool { return k.ID == key.ID }) {
			f.Keys = append(f.Keys, key)
		}
		from, to := max(0, min(at, at+b.Time)), max(at, at+b.Time)
		f.Lanes.Lanes = append(f.Lanes.Lanes, chart.Lane{Label: b.Name + " " + unit.Percent(float64(b.Time)/float64(s.StepTime)),
			Spans: []chart.Span{{From: chart.Value(from), To: chart.Value(min(max(from, to), s.StepTime)), Key: key.ID,
				Name: mfu.Meaning(b.Name)}}})
		at += b.Time
	}
	return []chart.Figure{f}
}

// fallKey is what a bar is of.
func fallKey(bar string) chart.Key {
	switch {
	case bar == mfu.Ideal:
		return chart.Key{ID: "ideal", Name: mfu.Ideal, Ink: chart.Subject}
	case bar == mfu.Bubbles || bar == mfu.Imbalance || bar == mfu.Ahead:
		return chart.Key{ID: "waiting", Name: "ranks wait for ranks", Ink: chart.InkOf(cause.Dependency)}
	case strings.HasPrefix(bar, mfu.Exposed("")):
		return chart.Key{ID: "exposed", Name: "communication that ranks wait for", Ink: chart.AllReduce}
	case strings.HasPrefix(bar, mfu.Network("")) || bar == mfu.Copies:
		return chart.Key{ID: "network", Name: "the network's own causes, and copies", Ink: chart.Alarm}
	}
	return chart.Key{ID: "computing", Name: "computing beyond that", Ink: chart.Other}
}
