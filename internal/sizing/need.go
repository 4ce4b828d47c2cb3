package sizing

import (
	"fmt"
	"slices"

	"railyard/internal/unit"
)

// A Switch is what counts of a switch's model.
type Switch struct {
	Model    string
	Ports    int
	Rate     unit.Bitrate // the highest of a port
	Breakout int          // equal ports that one may be split into; 0: 1

	Uplinks    int          // further ports, for links upwards alone; 0: those share Ports
	UplinkRate unit.Bitrate // the highest of those
}

// upward is the part of the switch that links upwards take, which is all of it if it has no ports for them.
func (s *Switch) upward() *Switch {
	if s.Uplinks == 0 {
		return s
	}
	return &Switch{s.Model, s.Uplinks, s.UplinkRate, 1, 0, 0}
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
var Designs = []string{"single-switch", "rail-only", "rail-optimized", "leaf-spine"}

// A Need is what a network must do. Counts that may be left out are 0.
type Need struct {
	Design   string // of Designs
	Hosts    int
	Rails    int // of a host: a rail is a GPU's, or that of GPUs which share a NIC
	Ports    int // cables of a rail, to different leaves; 0: 1
	PerRail  int // GPUs of a rail; 0: 1
	HostRate unit.Bitrate

	RailsPerLeaf int // of the rail designs; 0: 1
	Segment      int // hosts that share leaves; 0: as many as fit
	Planes       int // networks that share no switch, with a port of each rail; 0: 1
	Pods         int // 0: the fewest

	Leaf, Spine, Super  Switch       // Super: 0 ports: there are no super-spines
	SpineRate           unit.Bitrate // between leaf and spine; 0: the highest of both
	SuperRate           unit.Bitrate // between spine and super-spine; 0: the highest of both
	Leaves, Spines      int          // in all; 0: the fewest
	SuperSpines         int
	Oversubscription    unit.Ratio // of a leaf, at most; 0/0: 1
	SpineOversubscribed unit.Ratio // of a spine, at most; 0/0: 1
	LostSpines          int        // of a pod and plane, with which Oversubscription still holds
}

// A Refusal is a need that no network meets: the part of the network where it fails, with the sum.
type Refusal struct {
	Design string
	Tier   string // leaf, spine, superspine or, of the need as a whole, design
	Text   string

	over int // ports too few; most: that is not why
}

func (r *Refusal) Error() string { return r.Design + ": " + r.Text }

// refuse makes a Refusal.
func (n *Need) refuse(tier, format string, args ...any) *Refusal {
	return &Refusal{n.Design, tier, fmt.Sprintf(format, args...), most}
}

// nearest is the refusal that says more: how far up it fails, then by how few ports.
func nearest(a, b *Refusal) *Refusal {
	if a == nil || b != nil && (b.rank() > a.rank() || b.rank() == a.rank() && b.over < a.over) {
		return b
	}
	return a
}

// rank is how far up a refusal is; what does not fail for want of ports says least.
func (r *Refusal) rank() int {
	if r.over == most {
		return -1
	}
	return slices.Index([]string{"leaf", "spine", "superspine"}, r.Tier)
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
		{"GPUs of a rail", orOne(&n.PerRail), 1},
		{"planes", orOne(&n.Planes), 1}, {"hosts of a segment", &n.Segment, 0}, {"pods", &n.Pods, 0},
		{"leaves", &n.Leaves, 0}, {"spines", &n.Spines, 0}, {"super-spines", &n.SuperSpines, 0},
		{"spines lost", &n.LostSpines, 0}, {"ports of a spine", &n.Spine.Ports, 0},
		{"ports of a super-spine", &n.Super.Ports, 0},
	} {
		if *c.value < c.least || *c.value > most {
			return n, n.refuse("design", "%d %s, want %d to %d", *c.value, c.what, c.least, most)
		}
	}
	if !slices.Contains(Designs, n.Design) {
		return n, n.refuse("design", "no such design, want one of %v", Designs)
	}
	orAtMost(&n.SpineRate, n.Leaf.upward().Rate, n.Spine.Rate)
	orAtMost(&n.SuperRate, n.Spine.upward().Rate, n.Super.Rate)
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

// orAtMost sets a rate that was left out to the higher one that both ends have.
func orAtMost(rate *unit.Bitrate, below, above unit.Bitrate) {
	if *rate == 0 {
		*rate = min(below, above)
	}
}

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
		ends = append(ends, end{"leaf", "uplinks", n.Leaf.upward(), n.SpineRate},
			end{"spine", "links", &n.Spine, n.SpineRate})
		if n.Super.Ports > 0 {
			ends = append(ends, end{"spine", "uplinks", n.Spine.upward(), n.SuperRate},
				end{"superspine", "links", &n.Super, n.SuperRate})
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

func (n *Need) hasSpines() bool { return n.Design == "rail-optimized" || n.Design == "leaf-spine" }

// perHost is how many links of a host are on one leaf.
func (n *Need) perHost() int {
	switch n.Design {
	case "single-switch":
		return n.Rails * n.Ports
	case "leaf-spine":
		return n.Rails * n.Ports / n.Planes
	}
	return n.RailsPerLeaf
}

// sets is how many leaves a segment has, in all planes.
func (n *Need) sets() int {
	switch n.Design {
	case "single-switch":
		return 1
	case "leaf-spine":
		return n.Planes
	}
	return n.Rails / n.RailsPerLeaf * n.Ports
}
