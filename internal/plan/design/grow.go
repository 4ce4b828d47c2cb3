package design

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
)

// A Phase is what there is of a backend at some time.
type Phase struct {
	What        string `json:"what"`
	Hosts       int    `json:"hosts"`
	GPUs        int    `json:"gpus"`
	Leaves      int    `json:"leaves"`
	Spines      int    `json:"spines"`
	SuperSpines int    `json:"super_spines"`
	HostCables  int    `json:"host_cables"`
	LeafCables  int    `json:"leaf_cables"`
	Supers      int    `json:"super_spine_cables"` // between spines and super-spines
}

// Switches is how many there are in all.
func (p *Phase) Switches() int { return p.Leaves + p.Spines + p.SuperSpines }

// Growth is how a backend grows: what its GPUs at first would take alone, what they take of the network that
// has room for all, and that network. An option without growth has one phase.
func Growth(o *Option, now, gpus int) []Phase {
	w := o.Backend()
	whole := phase("in the end", w, w.Hosts, gpus, w.Segments, w.Pods)
	if now == w.Hosts {
		whole.What = "all"
		return []Phase{whole}
	}
	if w.Design == topo.DesignDragonfly { // every two groups are linked: a part of it is another network
		return append(alone(w, now, gpus), whole)
	}
	segments := (now + w.Segment - 1) / w.Segment
	each := w.Segments / w.Pods
	first := phase("at first, with all places kept", w, now, gpus, segments, (segments+each-1)/each)
	return append(alone(w, now, gpus), first, whole)
}

// alone is the network that the GPUs at first would take, with segments (or routers) of as many hosts, if there is one.
func alone(w *sizing.Network, now, gpus int) []Phase {
	need := w.Need
	need.Hosts, need.Segment, need.Pods, need.Leaves, need.Spines, need.SuperSpines = now, w.Segment, 0, 0, 0, 0
	of, err := sizing.Size(need)
	if err != nil {
		return nil
	}
	return []Phase{phase("at first, as a network of its own", of, now, gpus, of.Segments, of.Pods)}
}

// phase counts some segments of a network, and the pods that they are in. Super-spines join several pods.
func phase(what string, w *sizing.Network, hosts, gpus, segments, pods int) Phase {
	p := Phase{What: what, Hosts: hosts, GPUs: hosts * gpus, Leaves: w.Leaves() / w.Segments * segments,
		Spines: w.Spines() / w.Pods * pods, HostCables: w.HostLinks() / w.Hosts * hosts,
		LeafCables: w.LeafLinks() * segments / w.Segments}
	if pods > 1 {
		p.SuperSpines, p.Supers = w.SuperSpines(), w.SuperLinks()*pods/w.Pods
	}
	return p
}

// Bounds says of each network of an option how many switches any of its family has at least, how many were found, and
// tier by tier what lies between.
func (o *Option) Bounds() string {
	var all []string
	for _, n := range o.Nets {
		w, b := n.Sized, n.Sized.Bound
		text := fmt.Sprintf("%s bound %s, found %s", n.Name, number(b.Switches()), number(w.Switches()))
		var between []string
		for _, t := range []struct {
			what         string
			bound, found int
		}{{"leaves", b.Leaves, w.Leaves()}, {"spines", b.Spines, w.Spines()}, {"super-spines", b.SuperSpines, w.SuperSpines()}} {
			if t.bound != t.found {
				between = append(between, fmt.Sprintf("%s %s and %s", t.what, number(t.bound), number(t.found)))
			}
		}
		if len(between) > 0 {
			text += " (" + strings.Join(between, ", ") + ")"
		}
		if part, whole := w.BetweenGroups(); whole > 0 {
			text += fmt.Sprintf(", for uniform traffic: two groups have %v between them, the hosts of one send %v", part, whole)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func number(n int) string { return unit.Count(int64(n)) }
