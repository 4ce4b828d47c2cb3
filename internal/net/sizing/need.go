package sizing

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A Switch is what counts of a switch's model.
type Switch struct {
	Model    string
	Ports    int
	Rate     unit.Bitrate // the highest of a port
	Breakout int          // equal ports that one may be split into; 0: 1
	Price    int64        // of one, in any unit; 0: not known

	Uplinks    int          // further ports, for links upwards alone; 0: those share Ports
	UplinkRate unit.Bitrate // the highest of those
}

// upward is the part of the switch that links upwards take, which is all of it if it has no ports for them.
func (s *Switch) upward() *Switch {
	if s.Uplinks == 0 {
		return s
	}
	return &Switch{Model: s.Model, Ports: s.Uplinks, Rate: s.UplinkRate, Breakout: 1}
}

// needs is how many ports links take, how many of those there are, and whether they fit.
func (s *Switch) needs(down int, downRate unit.Bitrate, up int, upRate unit.Bitrate) (used, there int, fit bool) {
	below, above := s.Take(down, downRate), s.upward().Take(up, upRate)
	if s.Uplinks == 0 {
		return below + above, s.Ports, below+above <= s.Ports
	}
	return below + above, s.Ports + s.Uplinks, below <= s.Ports && above <= s.Uplinks
}

// split is into how many links of a rate a port may be broken out; 0: the links are too fast.
func (s *Switch) split(rate unit.Bitrate) int {
	if rate > s.Rate {
		return 0
	}
	return min(max(s.Breakout, 1), int(s.Rate/rate))
}

// links is how many links of a rate it has ports for.
func (s *Switch) links(rate unit.Bitrate) int { return s.Ports * s.split(rate) }

// Take is how many ports so many links of a rate take, which is at most the switch's.
func (s *Switch) Take(links int, rate unit.Bitrate) int {
	if links == 0 {
		return 0
	}
	split := s.split(rate)
	return (links + split - 1) / split
}

// Designs are the designs that Size knows, in order of the switches that they take.
var Designs = []topo.DesignName{topo.DesignSingleSwitch, topo.DesignRailOnly, topo.DesignRailOptimized, topo.DesignLeafSpine,
	topo.DesignDragonfly}

// A Need is what a network must do. Counts that may be left out are 0.
type Need struct {
	Design   topo.DesignName // of Designs
	Hosts    int
	Rails    int // of a host: a rail is a GPU's, or that of GPUs which share a NIC
	Ports    int // cables of a rail, to different leaves; 0: 1
	Bond     int // of them, those of one NIC; 0: 1
	PerRail  int // GPUs of a rail; 0: 1
	HostRate unit.Bitrate

	RailsPerLeaf int // of the rail designs; 0: 1
	Segment      int // hosts that share leaves; 0: as many as fit
	Planes       int // networks that share no switch, with a port of each rail; 0: 1
	Pods         int // 0: the fewest

	Leaf, Spine, Super  Switch       // Super: 0 ports: there are no super-spines
	SpineRate           unit.Bitrate // between leaf and spine; 0: the best that ports of both split into
	SuperRate           unit.Bitrate // between spine and super-spine; 0: likewise
	Leaves, Spines      int          // in all; 0: the fewest
	SuperSpines         int
	Oversubscription    unit.Ratio // of a leaf, at most; 0/0: 1
	SpineOversubscribed unit.Ratio // of a spine, at most; 0/0: 1
	LostSpines          int        // of a pod and plane, with which Oversubscription still holds
	LeastSpines         int        // of a pod and plane, where there are spines
}

// A Refusal is a need that no network meets: the part of the network where it fails, with what no choice
// of the others mends.
type Refusal struct {
	Design topo.DesignName
	Tier   string // leaf, spine, superspine or, of the need as a whole, design
	Text   string
}

func (r *Refusal) Error() string { return string(r.Design) + ": " + r.Text }

// refuse makes a Refusal.
func (n *Need) refuse(tier, format string, args ...any) *Refusal {
	return &Refusal{n.Design, tier, fmt.Sprintf(format, args...)}
}

// most bounds counts, so that sums of their products stay within an int.
const most = 1 << 20

// withDefaults fills what was left out, and refuses what makes no network whatever its size.
func (n Need) withDefaults() (Need, error) {
	for _, c := range []struct {
		what  string
		value *int
		least int
	}{
		{"hosts", &n.Hosts, 1}, {"rails", &n.Rails, 1}, {"ports of a leaf", &n.Leaf.Ports, 1},
		{"cables of a rail", orOne(&n.Ports), 1}, {"rails of a leaf", orOne(&n.RailsPerLeaf), 1},
		{"GPUs of a rail", orOne(&n.PerRail), 1}, {"ports of a NIC", orOne(&n.Bond), 1},
		{"planes", orOne(&n.Planes), 1}, {"hosts of a segment", &n.Segment, 0}, {"pods", &n.Pods, 0},
		{"leaves", &n.Leaves, 0}, {"spines", &n.Spines, 0}, {"super-spines", &n.SuperSpines, 0},
		{"spines lost", &n.LostSpines, 0}, {"spines at least", &n.LeastSpines, 0}, {"ports of a spine", &n.Spine.Ports, 0},
		{"ports of a super-spine", &n.Super.Ports, 0},
	} {
		if *c.value < c.least || *c.value > most {
			return n, n.refuse("design", "%d %s, want %d to %d", *c.value, c.what, c.least, most)
		}
	}
	if !slices.Contains(Designs, n.Design) {
		return n, n.refuse("design", "no such design, want one of %v", Designs)
	}
	for _, r := range []*unit.Ratio{&n.Oversubscription, &n.SpineOversubscribed} {
		if r.Den == 0 {
			*r = unit.Ratio{Num: 1, Den: 1}
		}
		if r.Num <= 0 {
			return n, n.refuse("design", "oversubscription %v, want more than 0", *r)
		}
	}
	return n, n.checkRates()
}

func orOne(n *int) *int {
	*n = max(*n, min(1, 1+*n)) // 0: 1, and what is below 0 stays so
	return n
}

// rates are those that a link between two switches may have, the highest first: what ports of either may be
// split into, and both have.
func rates(below, above *Switch, given unit.Bitrate) (all []unit.Bitrate) {
	if given > 0 {
		return []unit.Bitrate{given}
	}
	for _, sw := range []*Switch{below, above} {
		whole := max(sw.Breakout, 1)
		for parts := 1; parts <= whole; parts++ {
			rate := sw.Rate / unit.Bitrate(parts)
			if whole%parts == 0 && 0 < rate && rate <= min(below.Rate, above.Rate) && !slices.Contains(all, rate) {
				all = append(all, rate)
			}
		}
	}
	slices.SortFunc(all, func(a, b unit.Bitrate) int { return cmp.Compare(b, a) })
	return all
}

// highest is the first of the rates, 0 if there is none.
func highest(all []unit.Bitrate) unit.Bitrate {
	if len(all) == 0 {
		return 0
	}
	return all[0]
}

func (n *Need) spineRates() []unit.Bitrate { return rates(n.Leaf.upward(), &n.Spine, n.SpineRate) }

func (n *Need) superRates() []unit.Bitrate { return rates(n.Spine.upward(), &n.Super, n.SuperRate) }

// checkRates refuses links that are faster than a port.
func (n *Need) checkRates() error {
	type end struct {
		tier, what string
		sw         *Switch
		rate       unit.Bitrate
	}
	ends := []end{{"leaf", "host links", &n.Leaf, n.HostRate}}
	if n.hasSpines() {
		if n.Spine.Ports == 0 {
			return n.refuse("spine", "no model of a spine")
		}
		up := highest(n.spineRates())
		ends = append(ends, end{"leaf", "uplinks", n.Leaf.upward(), up}, end{"spine", "links", &n.Spine, up})
		if n.Super.Ports > 0 {
			over := highest(n.superRates())
			ends = append(ends, end{"spine", "uplinks", n.Spine.upward(), over}, end{"superspine", "links", &n.Super, over})
		}
	}
	for _, e := range ends {
		if e.rate <= 0 || e.sw.split(e.rate) == 0 {
			return n.refuse(e.tier, "%s of %v, want more than 0 and at most %v, a port of %s", e.what, e.rate, e.sw.Rate,
				e.sw.Model)
		}
	}
	return nil
}

func (n *Need) hasSpines() bool {
	return n.Design == topo.DesignRailOptimized || n.Design == topo.DesignLeafSpine
}

// perHost is how many links of a host are on one leaf.
func (n *Need) perHost() int {
	switch n.Design {
	case topo.DesignSingleSwitch, topo.DesignDragonfly:
		return n.Rails * n.Ports
	case topo.DesignLeafSpine:
		return n.Rails * n.Ports / n.sets()
	}
	return n.RailsPerLeaf
}

// sets is how many leaves a segment has, in all planes.
func (n *Need) sets() int {
	switch n.Design {
	case topo.DesignSingleSwitch, topo.DesignDragonfly:
		return 1
	case topo.DesignLeafSpine:
		return max(n.Planes, n.Bond)
	}
	return n.Rails / n.RailsPerLeaf * n.Ports
}
