package svg

import (
	"strconv"
	"strings"
	"testing"

	"railyard/internal/out/chart"
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

// Rows that are tall enough have a name each, in groups or not; lower ones have their group's.
func TestNamesOfRowsInGroups(t *testing.T) {
	f := &chart.Figure{Name: "m", Title: "M", Map: &chart.Map{Value: chart.Axis{Label: "sent", High: 3},
		RowName: "from", ColName: "to", Columns: []string{"x"}}}
	for _, c := range []struct {
		rows  int
		named string
	}{{4, "row 1"}, {600, "group 1"}} {
		f.Map.Rows, f.Map.Cells, f.Map.Groups = nil, nil, nil
		for i := range c.rows {
			f.Map.Rows = append(f.Map.Rows, "row "+strconv.Itoa(i))
			f.Map.Cells = append(f.Map.Cells, []chart.Value{1})
		}
		for g := range 2 {
			f.Map.Groups = append(f.Map.Groups, chart.Group{Name: "group " + strconv.Itoa(g), First: g * c.rows / 2, Count: c.rows / 2})
		}
		named := false
		for _, e := range elements(t, Draw(f, 620)) {
			named = named || e.text == c.named && e.attr["text-anchor"] == "end" && e.attr["transform"] == ""
		}
		if !named {
			t.Errorf("%d rows: none is named %q", c.rows, c.named)
		}
	}
}
