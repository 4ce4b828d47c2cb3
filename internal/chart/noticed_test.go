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
