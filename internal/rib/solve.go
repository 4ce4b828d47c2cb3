package rib

import (
	"cmp"
	"net/netip"
	"slices"
)

// A solver finds the routes to one prefix after another, long ones first: an aggregate needs to know
// what is inside it.
type solver struct {
	n          *Network
	watched    func(device int) bool
	aggregates []aggregate

	// Of the prefix at hand:
	prefix netip.Prefix
	origin []origin // by device
	best   []choice // by device
	ways   []way    // scratch
}

// An aggregate is that of a device.
type aggregate struct {
	device int
	prefix netip.Prefix
	only   bool // what is inside is not advertised
	held   bool // a route inside is there
}

type origin uint8

const (
	learned origin = iota
	network
	summary
)

// A choice is the path of a device that it passes on.
type choice struct {
	known   bool
	session int // -1: its own
	path    *path
}

// A path is the ASs that a route has come through, nearest first; nil: none.
type path struct {
	as     uint32
	length int
	before *path
}

func (p *path) list() (all []uint32) {
	for ; p != nil; p = p.before {
		all = append(all, p.as)
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

// alike reports whether two paths list the same ASs.
func alike(a, b *path) bool {
	for ; a != b; a, b = a.before, b.before {
		if a == nil || b == nil || a.as != b.as {
			return false
		}
	}
	return true
}

// A way is a path that a device has been told.
type way struct {
	session int
	path    *path
}

func (s *solver) solve() {
	for _, p := range s.begin() {
		s.prefix = p
		if s.flood() {
			s.keep()
		}
	}
	for i := range s.n.Tables {
		slices.SortFunc(s.n.Tables[i].Routes, func(a, b Route) int { return ComparePrefixes(a.Prefix, b.Prefix) })
	}
}

// begin lists what devices may originate, long prefixes first.
func (s *solver) begin() (prefixes []netip.Prefix) {
	for i := range s.n.Devices {
		b := s.n.Devices[i].BGP
		if b == nil {
			continue
		}
		prefixes = append(prefixes, b.Networks...)
		for _, a := range b.Aggregates {
			prefixes = append(prefixes, a.Prefix)
			s.aggregates = append(s.aggregates, aggregate{i, a.Prefix, a.SummaryOnly, false})
		}
	}
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int {
		return cmp.Or(cmp.Compare(b.Bits(), a.Bits()), ComparePrefixes(a, b))
	})
	return slices.Compact(prefixes)
}

// originate marks the devices that have the prefix of their own: networks that they are connected to, and aggregates
// with something inside.
func (s *solver) originate() (changed []int) {
	s.origin = make([]origin, len(s.n.Devices))
	for i := range s.n.Devices {
		if b := s.n.Devices[i].BGP; b != nil && slices.Contains(b.Networks, s.prefix) &&
			slices.ContainsFunc(s.n.Tables[i].Connected, func(c Connected) bool { return c.Prefix == s.prefix }) {
			s.origin[i] = network
			changed = append(changed, i)
		}
	}
	for _, a := range s.aggregates {
		if a.prefix == s.prefix && a.held && s.origin[a.device] == learned {
			s.origin[a.device] = summary
			changed = append(changed, a.device)
		}
	}
	return changed
}

// flood passes the prefix from neighbour to neighbour, round by round, until nobody finds a better
// path; false if no device has it.
func (s *solver) flood() bool {
	s.best = make([]choice, len(s.n.Devices))
	changed := s.originate()
	for _, d := range changed {
		s.best[d] = choice{known: true, session: -1}
	}
	if len(changed) == 0 {
		return false
	}
	told := make([]bool, len(s.n.Devices))
	for rounds := 0; len(changed) > 0; rounds++ {
		if rounds > 2*len(s.n.Devices)+2 {
			panic("rib: shortest paths do not settle")
		}
		clear(told)
		for _, d := range changed {
			for k := range s.n.Tables[d].Sessions {
				if e := &s.n.Tables[d].Sessions[k]; s.carries(e) {
					told[e.Device] = true
				}
			}
		}
		next := map[int]choice{}
		changed = changed[:0]
		for d, is := range told {
			if !is || s.origin[d] != learned {
				continue
			}
			c := choice{}
			if ways := s.received(d); len(ways) > 0 {
				c = choice{true, ways[0].session, ways[0].path}
			}
			if old := s.best[d]; c.known != old.known || c.session != old.session || !alike(c.path, old.path) {
				next[d] = c
				changed = append(changed, d)
			}
		}
		for _, d := range changed { // all at once: the order of devices does not matter
			s.best[d] = next[d]
		}
	}
	return true
}

// carries reports whether a session is up and carries the prefix's family.
func (s *solver) carries(e *Session) bool {
	return e.Why == "" && e.Neighbour.Is6() == s.prefix.Addr().Is6()
}

// received lists the paths that a device is told and takes, the best first.
func (s *solver) received(d int) []way {
	s.ways = s.ways[:0]
	b := s.n.Devices[d].BGP
	for k := range s.n.Tables[d].Sessions {
		e := &s.n.Tables[d].Sessions[k]
		if !s.carries(e) || !s.best[e.Device].known || s.suppressed(e.Device) {
			continue
		}
		before := s.best[e.Device].path
		p := &path{as: b.Neighbours[k].AS, length: 1, before: before}
		if before != nil {
			p.length += before.length
		}
		if p.count(b.AS) <= b.Neighbours[k].AllowASIn {
			s.ways = append(s.ways, way{k, p})
		}
	}
	slices.SortFunc(s.ways, func(x, y way) int {
		return cmp.Or(cmp.Compare(x.path.length, y.path.length), s.id(d, x).Compare(s.id(d, y)),
			b.Neighbours[x.session].Address.Compare(b.Neighbours[y.session].Address))
	})
	return s.ways
}

// id is the router identifier of the neighbour that told a way.
func (s *solver) id(d int, w way) netip.Addr {
	return s.n.Devices[s.n.Tables[d].Sessions[w.session].Device].BGP.RouterID
}

// suppressed reports whether a device has the prefix inside an aggregate that it advertises
// instead.
func (s *solver) suppressed(d int) bool {
	b := s.n.Devices[d].BGP
	for _, a := range b.Aggregates {
		if a.SummaryOnly && inside(a.Prefix, s.prefix) {
			return true
		}
	}
	return false
}

// inside reports whether a prefix is a longer one within another.
func inside(outer, inner netip.Prefix) bool {
	return outer.Bits() < inner.Bits() && outer.Contains(inner.Addr())
}

// keep writes the routes to the prefix into the tables, and tells aggregates.
func (s *solver) keep() {
	for i := range s.aggregates {
		if a := &s.aggregates[i]; inside(a.prefix, s.prefix) && s.best[a.device].known {
			a.held = true
		}
	}
	for d := range s.n.Tables {
		if s.best[d].known && (s.watched == nil || s.watched(d)) {
			s.n.Tables[d].Routes = append(s.n.Tables[d].Routes, s.route(d))
		}
	}
}

// route is what a device knows of the prefix.
func (s *solver) route(d int) Route {
	b := s.n.Devices[d].BGP
	r := Route{Prefix: s.prefix, Aggregate: s.origin[d] == summary, Suppressed: s.suppressed(d)}
	if s.origin[d] != learned {
		r.Paths = append(r.Paths, Path{Session: -1, Shares: true})
	}
	for i, w := range s.received(d) {
		p := Path{Session: w.session, NextHop: b.Neighbours[w.session].Address, ASs: w.path.list()}
		p.Shares = s.origin[d] == learned && i < b.MaximumPaths && (alike(w.path, s.ways[0].path) ||
			b.Relax && w.path.length == s.ways[0].path.length)
		r.Paths = append(r.Paths, p)
	}
	return r
}
