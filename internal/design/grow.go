package design

import (
	"fmt"
	"strings"

	"railyard/internal/sizing"
	"railyard/internal/unit"
)

// A Phase is what there is of a backend at some time.
type Phase struct {
	What                           string
	Hosts, GPUs                    int
	Leaves, Spines, SuperSpines    int
	HostCables, LeafCables, Supers int // of them, those between spines and super-spines last
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
	segments := (now + w.Segment - 1) / w.Segment
	each := w.Segments / w.Pods
	first := phase("at first, with all places kept", w, now, gpus, segments, (segments+each-1)/each)
	all := []Phase{first, whole}
	need := w.Need
	need.Hosts, need.Segment, need.Pods, need.Leaves, need.Spines, need.SuperSpines = now, w.Segment, 0, 0, 0, 0
	if alone, err := sizing.Size(need); err == nil {
		p := phase("at first, as a network of its own", alone, now, gpus, alone.Segments, alone.Pods)
		all = append([]Phase{p}, all...)
	}
	return all
}

// phase counts some segments of a network, and the pods that they are in. Super-spines join several pods.
func phase(what string, w *sizing.Network, hosts, gpus, segments, pods int) Phase {
	p := Phase{What: what, Hosts: hosts, GPUs: hosts * gpus, Leaves: w.Leaves() / w.Segments * segments,
		Spines: w.Spines() / w.Pods * pods, HostCables: w.HostLinks() / w.Hosts * hosts,
		LeafCables: w.LeafLinks() / w.Segments * segments}
	if pods > 1 {
		p.SuperSpines, p.Supers = w.SuperSpines(), w.SuperLinks()/w.Pods*pods
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
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func number(n int) string { return unit.Count(int64(n)) }
