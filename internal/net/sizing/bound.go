package sizing

import (
	"fmt"
	"math/big"

	"railyard/internal/base/unit"
)

// A Bound is how many switches any network of a need's family has at least, tier by tier: see the package's
// comment.
type Bound struct {
	Leaves      int `json:"leaves"`
	Spines      int `json:"spines"`
	SuperSpines int `json:"superspines"`
}

// Switches is how many there are in all.
func (b Bound) Switches() int { return b.Leaves + b.Spines + b.SuperSpines }

// bound is the least of the bounds on networks of one, two and three tiers; where none of them can be, the refusal
// says by which inequality.
func (n *Need) bound() (Bound, *Refusal) {
	leaves, why := n.leastLeaves()
	if why != nil {
		return Bound{}, why
	}
	var all []Bound
	if n.oneLeaf() {
		all = append(all, Bound{Leaves: n.sets()})
	}
	two, whyTwo := n.boundTwo(leaves)
	if whyTwo == nil {
		all = append(all, two)
	}
	three, whyThree := n.boundThree(leaves)
	if whyThree == nil {
		all = append(all, three)
	}
	if len(all) == 0 {
		return Bound{}, joined(whyTwo, whyThree)
	}
	best := all[0]
	for _, b := range all[1:] {
		if n.cost(b.Leaves, b.Spines, b.SuperSpines) < n.cost(best.Leaves, best.Spines, best.SuperSpines) {
			best = b
		}
	}
	return best, nil
}

// joined is the refusal of networks of two tiers and of three. A number of pods or super-spines says which.
func joined(two, three *Refusal) *Refusal {
	switch {
	case two.Text == "":
		return three
	case three.Text == "":
		return two
	}
	three.Text = "two tiers: " + two.Text + "; three: " + three.Text
	return three
}

// oneLeaf reports whether a leaf of each plane, or for each port of a NIC, has ports for all hosts.
func (n *Need) oneLeaf() bool {
	_, _, fit := n.leafPorts(max(n.Hosts, n.Segment), 0, 0)
	return fit && n.sets() == max(n.Planes, n.Bond) && n.Spines+n.SuperSpines == 0 && n.Pods <= 1 &&
		(n.Segment == 0 || n.Segment >= n.Hosts) && (n.Leaves == 0 || n.Leaves == n.sets())
}

// leastLeaves is how many leaves there are at least, in all: those of one segment if they need no spines.
func (n *Need) leastLeaves() (int, *Refusal) {
	if n.oneLeaf() {
		return n.sets(), nil
	}
	most := n.roomOfLeaf()
	switch {
	case most == 0:
		up, rate := n.fewestUplinks(1)
		used, there, _ := n.leafPorts(1, up, rate)
		return 0, n.refuse("leaf", "%s: %s of a host and %s take %d ports, %d there", n.Leaf.Model,
			count(n.perHost(), "link"), rated(up, "uplink", rate), used, there)
	case n.Segment > most:
		up, rate := n.fewestUplinks(n.Segment)
		used, there, _ := n.leafPorts(n.Segment, up, rate)
		return 0, n.refuse("leaf", "%s: %s and %s take %d ports, %d there; at %s a segment has at most %d hosts",
			n.Leaf.Model, rated(n.Segment*n.perHost(), "host link", n.HostRate), rated(up, "uplink", rate), used, there,
			Against(n.Oversubscription), most)
	}
	if n.Segment > 0 {
		most = n.Segment
	}
	least := n.sets() * ceil(n.Hosts, most)
	if n.Leaves > 0 && n.Leaves < least {
		return 0, n.refuse("leaf", "%s: %s have room for %d hosts, at most %d in each of %s; %d hosts take %d", n.Leaf.Model,
			count(n.Leaves, "leaf"), n.Leaves/n.sets()*most, most, count(n.Leaves/n.sets(), "segment"), n.Hosts, least)
	}
	return max(least, n.Leaves), nil
}

// fewestUplinks is what a leaf needs for a segment of so many hosts, at the rate at which they take fewest ports.
func (n *Need) fewestUplinks(hosts int) (up int, rate unit.Bitrate) {
	least := 0
	for _, r := range n.spineRates() {
		k := n.leastUplinks(hosts, r)
		if used, _, _ := n.leafPorts(hosts, k, r); rate == 0 || used < least {
			up, rate, least = k, r, used
		}
	}
	return up, rate
}

// carried is the most that a port of a switch carries in links to a switch at the far end.
func carried(sw, far *Switch, given unit.Bitrate) unit.Bitrate {
	if given > 0 {
		return unit.Bitrate(sw.split(given)) * given
	}
	return min(sw.Rate, unit.Bitrate(max(sw.Breakout, 1))*min(sw.Rate, far.Rate))
}

// parts is into how many links a port may be split at most.
func parts(sw *Switch, given unit.Bitrate) int {
	if given > 0 {
		return sw.split(given)
	}
	return max(sw.Breakout, 1)
}

// roomOfLeaf is how many hosts a leaf has at most, whatever the rates and the number of its uplinks. With l of s
// spines lost, those with the most capacity, what is left is at most 1 - l/s of it, and s is at most the number of
// uplinks.
func (n *Need) roomOfLeaf() int {
	up := n.Leaf.upward()
	each, split := carried(up, &n.Spine, n.SpineRate), parts(up, n.SpineRate)
	for hosts := 0; ; hosts++ {
		down := (hosts + 1) * n.perHost()
		taken, left := n.Leaf.Take(down, n.HostRate), up.Ports
		if n.Leaf.Uplinks == 0 {
			left -= taken
		}
		links := left * split
		if taken > n.Leaf.Ports || left <= 0 || links <= n.LostSpines || links < n.LeastSpines || hosts == most ||
			!atLeast(products(left, each, links-n.LostSpines, n.Oversubscription.Num),
				products(down, n.HostRate, links, n.Oversubscription.Den)) {
			return hosts
		}
	}
}

// products is a product that may be larger than an int64.
func products(n int, rate unit.Bitrate, m int, k int64) *big.Int {
	p := big.NewInt(int64(n))
	for _, f := range []int64{int64(rate), int64(m), k} {
		p.Mul(p, big.NewInt(f))
	}
	return p
}

func atLeast(a, b *big.Int) bool { return a.Cmp(b) >= 0 }

// leastFor is how many switches that carry each so much carry all that the leaves of a plane send up, over so many
// ratios.
func (n *Need) leastFor(each unit.Bitrate, ratios ...unit.Ratio) int {
	sent := products(n.Hosts, n.HostRate, n.Rails*n.Ports/n.Planes, 1)
	per := big.NewInt(int64(each))
	for _, r := range ratios {
		sent.Mul(sent, big.NewInt(r.Den))
		per.Mul(per, big.NewInt(r.Num))
	}
	sent.Add(sent, per).Sub(sent, big.NewInt(1)).Div(sent, per)
	if !sent.IsInt64() || sent.Int64() > most {
		return most
	}
	return int(sent.Int64())
}

// sent is what the leaves send up, in words, if it is a rate.
func (n *Need) sent() string {
	all := products(n.Hosts, n.HostRate, n.Rails*n.Ports, n.Oversubscription.Den)
	if all.Div(all, big.NewInt(n.Oversubscription.Num)); !all.IsInt64() {
		return ""
	}
	return " " + unit.Bitrate(all.Int64()).String()
}

// boundTwo bounds networks of leaves and spines: every leaf has a link to each spine of its plane.
func (n *Need) boundTwo(leaves int) (Bound, *Refusal) {
	if n.Pods > 1 || n.SuperSpines > 0 {
		return Bound{}, n.refuse("spine", "")
	}
	links, perPlane := n.Spine.Ports*parts(&n.Spine, n.SpineRate), ceil(leaves, n.Planes)
	if perPlane > links {
		return Bound{}, n.refuse("spine", "a spine has a link to each of %s of a plane, and a %s has ports for %d",
			count(perPlane, "leaf"), n.Spine.Model, links)
	}
	each := unit.Bitrate(n.Spine.Ports) * carried(&n.Spine, n.Leaf.upward(), n.SpineRate)
	spines := max(n.LeastSpines, n.LostSpines+n.leastFor(each, n.Oversubscription))
	return n.withSpines(Bound{Leaves: leaves}, spines*n.Planes, each)
}

// withSpines refuses a number of spines that is given and too small, and takes it else.
func (n *Need) withSpines(b Bound, spines int, each unit.Bitrate) (Bound, *Refusal) {
	if n.Spines > 0 && n.Spines < spines {
		lost := ""
		if n.LostSpines > 0 {
			lost = fmt.Sprintf(", of which %d of a pod and plane may fail", n.LostSpines)
		}
		return Bound{}, n.refuse("spine", "%s send%s up at %s, of which a %s takes at most %v: %s at least%s, %d there",
			count(n.Hosts, "host"), n.sent(), Against(n.Oversubscription), n.Spine.Model, each, count(spines, "spine"), lost,
			n.Spines)
	}
	b.Spines = max(spines, n.Spines)
	return b, nil
}

// boundThree bounds networks of pods: every leaf has a link to each spine of its pod and plane, and every super-spine
// one to each pod of its plane.
func (n *Need) boundThree(leaves int) (Bound, *Refusal) {
	if n.Pods == 1 {
		return Bound{}, n.refuse("superspine", "")
	}
	if n.Super.Ports == 0 {
		return Bound{}, n.refuse("superspine", "no model of a super-spine")
	}
	if fewest := max(2, n.Pods); fewest > n.Hosts {
		return Bound{}, n.refuse("superspine", "%s, %s: one would have none", count(fewest, "pod"), count(n.Hosts, "host"))
	}
	pods, inPod := n.Super.Ports*parts(&n.Super, n.SuperRate), n.leavesOfSpine()
	if n.Pods > pods {
		return Bound{}, n.refuse("superspine", "each super-spine has a link to all %d pods, and a %s has ports for %d", n.Pods,
			n.Super.Model, pods)
	}
	if n.Pods > 0 {
		pods = n.Pods
	}
	perPlane := ceil(leaves, n.Planes)
	if inPod == 0 || perPlane > pods*inPod {
		return Bound{}, n.refuse("superspine", "a %s has ports for %s of its pod and their uplinks, and a %s for %s: "+
			"%d in a plane, %d are needed", n.Spine.Model, count(inPod, "leaf"), n.Super.Model, count(pods, "pod"), pods*inPod,
			perPlane)
	}
	fewest := max(2, n.Pods, ceil(perPlane, inPod))
	each := n.mostOfSpine()
	spines := max(fewest*max(n.LeastSpines, n.LostSpines+1), fewest*n.LostSpines+n.leastFor(each, n.Oversubscription))
	b, why := n.withSpines(Bound{Leaves: max(leaves, fewest*n.sets())}, spines*n.Planes, each)
	if why != nil {
		return b, why
	}
	top := unit.Bitrate(n.Super.Ports) * carried(&n.Super, n.Spine.upward(), n.SuperRate)
	supers := n.Planes * n.leastFor(top, n.Oversubscription, n.SpineOversubscribed)
	if n.SuperSpines > 0 && n.SuperSpines < supers {
		return Bound{}, n.refuse("superspine", "of what spines send at %s a %s takes at most %v: %s, %d there",
			Against(n.SpineOversubscribed), n.Super.Model, top, count(supers, "super-spine"), n.SuperSpines)
	}
	b.SuperSpines = max(supers, n.SuperSpines)
	return b, nil
}

// leavesOfSpine is how many leaves of its pod a spine has ports for at most, with links of the lowest rate, beside
// the uplinks that those take.
func (n *Need) leavesOfSpine() int {
	rates := n.spineRates()
	lowest, split := rates[len(rates)-1], parts(&n.Spine, n.SpineRate)
	up := carried(n.Spine.upward(), &n.Super, n.SuperRate)
	for links := n.Spine.Ports * split; links > 0; links-- {
		left := n.Spine.upward().Ports
		if n.Spine.Uplinks == 0 {
			left -= ceil(links, split)
		}
		if left > 0 && atLeast(products(left, up, 1, n.SpineOversubscribed.Num),
			products(links, lowest, 1, n.SpineOversubscribed.Den)) {
			return links
		}
	}
	return 0
}

// mostOfSpine is the most that a spine carries from leaves, beside the uplinks that its ratio asks for.
func (n *Need) mostOfSpine() (best unit.Bitrate) {
	down, up := carried(&n.Spine, n.Leaf.upward(), n.SpineRate), carried(n.Spine.upward(), &n.Super, n.SuperRate)
	for ports := 1; ports <= n.Spine.Ports; ports++ {
		left := n.Spine.upward().Ports
		if n.Spine.Uplinks == 0 {
			left -= ports
		}
		over := products(left, up, 1, n.SpineOversubscribed.Num)
		over.Div(over, big.NewInt(n.SpineOversubscribed.Den))
		below := unit.Bitrate(ports) * down
		if over.IsInt64() {
			below = min(below, unit.Bitrate(over.Int64()))
		}
		best = max(best, below)
	}
	return best
}
