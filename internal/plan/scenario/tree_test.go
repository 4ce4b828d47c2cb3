package scenario

import (
	"strings"
	"testing"

	"railyard/internal/base/located"
)

// A file of nothing but what is refused is not looked at to its end: finding the place of each
// mistake takes time in proportion to its line, which here is the whole file.
func TestRefusalsAreBounded(t *testing.T) {
	for _, what := range []string{"!!a ", "&a ", "*a "} {
		_, ps := readTree("x.yaml", []byte(strings.Repeat(what, 40_000)))
		if len(ps) == 0 || len(ps) > located.Most+1 {
			t.Errorf("%q: %d problems, want 1 to %d", what, len(ps), located.Most+1)
		}
	}
}
