package sizing

import (
	"fmt"
	"slices"
	"sort"

	"railyard/internal/base/unit"
)

// A search walks through the networks of a family and keeps the best. What it leaves out is worse than one that it
// has seen, or does not close where a smaller number of the same does not.
type search struct {
	need  *Need
	best  *Network
	score score
	tried int // choices that do not close
	miss  miss
	steps int
}

// mostSteps ends a search, which takes some 10 ns for each: 100,000 GPUs on switches of 512 ports take 2 million.
const mostSteps = 100_000_000

// spent counts a step, and reports whether there were too many.
func (x *search) spent() bool {
	x.steps++
	return x.steps > mostSteps
}

// A score is what networks are compared by: cost (or switches, where prices are unknown), switches, cables.
type score [3]int64

func (a score) less(b score) bool { return slices.Compare(a[:], b[:]) < 0 }

func (w *Network) score() score {
	return score{w.cost(w.Leaves(), w.Spines(), w.SuperSpines()), int64(w.Switches()), int64(w.LeafLinks() + w.SuperLinks())}
}

// cost is what so many switches cost where all models have a price, else how many they are.
func (n *Need) cost(leaves, spines, supers int) int64 {
	each := [3]int64{n.Leaf.Price, n.Spine.Price, n.Super.Price}
	if each[0] == 0 || each[1] == 0 || each[2] == 0 && n.Super.Ports > 0 {
		each = [3]int64{1, 1, 1}
	}
	return int64(leaves)*each[0] + int64(spines)*each[1] + int64(supers)*each[2]
}

// worse reports whether that many switches are more than the best has.
func (x *search) worse(leaves, spines, supers int) bool {
	return x.best != nil && x.need.cost(leaves, spines, supers) > x.score[0]
}

func (x *search) keep(w *Network) {
	if s := w.score(); x.best == nil || s.less(x.score) {
		found := *w
		x.best, x.score = &found, s
	}
}

// one tries a leaf for each plane, or for each port of a NIC: all hosts are on it, and nothing is to be joined.
func (x *search) one() {
	n := x.need
	if n.sets() != max(n.Planes, n.Bond) || n.Spines+n.SuperSpines > 0 || n.Pods > 1 {
		return
	}
	w := &Network{Need: *n, Segments: 1, Segment: max(n.Hosts, n.Segment), Pods: 1}
	w.SpineRate, w.SuperRate = highest(n.spineRates()), highest(n.superRates())
	if n.Segment > 0 && n.Segment < n.Hosts || n.Leaves > 0 && n.Leaves != n.sets() {
		return
	}
	if _, _, fit := n.leafPorts(w.Segment, 0, 0); fit {
		x.keep(w)
	}
}

// two tries networks of leaves and spines.
func (x *search) two() {
	n := x.need
	if n.Pods > 1 || n.SuperSpines > 0 {
		return
	}
	for _, rate := range n.spineRates() {
		w := &Network{Need: *n, Pods: 1}
		w.SpineRate, w.SuperRate = rate, highest(n.superRates())
		x.eachSegment(w, n.mostHosts(rate), func() bool {
			x.eachSpine(w, n.Spine.links(rate)/w.podLeaves(), func() bool {
				x.keep(w)
				return false
			})
			return !x.worse(w.Leaves(), 0, 0)
		})
	}
}

// three tries networks of leaves, spines and super-spines.
func (x *search) three() {
	n := x.need
	if n.Pods == 1 || n.Super.Ports == 0 {
		return
	}
	from, to := n.Pods, n.Pods
	if from == 0 {
		from, to = 2, 0
		for _, rate := range n.superRates() {
			to = max(to, n.Super.links(rate)) // a super-spine has a link to each pod at least
		}
	}
	for _, rate := range n.spineRates() {
		most := n.mostHosts(rate)
		for pods := from; pods <= min(to, n.Hosts); pods++ {
			if x.worse(pods*n.sets(), pods*n.Planes, n.Planes) || x.spent() {
				break
			}
			w := &Network{Need: *n, Pods: pods}
			w.SpineRate, w.SuperRate = rate, n.superRates()[0]
			x.eachSegment(w, most, func() bool { return x.joinPods(w) })
		}
	}
}

// eachSegment tells by w.Segments and w.Segment which segments there may be, the fewest first, until next says that
// more make no sense; a leaf has ports for that many hosts. Of equal size there are no more than hosts need.
func (x *search) eachSegment(w *Network, hosts int, next func() bool) {
	n := x.need
	up := func(segments int) int { return ceil(segments, w.Pods) * w.Pods }
	switch {
	case n.Leaves > 0:
		if w.Segments = n.Leaves / n.sets(); w.Segments%w.Pods != 0 || n.Segment > 0 && w.Segments*n.Segment < n.Hosts {
			return
		}
		w.Segment = max(n.Segment, ceil(n.Hosts, w.Segments))
	case n.Segment > 0:
		w.Segments, w.Segment = up(ceil(n.Hosts, n.Segment)), n.Segment
	default:
		for hosts > 0 {
			w.Segments = up(ceil(n.Hosts, hosts))
			w.Segment = ceil(n.Hosts, w.Segments)
			if !next() || x.spent() {
				return
			}
			hosts = w.Segment - 1
		}
		return
	}
	if w.Segment <= hosts {
		next()
	}
}

// mostHosts of a segment: a leaf has a port for each link, and the uplinks of a rate that the ratio asks for. With
// l spines lost, s spines and p links to each, (s - l) p hold the ratio, and s p are l more at least.
func (n *Need) mostHosts(rate unit.Bitrate) int {
	for hosts := 0; ; hosts++ {
		if _, _, fit := n.leafPorts(hosts+1, n.leastUplinks(hosts+1, rate), rate); !fit || hosts == most {
			return hosts
		}
	}
}

// mostUplinks is how many a leaf has ports for, beside its hosts.
func (n *Need) mostUplinks(w *Network) int {
	up := n.Leaf.upward()
	left := up.Ports
	if n.Leaf.Uplinks == 0 {
		left -= n.Leaf.Take(w.Segment*n.perHost(), n.HostRate)
	}
	return left * up.split(w.SpineRate)
}

func (n *Need) leastUplinks(hosts int, rate unit.Bitrate) int {
	return max(n.uplinks(hosts, rate)+n.LostSpines, n.LeastSpines)
}

// eachSpine tries numbers of spines of a pod and plane, the fewest first, with the fewest links to each that hold the
// ratio, at most so many; rest says whether to go on.
func (x *search) eachSpine(w *Network, parallel int, rest func() bool) {
	n, base := x.need, x.need.uplinks(w.Segment, w.SpineRate)
	least := max(n.LostSpines+1, n.LeastSpines)
	from, to := least, max(least, n.LostSpines+base, n.mostUplinks(w)) // more of them may split into groups
	if parallel > 0 {
		from = max(from, n.LostSpines+ceil(base, parallel))
	}
	if all := n.Spines; all > 0 {
		groups := w.Pods * n.Planes
		if all%groups != 0 || all/groups < least {
			return
		}
		from, to = all/groups, all/groups
	}
	for s := from; s <= to && !x.spent(); s++ {
		w.PodSpines, w.Parallel = s, ceil(base, s-n.LostSpines)
		if w.Parallel > parallel {
			x.missed(w, spineTier)
			continue
		}
		if _, _, fit := n.leafPorts(w.Segment, s*w.Parallel, w.SpineRate); !fit {
			x.missed(w, leafTier)
			continue
		}
		if !rest() {
			return
		}
	}
}

// joinPods finds the spines and super-spines for segments in pods, and says whether more segments may be better.
func (x *search) joinPods(w *Network) bool {
	n, all := x.need, x.need.superRates()
	parallel := make([]int, len(all)) // links from a leaf to a spine, at most, by rate upwards
	for i, rate := range all {
		parallel[i] = n.mostParallel(w.podLeaves(), w.SpineRate, rate)
	}
	x.eachSpine(w, slices.Max(parallel), func() bool {
		if x.worse(w.Leaves(), w.Spines(), 0) {
			return false
		}
		for i, rate := range all {
			if w.SuperRate = rate; w.Parallel <= parallel[i] {
				x.joinSupers(w)
			}
		}
		w.PlaneSupers = 0
		return true
	})
	return slices.Max(parallel) > 0 && !x.worse(w.Leaves(), 0, 0)
}

// mostParallel is how many links a leaf may have to a spine that has so many leaves, and the uplinks that its ratio
// asks for.
func (n *Need) mostParallel(leaves int, rate, up unit.Bitrate) int {
	return sort.Search(n.Spine.links(rate)/leaves, func(p int) bool {
		down := leaves * (p + 1)
		_, _, fit := n.Spine.needs(down, rate, needed(down, rate, up, n.SpineOversubscribed), up)
		return !fit
	})
}

// joinSupers finds the super-spines of each plane, and their groups: spine i of a pod has links to those of group i,
// modulo the groups.
func (x *search) joinSupers(w *Network) {
	n, down := x.need, w.podLeaves()*w.Parallel
	up := needed(down, w.SpineRate, w.SuperRate, n.SpineOversubscribed)
	for groups := 1; groups <= w.PodSpines && !x.spent(); groups++ {
		if w.PodSpines%groups != 0 {
			continue
		}
		w.Groups = groups
		spines := w.Pods * w.PodSpines / groups
		parallel := n.Super.links(w.SuperRate) / spines
		from, to := ceil(up, max(parallel, 1)), up
		if all := n.SuperSpines / n.Planes; all > 0 {
			if all%groups != 0 {
				continue
			}
			from, to = all/groups, all/groups
		}
		for each := from; each <= to && !x.spent(); each++ {
			w.PlaneSupers, w.SuperParallel = each*groups, ceil(up, each)
			if x.worse(w.Leaves(), w.Spines(), w.SuperSpines()) {
				break
			}
			if w.SuperParallel > parallel {
				x.missed(w, superTier)
				continue
			}
			if _, _, fit := n.Spine.needs(down, w.SpineRate, w.spineUp(), w.SuperRate); !fit {
				x.missed(w, spineTier)
				continue
			}
			x.keep(w)
			break
		}
	}
}

// Tiers of what does not close, lowest first.
const (
	leafTier = iota
	spineTier
	superTier
)

// A miss is a choice that does not close: the tier where it fails, and how many ports too few there are.
type miss struct {
	tier, over int
	net        Network
}

// missed notes a choice that does not close, if it says more than the one before: it fails farther up, then by fewer
// ports.
func (x *search) missed(w *Network, tier int) {
	x.tried++
	if x.best != nil || x.tried > 1 && tier < x.miss.tier {
		return
	}
	used, there := w.ports(tier)
	if over := used - there; x.tried == 1 || tier > x.miss.tier || over < x.miss.over {
		x.miss = miss{tier, over, *w}
	}
}

// ports is how many ports a switch of a tier takes, and how many there are.
func (w *Network) ports(tier int) (used, there int) {
	down, up := w.podLeaves()*w.Parallel, w.spineUp()
	switch tier {
	case leafTier:
		used, there, _ = w.leafPorts(w.Segment, w.PodSpines*w.Parallel, w.SpineRate)
	case spineTier:
		if w.Pods > 1 && w.PlaneSupers == 0 {
			up = needed(down, w.SpineRate, w.SuperRate, w.SpineOversubscribed)
		}
		used, there, _ = w.Spine.needs(down, w.SpineRate, up, w.SuperRate)
	default:
		used, there, _ = w.Super.needs(w.Pods*w.PodSpines/w.Groups*w.SuperParallel, w.SuperRate, 0, w.SuperRate)
	}
	return used, there
}

// exhausted is the refusal where every choice was tried: it tells the nearest one.
func (x *search) exhausted() *Refusal {
	n, w := x.need, &x.miss.net
	if x.tried == 0 {
		return n.refuse("design", "counts that are given do not go with each other: leaves, spines and super-spines are to split "+
			"evenly over %s", podsText(n))
	}
	tried := count(x.tried, "choice")
	if x.steps > mostSteps {
		tried = "the first " + tried // there are more
	}
	used, there := w.ports(x.miss.tier)
	tier, sw, sum := "leaf", &n.Leaf, w.leafSum()
	switch x.miss.tier {
	case spineTier:
		tier, sw, sum = "spine", &n.Spine, w.spineSum()
	case superTier:
		tier, sw, sum = "superspine", &n.Super, w.superSum()
	}
	return n.refuse(tier, "none of %s closes; the nearest: %s (%s): %s take %d ports, %d there", tried, tier,
		sw.Model, sum, used, there)
}

func podsText(n *Need) string {
	if n.Pods > 0 {
		return count(n.Pods, "pod")
	}
	return "pods"
}

func (w *Network) leafSum() string {
	return fmt.Sprintf("%s and %s (%d to each of %s)", rated(w.Segment*w.perHost(), "host link", w.HostRate),
		rated(w.PodSpines*w.Parallel, "uplink", w.SpineRate), w.Parallel, count(w.PodSpines, "spine"))
}

// spineSum says how a spine comes to its links.
func (w *Network) spineSum() string {
	down := w.podLeaves() * w.Parallel
	text := fmt.Sprintf("%s in a pod with %s, %d to each: %s", count(w.podLeaves(), "leaf"), count(w.PodSpines, "spine"),
		w.Parallel, rated(down, "link", w.SpineRate))
	switch {
	case w.PlaneSupers > 0:
		text += fmt.Sprintf(" and %s (%d to each of %s)", rated(w.spineUp(), "uplink", w.SuperRate), w.SuperParallel,
			count(w.PlaneSupers/w.Groups, "super-spine"))
	case w.Pods > 1:
		text += " and " + rated(needed(down, w.SpineRate, w.SuperRate, w.SpineOversubscribed), "uplink", w.SuperRate)
	}
	return text
}

func (w *Network) superSum() string {
	spines := w.Pods * w.PodSpines / w.Groups
	return fmt.Sprintf("%s with %s, %d to each: %s", count(spines, "spine"), count(w.PlaneSupers/w.Groups, "super-spine"),
		w.SuperParallel, rated(spines*w.SuperParallel, "link", w.SuperRate))
}

// rated is so many things of a rate.
func rated(n int, what string, rate unit.Bitrate) string {
	return fmt.Sprintf("%s of %v", count(n, what), rate)
}
