package svg

import (
	"math"
	"testing"

	"railyard/internal/chart"
)

// lab is a colour in OKLab (Ottosson, A perceptual color space for image processing,
// 2020), as seen with a kind of colour blindness (Machado, Oliveira and Fernandes, A
// Physiologically-based Model for Simulation of Color Vision Deficiency, 2009, severity 1).
func labOf(hex string, blind [3][3]float64) (lab [3]float64) {
	c := linear(hex)
	var v [3]float64
	for i, row := range blind {
		v[i] = min(max(row[0]*c[0]+row[1]*c[1]+row[2]*c[2], 0), 1)
	}
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	s := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

var sights = map[string][3][3]float64{
	"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Each colour of the ramp is darker on light paper, and lighter on dark, than the one
// before, by about as much, for every eye; and the first differs from zero.
func TestRampRises(t *testing.T) {
	for sight, m := range sights {
		for i := range ramp {
			before := soft
			if i > 0 {
				before = ramp[i-1]
			}
			light := labOf(before.light, m)[0] - labOf(ramp[i].light, m)[0]
			dark := labOf(ramp[i].dark, m)[0] - labOf(before.dark, m)[0]
			if min(light, dark) < 0.025 || i > 0 && max(light, dark) > 0.095 {
				t.Errorf("%s: step %d is %.3f darker on light paper and %.3f lighter on dark, want 0.025 to 0.095", sight, i, light, dark)
			}
		}
	}
}

// A line can be seen on the paper (WCAG 2.2, 1.4.11).
func TestLineRampContrast(t *testing.T) {
	contrast := func(a, b string) float64 {
		x, y := luminance(a)+0.05, luminance(b)+0.05
		return max(x, y) / min(x, y)
	}
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
		{&linear, 0, empty}, {&linear, chart.Nothing, empty}, {&linear, 1e-9, 0}, {&linear, 1, 0}, {&linear, 1.01, 1}, {&linear, 10, 9}, {&linear, 11, 9},
		{&powers, 0.5, 0}, {&powers, 1, 0}, {&powers, 9.9, 3}, {&powers, 1000, 9}, {&powers, 0, empty},
	} {
		if got := rampStep(c.axis, c.v, 10); got != c.want {
			t.Errorf("%v of %v to %v: step %d, want %d", c.v, c.axis.Low, c.axis.High, got, c.want)
		}
	}
}
