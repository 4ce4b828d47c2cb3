package nn

import "testing"

// A place for each token at each position.
func TestOneHotHasAPlaceForEachToken(t *testing.T) {
	l := OneHot(3, 4)
	if l.In() != 3 || l.Out() != 12 || l.Params() != 0 {
		t.Errorf("%d in, %d out, %d parameters", l.In(), l.Out(), l.Params())
	}
}
