package sizing

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A dragonfly is what a choice of the family of dragonflies has (topo.Dragonfly): groups of routers with so many hosts
// each, and links of a router to other groups. All links between routers have one rate.
type dragonfly struct {
	hosts, routers, groups, global int
	rate                           unit.Bitrate
}

// dragonflies is a search through them.
type dragonflies struct {
	need   *Need
	best   *Network
	score  score
	tried  int
	near   dragonfly
	nearBy int // ports that the nearest has too few
}

// dragonfly sizes groups of routers, all hosts of a router with all their NICs on it. What counts is uniform traffic
// over minimal routes (J. Kim and others, ISCA 2008, section 3): of n hosts that send x each through a router, in groups
// of a, G groups,
//
//	to other groups   n x (G-1)/G           over h links
//	inside a group    n x (2G-1)/G (a-1)/a  over a-1 links: before a link between groups, and behind it
//
// and either, over what its links carry, is at most the oversubscription. Traffic that is not uniform may be worse by
// as much as there are groups: minimal routes between two groups are few.
func (n *Need) dragonfly() (*Network, error) {
	all := n.routerRates()
	if len(all) == 0 || all[0] <= 0 || n.Leaf.upward().split(all[0]) == 0 {
		return nil, n.refuse("leaf", "links between routers of %v, want more than 0 and at most %v, a port of %s",
			highest(all), n.Leaf.upward().Rate, n.Leaf.Model)
	}
	d := &dragonflies{need: n}
	for _, rate := range all {
		for hosts := n.mostOnRouter(); hosts > 0; hosts-- {
			if n.Segment > 0 && hosts != n.Segment {
				continue
			}
			least := ceil(n.Hosts, hosts)
			if d.best != nil && least > d.best.Segments {
				break
			}
			links := n.mostUplinks(&Network{Segment: hosts, Need: Need{SpineRate: rate}})
			for routers := 1; routers <= links+1; routers++ {
				d.groupsOf(dragonfly{hosts: hosts, routers: routers, groups: max(ceil(least, routers), 1), rate: rate}, links)
			}
		}
	}
	if d.best == nil {
		return nil, d.none()
	}
	d.best.Bound = Bound{Leaves: n.leastRouters(d.best.Segments, all)}
	return d.best, nil
}

// routerRates are those that links between routers may have, the highest first.
func (n *Need) routerRates() []unit.Bitrate {
	up := n.Leaf.upward()
	return rates(up, up, n.SpineRate)
}

// mostOnRouter is how many hosts a router has ports for.
func (n *Need) mostOnRouter() int { return n.Leaf.links(n.HostRate) / n.perHost() }

// mostLinks is how many links to others it has ports for.
func (n *Need) mostLinks(rate unit.Bitrate) int { return n.Leaf.upward().links(rate) }

// groupsOf finds, for hosts on a router and routers in a group, the fewest groups, at least so many, that links split
// evenly over, and the fewest links for them. What a choice needs grows with its groups: where the fewest do not close,
// more do not.
func (d *dragonflies) groupsOf(c dragonfly, links int) {
	n, least := d.need, c.groups
	if n.Pods > 0 && least > n.Pods || d.best != nil && least*c.routers > d.best.Segments {
		return
	}
	if least == 1 {
		d.try(c)
		least = 2
	}
	c.groups = least
	c.global = max(ceil(least-1, c.routers), n.globalFor(&c))
	if n.localFor(&c) > 1 || c.global > links-c.routers+1 {
		d.missed(c)
		return
	}
	for ; c.global <= links-c.routers+1; c.global++ {
		ends := c.routers * c.global
		for each := ends / (least - 1); each > 0; each-- { // links between two groups
			if c.groups = 1 + ends/each; ends%each != 0 {
				continue
			}
			d.try(c)
			if n.Pods == 0 && n.Leaves == 0 {
				break
			}
		}
		if c.groups == least {
			return // more links are more cables
		}
	}
}

// globalFor is how many links to other groups uniform traffic takes of a router, localFor how many to each router of its
// own.
func (n *Need) globalFor(c *dragonfly) int {
	return n.carrying(c.hosts, c.rate, ratio(c.groups-1, c.groups))
}

func (n *Need) localFor(c *dragonfly) int {
	if c.routers == 1 {
		return 0
	}
	return n.carrying(c.hosts, c.rate, ratio(2*c.groups-1, c.groups*c.routers))
}

// try keeps a choice that closes, if it is better than the best.
func (d *dragonflies) try(c dragonfly) {
	n := d.need
	switch _, fits := n.routerPorts(c.hosts, c.routers-1+c.global, c.rate); {
	case n.Pods > 0 && c.groups != n.Pods, n.Leaves > 0 && c.groups*c.routers != n.Leaves,
		c.hosts*c.groups*c.routers < n.Hosts:
		return
	case !fits, n.globalFor(&c) > c.global, n.localFor(&c) > 1:
		d.missed(c)
		return
	}
	d.tried++
	w := &Network{Need: *n, Segment: c.hosts, Segments: c.groups * c.routers, Pods: c.groups, Global: c.global}
	w.SpineRate, w.SuperRate = c.rate, c.rate
	if s := w.score(); d.best == nil || s.less(d.score) {
		d.best, d.score = w, s
	}
}

// missed notes a choice that does not close: the nearest has the fewest ports too few.
func (d *dragonflies) missed(c dragonfly) {
	short, _ := d.need.routerPorts(c.hosts, c.routers-1+c.global, c.rate)
	if short = max(short, 0); d.tried == 0 || short < d.nearBy {
		d.near, d.nearBy = c, short
	}
	d.tried++
}

// routerPorts is how many ports too few there are for hosts and links to other routers.
func (n *Need) routerPorts(hosts, links int, rate unit.Bitrate) (short int, fits bool) {
	used, there, fits := n.leafPorts(hosts, links, rate)
	return used - there, fits
}

func ratio(num, den int) unit.Ratio { return unit.Ratio{Num: int64(num), Den: int64(den)} }

// carrying is how many links of a rate carry a part of what hosts send, over the oversubscription. Rates in their lowest
// terms nearly always fit 64 bits, which is much faster; the search asks this most.
func (n *Need) carrying(hosts int, rate unit.Bitrate, part unit.Ratio) int {
	d := gcd(int64(n.HostRate), int64(rate))
	sent, fits := product(int64(hosts), int64(n.perHost()), int64(n.HostRate)/d, n.Oversubscription.Den, part.Num)
	per, also := product(int64(rate)/d, n.Oversubscription.Num, part.Den)
	if fits && also && sent <= math.MaxInt64-per {
		return int(min((sent+per-1)/per, most))
	}
	return n.carryingMuch(hosts, rate, part)
}

// carryingMuch is carrying of numbers of any size.
func (n *Need) carryingMuch(hosts int, rate unit.Bitrate, part unit.Ratio) int {
	sent := products(hosts*n.perHost(), n.HostRate, 1, n.Oversubscription.Den)
	sent.Mul(sent, big.NewInt(part.Num))
	per := products(1, rate, 1, n.Oversubscription.Num)
	per.Mul(per, big.NewInt(part.Den))
	sent.Add(sent, per).Sub(sent, big.NewInt(1)).Div(sent, per)
	if !sent.IsInt64() || sent.Int64() > most {
		return most
	}
	return int(sent.Int64())
}

// product multiplies numbers that are not negative, if that fits 63 bits.
func product(all ...int64) (int64, bool) {
	p := uint64(1)
	for _, x := range all {
		hi, lo := bits.Mul64(p, uint64(x))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, false
		}
		p = lo
	}
	return int64(p), true
}

// leastRouters is the least number of routers, at most those found, that some choice may close with. It knows neither
// that groups are alike nor that links split evenly over them: some router has hosts / routers, rounded up, at least,
// and of all hosts at most as many are in its group as it has places.
func (n *Need) leastRouters(found int, all []unit.Bitrate) int {
	if n.Leaves > 0 {
		return n.Leaves
	}
	for total := ceil(n.Hosts, max(n.mostOnRouter(), 1)); total < found; total++ {
		hosts := max(ceil(n.Hosts, total), n.Segment)
		if slices.ContainsFunc(all, func(rate unit.Bitrate) bool { return n.mayClose(total, hosts, rate) }) {
			return total
		}
	}
	return found
}

// mayClose reports whether so many routers, one with so many hosts, break none of the inequalities in groups of any size.
func (n *Need) mayClose(total, hosts int, rate unit.Bitrate) bool {
	for routers := 1; routers <= min(total, n.mostLinks(rate)+1); routers++ {
		groups := ceil(total, routers)
		if n.Pods > 0 && groups != n.Pods {
			continue
		}
		own := min(routers*hosts, n.Hosts)
		global := max(n.carrying(hosts, rate, ratio(n.Hosts-own, n.Hosts)), ceil(groups-1, routers))
		if routers > 1 && n.carrying(hosts, rate, ratio(2*n.Hosts-own, n.Hosts*routers)) > 1 {
			continue
		}
		if _, fits := n.routerPorts(hosts, routers-1+global, rate); fits {
			return true
		}
	}
	return false
}

// none is the refusal where no choice closes: every one was tried.
func (d *dragonflies) none() *Refusal {
	n, c := d.need, &d.near
	if d.tried == 0 {
		return n.refuse("leaf", "no groups of routers (%s) have room for %s: a router has ports for %s and as many links as are left",
			n.Leaf.Model, count(n.Hosts, "host"), count(n.mostOnRouter(), "host"))
	}
	used, there, _ := n.leafPorts(c.hosts, c.routers-1+c.global, c.rate)
	text := fmt.Sprintf("none of %s closes; the nearest: %s of %s with %s each (%s): %s, %s in its group and %d to others take %d "+
		"ports, %d there", count(d.tried, "choice"), count(c.groups, "group"), count(c.routers, "router"), count(c.hosts, "host"),
		n.Leaf.Model, rated(c.hosts*n.perHost(), "host link", n.HostRate), rated(c.routers-1, "link", c.rate), c.global, used, there)
	if local := n.localFor(c); local > 1 {
		text += fmt.Sprintf("; uniform traffic takes %d to each of its group, where there is one", local)
	}
	return n.refuse("leaf", "%s", text)
}

// routers is how many a group of a dragonfly has.
func (w *Network) routers() int { return w.Segments / w.Pods }

// BetweenGroups is what the links between two groups of a dragonfly carry, by which minimal routes go, and what the hosts
// of a group send; 0 where there are no two.
func (w *Network) BetweenGroups() (part, whole unit.Bitrate) {
	if w.Design != topo.DesignDragonfly || w.Pods < 2 {
		return 0, 0
	}
	each := w.routers() * w.Global / (w.Pods - 1)
	return unit.Bitrate(each) * w.SuperRate, unit.Bitrate(w.routers()*w.Segment*w.perHost()) * w.HostRate
}

// flown is the design that package topo makes of a dragonfly.
func (w *Network) flown(gpus int, l Lengths) topo.Dragonfly {
	return topo.Dragonfly{Hosts: w.Room(), GPUs: gpus, NICs: w.Rails * w.Ports / w.Bond, Bond: w.Bond,
		HostLink: topo.Cable{Rate: w.HostRate, Length: l.Host}, Groups: w.Pods, Routers: w.routers(), Global: w.Global,
		LocalLink: topo.Cable{Rate: w.SpineRate, Length: l.Spine}, GlobalLink: topo.Cable{Rate: w.SuperRate, Length: l.Super}}
}

// reachOfDragonfly counts pairs of NICs by the routers between them. All groups are alike, so those of one tell all.
func (w *Network) reachOfDragonfly() (all []Reach) {
	ends := int64(w.Segment) * int64(w.Rails*w.Ports/w.Bond) // NICs of a router
	per := map[int]int64{1: int64(w.routers()) * ends * int64(w.Segment-1) * int64(w.Rails*w.Ports/w.Bond),
		2: int64(w.routers()*(w.routers()-1)) * ends * ends}
	d := w.flown(1, Lengths{})
	for ahead := 1; ahead < w.Pods; ahead++ {
		here, there, direct := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}
		for k := range w.routers() * w.Global {
			if far, back := d.Far(k); far == ahead {
				from, to := k/w.Global, back/w.Global
				here[from], there[to], direct[[2]int{from, to}] = true, true, true
			}
		}
		for from := range w.routers() {
			for to := range w.routers() {
				between := 4
				switch {
				case direct[[2]int{from, to}]:
					between = 2
				case here[from] || there[to]:
					between = 3
				}
				per[between] += ends * ends
			}
		}
	}
	for between := 1; between <= 4; between++ {
		if per[between] > 0 {
			all = append(all, Reach{between, per[between] * int64(w.Pods)})
		}
	}
	return all
}
