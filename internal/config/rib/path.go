package rib

import (
	"net/netip"
	"slices"
)

// A path is how a route has come, its last step first; nil: it is the own one. A step is an AS, or a
// switch that handed it on inside an AS.
type path struct {
	as     uint32 // that the step left; 0: none
	length int    // ASs
	before *path

	// Of a step inside an AS (RFC 4456):
	originator netip.Addr // router identifier of who brought the route in
	reflector  netip.Addr // of who reflected it; invalid: its originator sent it
	clusters   int        // reflections, this one included
	via        netip.Addr // next hop; invalid: who sends it
}

// ases is how many ASs a path has.
func (p *path) ases() int {
	if p == nil {
		return 0
	}
	return p.length
}

// reflections is how often a path was reflected since it came into the AS.
func (p *path) reflections() int {
	if p == nil || p.as != 0 {
		return 0
	}
	return p.clusters
}

// reflectors lists who has reflected the path in this AS, the nearest first.
func (p *path) reflectors() (all []netip.Addr) {
	for ; p != nil && p.as == 0; p = p.before {
		if p.reflector.IsValid() {
			all = append(all, p.reflector)
		}
	}
	return all
}

// reflected reports whether a switch is one of those.
func (p *path) reflected(id netip.Addr) bool {
	for ; p != nil && p.as == 0; p = p.before {
		if p.reflector == id {
			return true
		}
	}
	return false
}

// list is the ASs of a path, nearest first.
func (p *path) list() (all []uint32) {
	for ; p != nil; p = p.before {
		if p.as != 0 {
			all = append(all, p.as)
		}
	}
	return all
}

// count is how often an AS is in a path.
func (p *path) count(as uint32) (n int) {
	for ; p != nil; p = p.before {
		if p.as == as {
			n++
		}
	}
	return n
}

// alike reports whether two paths have the same steps: by ASs and, inside one, by reflectors.
func alike(a, b *path) bool {
	for ; a != b; a, b = a.before, b.before {
		if a == nil || b == nil || a.as != b.as || a.reflector != b.reflector || a.originator != b.originator ||
			a.via != b.via {
			return false
		}
	}
	return true
}

// sameASs reports whether two paths list the same ASs.
func sameASs(a, b *path) bool { return a == b || slices.Equal(a.list(), b.list()) }
