package sizing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
)

// What uniform traffic over minimal routes puts on the links of a dragonfly, counted on the graph that topo makes, is
// what the ratio is of: of all that hosts send, links between groups carry no more in the mean than their rate times the
// oversubscription, nor do those inside groups.
func carriesUniform(t *testing.T, w *sizing.Network) {
	t.Helper()
	g, err := w.Build(1, sizing.Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}).Graph()
	if err != nil {
		t.Fatalf("%+v: %v", w, err)
	}
	routers, group := []topo.NodeID{}, w.Segments/w.Pods
	for i := range g.Nodes {
		if g.Nodes[i].Kind == topo.Leaf {
			routers = append(routers, topo.NodeID(i))
		}
	}
	gateways := func(from, to int) (pairs [][2]int) { // routers with a link between two groups
		for i := range g.Links {
			a, b := g.Links[i].A, g.Links[i].B
			for _, e := range [][2]topo.NodeID{{a, b}, {b, a}} {
				if x, y := index(routers, e[0]), index(routers, e[1]); x >= 0 && y >= 0 && x/group == from && y/group == to {
					pairs = append(pairs, [2]int{x, y})
				}
			}
		}
		return pairs
	}
	var local, global float64 // hops by pairs of routers of which one is in the first group, over ways as equals
	for to := range w.Pods {
		pairs := gateways(0, to)
		for x := range group {
			for y := to * group; y < (to+1)*group; y++ {
				if to == 0 {
					if x != y {
						local++
					}
					continue
				}
				global++
				for _, p := range pairs {
					if p[0] != x {
						local += 1 / float64(len(pairs))
					}
					if p[1] != y {
						local += 1 / float64(len(pairs))
					}
				}
			}
		}
	}
	sent := float64(w.Segment*w.Rails*w.Ports) * float64(w.HostRate) / float64(w.Segments) // of a router to another
	over := w.Oversubscription.Float()
	if have := over * float64(w.SuperRate) * float64(group*w.Global); w.Pods > 1 && global*sent > 1.0001*have {
		t.Errorf("%+v: %g between groups, links carry %g", w, global*sent, have)
	}
	// Beside the mean over ways, of which the ratio counts each gateway as often as the others.
	if have := over * float64(w.SpineRate) * float64(group*(group-1)); group > 1 && local*sent > 1.0001*have {
		t.Errorf("%+v: %g inside groups, links carry %g", w, local*sent, have)
	}
}

func index(all []topo.NodeID, id topo.NodeID) int {
	for i := range all {
		if all[i] == id {
			return i
		}
	}
	return -1
}

// flies walks through all dragonflies with so many ports, and returns the least routers and, of those, cables.
func flies(n *sizing.Need) (best [2]int, text string) {
	split := func(rate unit.Bitrate) int { return min(max(n.Leaf.Breakout, 1), int(n.Leaf.Rate/rate)) }
	take := func(links int, rate unit.Bitrate) int { return (links + split(rate) - 1) / split(rate) }
	num, den := n.Oversubscription.Num, n.Oversubscription.Den
	for parts := 1; parts <= max(n.Leaf.Breakout, 1); parts++ {
		if max(n.Leaf.Breakout, 1)%parts > 0 {
			continue
		}
		rate := n.Leaf.Rate / unit.Bitrate(parts)
		for hosts := 1; take(hosts*n.Rails, n.HostRate) <= n.Leaf.Ports; hosts++ {
			for a := 1; a <= n.Leaf.Ports*parts+1; a++ {
				for h := 0; take(hosts*n.Rails, n.HostRate)+take(a-1+h, rate) <= n.Leaf.Ports; h++ {
					for g := 1; g <= a*h+1; g++ {
						sent := int64(hosts*n.Rails) * int64(n.HostRate) * den
						switch {
						case hosts*a*g < n.Hosts, g == 1 && h > 0, g > 1 && a*h%(g-1) > 0,
							sent*int64(g-1) > int64(h*g)*int64(rate)*num,
							a > 1 && sent*int64(2*g-1) > int64(a*g)*int64(rate)*num:
							continue
						}
						now := [2]int{a * g, a * g * (a - 1 + h) / 2}
						if text == "" || slices.Compare(now[:], best[:]) < 0 {
							best = now
							text = fmt.Sprintf("%d hosts on %d routers in %d groups, %d, %v", hosts, a, g, h, rate)
						}
					}
				}
			}
		}
	}
	return best, text
}

// The search finds what a walk through all dragonflies finds; none is below the bound.
func TestDragonfliesByBruteForce(t *testing.T) {
	found, gaps := 0, 0
	for seed := range uint64(*brute / 3) {
		rng := rand.New(rand.NewPCG(seed, 77))
		n := sizing.Need{Design: "dragonfly", Hosts: 1 + rng.IntN(90), Rails: 1 + rng.IntN(3), HostRate: 100 * gig,
			Oversubscription: unit.Ratio{Num: int64(1 + rng.IntN(4)), Den: int64(1 + rng.IntN(2))},
			Leaf: sizing.Switch{Model: "s", Ports: 4 + rng.IntN(13), Rate: 100 * gig << rng.IntN(3),
				Breakout: 1 << rng.IntN(3)}}
		best, text := flies(&n)
		w, err := sizing.Size(n)
		var refusal *sizing.Refusal
		switch {
		case errors.As(err, &refusal):
			if text != "" {
				t.Errorf("seed %d: %+v\nrefused: %v\nthere is %v: %s", seed, n, err, best, text)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		found++
		if got := [2]int{w.Switches(), w.LeafLinks() + w.SuperLinks()}; got != best {
			t.Errorf("seed %d: %+v\nfound %v, there is %v: %s", seed, n, got, best, text)
		}
		if w.Bound.Switches() > best[0] {
			t.Errorf("seed %d: %+v\nbound %+v, there is %v: %s", seed, n, w.Bound, best, text)
		}
		gaps += min(1, best[0]-w.Bound.Switches())
		if w.Segments <= 40 {
			carriesUniform(t, w)
		}
		built(t, w)
	}
	if found < *brute/10 {
		t.Errorf("only %d closed", found)
	}
	t.Logf("%d found, the bound is lower in %d", found, gaps)
}
