package text

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

// Of more lanes than are drawn a group is drawn whole or not at all.
func TestGroupsOfLanesAreWhole(t *testing.T) {
	for _, c := range []struct{ each, want int }{{2, 24}, {5, 20}, {7, 21}, {1, 24}} {
		f := &chart.Figure{Name: "lanes", Keys: []chart.Key{{ID: "k", Name: "k", Ink: chart.Subject}},
			Lanes: &chart.Lanes{X: chart.Axis{Unit: chart.Time, High: 100 * us}}}
		for i := range 35 {
			f.Lanes.Lanes = append(f.Lanes.Lanes, chart.Lane{Group: fmt.Sprint("rank ", i/c.each), Label: fmt.Sprintf("lane %02d", i),
				Spans: []chart.Span{{From: 0, To: 50 * us, Key: "k"}}})
		}
		drawn := sheet.New(100)
		Draw(drawn, f)
		var text strings.Builder
		if err := drawn.Flush(&text); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text.String(), "lane "); got != c.want {
			t.Errorf("groups of %d: %d lanes are drawn, want %d", c.each, got, c.want)
		}
	}
}
