package report

import (
	"math"
	"testing"
)

// A difference says how large it is, that there is none worth a decimal, or that there is no such thing.
func TestChangesOfFigures(t *testing.T) {
	loss, share := &FigureRow{Name: "final loss"}, &FigureRow{Unit: "1"}
	for _, c := range []struct {
		row     *FigureRow
		base, v float64
		want    string
	}{
		{loss, 0.2, 0.25, "+25.0 %"}, {loss, 0.2, 0.20001, "same"}, {loss, math.NaN(), 0.2, "-"}, {loss, 0.2, math.NaN(), "-"},
		{share, 0.5, 0.45, "-5.0 points"}, {share, 0.5, 0.50001, "same"}, {share, 0.5, 0.49999, "same"},
	} {
		if got := c.row.change(c.base, c.v); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.base, c.v, got, c.want)
		}
	}
}
