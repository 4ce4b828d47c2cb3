package sizing

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A Reach is how many ordered pairs of NICs of different hosts have so many switches between them,
// where every place for a host is taken. A NIC with several ports goes by the nearest.
type Reach struct {
	Switches int   `json:"switches"` // -1: no way but inside a host
	Pairs    int64 `json:"pairs"`
}

// Reach returns the pairs, nearest first, those without a way last.
func (w *Network) Reach() (all []Reach) {
	if w.Design == topo.DesignDragonfly {
		return w.reachOfDragonfly()
	}
	hosts, nics := int64(w.Room()), int64(w.Rails*w.Ports/w.Bond)
	planes := int64(max(w.Planes/w.Bond, 1)) // parts of the network that share no switch
	ends := hosts * nics
	leaf := int64(w.Segment-1) * int64(w.perHost())
	if w.Design == topo.DesignSingleSwitch {
		leaf = int64(w.Segment-1) * nics
	}
	pod := int64(w.Room()/w.Pods-1) * nics / planes
	plane := (hosts - 1) * nics / planes
	every := (hosts - 1) * nics
	if w.PodSpines == 0 {
		pod, plane = leaf, leaf
	}
	for _, r := range []Reach{{1, leaf}, {3, pod - leaf}, {5, plane - pod}, {-1, every - plane}} {
		if r.Pairs > 0 {
			all = append(all, Reach{r.Switches, r.Pairs * ends})
		}
	}
	return all
}

// A Loss is what the failure of one part takes away.
type Loss struct {
	What  string     `json:"what"`
	GPUs  int        `json:"gpus"`            // that have no NIC left
	Hosts int        `json:"hosts"`           // that have none
	Part  int        `json:"part,omitempty"`  // GPUs that have lost some of their NICs
	Left  unit.Ratio `json:"left"`            // of the links upwards where it failed; 1/1: all
	Where string     `json:"where,omitempty"` // whose links upwards those are
}

// Losses returns what the failure of one cable of a host and of one switch of each tier takes away.
func (w *Network) Losses() []Loss {
	whole := unit.Ratio{Num: 1, Den: 1}
	cable := Loss{What: "host cable", GPUs: w.PerRail, Left: whole}
	if w.Ports > 1 {
		cable.GPUs, cable.Part = 0, w.PerRail
	}
	if w.Ports == 1 && w.Rails == 1 {
		cable.Hosts = 1
	}
	leaf := Loss{What: "leaf", Left: whole}
	if w.Design == topo.DesignDragonfly {
		leaf.What = "router"
	}
	if gpus := w.Segment * w.railsOn() * w.PerRail; w.alone() {
		leaf.GPUs = gpus
	} else {
		leaf.Part = gpus
	}
	if w.perHost() == w.Rails*w.Ports {
		leaf.Hosts = w.Segment
	}
	all := []Loss{cable, leaf}
	if w.PodSpines > 0 {
		all = append(all, Loss{What: "spine", Left: without(w.PodSpines), Where: "each leaf of its pod"})
		if w.Planes > 1 {
			all[2].Where += " and plane"
		}
	}
	if w.PlaneSupers > 0 {
		all = append(all, Loss{What: "superspine", Left: without(w.PlaneSupers / w.Groups), Where: "each spine of its group"})
	}
	return all
}

// railsOn is how many rails of a host are on one leaf.
func (w *Network) railsOn() int {
	switch w.Design {
	case topo.DesignSingleSwitch, topo.DesignLeafSpine, topo.DesignDragonfly:
		return w.Rails
	}
	return w.RailsPerLeaf
}

// alone reports whether all cables of a rail are on one leaf.
func (w *Network) alone() bool {
	switch w.Design {
	case topo.DesignSingleSwitch, topo.DesignDragonfly:
		return true
	case topo.DesignLeafSpine:
		return w.sets() == 1
	}
	return w.Ports == 1
}

// without is what n alike leave when one of them fails.
func without(n int) unit.Ratio {
	d := gcd(int64(n-1), int64(n))
	return unit.Ratio{Num: int64(n-1) / d, Den: int64(n) / d}
}
