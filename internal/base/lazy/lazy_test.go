package lazy_test

import (
	"testing"

	"railyard/internal/base/lazy"
)

// An expression is not compiled before it is asked for, and is one afterwards. False if a wrong one panics where it is declared.
func TestRegexp(t *testing.T) {
	wrong := lazy.Regexp("(")
	digits := lazy.Regexp(`^[0-9]+$`)
	first := digits()
	if !first.MatchString("48") || first.MatchString("x") || digits() != first {
		t.Error("not the expression that was declared, or compiled twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression is compiled")
		}
	}()
	wrong()
}
