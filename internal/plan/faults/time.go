package faults

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
)

// An outage is a link that the switches route without for a while.
type outage struct {
	link        topo.LinkID
	from, until unit.Time
}

// Turns are the times at which routes change, in order.
func (s *Set) Turns() (at []unit.Time) {
	for _, o := range s.outages {
		at = append(at, o.from, o.until)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// DeadAt tells the links that the switches route without from a time on.
func (s *Set) DeadAt(at unit.Time) map[topo.LinkID]bool {
	dead := map[topo.LinkID]bool{}
	for _, o := range s.outages {
		if o.from <= at && at < o.until {
			dead[o.link] = true
		}
	}
	return dead
}

// LastTurn is the last instant at which something begins or ends, or routes change: from then on all is as it stays. 0: nothing
// ever does.
func (s *Set) LastTurn() unit.Time {
	at := s.last
	for _, turn := range s.Turns() {
		at = max(at, turn)
	}
	return at
}

// Repairs are the instants at which something that was down or hung is there again, in order.
func (s *Set) Repairs() (all []unit.Time) {
	if f := s.Fabric; f != nil {
		for _, d := range f.Downs {
			all = append(all, d.Until)
		}
	}
	for _, h := range s.Hosts {
		if h.Hangs {
			all = append(all, h.Until)
		}
	}
	for _, g := range s.GPUs {
		if g.Factor.Num == 0 {
			all = append(all, g.Until)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Down reports whether a link carries nothing at an instant.
func (s *Set) Down(l topo.LinkID, at unit.Time) bool {
	return s.Fabric != nil && slices.ContainsFunc(s.Fabric.Downs, func(d fabric.Down) bool {
		return d.Link == l && d.From <= at && at < d.Until
	})
}

// Hangs reports whether a host hangs at an instant.
func (s *Set) Hangs(host int32, at unit.Time) bool {
	return slices.ContainsFunc(s.Hosts, func(f OfHost) bool { return f.Host == host && f.Hangs && f.Holds(at) })
}

// Still reports whether a GPU of a host stands still at an instant.
func (s *Set) Still(gpu GPU, at unit.Time) bool {
	return slices.ContainsFunc(s.GPUs, func(f OfGPU) bool { return f.GPU == gpu && f.Factor.Num == 0 && f.Holds(at) })
}

// PortDown is a time in which a NIC takes a port of its for down.
type PortDown struct {
	Port        topo.PortID
	From, Until unit.Time
}

// PortDowns are those of all NICs, as faults of links and the time that it takes to know of them make them.
func (s *Set) PortDowns() (all []PortDown) {
	for _, o := range s.outages {
		for _, port := range []topo.PortID{topo.PortID(2 * o.link), topo.PortID(2*o.link + 1)} {
			if at := &s.net.Ports[port]; at.NIC >= 0 && s.net.Nodes[at.Node].Kind == topo.HostKind {
				all = append(all, PortDown{port, o.from, o.until})
			}
		}
	}
	return all
}
