package sizing

import (
	"math/rand/v2"
	"testing"

	"railyard/internal/base/unit"
)

// What is counted in 64 bits is what is counted in numbers of any size, also where those do not fit.
func TestCarryingByDraws(t *testing.T) {
	g := rand.New(rand.NewPCG(32, 1))
	rates, large := []unit.Bitrate{unit.GigabitPerSec, 25 * unit.GigabitPerSec, 400 * unit.GigabitPerSec, 1_000_000_007_001,
		10 * unit.TerabitPerSec}, 0
	for range 20000 {
		n := Need{Design: "dragonfly", Rails: 1 + g.IntN(16), Ports: 1 + g.IntN(2), HostRate: rates[g.IntN(len(rates))],
			Oversubscription: unit.Ratio{Num: 1 + g.Int64N(1<<g.IntN(30)), Den: 1 + g.Int64N(1<<g.IntN(30))}}
		hosts, rate := 1+g.IntN(100000), rates[g.IntN(len(rates))]
		part := ratio(g.IntN(1<<g.IntN(20)), 1+g.IntN(1<<g.IntN(20)))
		got, want := n.carrying(hosts, rate, part), n.carryingMuch(hosts, rate, part)
		if got != want {
			t.Fatalf("%d hosts of %+v, %v of %v: %d links, want %d", hosts, n, part, rate, got, want)
		}
		if want == most {
			large++
		}
	}
	if large == 0 || large == 20000 {
		t.Errorf("%d of 20000 draws were beyond what counts, want some and not all", large)
	}
}
