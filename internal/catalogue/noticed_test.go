package catalogue

import "testing"

// A box in a line, as lists have it.
func TestMeaning(t *testing.T) {
	s := Switch{About: "Maker Box", Ports: 32, Rate: 400 * gig, Buffer: 64 * mb}
	if got, want := s.Meaning(), "Maker Box, 12.8 Tb/s: 32 ports of 400 Gb/s, 64 MB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Ports of 400 and 800 Gb/s are split by four at most: QSFP-DD and OSFP have eight lanes, and a port of 100 Gb/s takes one
// or two of them (SONiC's platform.json lists 4x100G and 4x200G).
func TestSplitsOfBoxes(t *testing.T) {
	for name, want := range map[string]int{"sn4700": 4, "sn5610n": 4, "sn6810-ld": 4, "qm9700": 2, "tomahawk5": 4} {
		if s := FindSwitch(name); s == nil || s.Breakout != want {
			t.Errorf("%s: %+v, want a split by %d", name, s, want)
		}
	}
}
