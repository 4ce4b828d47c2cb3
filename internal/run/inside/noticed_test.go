package inside

import "testing"

// A vector that is nothing has no direction; any other gets length 1.
func TestUnitVectors(t *testing.T) {
	for _, v := range [][]float64{nil, {0, 0}, {1e-16, 0}} {
		if unit(v) {
			t.Errorf("%v has a direction", v)
		}
	}
	if v := []float64{3e-8, -4e-8}; !unit(v) || v[0] < 0.5999 || v[0] > 0.6001 || v[1] > -0.7999 || v[1] < -0.8001 {
		t.Errorf("%v, want 0.6 and -0.8", v)
	}
}
