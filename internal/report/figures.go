package report

// Figure is one plot of a report.
type Figure struct {
	Name    string // of its file, without .svg
	Title   string
	Caption string
	Draw    func(width float64) *Drawing // any width from 300 pixels
}

// Widths at which a page shows a figure, and at which a file is written.
const (
	wideFigure   = 760.0
	narrowFigure = 340.0
)

// Figures lists the plots for which the run has data, in the order of the page.
func Figures(d *Data) []Figure {
	var out []Figure
	for _, make := range []func(*Data) []Figure{
		waterfallFigure, timelineFigures, stepTimeFigure, lossFigure, slowestFigure, lostFigure, completionFigure,
		fabricFigure, utilisationFigure, queueFigures, eventFigure, portFigure,
	} {
		out = append(out, make(d)...)
	}
	return out
}

func one(f Figure) []Figure { return []Figure{f} }
