package lazy_test

import (
	"testing"

	"railyard/internal/lazy"
)

// An expression is not compiled before it is asked for, and is one afterwards. False if a wrong one panics where it is declared.
func TestRegexp(t *testing.T) {
	wrong := lazy.Regexp("(")
	if digits := lazy.Regexp(`^[0-9]+$`); !digits().MatchString("48") || digits().MatchString("x") || digits() != digits() {
		t.Error("not the expression that was declared, or compiled twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression is compiled")
		}
	}()
	wrong()
}
