package catalogue

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Switches {
		if seen[s.Name] || s.Name != strings.ToLower(s.Name) || s.Source == "" || s.Ports <= 0 || s.Rate <= 0 {
			t.Errorf("%+v", s)
		}
		seen[s.Name] = true
		if FindSwitch(s.Name).About != s.About {
			t.Errorf("%s: found %+v", s.Name, FindSwitch(s.Name))
		}
	}
	if FindSwitch("torus") != nil {
		t.Error("a model that nobody makes")
	}
	if got := FindSwitch("sn2201").Capacity(); got != 448*unit.GigabitPerSec {
		t.Errorf("capacity of 48 x 1 and 4 x 100 Gb/s: %v", got)
	}
}

// TestMedia: the first kind that reaches is taken, and every rate has one for any length up to its reach.
func TestMedia(t *testing.T) {
	for _, c := range []struct {
		rate   unit.Bitrate
		length unit.Length
		want   string
	}{
		{gig, 90 * unit.Metre, "Cat 6"}, {100 * gig, 3 * unit.Metre, "DAC"}, {100 * gig, 3*unit.Metre + 1, "AOC"},
		{200 * gig, 31 * unit.Metre, "single-mode"}, {400 * gig, 2 * unit.Metre, "DAC"}, {400 * gig, 4 * unit.Metre, "ACC"},
		{800 * gig, 50 * unit.Metre, "multimode"}, {400 * gig, 51 * unit.Metre, "single-mode"},
	} {
		if m := MediumFor(c.rate, c.length); m == nil || m.Name != c.want || m.Source == "" {
			t.Errorf("%v over %v: %+v, want %s", c.rate, c.length, m, c.want)
		}
	}
	if m := MediumFor(400*gig, 501*unit.Metre); m != nil {
		t.Errorf("501 m: %+v", m)
	}
	if m := MediumFor(1600*gig, unit.Metre); m != nil || Farthest(1600*gig) != 0 {
		t.Errorf("1.6 Tb/s: %+v", m)
	}
	if Farthest(400*gig) != 500*unit.Metre {
		t.Errorf("farthest of 400 Gb/s: %v", Farthest(400*gig))
	}
	for r := gig; r <= 800*gig; r += gig {
		for l := unit.Metre; l <= Farthest(r); l += unit.Metre {
			if MediumFor(r, l) == nil {
				t.Fatalf("nothing carries %v over %v", r, l)
			}
		}
	}
}

// What is carried, to the bit and the millimetre where one kind ends and another begins.
func TestWhereMediaEnd(t *testing.T) {
	for _, c := range []struct {
		rate   unit.Bitrate
		length unit.Length
		want   string
		watts  unit.Power // of a switch's end
	}{
		{gig, 100 * unit.Metre, "Cat 6", 0}, {gig + 1, 100 * unit.Metre, "single-mode", 0}, {400*gig - 1, 3 * unit.Metre, "DAC", 0},
		{400 * gig, 3 * unit.Metre, "DAC", 100}, {400 * gig, 5*unit.Metre + 1, "multimode", 17_000},
		{800 * gig, 5 * unit.Metre, "ACC", 1500},
	} {
		m := MediumFor(c.rate, c.length)
		if m == nil || m.Name != c.want || m.SwitchEnd != c.watts || m.Optics != strings.HasSuffix(m.Name, "mode") {
			t.Errorf("%v over %v: %+v, want %s of %v", c.rate, c.length, m, c.want, c.watts)
		}
	}
}
