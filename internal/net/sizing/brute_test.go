package sizing_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
)

var brute = flag.Int("brute", 300, "requirements that TestBruteForce draws")

// TestBruteForce holds the search against all networks of a family, of tiny switches and at most 512 GPUs: none has
// fewer switches (or, of as many, cables) than what is found, none fewer than the bound, and there is none at all
// where the need is refused. What is found is built, and looked at by packages topo and survey.
//
// By hand: go test ./internal/net/sizing -run BruteForce -brute 3000
func TestBruteForce(t *testing.T) {
	refused, tiers, gaps := 0, [4]int{}, 0
	seeds := []uint64{586, 761, 868} // more spines than a leaf needs links split into groups
	for seed := range uint64(*brute) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		n := drawn(rand.New(rand.NewPCG(seed, 32)))
		w, err := sizing.Size(n)
		b := &all{n: n, best: [3]int64{1 << 40}}
		if err == nil {
			b.best[0] = cost(&n, w.Leaves(), w.Spines(), w.SuperSpines()) + 1
		}
		b.walk()
		if err != nil {
			refused++
			if b.found != "" {
				t.Errorf("seed %d: %+v\nrefused: %v\nthere is %s", seed, n, err, b.found)
			}
			continue
		}
		tiers[len(w.Tiers())]++
		got := [3]int64{cost(&n, w.Leaves(), w.Spines(), w.SuperSpines()), int64(w.Switches()), int64(w.LeafLinks() + w.SuperLinks())}
		if got != b.best {
			t.Errorf("seed %d: %+v\nfound %v, there is %v: %s", seed, n, got, b.best, b.found)
		}
		if least := cost(&n, w.Bound.Leaves, w.Bound.Spines, w.Bound.SuperSpines); least > b.best[0] {
			t.Errorf("seed %d: %+v\nbound %+v, there is %v: %s", seed, n, w.Bound, b.best, b.found)
		} else if least < b.best[0] {
			gaps++
		}
		built(t, w)
	}
	t.Logf("%d refused; %d, %d and %d of one, two and three tiers; the bound is lower in %d", refused, tiers[1], tiers[2],
		tiers[3], gaps)
}

const gig = unit.GigabitPerSec

// drawn draws a need.
func drawn(r *rand.Rand) sizing.Need {
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	sw := func(name string) sizing.Switch {
		return sizing.Switch{Model: name, Ports: 4 + r.IntN(13), Rate: unit.Bitrate(pick(200, 400)) * gig, Breakout: pick(1, 1, 2, 4)}
	}
	ports := pick(1, 1, 2)
	rails := pick(1, 2, 4, 8)
	n := sizing.Need{Design: []topo.DesignName{topo.DesignRailOptimized, topo.DesignLeafSpine}[r.IntN(2)], Rails: rails, Ports: ports,
		Hosts: 1 + r.IntN(min(64, 512/rails)), HostRate: unit.Bitrate(pick(100, 200)) * gig, RailsPerLeaf: pick(1, rails),
		Planes: pick(1, ports), Bond: pick(1, ports), LostSpines: pick(0, 0, 1), LeastSpines: pick(0, 0, 2),
		Leaf: sw("leaf"), Spine: sw("spine"), Super: sw("super"),
		Oversubscription:    unit.Ratio{Num: int64(pick(1, 2, 3)), Den: int64(pick(1, 1, 2))},
		SpineOversubscribed: unit.Ratio{Num: int64(pick(1, 1, 2)), Den: 1}}
	switch r.IntN(11) {
	case 0:
		n.Segment = 1 + r.IntN(6)
	case 1:
		n.Pods = 1 + r.IntN(4)
	case 2:
		n.SpineRate = unit.Bitrate(pick(100, 200)) * gig
	case 3:
		n.Spines = 1 + r.IntN(8)
	case 4:
		n.SuperSpines = 1 + r.IntN(8)
	case 5:
		n.Super = sizing.Switch{}
	case 6:
		n.Leaf.Price, n.Spine.Price, n.Super.Price = 1+r.Int64N(9), 1+r.Int64N(9), 1+r.Int64N(9)
	case 7:
		n.Leaf.Uplinks, n.Leaf.UplinkRate = 1+r.IntN(8), 400*gig
	case 8:
		n.Leaves = 1 + r.IntN(40)
	}
	return n
}

func cost(n *sizing.Need, leaves, spines, supers int) int64 {
	if n.Leaf.Price > 0 {
		return int64(leaves)*n.Leaf.Price + int64(spines)*n.Spine.Price + int64(supers)*n.Super.Price
	}
	return int64(leaves + spines + supers)
}

// all walks through all networks: of every number of segments, pods, spines and super-spines, with every number of
// links between two switches, at every rate. It knows no shortcut but what already costs more than the best.
type all struct {
	n     sizing.Need
	best  [3]int64
	found string

	sets, perHost int
}

// takes is how many ports so many links of a rate take; a lot where they are too fast.
func takes(links int, rate, port unit.Bitrate, breakout int) int {
	if links > 0 && rate > port {
		return 1 << 20
	}
	each := 1
	for each < max(breakout, 1) && rate*unit.Bitrate(each+1) <= port {
		each++
	}
	return (links + each - 1) / each
}

// has reports whether a switch has ports for its links.
func has(s *sizing.Switch, down int, downRate unit.Bitrate, up int, upRate unit.Bitrate) bool {
	if s.Uplinks > 0 {
		return takes(down, downRate, s.Rate, s.Breakout) <= s.Ports && takes(up, upRate, s.UplinkRate, 1) <= s.Uplinks
	}
	return takes(down, downRate, s.Rate, s.Breakout)+takes(up, upRate, s.Rate, s.Breakout) <= s.Ports
}

var every = []unit.Bitrate{50 * gig, 100 * gig, 200 * gig, 400 * gig}

// joins reports whether a link may have a rate: a port of one end is split into such, and both ends are as fast.
func joins(below, above *sizing.Switch, rate unit.Bitrate) bool {
	low, parts := below.Rate, 1
	if below.Uplinks > 0 {
		low = below.UplinkRate
	} else {
		parts = below.Breakout
	}
	splits := func(port unit.Bitrate, parts int) bool {
		return port%rate == 0 && parts%int(port/rate) == 0 // 4 into 1, 2 and 4
	}
	return rate <= min(low, above.Rate) && (splits(low, parts) || splits(above.Rate, above.Breakout))
}

// holds reports whether links up carry what those down bring over a ratio.
func holds(down int, downRate unit.Bitrate, up int, upRate unit.Bitrate, r unit.Ratio) bool {
	return int64(down)*int64(downRate/gig)*r.Den <= int64(up)*int64(upRate/gig)*r.Num
}

func (a *all) see(leaves, spines, supers, cables int, what string, args ...any) {
	s := [3]int64{cost(&a.n, leaves, spines, supers), int64(leaves + spines + supers), int64(cables)}
	if a.found == "" && s[0] < a.best[0] || slices.Compare(s[:], a.best[:]) < 0 {
		a.best, a.found = s, fmt.Sprintf("%d leaves, %d spines, %d super-spines: ", leaves, spines, supers)+fmt.Sprintf(what, args...)
	}
}

func (a *all) walk() {
	n := &a.n
	a.sets = n.Rails / n.RailsPerLeaf * n.Ports
	a.perHost = n.RailsPerLeaf
	if n.Design == "leaf-spine" {
		a.sets = max(n.Planes, n.Bond)
		a.perHost = n.Rails * n.Ports / a.sets
	}
	for segments := 1; segments <= max(2*n.Hosts, n.Leaves); segments++ {
		for size := (n.Hosts + segments - 1) / segments; size <= max(n.Leaf.Ports*max(n.Leaf.Breakout, 1), n.Segment); size++ {
			leaves := segments * a.sets
			if n.Segment > 0 && size != n.Segment || cost(n, leaves, 0, 0) > a.best[0] ||
				n.Leaves > 0 && leaves != n.Leaves {
				continue
			}
			down := size * a.perHost
			if segments == 1 && a.sets == max(n.Planes, n.Bond) && n.Spines+n.SuperSpines == 0 && n.Pods <= 1 &&
				has(&n.Leaf, down, n.HostRate, 0, n.HostRate) {
				a.see(leaves, 0, 0, 0, "one leaf")
			}
			for _, rate := range every {
				if n.SpineRate == rate || n.SpineRate == 0 && joins(&n.Leaf, &n.Spine, rate) {
					a.spines(segments, down, rate)
				}
			}
		}
	}
}

// spines tries every number of spines and of links to each.
func (a *all) spines(segments, down int, rate unit.Bitrate) {
	n := &a.n
	for parallel := 1; parallel <= 64; parallel++ {
		for spines := max(1, n.LostSpines+1, n.LeastSpines); has(&n.Leaf, down, n.HostRate, spines*parallel, rate); spines++ {
			if !holds(down, n.HostRate, (spines-n.LostSpines)*parallel, rate, n.Oversubscription) {
				continue
			}
			for pods := 1; pods <= min(segments, n.Hosts); pods++ {
				all := pods * spines * n.Planes
				if segments%pods == 0 && (n.Pods == 0 || pods == n.Pods) && (n.Spines == 0 || all == n.Spines) &&
					cost(n, segments*a.sets, all, 0) <= a.best[0] {
					a.pods(segments, pods, spines, parallel, rate)
				}
			}
		}
	}
}

// pods tries everything above the spines.
func (a *all) pods(segments, pods, spines, parallel int, rate unit.Bitrate) {
	n := &a.n
	leaves, all := segments*a.sets, pods*spines*n.Planes
	links := leaves / n.Planes / pods * parallel // of a spine to leaves
	if pods == 1 {
		if n.SuperSpines == 0 && has(&n.Spine, links, rate, 0, rate) {
			a.see(leaves, all, 0, leaves*spines*parallel, "%d spines, %d links of %v to each", spines, parallel, rate)
		}
		return
	}
	for _, over := range every {
		if !joins(&n.Spine, &n.Super, over) {
			continue
		}
		for groups := 1; n.Super.Ports > 0 && groups <= spines; groups++ {
			for each := 1; spines%groups == 0 && has(&n.Spine, links, rate, each, over); each++ {
				supers := each * groups * n.Planes
				for q := 1; (n.SuperSpines == 0 || supers == n.SuperSpines) && has(&n.Spine, links, rate, each*q, over) &&
					has(&n.Super, pods*spines/groups*q, over, 0, over); q++ {
					if holds(links, rate, each*q, over, n.SpineOversubscribed) {
						a.see(leaves, all, supers, leaves*spines*parallel+all*each*q,
							"%d pods, %d spines of %v, %d groups of %d, %d links of %v", pods, spines, rate, groups, each, q, over)
					}
				}
			}
		}
	}
}

// built makes a network, and counts there what must hold: ports, ratios, ways, and the ratio with spines lost.
func built(t *testing.T, w *sizing.Network) {
	g, err := w.Build(w.Rails, sizing.Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}).Graph()
	if err != nil {
		t.Fatalf("%+v: %v", w, err)
	}
	models := map[topo.Kind]*sizing.Switch{topo.Leaf: &w.Leaf, topo.Spine: &w.Spine, topo.SuperSpine: &w.Super}
	for i := range g.Nodes {
		if node := &g.Nodes[i]; node.Kind != topo.HostKind {
			checkSwitch(t, w, g, node, models[node.Kind])
		}
	}
	if w.Planes > 1 {
		return // NICs of different planes have no way
	}
	for _, p := range survey.Of(g, topo.NewRoutes(g), nil).Pairs {
		if p.Switches < 0 {
			t.Errorf("%+v: %d pairs of NICs without a way", w, p.Count)
		}
	}
}

func checkSwitch(t *testing.T, w *sizing.Network, g *topo.Graph, node *topo.Node, model *sizing.Switch) {
	up, down, to := map[unit.Bitrate]int{}, map[unit.Bitrate]int{}, map[topo.NodeID]unit.Bitrate{}
	var above, below unit.Bitrate
	for _, id := range node.Ports {
		p := &g.Ports[id]
		if g.Nodes[p.To].Tier > node.Tier {
			up[p.Rate]++
			above += p.Rate
			to[p.To] += p.Rate
		} else {
			down[p.Rate]++
			below += p.Rate
		}
	}
	used, over := 0, 0
	for rate, links := range down {
		used += takes(links, rate, model.Rate, model.Breakout)
	}
	for rate, links := range up {
		if model.Uplinks > 0 {
			over += takes(links, rate, model.UplinkRate, 1)
		} else {
			used += takes(links, rate, model.Rate, model.Breakout)
		}
	}
	if used > model.Ports || over > model.Uplinks {
		t.Errorf("%+v: %s takes %d and %d ports", w, node.Name, used, over)
	}
	ratio := w.Oversubscription
	if node.Kind == topo.Leaf && len(to) > 0 {
		var lost []unit.Bitrate
		for _, rate := range to {
			lost = append(lost, rate)
		}
		slices.Sort(lost)
		for _, rate := range lost[len(lost)-w.LostSpines:] {
			above -= rate
		}
	} else if node.Kind == topo.Spine {
		ratio = w.SpineOversubscribed
	}
	if len(up) > 0 && !holds(1, below, 1, above, ratio) {
		t.Errorf("%+v: %s has %v down and %v up", w, node.Name, below, above)
	}
}
