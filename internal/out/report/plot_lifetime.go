package report

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/diagnose"
)

// lifeKeys are the states in which the time of a job passes, in the order of a bar.
var lifeKeys = []chart.Key{
	{ID: diagnose.Working, Name: "steps that count", Ink: chart.Subject},
	{ID: diagnose.Starting, Name: "start phase", Meaning: "before the first step, and again after each restart", Ink: chart.Other},
	{ID: diagnose.Writing, Name: "checkpoints", Meaning: "ranks stood still while one was written", Ink: chart.Reference},
	{ID: diagnose.LostWork, Name: "lost work", Meaning: "since the state that the job went on from, or that is left of it",
		Ink: chart.Alarm},
	{ID: diagnose.Down, Name: "down", Meaning: "from an abort until ranks started again", Ink: chart.Outside},
}

// lifetimeChart is where the time of a job went that was aborted, or wrote checkpoints.
//
//	the job                      [steps|==lost==|down]  6.2 ms
//	Attributed to:
//	retry exceeded host1/rail1          [==lost==|down]  3.1 ms, 50 %
func lifetimeChart(d *Data) []chart.Figure {
	g := d.Summary.Lifetime
	if g == nil || g.Whole <= 0 {
		return nil
	}
	all := map[string]unit.Duration{}
	for i := range g.Blames {
		for _, f := range g.Blames[i].Felt {
			all[f.Cause] += f.Time
		}
	}
	f := chart.Figure{Name: "lifetime", Title: "Where the time of the job went",
		Bars:    &chart.Bars{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(g.Whole)}},
		Caption: "Each step is counted once. Work is lost from the state that the job went on from until its abort."}
	for _, k := range lifeKeys {
		if all[k.ID] > 0 {
			f.Keys = append(f.Keys, k)
		}
	}
	f.Bars.Rows = []chart.Bar{{Label: "the job", Note: g.Whole.Human(), Parts: lifeParts(all)}}
	for i := range g.Blames {
		b := &g.Blames[i]
		if i == shownBlames {
			break
		}
		felt := map[string]unit.Duration{}
		for _, x := range b.Felt {
			felt[x.Cause] += x.Time
		}
		f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Group: "What it is attributed to", Label: blameName(b),
			Note: fmt.Sprintf("%s, %s", b.Time.Human(), unit.Percent(g.Share(b))), Of: chart.Value(g.Whole), Parts: lifeParts(felt)})
	}
	return []chart.Figure{f}
}

// lifeParts are times by state, in the order of the legend.
func lifeParts(of map[string]unit.Duration) (all []chart.Part) {
	for _, k := range lifeKeys {
		if of[k.ID] > 0 {
			all = append(all, chart.Part{Key: k.ID, Value: chart.Value(of[k.ID])})
		}
	}
	return all
}
