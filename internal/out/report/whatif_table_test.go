package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/out/result"
)

// What reruns came to is a table: what they saved, over seeds where chance decides, or why nobody can tell.
func TestWhatIfTable(t *testing.T) {
	d := &Data{Summary: &result.Summary{}}
	if rows := whatIfTable(d).Rows; len(rows) > 0 {
		t.Errorf("nobody asked, and %v", rows)
	}
	d.WhatIf = &result.WhatIf{Changes: []result.WhatIfChange{
		{Name: "without flow4", Attributed: new(60 * us), Before: 100 * us, Time: new(45 * us), Saves: new(55 * us), Part: new(0.55),
			Set: []result.WhatIfValue{{Path: "off", Value: "[flow4]"}}},
		{Name: "spraying", Before: 100 * us, Time: new(30 * us), Saves: new(70 * us), Part: new(0.7), MeanTime: new(60 * us),
			MeanSaves: new(40 * us), Seeds: make([]result.WhatIfSeed, 10),
			Set: []result.WhatIfValue{{Path: "a", Value: "1"}, {Path: "b", Gone: true}, {Path: "c", Value: "3"}, {Path: "d", Value: "4"}}},
		{Name: "with other seeds", Before: 100 * us, Time: new(30 * us), Saves: new(70 * us), Part: new(0.7), MeanTime: new(60 * us),
			MeanBefore: new(200 * us), MeanSaves: new(140 * us), Seeds: make([]result.WhatIfSeed, 3)},
		{Name: "without the fault", Time: new(80 * us), Brings: "it comes to its end"},
		{Name: "without PFC", Why: "a queue pair failed"},
	}, Untried: make([]result.WhatIfUntried, 2)}
	table := whatIfTable(d)
	var got [][]string
	for _, row := range table.Rows {
		var texts []string
		for c, cell := range row {
			texts = append(texts, table.Text(c, cell))
		}
		got = append(got, texts)
	}
	if diff := cmp.Diff([][]string{
		{"without flow4", "60 us", "45 us", "55 us", "55.0 %", "off=[flow4]"},
		{"spraying, mean of 10 seeds", "", "60 us", "40 us", "40.0 %", "a=1, without b, c=3, 1 more"},
		{"with other seeds, mean of 3 seeds", "", "60 us", "140 us", "70.0 %", ""},
		{"without the fault", "", "80 us", "it comes to its end", "", ""},
		{"without PFC", "", "a queue pair failed", "", "", ""},
	}, got); diff != "" {
		t.Error(diff)
	}
	if table.Left != "2 changes that would have taken too many packet-hops (railyard whatif --full runs all)" {
		t.Error(table.Left)
	}
}
