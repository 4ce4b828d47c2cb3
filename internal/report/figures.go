package report

import (
	"railyard/internal/chart"
	"railyard/internal/chart/svg"
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

// Figure is one plot of a report.
type Figure struct {
	Name    string // of its file, without .svg
	Title   string
	Caption string
	Draw    func(width float64) *svg.Drawing // any width from 300 pixels
}

// Widths at which a page shows a figure, and at which a file is written.
const (
	wideFigure   = 760.0
	narrowFigure = 340.0
)

// Figures lists the plots, drawn.
func Figures(d *Data) []Figure {
	var out []Figure
	for _, f := range Charts(d) {
		out = append(out, Figure{Name: f.Name, Title: f.Title, Caption: f.Caption,
			Draw: func(w float64) *svg.Drawing { return svg.Draw(&f, w) }})
	}
	return out
}
