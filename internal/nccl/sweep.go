package nccl

import (
	"fmt"
	"math"
	"slices"

	"railyard/internal/coll"
	"railyard/internal/unit"
)

// Point is a size of a sweep and its time.
type Point struct {
	Bytes unit.Bytes
	Time  unit.Duration
}

// Pair is a size with both times.
type Pair struct {
	Bytes               unit.Bytes
	Measured, Simulated unit.Duration
}

// ratio is how often one time goes into the other, at least 1.
func (p Pair) ratio() float64 {
	return float64(max(p.Measured, p.Simulated)) / float64(min(p.Measured, p.Simulated))
}

// Pairs joins two sweeps by size, in order. Of sizes measured several times the first counts; points
// without a time do not.
func Pairs(measured, simulated []Point) []Pair {
	at := map[unit.Bytes]unit.Duration{}
	for _, s := range simulated {
		if _, seen := at[s.Bytes]; !seen && s.Time > 0 {
			at[s.Bytes] = s.Time
		}
	}
	var ps []Pair
	for _, m := range measured {
		if t := at[m.Bytes]; t > 0 && m.Time > 0 {
			ps = append(ps, Pair{m.Bytes, m.Time, t})
			delete(at, m.Bytes)
		}
	}
	slices.SortFunc(ps, func(a, b Pair) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) })
	return ps
}

// Error returns exp(mean |ln(simulated/measured)|) - 1 over the pairs: by how much a time is wrong, as a
// factor either way, on the whole. 0 of none.
func Error(ps []Pair) float64 {
	most := 1.0
	for _, p := range ps {
		most = max(most, p.ratio())
	}
	// The geometric mean x of the ratios: their product over x is 1. Found by halves, without a logarithm,
	// whose last bit differs between processors.
	low, high := 1.0, most
	for range 64 {
		x := low + (high-low)/2
		product, exponent := 1.0, 0
		for _, p := range ps {
			f, e := math.Frexp(product * (p.ratio() / x))
			product, exponent = f, exponent+e
		}
		if exponent > 0 { // product x 2^exponent is 1 or more
			low = x
		} else {
			high = x
		}
	}
	return low - 1
}

// Reason is why two sweeps may part.
type Reason uint8

// The reasons, and what to look at.
const (
	Switched       Reason = iota // another algorithm or protocol than simulated fits what was measured
	LatencyBound                 // base latency, latency of hops
	BandwidthBound               // rate or efficiency of links
	FewChannels                  // fewer channels at small sizes than at large ones
)

var reasonNames = []string{"switch point", "latency", "bandwidth", "channels"}

// String returns the reason in a word.
func (r Reason) String() string { return nameOf("reason", reasonNames, int(r)) }

// Parting is the first size at which two sweeps part.
type Parting struct {
	Pair
	Reason Reason
	Text   string // the reason, with figures
}

// Part finds the first size at which measured and simulated times of a collective differ by more than a
// factor, and the likely reason by the model: found is false if they never do. used is what was simulated
// at a size; nil: what NCCL would choose. It fails if the sweeps have no size in common, or if the group
// cannot be.
func (p Params) Part(c coll.Collective, g Group, ps []Pair, factor unit.Ratio,
	used func(unit.Bytes) (Algorithm, Protocol)) (at Parting, found bool, err error) {
	if len(ps) == 0 {
		return Parting{}, false, fmt.Errorf("no size was both measured and simulated")
	}
	if factor.Num <= factor.Den {
		return Parting{}, false, fmt.Errorf("factor %v, want more than 1", factor)
	}
	apart := func(p Pair) bool { return p.ratio() > factor.Float() }
	i := slices.IndexFunc(ps, apart)
	if i < 0 {
		return Parting{}, false, nil
	}
	at.Pair = ps[i]
	choice, err := p.Choose(c, at.Bytes, g, Only{})
	if err != nil {
		return Parting{}, false, err
	}
	a, proto := choice.Algorithm, choice.Protocol
	if used != nil {
		a, proto = used(at.Bytes)
	}
	d, err := p.Predict(c, at.Bytes, g, a, proto)
	if err != nil {
		return Parting{}, false, err
	}
	last, err := p.Choose(c, ps[len(ps)-1].Bytes, g, Only{})
	if err != nil {
		return Parting{}, false, err
	}

	more := "longer"
	if at.Measured < at.Simulated {
		more = "shorter"
	}
	head := fmt.Sprintf("at %v it takes %s as measured, %s as simulated (%v with %v): ",
		at.Bytes, at.Measured.Human(), at.Simulated.Human(), a, proto)
	switch other, t := p.closest(c, g, at.Pair, choice.Candidates); {
	case (other.Algorithm != a || other.Protocol != proto) && !apart(Pair{at.Bytes, at.Measured, t}):
		at.Reason = Switched
		at.Text = head + fmt.Sprintf("%v with %v would take %s, which fits: it switches at another size",
			other.Algorithm, other.Protocol, t.Human())
	case 2*d.Latency > d.Time():
		at.Reason = LatencyBound
		at.Text = head + fmt.Sprintf("%s of it are latency, which is %s than the model's: look at base latency and hops",
			d.Latency.Human(), more)
	case i+1 < len(ps) && !apart(ps[len(ps)-1]) && choice.Channels < last.Channels:
		at.Reason = FewChannels
		at.Text = head + fmt.Sprintf("it is bytes that take the time, yet larger sizes agree, which use %d channels instead "+
			"of %d: look at the channels of this size", last.Channels, choice.Channels)
	default:
		at.Reason = BandwidthBound
		at.Text = head + fmt.Sprintf("it is bytes that take the time, %s than the model has it: "+
			"look at the rate and efficiency of links", more)
	}
	return at, true, nil
}

// closest is the candidate whose prediction is nearest to what was measured.
func (p Params) closest(c coll.Collective, g Group, at Pair, ks []Candidate) (Candidate, unit.Duration) {
	var best Candidate
	var time unit.Duration
	for _, k := range ks {
		if k.Not != "" {
			continue
		}
		d, err := p.Predict(c, at.Bytes, g, k.Algorithm, k.Protocol)
		if err != nil {
			continue
		}
		if t := d.Time(); t > 0 && (time == 0 ||
			(Pair{at.Bytes, at.Measured, t}).ratio() < (Pair{at.Bytes, at.Measured, time}).ratio()) {
			best, time = k, t
		}
	}
	return best, time
}
