package lint

import (
	"testing"

	"railyard/internal/config/netconf"
)

// Three ports are named, the others counted.
func TestSomePorts(t *testing.T) {
	d := &Device{Parsed: &netconf.Parsed{}}
	for want, ports := range map[string][]string{
		"a, b, c":            {"a", "b", "c"},
		"a, b, c and 1 more": {"a", "b", "c", "d"},
		"a":                  {"a"},
	} {
		if got := d.some(ports); got != want {
			t.Errorf("%v: %q, want %q", ports, got, want)
		}
	}
}
