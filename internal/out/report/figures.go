package report

import (
	"railyard/internal/out/chart"
)

// Charts lists the plots for which the run has data, in the order of the page.
func Charts(d *Data) (out []chart.Figure) {
	if len(d.Jobs) == 0 {
		return append(jobCharts(d), networkCharts(d)...)
	}
	for _, j := range d.Jobs {
		for _, f := range jobCharts(j) {
			f.Name, f.Title = j.job+"-"+f.Name, "Job "+j.job+": "+f.Title
			out = append(out, f)
		}
	}
	return append(out, networkCharts(d)...)
}

// jobCharts are those of one job.
func jobCharts(d *Data) []chart.Figure {
	return chartsOf(d, lifetimeChart, causesChart, waterfallChart, timelineChart, computingChart, pathChart, stepTimeCharts, lossChart,
		slowestChart, completionChart, gradientCharts, expertCharts, insideCharts)
}

// networkCharts are those of what jobs share.
func networkCharts(d *Data) []chart.Figure {
	return chartsOf(d, fabricChart, queueMapChart, queueCharts, utilisationChart, trafficChart, logCharts, eventCharts,
		portCharts)
}

func chartsOf(d *Data, makers ...func(*Data) []chart.Figure) (out []chart.Figure) {
	for _, make := range makers {
		out = append(out, make(d)...)
	}
	return out
}
