package chart

import "testing"

// Runs of a comparison have inks a to z, then from a again; an axis without length has one place.
func TestInksAndPlaces(t *testing.T) {
	if got := [3]Ink{InkOfRun(0), InkOfRun(25), InkOfRun(26)}; got != [3]Ink{"run-a", "run-z", "run-a"} {
		t.Errorf("%q", got)
	}
	a := Axis{Low: 3, High: 3}
	if got := a.At(3); got != 0 {
		t.Errorf("on an axis from 3 to 3, 3 is at %g", got)
	}
	if a.High = 5; a.At(4) != 0.5 {
		t.Errorf("on an axis from 3 to 5, 4 is at %g", a.At(4))
	}
}

// The distance between ticks, of one tick its own size, and 1 where there is none.
func TestDistanceBetweenTicks(t *testing.T) {
	for _, c := range []struct {
		ticks []float64
		want  float64
	}{{nil, 1}, {[]float64{0}, 1}, {[]float64{-0.25}, 0.25}, {[]float64{2, 4.5, 7}, 2.5}} {
		if got := stepOf(c.ticks); got != c.want {
			t.Errorf("%v: %v, want %v", c.ticks, got, c.want)
		}
	}
}
