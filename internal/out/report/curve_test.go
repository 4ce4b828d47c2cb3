package report

import (
	"fmt"
	"testing"

	"railyard/internal/out/chart"
)

// Ticks of an axis of few values stand where these are, in the scenario's words; of many they are round numbers.
func TestTicksStandAtWhatWasTried(t *testing.T) {
	var many []string
	for i := range mostStops + 1 {
		many = append(many, fmt.Sprintf("%dm", i+1))
	}
	for _, c := range []struct {
		values []string
		name   string
		want   string
	}{
		{[]string{"800kB", "100kB", "none", "3MB", "100kB"}, "key", "[100kB 800kB 3MB] [100000 800000 3e+06] log"},
		{[]string{"1/8", "1", "1/2"}, "key", "[1/8 1/2 1] [0.125 0.5 1] log"},
		{[]string{"20m", "40m"}, "key", "[20m 40m] [20 40]"},
		{many, "key (m)", "[1 2 5 10 20] [1 2 5 10 20] log"},
	} {
		a, at, ok := KeyAxis("key", c.values)
		if !ok || len(at) != len(c.values) {
			t.Fatalf("%v: %v, %d places", c.values, ok, len(at))
		}
		ticks := a.Ticks(5)
		got := fmt.Sprint(ticks.Texts, ticks.At)
		if a.Log {
			got += " log"
		}
		if got != c.want || a.Name() != c.name {
			t.Errorf("%v: %s of %q, want %s of %q", c.values, got, a.Name(), c.want, c.name)
		}
		f := chart.Figure{Name: "f", Keys: []chart.Key{{ID: "k"}}, Lines: &chart.Lines{X: a, Y: chart.Axis{High: 1},
			Series: []chart.Series{{Key: "k"}}}}
		if err := chart.Check(&f); err != nil {
			t.Error(err)
		}
	}
}
