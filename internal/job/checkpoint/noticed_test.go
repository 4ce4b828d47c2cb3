package checkpoint

import (
	"strings"
	"testing"
)

// The state of an optimiser in words: one without any, with momentum, Adam.
func TestListed(t *testing.T) {
	for _, c := range []struct {
		state []string
		want  string
	}{{nil, "nothing"}, {[]string{"momentum"}, "momentum"}, {[]string{"m", "v"}, "m and v"}} {
		if got := listed(c.state); got != c.want {
			t.Errorf("%q: %q, want %q", c.state, got, c.want)
		}
	}
}

// A file whose header asks for another length is known by the header alone.
func TestFitsReadsTheHeader(t *testing.T) {
	if err := Fits(strings.NewReader("\x02\x00\x00\x00\x00\x00\x00\x00{}"), 11); err == nil {
		t.Error("a byte behind the header of no tensors is taken")
	}
	if err := Fits(strings.NewReader("\x02\x00\x00\x00\x00\x00\x00\x00{}"), 10); err != nil {
		t.Error(err)
	}
}
