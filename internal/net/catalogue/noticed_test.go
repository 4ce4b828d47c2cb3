package catalogue

import (
	"strings"
	"testing"
)

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

// A power has a source that speaks of it, what a box takes typically is no more than the most, and a height that is not
// known is none.
func TestPowers(t *testing.T) {
	typical := 0
	for _, s := range Switches {
		if s.Power > 0 && s.Typical > s.Power || s.Height < 0 || s.Height > 8 {
			t.Errorf("%s: typically %v, at most %v, %d U", s.Name, s.Typical, s.Power, s.Height)
		}
		told := strings.Contains(s.Source, "; power: ") || strings.Contains(s.Source, "; power and height: ")
		if (s.Power > 0 || s.Typical > 0) != told {
			t.Errorf("%s: typically %v, at most %v by %q", s.Name, s.Typical, s.Power, s.Source)
		}
		if s.Typical > 0 {
			typical++
		}
	}
	if typical < 10 {
		t.Errorf("%d boxes with a typical power", typical)
	}
	if s := FindSwitch("qm9700"); s.Typical != 747_000 || s.Power != 1_720_000 {
		t.Errorf("%+v", s)
	}
}
