package svg

import (
	"math"
	"testing"

	"railyard/internal/out/chart"
)

// Each colour of the ramp is darker on light paper, and lighter on dark, than the one
// before, by about as much, for every eye; and the first differs from zero.
func TestRampRises(t *testing.T) {
	for _, ramp := range [][len(ramp)]colour{ramp, under} {
		for _, s := range sights {
			for i := range ramp {
				before := soft
				if i > 0 {
					before = ramp[i-1]
				}
				light := s.lab(before.light)[0] - s.lab(ramp[i].light)[0]
				dark := s.lab(ramp[i].dark)[0] - s.lab(before.dark)[0]
				if min(light, dark) < 0.025 || i > 0 && max(light, dark) > 0.095 {
					t.Errorf("%s: %s is %.3f darker on light paper and %.3f lighter on dark, want 0.025 to 0.095",
						s.name, ramp[i].name, light, dark)
				}
			}
		}
	}
}

// What is below zero and what is above differ for every eye, from the third step on.
func TestRampsDiffer(t *testing.T) {
	for _, s := range sights {
		for i := 2; i < len(ramp); i++ {
			for _, c := range [][2]string{{ramp[i].light, under[i].light}, {ramp[i].dark, under[i].dark}} {
				a, b := s.lab(c[0]), s.lab(c[1])
				if far := math.Hypot(a[1]-b[1], a[2]-b[2]); far < 0.06 {
					t.Errorf("%s: step %d: %s and %s are %.3f apart in hue, want 0.06", s.name, i, c[0], c[1], far)
				}
			}
		}
	}
}

// A line can be seen on the paper (WCAG 2.2, 1.4.11).
func TestLineRampContrast(t *testing.T) {
	for _, c := range lineRamp {
		if l, d := contrast(c.light, paper.light), contrast(c.dark, paper.dark); min(l, d) < 3 {
			t.Errorf("%s: contrast %.2f on light paper, %.2f on dark, want 3", c.name, l, d)
		}
	}
}

func TestRampStep(t *testing.T) {
	linear, powers := chart.Axis{High: 10}, chart.Axis{Low: 1, High: 1000, Log: true}
	for _, c := range []struct {
		axis *chart.Axis
		v    chart.Value
		want int
	}{
		{&linear, 0, empty}, {&linear, chart.Nothing, empty}, {&linear, 1e-9, 0},
		{&linear, 1, 0}, {&linear, 1.01, 1}, {&linear, 10, 9}, {&linear, 11, 9},
		{&powers, 0.5, 0}, {&powers, 1, 0}, {&powers, 9.9, 3}, {&powers, 1000, 9}, {&powers, 0, empty},
	} {
		if got := rampStep(c.axis, c.v, 10); got != c.want {
			t.Errorf("%v of %v to %v: step %d, want %d", c.v, c.axis.Low, c.axis.High, got, c.want)
		}
	}
}
