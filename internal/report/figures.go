package report

import (
	"railyard/internal/chart"
)

// Charts lists the plots for which the run has data, in the order of the page.
func Charts(d *Data) (out []chart.Figure) {
	for _, make := range []func(*Data) []chart.Figure{
		causesChart, timelineChart, pathChart, stepTimeCharts, lossChart, slowestChart, completionChart,
		fabricChart, queueMapChart, queueCharts, utilisationChart, trafficChart, eventCharts, portCharts,
	} {
		out = append(out, make(d)...)
	}
	return out
}
