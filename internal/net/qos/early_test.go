package qos

import "testing"

// How much too late marking is complete is what lies between the end of its curve and the first pause.
func TestEarly(t *testing.T) {
	r := Row{First: PausesFirst}
	r.ECN.Max, r.PFC.FirstPause = 500, 300
	if got := early(&r); got != 200 {
		t.Errorf("%v, want 200 B", got)
	}
	for _, first := range []Order{MarksBegin, PausesFirst} {
		if r.First = first; early(&r) != 200 {
			t.Errorf("%v: %v", first, early(&r))
		}
	}
}
