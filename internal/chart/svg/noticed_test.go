package svg

import (
	"strings"
	"testing"

	"railyard/internal/chart"
)

// The legend speaks of cells that count nothing where there are some.
func TestLegendOfBlanks(t *testing.T) {
	f := &chart.Figure{Name: "m", Title: "M", Map: &chart.Map{Value: chart.Axis{Label: "sent", High: 3},
		Rows: []string{"a", "b"}, RowName: "from", Columns: []string{"a", "b"}, ColName: "to",
		Cells: [][]chart.Value{{1, 2}, {3, 0}}}}
	if strings.Contains(Draw(f, 620).String(), "not counted") {
		t.Error("all cells count")
	}
	f.Map.Cells[1][1] = chart.Nothing
	if !strings.Contains(Draw(f, 620).String(), "not counted") {
		t.Error("one cell does not count, and the legend is silent")
	}
}
