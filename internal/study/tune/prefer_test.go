package tune

import (
	"testing"

	"railyard/internal/base/unit"
)

// Names and weights are read, and what is neither is refused.
func TestParsePrefer(t *testing.T) {
	for text, good := range map[string]bool{
		"all": true, "delay": true, "throughput=2,delay=1": true, "pauses=0.5": true,
		"": false, "speed": false, "speed=1": false, "delay=0": false, "delay=-1": false, "delay=1,delay=2": false, "delay=x": false,
		"delay=101": false, "delay=NaN": false, "delay=1,": false,
	} {
		if _, err := ParsePrefer(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func point(time, delay, paused int, n Noise) Trial {
	us := func(v int) unit.Duration { return unit.Duration(v) * unit.Microsecond }
	return Trial{Figures: Figures{Times: []unit.Duration{us(time)}, Delay: us(delay), Paused: us(paused), Noise: n}}
}

// A tenth faster for a delay that is longer by less than the seeds differ: it is chosen, where nothing may get worse too.
// Where seeds tell the delays apart it is not; weights pay the price then.
//
// False if Judge looks at no noise, or choose at no weights.
func TestPrices(t *testing.T) {
	off := Noise{Delay: 5 * unit.Microsecond, Paused: 5 * unit.Microsecond}
	for _, c := range []struct {
		noise  Noise
		prefer Prefer
		want   int
	}{{Noise{}, PreferAll, 0}, {off, PreferAll, 1}, {Noise{}, "throughput=2,delay=1", 1}, {Noise{}, "delay=1", 0}} {
		own := point(1000, 100, 100, c.noise)
		own.Own = true
		if v := Judge([]Trial{own, point(900, 102, 104, c.noise)}, c.prefer); v.Chosen != c.want {
			t.Errorf("%+v, %s: %d is chosen, want %d", c.noise, c.prefer, v.Chosen, c.want)
		}
	}
}

// Twelve points that differ by less than the seeds do are one.
func TestMerged(t *testing.T) {
	n := Noise{Speed: 0.02, Delay: 20 * unit.Microsecond, Paused: 20 * unit.Microsecond}
	var all []Trial
	for k := range 12 {
		all = append(all, point(1000+k, 120-k, 100+k%3, n))
	}
	frontier := 0
	v := Judge(all, PreferAll)
	for i := range all {
		if v.Of[i].Frontier {
			frontier++
		} else if by := v.Of[i].By; by < 0 || !v.Of[by].Frontier {
			t.Errorf("point %d is merged into %d", i, by)
		}
	}
	if frontier != 1 {
		t.Errorf("%d of 12 on the frontier, want one", frontier)
	}
	for i := range all { // of one seed nothing is known
		all[i].Figures.Noise = Noise{}
	}
	v = Judge(all, PreferAll)
	for i := range all {
		if !v.Of[i].Frontier && i%3 == 0 && i < 3 {
			t.Errorf("point %d is not on the frontier", i)
		}
	}
}
