package svg

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/out/chart"
)

// sight is how the linear light of a colour reaches an eye.
type sight struct {
	name string
	m    [3][3]float64
}

// sights are full colour vision and the three kinds of colour blindness, at full severity:
// Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color
// Vision Deficiency, 2009, table 1.
var sights = []sight{
	{"full", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}}},
	{"tritanopia", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}}},
}

// lab is where a sight puts a colour in OKLab (Ottosson, 2020): equal distances look equally
// different.
func (s *sight) lab(hex string) [3]float64 {
	c := linear(hex)
	var v [3]float64
	for i := range v {
		v[i] = min(max(s.m[i][0]*c[0]+s.m[i][1]*c[1]+s.m[i][2]*c[2], 0), 1)
	}
	l := math.Cbrt(0.4122214708*v[0] + 0.5363325363*v[1] + 0.0514459929*v[2])
	m := math.Cbrt(0.2119034982*v[0] + 0.6806995451*v[1] + 0.1073969566*v[2])
	k := math.Cbrt(0.0883024619*v[0] + 0.2817188376*v[1] + 0.6299787005*v[2])
	return [3]float64{0.2104542553*l + 0.7936177850*m - 0.0040720468*k,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*k, 0.0259040371*l + 0.7827717662*m - 0.8086757660*k}
}

func apart(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// leastApart is the least distance in OKLab of two inks in one figure, for every sight.
// For comparison: the reds #d0030f and #e0030f are 0.03 apart.
const leastApart = 0.1

// family is inks that can stand in one figure. Of areas, hatching tells some apart; of
// lines, dashes do.
type family struct {
	name string
	inks []chart.Ink
}

func families() []family {
	causes := family{"causes", []chart.Ink{chart.Other}}
	for _, c := range cause.All() {
		causes.inks = append(causes.inks, chart.InkOf(c))
	}
	runs := family{name: "runs"}
	for n := range 26 {
		runs.inks = append(runs.inks, chart.InkOfRun(n))
	}
	return []family{causes, runs,
		{"work", []chart.Ink{chart.Forward, chart.Loss, chart.Backward, chart.AllReduce, chart.Update, chart.OtherWork,
			chart.Activations, chart.Deltas, chart.AllGather, chart.ReduceScatter, chart.Highlight, chart.Outside}},
		{"lines", []chart.Ink{chart.Subject, chart.Other, chart.Reference, chart.Alarm, chart.Marking, chart.Pausing,
			chart.Highlight}},
	}
}

// Inks of one figure can be told apart, also by eyes that are blind to some colours: by
// colour, or by hatching. Light and dark.
func TestInksCanBeToldApart(t *testing.T) {
	for _, f := range families() {
		for i, a := range f.inks {
			for _, b := range f.inks[:i] {
				x, y := colourOf(a), colourOf(b)
				if x.hatch != y.hatch && f.name != "lines" {
					continue
				}
				for _, s := range sights {
					for _, h := range [][3]string{{"light", x.light, y.light}, {"dark", x.dark, y.dark}} {
						if d := apart(s.lab(h[1]), s.lab(h[2])); d < leastApart {
							t.Errorf("%s, %s: %s and %s are %.3f apart with %s sight, want %g", f.name, h[0], a,
								b, d, s.name, leastApart)
						}
					}
				}
			}
		}
	}
}

// Kinds of work and causes share no colour, nor a look that is close to one.
func TestWorkLooksLikeNoCause(t *testing.T) {
	all := families()
	full := &sights[0]
	for _, w := range all[2].inks[:10] {
		for _, c := range all[0].inks {
			x, y := colourOf(w), colourOf(c)
			if x.hatch == y.hatch && min(apart(full.lab(x.light), full.lab(y.light)),
				apart(full.lab(x.dark), full.lab(y.dark))) < 0.05 {
				t.Errorf("%s looks like %s", w, c)
			}
		}
	}
}

// contrast is that of WCAG 2.2.
func contrast(a, b string) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// WCAG 2.2: text needs a contrast of 4.5 to what is behind it (1.4.3), marks one of 3 (1.4.11).
func TestContrast(t *testing.T) {
	want := func(what string, a, b colour, least float64) {
		t.Helper()
		for _, h := range [][3]string{{"light", a.light, b.light}, {"dark", a.dark, b.dark}} {
			if c := contrast(h[1], h[2]); c < least {
				t.Errorf("%s, %s: contrast %.2f, want %g", what, h[0], c, least)
			}
		}
	}
	if c := contrast("#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Fatalf("black on white has a contrast of %v, want 21", c)
	}
	for _, text := range []colour{ink, muted} {
		want(text.name+" on paper", text, paper, 4.5)
		want(text.name+" on soft", text, soft, 4.5)
	}
	all := slices.Collect(maps.Keys(inks))
	for n := range 26 {
		all = append(all, chart.InkOfRun(n))
	}
	for _, i := range all {
		c := colourOf(i)
		if i == chart.Outside {
			continue // a background: what lies outside of the subject
		}
		want(string(i)+" on paper", c, paper, 3)
		if c.hatch != outlined {
			want("words on "+string(i), c.on(), c, 4.5)
		}
	}
}

// Every class that a drawing names has a rule for dark pages.
func TestDarkRules(t *testing.T) {
	rules := DarkRules()
	for i := range inks {
		if rule := fmt.Sprintf(".f-%s{fill:%s}", i, colourOf(i).dark); !strings.Contains(rules, rule) {
			t.Errorf("no %s in\n%s", rule, rules)
		}
	}
	if rules != DarkRules() {
		t.Error("two style sheets differ")
	}
}
