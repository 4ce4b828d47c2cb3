package report

import (
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// The first step and the last are drawn, each the mean over the ranks that have ended it.
func TestGradientsBackThroughTime(t *testing.T) {
	b := BackThroughTime{Layer: "rnn.1", ranks: [2]map[int32]bool{{}, {}}}
	for _, r := range []result.GradientRow{
		{Step: 0, Rank: 1, Position: 0, Norm: 1}, {Step: 0, Rank: 1, Position: 1, Norm: 2},
		{Step: 0, Rank: 0, Position: 0, Norm: 3}, {Step: 1, Rank: 0, Position: 0, Norm: 8},
		{Step: 1, Rank: 0, Position: 1, Norm: 16}, {Step: 0, Rank: 0, Position: 1, Norm: 6},
	} {
		b.take(&r)
	}
	b.mean()
	all := gradientCharts(&Data{Gradients: []BackThroughTime{b}})
	if len(all) != 1 || len(all[0].Lines.Series) != 2 {
		t.Fatalf("%+v", all)
	}
	for k, want := range [][2]chart.Value{{2, 4}, {8, 16}} {
		if y := all[0].Lines.Series[k].Y; len(y) != 2 || y[0] != want[0] || y[1] != want[1] {
			t.Errorf("%s: %v, want %v", all[0].Keys[k].Name, y, want)
		}
	}
	if all[0].Keys[1].Name != "step 1" {
		t.Error(all[0].Keys)
	}
}
