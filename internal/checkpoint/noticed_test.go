package checkpoint

import "testing"

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
