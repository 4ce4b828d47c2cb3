package nccl

import (
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
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

// Ratio is how often one time goes into the other, at least 1.
func (p Pair) Ratio() float64 {
	return float64(max(p.Measured, p.Simulated)) / float64(min(p.Measured, p.Simulated))
}

// Error returns exp(mean |ln(simulated/measured)|) - 1 over the pairs: by how much a time is wrong,
// as a factor either way, on the whole. 0 of none.
func Error(ps []Pair) float64 {
	most := 1.0
	for _, p := range ps {
		most = max(most, p.Ratio())
	}
	// The geometric mean x of the ratios: their product over x is 1. Found by halves, without a
	// logarithm, whose last bit differs between processors.
	low, high := 1.0, most
	for range 64 {
		x := low + (high-low)/2
		product, exponent := 1.0, 0
		for _, p := range ps {
			f, e := math.Frexp(product * (p.Ratio() / x))
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
	Unclear        Reason = iota // no single change of the model explains what was measured
	Simulation                   // the model as it is fits at the size: what simulated takes another time
	LatencyBound                 // base latency, latency of hops
	BandwidthBound               // rate or efficiency of links
	Switched                     // another algorithm or protocol than simulated
	FewChannels                  // fewer channels at small sizes than at large ones
)

var reasonNames = []string{"unclear", "simulation", "latency", "bandwidth", "switch point", "channels"}

// String returns the reason in a word or two.
func (r Reason) String() string { return nameOf("reason", reasonNames, int(r)) }

// Parting is the first size at which two sweeps part.
type Parting struct {
	Pair
	Reason Reason
	Left   float64 // the error that is left from this size on, if the reason holds: see Error
	Text   string  // the reason, with figures
}

// Used says what was simulated at a size.
type Used func(unit.Bytes) (Algorithm, Protocol)

// theory is a reason as times that it would give from the parting on.
type theory struct {
	reason Reason
	pairs  []Pair
	text   string
}

// Part finds the first size at which measured and simulated times of a collective differ by more
// than a factor; found is false if they never do. The likely reason is the one change of the model
// that explains the measured times from there on best: all latencies times a factor, all
// bandwidths, another algorithm or protocol, or bandwidth in proportion to the channels that a size
// uses. Where the model as it is comes within the factor, the simulation is the reason. used nil:
// what NCCL would choose. It fails if there is no pair, or if the group cannot be.
func (p Params) Part(c coll.Collective, g Group, ps []Pair, factor unit.Ratio, used Used) (at Parting, found bool,
	err error) {
	if len(ps) == 0 {
		return Parting{}, false, fmt.Errorf("no size was both measured and simulated")
	}
	if factor.Num <= factor.Den {
		return Parting{}, false, fmt.Errorf("factor %v, want more than 1", factor)
	}
	i := slices.IndexFunc(ps, func(p Pair) bool { return p.Ratio() > factor.Float() })
	if i < 0 {
		return Parting{}, false, nil
	}
	model, err := p.modelled(c, g, ps[i:], used)
	if err != nil {
		return Parting{}, false, err
	}
	theories := append(scaled(ps[i:], model), p.others(c, g, ps[i:], model[0])...)
	theories = append(theories, fewChannels(ps[i:], model)...)
	at = Parting{Pair: ps[i], Left: Error(ps[i:])}
	for _, th := range theories {
		// Theories may tie, as at a single size: the first is kept.
		if e := Error(th.pairs); e+1e-6 < at.Left {
			at.Reason, at.Left, at.Text = th.reason, e, th.text
		}
	}
	switch plain := with(ps[i:], func(i int) float64 { return float64(model[i].d.Time()) }); {
	case plain[0].Ratio() <= factor.Float():
		at.Reason, at.Left, at.Text = Simulation, Error(plain), "NCCL's model fits as it is: the simulation takes "+
			"another time than the model of what it runs"
	case at.Text == "" || at.Left > factor.Float()-1:
		at.Reason, at.Text = Unclear, "no single change of the model explains the sizes from here on"
	}
	at.Text = fmt.Sprintf("at %v it takes %s as measured, %s as simulated (%v with %v, %s by its model): %s", at.Bytes,
		at.Measured.Human(), at.Simulated.Human(), model[0].a, model[0].proto, model[0].d.Time().Human(), at.Text)
	return at, true, nil
}

// model is the prediction of a size.
type model struct {
	a        Algorithm
	proto    Protocol
	channels int
	d        Prediction
}

func (p Params) modelled(c coll.Collective, g Group, ps []Pair, used Used) ([]model, error) {
	ms := make([]model, len(ps))
	for i, pair := range ps {
		only := Only{}
		if used != nil {
			a, proto := used(pair.Bytes)
			only = Only{[]Algorithm{a}, []Protocol{proto}}
		}
		k, err := p.Choose(c, pair.Bytes, g, only)
		if err != nil {
			return nil, err
		}
		ms[i] = model{a: k.Algorithm, proto: k.Protocol, channels: k.Channels}
		if ms[i].d, err = p.Predict(c, pair.Bytes, g, k.Algorithm, k.Protocol); err != nil {
			return nil, err
		}
	}
	return ms, nil
}

// with is the pairs with other simulated times.
func with(ps []Pair, time func(i int) float64) []Pair {
	out := slices.Clone(ps)
	for i := range out {
		out[i].Simulated = max(1, unit.Duration(math.Round(min(time(i), 1<<62))))
	}
	return out
}

// scaled are the theories of wrong latencies, by the first size, and of wrong bandwidths, by the
// last; first the one of what takes most of the first size.
func scaled(ps []Pair, ms []model) []theory {
	parts := func(i int) (latency, bytes float64) {
		return float64(ms[i].d.Latency), float64(ms[i].d.Fill + ms[i].d.Data)
	}
	lat, data := parts(0)
	var list []theory
	if k := (float64(ps[0].Measured) - data) / lat; lat > 0 && k > 0 {
		list = append(list, theory{LatencyBound, with(ps, func(i int) float64 {
			lat, data := parts(i)
			return float64(k*lat) + data
		}), fmt.Sprintf("latency fits if it is %.2f times the model's %s: look at base latency and hops", k,
			ms[0].d.Latency.Human())})
	}
	last := len(ps) - 1
	lastLat, lastData := parts(last)
	if k := (float64(ps[last].Measured) - lastLat) / lastData; lastData > 0 && k > 0 {
		list = append(list, theory{BandwidthBound, with(ps, func(i int) float64 {
			lat, data := parts(i)
			return lat + float64(k*data)
		}), fmt.Sprintf("bandwidth fits if it is %.2f times the model's %s: look at the rate and efficiency of links",
			1/k, unit.ByteRate(float64(ms[0].d.Bandwidth)/8))})
	}
	if lat <= data {
		slices.Reverse(list)
	}
	return list
}

// others are the theories of another algorithm, or another protocol, at all sizes from here on.
func (p Params) others(c coll.Collective, g Group, ps []Pair, now model) []theory {
	var list []theory
	try := func(only Only, name string) {
		ms := make([]model, len(ps))
		for i, pair := range ps {
			k, err := p.Choose(c, pair.Bytes, g, only)
			if err != nil {
				return // cannot be
			}
			if ms[i].d, err = p.Predict(c, pair.Bytes, g, k.Algorithm, k.Protocol); err != nil {
				return
			}
		}
		list = append(list, theory{Switched, with(ps, func(i int) float64 { return float64(ms[i].d.Time()) }),
			name + " fits: it is not what was simulated, or it switches at another size"})
	}
	for a := range algorithms {
		if a != now.a {
			try(Only{Algorithms: []Algorithm{a}}, a.String())
		}
	}
	for proto := range protocols {
		if proto != now.proto {
			try(Only{[]Algorithm{now.a}, []Protocol{proto}}, fmt.Sprintf("%v with %v", now.a, proto))
		}
	}
	return list
}

// fewChannels is the theory that a size has bandwidth in proportion to its channels, if sizes
// differ.
func fewChannels(ps []Pair, ms []model) []theory {
	most := 0
	for _, m := range ms {
		most = max(most, m.channels)
	}
	if ms[0].channels == most {
		return nil
	}
	return []theory{{FewChannels, with(ps, func(i int) float64 {
		return float64(ms[i].d.Latency) + float64(ms[i].d.Fill+ms[i].d.Data)*float64(most)/float64(ms[i].channels)
	}), fmt.Sprintf("bandwidth in proportion to channels fits: it uses %d of %d", ms[0].channels, most)}}
}
