package report

import (
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// A map of a layer has a row for each expert; of each column 1 is an even share.
func TestExpertsAreDrawn(t *testing.T) {
	d := &Data{Summary: &result.Summary{}, Experts: []ExpertLoad{{"blocks.1.experts", [][]int64{{3, 2, 0}, {1, 2, 0}}}}}
	d.Summary.Steps = 3
	all := expertCharts(d)
	if len(all) != 1 || all[0].Map == nil {
		t.Fatalf("%+v", all)
	}
	m := all[0].Map
	want := [][]chart.Value{{1.5, 1, chart.Nothing}, {0.5, 1, chart.Nothing}}
	for e := range want {
		for c := range want[e] {
			if m.Cells[e][c] != want[e][c] && want[e][c] == want[e][c] {
				t.Errorf("expert %d, column %d: %v, want %v", e, c, m.Cells[e][c], want[e][c])
			}
		}
	}
	if m.Value.High != 1.5 {
		t.Errorf("the scale ends at %v", m.Value.High)
	}
}
