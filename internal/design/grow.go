package design

import "railyard/internal/sizing"

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
