package text

import (
	"fmt"

	"railyard/internal/chart"
	"railyard/internal/sheet"
)

// Draw adds a figure to a sheet, without its title.
func Draw(s *sheet.Sheet, f *chart.Figure) {
	switch {
	case f.Map != nil:
		drawMap(s, f)
	case f.Graph != nil:
		drawGraph(s, f)
	default:
		panic(fmt.Sprintf("chart/text: figure %s has no plot", f.Name))
	}
}
