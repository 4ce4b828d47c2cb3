package tune

import (
	"strings"

	"railyard/internal/base/unit"
)

// Point is thresholds. What a network has no use for is zero.
type Point struct {
	Min, Max    unit.Bytes // WRED, on a port of Facts.Rate; in proportion on others
	Probability unit.Ratio // just below Max
	Alpha       unit.Ratio // xOFF is this times the free shared buffer
	XOFF        unit.Bytes // or this, fixed
}

// Marks reports whether the point has a marking curve.
func (p *Point) Marks() bool { return p.Max > 0 }

// String says a point in a few words.
func (p Point) String() string {
	var parts []string
	if p.Marks() {
		parts = append(parts, "WRED "+p.Min.String()+" to "+p.Max.String()+", "+unit.Percent(p.Probability.Float()))
	}
	switch {
	case p.XOFF > 0:
		parts = append(parts, "xOFF "+p.XOFF.String())
	case p.Alpha.Num > 0:
		parts = append(parts, "alpha "+p.Alpha.String())
	}
	return strings.Join(parts, ", ")
}

// The bounds within which a point is worth a run.
var (
	leastAlpha = unit.Ratio{Num: 1, Den: 128}
	mostAlpha  = unit.Ratio{Num: 8, Den: 1}
)

// grain is what lengths are multiples of: what NX-OS takes.
const grain = unit.Kilobyte

// Steps is how far a point is from the formula's, in factors of two: the whole curve, its max alone, the
// probability, xOFF.
type Steps [4]int

// The knobs, as Steps counts them.
const (
	curveKnob = iota
	maxKnob
	probabilityKnob
	xoffKnob
)

// has reports whether a knob turns anything. A step (DCTCP) has no slope.
func (p *Point) has(knob int) bool {
	switch knob {
	case curveKnob:
		return p.Marks()
	case maxKnob, probabilityKnob:
		return p.Marks() && p.Min < p.Max
	}
	return p.Alpha.Num > 0 || p.XOFF > 0
}

// at returns the point some steps away; false: there is none.
func (p Point) at(s Steps) (Point, bool) {
	slope := p.Min < p.Max
	ok := p.likelier(s[probabilityKnob])
	if p.Marks() {
		ok = scale(&p.Min, s[curveKnob]) && scale(&p.Max, s[curveKnob]+s[maxKnob]) && ok && slope == (p.Min < p.Max)
	}
	if p.XOFF > 0 {
		return p, scale(&p.XOFF, s[xoffKnob]) && ok
	}
	return p, p.share(s[xoffKnob]) && ok
}

// scale doubles a length n times, or halves it.
func scale(b *unit.Bytes, n int) bool {
	if n < 0 {
		*b >>= -n
	} else {
		*b <<= n
	}
	*b = whole(*b)
	return *b >= grain
}

// whole cuts a length to what switches take.
func whole(b unit.Bytes) unit.Bytes { return b / grain * grain }

// likelier doubles the probability n times, or halves it: a whole percent up to all.
func (p *Point) likelier(n int) bool {
	if n == 0 {
		return true
	}
	percent := 100 * p.Probability.Num / p.Probability.Den
	if n < 0 {
		percent >>= -n
	} else {
		percent <<= n
	}
	p.Probability = unit.Ratio{Num: percent, Den: 100}
	return percent >= 1 && percent <= 100
}

// share doubles alpha n times, or halves it.
func (p *Point) share(n int) bool {
	if n == 0 {
		return true
	}
	for ; n > 0; n-- {
		p.Alpha = times2(p.Alpha)
	}
	for ; n < 0; n++ {
		p.Alpha = half(p.Alpha)
	}
	return p.Alpha.Cmp(leastAlpha) >= 0 && p.Alpha.Cmp(mostAlpha) <= 0
}

func times2(r unit.Ratio) unit.Ratio {
	if r.Den%2 == 0 {
		return unit.Ratio{Num: r.Num, Den: r.Den / 2}
	}
	return unit.Ratio{Num: 2 * r.Num, Den: r.Den}
}

func half(r unit.Ratio) unit.Ratio {
	if r.Num%2 == 0 {
		return unit.Ratio{Num: r.Num / 2, Den: r.Den}
	}
	return unit.Ratio{Num: r.Num, Den: 2 * r.Den}
}
