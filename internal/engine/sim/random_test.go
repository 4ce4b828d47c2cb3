package sim_test

import (
	"math"
	"testing"

	"railyard/internal/engine/sim"
)

// TestStreamsAreNamed: a stream is fixed by seed, name and number, and each of them makes another.
func TestStreamsAreNamed(t *testing.T) {
	base := sim.NewStream(1, "wred", 0)
	first := base.Uint64()
	if again := sim.NewStream(1, "wred", 0); again.Uint64() != first {
		t.Error("the same stream gives other numbers")
	}
	seen := map[uint64]string{first: "seed 1 wred 0"}
	for name, s := range map[string]sim.Stream{
		"seed 2": sim.NewStream(2, "wred", 0), "number 1": sim.NewStream(1, "wred", 1),
		"wrec":  sim.NewStream(1, "wrec", 0),
		"empty": sim.NewStream(1, "", 0), "prefix": sim.NewStream(1, "wre", 0), "longer": sim.NewStream(1, "wred ", 0),
	} {
		v := s.Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("streams %s and %s begin alike", name, other)
		}
		seen[v] = name
	}
}

// TestBelowIsUniform: chi-square over 10 cells, 9 degrees of freedom: above 33.7 has probability
// 1e-4.
func TestBelowIsUniform(t *testing.T) {
	const n, cells = 100_000, 10
	s := sim.NewStream(42, "uniform", 7)
	var count [cells]int
	for range n {
		count[s.Below(cells)]++
	}
	chi := 0.0
	for _, c := range count {
		chi += math.Pow(float64(c)-n/cells, 2) / (n / cells)
	}
	if chi > 33.7 {
		t.Errorf("chi-square %.1f over %v", chi, count)
	}
	for range 1000 {
		if s.Below(1) != 0 {
			t.Fatal("a number below 1 that is not 0")
		}
	}
}

// TestStreamsStay: the numbers of a stream are part of what a seed gives; they are the same in every version.
// (They were also worked out from the definition by another program.)
func TestStreamsStay(t *testing.T) {
	for _, c := range []struct {
		seed  uint64
		name  string
		n     uint64
		first uint64
		then  uint32
		below uint64
	}{
		{1, "wred", 0, 0xa370dac6ad4c1e2e, 0x39ff9b0f, 287},
		{0x9e3779b97f4a7c15, "", 7, 0x9d3a72d64711ac13, 0x2a8b5f58, 983},
		{42, "entropy", 1 << 40, 0xc6f172907d5addab, 0xbea4549d, 998},
	} {
		s := sim.NewStream(c.seed, c.name, c.n)
		first, then, below := s.Uint64(), s.Uint32(), s.Below(1000)
		if first != c.first || then != c.then || below != c.below {
			t.Errorf("seed %d %s %d: %#x, %#x, %d", c.seed, c.name, c.n, first, then, below)
		}
	}
}
