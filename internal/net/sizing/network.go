package sizing

import (
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A Network is what a Need takes. Its segments are alike, and so are its pods.
type Network struct {
	Need // as it was resolved

	Segment, Segments, Pods int // hosts of a segment; segments and pods in all
	PodSpines               int // spines of each pod and plane
	Parallel                int // cables from a leaf to each of them
	PlaneSupers             int // super-spines of each plane
	Groups                  int // of super-spines: see topo.Upper
	SuperParallel           int // cables from a spine to each super-spine of its group
	Global                  int // of a dragonfly, whose leaves are routers in Pods groups: links of a router to other groups

	Bound Bound // no network of the family has fewer switches
}

// Leaves is how many there are in all.
func (w *Network) Leaves() int { return w.Segments * w.sets() }

// Spines is how many there are in all.
func (w *Network) Spines() int { return w.Pods * w.Planes * w.PodSpines }

// SuperSpines is how many there are in all.
func (w *Network) SuperSpines() int { return w.Planes * w.PlaneSupers }

// Switches is how many there are in all.
func (w *Network) Switches() int { return w.Leaves() + w.Spines() + w.SuperSpines() }

// Room is how many hosts the leaves have ports for.
func (w *Network) Room() int { return w.Segments * w.Segment }

// HostLinks is how many cables the hosts have.
func (w *Network) HostLinks() int { return w.Hosts * w.Rails * w.Ports }

// LeafLinks is how many cables there are between leaves and spines; of a dragonfly those inside groups.
func (w *Network) LeafLinks() int {
	if w.Design == topo.DesignDragonfly {
		return w.Segments * (w.routers() - 1) / 2
	}
	return w.Leaves() * w.PodSpines * w.Parallel
}

// SuperLinks is how many cables there are between spines and super-spines; of a dragonfly those between groups.
func (w *Network) SuperLinks() int {
	if w.Design == topo.DesignDragonfly {
		return w.Segments * w.Global / 2
	}
	return w.Spines() * w.spineUp()
}

// spineUp is how many uplinks a spine has.
func (w *Network) spineUp() int {
	if w.PlaneSupers == 0 {
		return 0
	}
	return w.PlaneSupers / w.Groups * w.SuperParallel
}

// A Tier is the switches of one role, each with so many links and ports.
type Tier struct {
	Role             string // leaf, spine, superspine
	Switches         int
	Switch           Switch
	Down, Up         int // links of one, where the segment is full
	DownRate, UpRate unit.Bitrate
	Used, There      int // ports of one
}

// Oversubscribed is what comes from below over what goes up; 0/0 at the top.
func (t *Tier) Oversubscribed() unit.Ratio {
	down, up := int64(t.Down)*int64(t.DownRate), int64(t.Up)*int64(t.UpRate)
	if up == 0 {
		return unit.Ratio{}
	}
	d := gcd(down, up)
	return unit.Ratio{Num: down / d, Den: up / d}
}

// Tiers returns the tiers, lowest first.
func (w *Network) Tiers() []Tier {
	all := []Tier{{Role: "leaf", Switches: w.Leaves(), Switch: w.Leaf, Down: w.Segment * w.perHost(),
		Up: w.PodSpines * w.Parallel, DownRate: w.HostRate, UpRate: w.SpineRate}}
	if w.Design == topo.DesignDragonfly {
		all[0].Role, all[0].Up = "router", w.routers()-1+w.Global
	}
	if w.PodSpines > 0 {
		all = append(all, Tier{Role: "spine", Switches: w.Spines(), Switch: w.Spine,
			Down: w.podLeaves() * w.Parallel, Up: w.spineUp(), DownRate: w.SpineRate, UpRate: w.SuperRate})
	}
	if w.PlaneSupers > 0 {
		all = append(all, Tier{Role: "superspine", Switches: w.SuperSpines(), Switch: w.Super,
			Down: w.Pods * w.PodSpines / w.Groups * w.SuperParallel, DownRate: w.SuperRate})
	}
	for i := range all {
		t := &all[i]
		t.Used, t.There, _ = t.Switch.needs(t.Down, t.DownRate, t.Up, t.UpRate)
	}
	return all
}

// Lengths are those of the cables, all of a tier alike.
type Lengths struct{ Host, Spine, Super unit.Length }

// podLeaves is how many leaves a pod has in each plane.
func (w *Network) podLeaves() int { return w.Segments / w.Pods * w.sets() / w.Planes }

// Build returns the design that package topo makes, of hosts with so many GPUs. It has all the hosts
// that there is room for: segments of a design are full.
func (w *Network) Build(gpus int, l Lengths) topo.Design {
	host := topo.Cable{Rate: w.HostRate, Length: l.Host}
	spine := topo.Cable{Rate: w.SpineRate, Length: l.Spine}
	nics, ports := w.Rails*w.Ports/w.Bond, w.Ports/w.Bond
	upper := topo.Upper{Pods: w.Pods, Planes: w.Planes, SuperSpines: w.PlaneSupers, SuperGroups: w.Groups,
		SuperParallel: w.SuperParallel, SuperLink: topo.Cable{Rate: w.SuperRate, Length: l.Super}}
	switch w.Design {
	case topo.DesignDragonfly:
		return w.flown(gpus, l)
	case topo.DesignSingleSwitch:
		return topo.SingleSwitch{Hosts: w.Room(), GPUs: gpus, NICs: nics, Bond: w.Bond, HostLink: host}
	case topo.DesignLeafSpine:
		return topo.LeafSpine{Hosts: w.Room(), GPUs: gpus, NICs: nics, Bond: w.Bond, HostLink: host, Ports: ports,
			Leaves: w.Leaves(), Spines: w.PodSpines, Parallel: w.Parallel, SpineLink: spine, Upper: upper}
	}
	return topo.RailOptimized{Hosts: w.Room(), GPUs: gpus, NICs: nics, Bond: w.Bond, HostLink: host,
		Segment: w.Segment, Ports: ports, RailsPerLeaf: w.RailsPerLeaf, Spines: w.PodSpines, Parallel: w.Parallel,
		SpineLink: spine, Upper: upper}
}

func ceil(a, b int) int { return (a + b - 1) / b }

// count is a number of things.
func count(n int, what string) string {
	switch {
	case n == 1:
	case what == "leaf":
		what = "leaves"
	case strings.HasSuffix(what, "ch"):
		what += "es"
	default:
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Against writes an oversubscription as people do, 4:1.
func Against(r unit.Ratio) string {
	return strconv.FormatInt(r.Num, 10) + ":" + strconv.FormatInt(r.Den, 10)
}
