package rib

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// A solver finds the routes to one prefix after another, long ones first: an aggregate needs to know
// what is inside it.
type solver struct {
	n          *Network
	watched    func(device int) bool
	aggregates []aggregate
	edges      [][]edge               // by device: its sessions that are up, of the kind at hand
	asks       map[netip.Prefix][]ask // sessions whose neighbour is behind a route
	reached    map[ask]bool
	order      []int32                // by device: where its router identifier stands among all
	origins    map[netip.Prefix][]int // devices that have it among their networks, and an interface in it

	// Of the prefix at hand:
	prefix     netip.Prefix
	origin     []origin // by device
	suppressed []bool   // by device: inside an aggregate that it advertises instead
	best       []choice // by device
	rounds     rounds
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

// An edge is a session that is up, as one end sees it.
type edge struct {
	far     int32 // device
	session int32 // its number here
	back    int32 // which of the far device's edges is its other end
	allow   int32 // how often the own AS may stand in a path
	six     bool
	inside  bool // both ends are in one AS
	client  bool // this end reflects to the other
	fed     bool // the other end reflects to this one
	self    bool // and tells itself as next hop
}

// A choice is the path of a device that it passes on, and what it tells its neighbours.
type choice struct {
	known bool
	at    *edge // that it came by; nil: the device's own
	via   netip.Addr
	path  *path

	outside, self, kept *path // as neighbours see it: in other ASs, in the same one with and without a new next hop
}

// rounds are scratch of flood.
type rounds struct {
	changed []int  // devices
	moved   []bool // by device: it is one of those
	told    []int  // devices that they tell something
	turn    []turn // by device
}

// A turn is what a device makes of a round.
type turn struct {
	told  bool
	anew  bool  // the way that it had has changed
	least int32 // ASs of the best, if there is one
	best  way
}

func (s *solver) solve() {
	s.edgesOf(false)
	s.ask()
	s.ranks()
	s.find()
	s.origin = make([]origin, len(s.n.Devices))
	s.best = make([]choice, len(s.n.Devices))
	s.suppressed = make([]bool, len(s.n.Devices))
	s.rounds.moved, s.rounds.turn = make([]bool, len(s.n.Devices)), make([]turn, len(s.n.Devices))
	for _, alike := range s.begin() {
		s.prefix = alike[0]
		if !s.flood() {
			continue
		}
		for _, s.prefix = range alike {
			s.keep()
		}
	}
	for i := range s.n.Tables {
		slices.SortFunc(s.n.Tables[i].Routes, func(a, b Route) int { return ComparePrefixes(a.Prefix, b.Prefix) })
	}
	s.overlay()
}

// edgesOf finds the sessions that are up of one kind: those of unicast routes, or of EVPN's.
func (s *solver) edgesOf(evpn bool) {
	s.edges = make([][]edge, len(s.n.Devices))
	for i := range s.n.Tables {
		s.edges[i] = s.up(i, evpn)
	}
	s.joinEdges()
}

// up lists the sessions of a device that are up.
func (s *solver) up(device int, evpn bool) (all []edge) {
	b := s.n.Devices[device].BGP
	for k := range s.n.Tables[device].Sessions {
		e := &s.n.Tables[device].Sessions[k]
		if e.Why != "" || b.Neighbours[k].EVPN != evpn {
			continue
		}
		nb, back := &b.Neighbours[k], &s.n.Devices[e.Device].BGP.Neighbours[e.back]
		all = append(all, edge{far: int32(e.Device), session: int32(k), allow: int32(nb.AllowASIn), six: e.Neighbour.Is6(),
			inside: nb.AS == b.AS, client: nb.Client, fed: back.Client, self: back.NextHopSelf})
	}
	return all
}

// joinEdges writes down where the other end of each edge is.
func (s *solver) joinEdges() {
	at := make([][]int32, len(s.edges)) // by device and session
	for d := range s.edges {
		at[d] = make([]int32, len(s.n.Tables[d].Sessions))
		for k, e := range s.edges[d] {
			at[d][e.session] = int32(k)
		}
	}
	for d := range s.edges {
		for k := range s.edges[d] {
			e := &s.edges[d][k]
			e.back = at[e.far][s.n.Tables[d].Sessions[e.session].back]
		}
	}
}

// find lists who has each network.
func (s *solver) find() {
	s.origins = map[netip.Prefix][]int{}
	for i := range s.n.Devices {
		b := s.n.Devices[i].BGP
		if b == nil {
			continue
		}
		has := map[netip.Prefix]bool{}
		for _, c := range s.n.Tables[i].Connected {
			has[c.Prefix] = true
		}
		for _, p := range b.Networks {
			if has[p] && !slices.Contains(s.origins[p], i) {
				s.origins[p] = append(s.origins[p], i)
			}
		}
	}
}

// begin lists what devices may originate, long prefixes first; those together that go the same ways: the same
// devices have them, and no aggregate has to do with them.
func (s *solver) begin() (sets [][]netip.Prefix) {
	var prefixes []netip.Prefix
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
	known := map[string]int{}
	for _, p := range slices.Compact(prefixes) {
		if slices.ContainsFunc(s.aggregates, func(a aggregate) bool { return a.prefix == p || inside(a.prefix, p) }) {
			sets = append(sets, []netip.Prefix{p})
			continue
		}
		key := fmt.Sprint(s.origins[p], p.Addr().Is6())
		at, is := known[key]
		if !is {
			at, known[key] = len(sets), len(sets)
			sets = append(sets, nil)
		}
		sets[at] = append(sets[at], p)
	}
	return sets
}

// originate marks the devices that have the prefix of their own: networks that they are connected to, and aggregates
// with something inside; and those that suppress it.
func (s *solver) originate() (changed []int) {
	clear(s.origin)
	clear(s.suppressed)
	for _, i := range s.origins[s.prefix] {
		s.origin[i] = network
		changed = append(changed, i)
	}
	for _, a := range s.aggregates {
		if a.prefix == s.prefix && a.held && s.origin[a.device] == learned {
			s.origin[a.device] = summary
			changed = append(changed, a.device)
		}
		if a.only && inside(a.prefix, s.prefix) {
			s.suppressed[a.device] = true
		}
	}
	return changed
}

// flood passes the prefix from neighbour to neighbour, round by round, until nobody finds a better
// path; false if no device has it.
func (s *solver) flood() bool {
	clear(s.best)
	r := &s.rounds
	r.changed = s.originate()
	for _, d := range r.changed {
		s.choose(d, choice{known: true})
	}
	if len(r.changed) == 0 {
		return false
	}
	for n := 0; len(r.changed) > 0; n++ {
		if n > 2*len(s.n.Devices)+2 {
			panic("rib: shortest paths do not settle")
		}
		s.round()
	}
	return true
}

// round lets those choose anew whose neighbours have changed, all at once: the order of devices does not
// matter.
func (s *solver) round() {
	r, six := &s.rounds, s.prefix.Addr().Is6()
	for _, d := range r.changed {
		r.moved[d] = true
	}
	r.told = r.told[:0]
	for _, d := range r.changed {
		far := s.reach(&s.best[d])
		for k := range s.edges[d] {
			e := &s.edges[d][k]
			if t := &r.turn[e.far]; t.told && (t.anew || !e.inside && t.best.at != nil && t.least < far) {
				continue // most are
			}
			if e.six == six && s.origin[e.far] == learned {
				s.hear(int(e.far), &s.edges[e.far][e.back])
			}
		}
	}
	for _, d := range r.changed {
		r.moved[d] = false
	}
	r.changed = r.changed[:0]
	for _, d := range r.told {
		t, old := &r.turn[d], &s.best[d]
		if t.anew {
			t.best = s.bestOf(d)
		}
		if w := &t.best; w.at != old.at || !alike(w.path, old.path) {
			r.changed = append(r.changed, d)
		}
	}
	for _, d := range r.changed {
		w := r.turn[d].best
		c := choice{known: w.at != nil, at: w.at, path: w.path}
		if c.known {
			c.via = s.via(d, &w)
		}
		s.choose(d, c)
	}
	for _, d := range r.told {
		r.turn[d] = turn{}
	}
}

// hear lets a device hold what one neighbour says against the best that it has.
func (s *solver) hear(d int, e *edge) {
	t, had := &s.rounds.turn[d], &s.best[d]
	if !t.told {
		s.rounds.told = append(s.rounds.told, d)
		*t = turn{told: true, anew: had.at != nil && s.rounds.moved[had.at.far], best: way{had.at, had.path}}
	} else if t.anew {
		return
	}
	if p := s.tells(e); p != nil {
		s.prefer(d, &t.best, way{e, p})
		t.least = int32(t.best.path.ases())
	}
}

// prefer takes a way for the best, if it is better and device d does not refuse it.
func (s *solver) prefer(d int, best *way, w way) {
	if (best.at == nil || s.compare(d, &w, best) < 0) && s.takes(d, &w) {
		*best = w
	}
}

// reach is how many ASs other ASs see in a choice.
func (s *solver) reach(c *choice) int32 {
	if !c.known {
		return 0
	}
	return int32(c.outside.length)
}

// choose makes a choice a device's own, and writes down what it tells of it.
func (s *solver) choose(device int, c choice) {
	if c.known {
		b := s.n.Devices[device].BGP
		c.outside = &path{as: b.AS, length: 1 + c.path.ases(), before: c.path}
		id := b.RouterID
		if c.path != nil && c.path.as == 0 {
			id = c.path.originator
		}
		inner := path{length: c.path.ases(), originator: id, before: c.path}
		if c.at != nil && c.at.inside {
			inner.reflector, inner.clusters = b.RouterID, c.path.reflections()+1
		}
		self, kept := inner, inner
		kept.via = c.via
		c.self, c.kept = &self, &kept
	}
	s.best[device] = c
}

// tells is the path that the far end of a session tells the near one; nil: none.
func (s *solver) tells(e *edge) *path {
	c := &s.best[e.far]
	if !c.known || e.six != s.prefix.Addr().Is6() || s.suppressed[e.far] {
		return nil
	}
	switch {
	case !e.inside:
		return c.outside
	case c.at != nil && c.at.inside && !c.at.client && !e.fed:
		return nil // only a reflector passes on what it heard inside (RFC 4271, section 9.2; RFC 4456, section 6)
	case e.self:
		return c.self
	}
	return c.kept
}

// A way is a path that a device has been told.
type way struct {
	at   *edge
	path *path
}

// via is the next hop of a way.
func (s *solver) via(d int, w *way) netip.Addr {
	if w.at.inside && w.path.via.IsValid() {
		return w.path.via
	}
	return s.n.Devices[d].BGP.Neighbours[w.at.session].Address
}

// takes reports whether device d does not refuse a way: it has been there, or cannot reach the next hop.
func (s *solver) takes(d int, w *way) bool {
	b, p := s.n.Devices[d].BGP, w.path
	if !w.at.inside {
		return p.count(b.AS) <= int(w.at.allow)
	}
	return p.originator != b.RouterID && !p.reflected(b.RouterID) && s.reaches(d, s.via(d, w))
}

// reaches reports whether a next hop is in a subnet of the device. There is no other protocol that could know it.
func (s *solver) reaches(d int, hop netip.Addr) bool {
	for i := range s.n.Tables[d].Connected {
		if s.n.Tables[d].Connected[i].Prefix.Contains(hop) {
			return true
		}
	}
	return false
}

// compare orders ways by which is better.
func (s *solver) compare(d int, x, y *way) int {
	if c := cmp.Or(cmp.Compare(x.path.length, y.path.length), rank(x)-rank(y),
		cmp.Compare(x.path.reflections(), y.path.reflections())); c != 0 {
		return c
	}
	if c := s.compareIDs(x, y); c != 0 {
		return c
	}
	b := s.n.Devices[d].BGP
	return b.Neighbours[x.at.session].Address.Compare(b.Neighbours[y.at.session].Address)
}

// rank puts what comes from other ASs before what is heard inside.
func rank(w *way) int {
	if w.at.inside {
		return 1
	}
	return 0
}

// compareIDs orders ways by the router identifier of who told them or, inside an AS, of who brought them in.
func (s *solver) compareIDs(x, y *way) int {
	if x.at.inside {
		return x.path.originator.Compare(y.path.originator)
	}
	return cmp.Compare(s.order[x.at.far], s.order[y.at.far])
}

// bestOf is the best of what a device is told and takes.
func (s *solver) bestOf(d int) (best way) {
	for k := range s.edges[d] {
		if e := &s.edges[d][k]; s.tells(e) != nil {
			s.prefer(d, &best, way{e, s.tells(e)})
		}
	}
	return best
}

// received lists the paths that a device is told and takes, the best first.
func (s *solver) received(d int) (ways []way) {
	for k := range s.edges[d] {
		e := &s.edges[d][k]
		if w := (way{e, s.tells(e)}); w.path != nil && s.takes(d, &w) {
			ways = append(ways, w)
		}
	}
	slices.SortFunc(ways, func(x, y way) int { return s.compare(d, &x, &y) })
	return ways
}

// ranks sets order.
func (s *solver) ranks() {
	id := func(i int) netip.Addr {
		if b := s.n.Devices[i].BGP; b != nil {
			return b.RouterID
		}
		return netip.Addr{}
	}
	all := make([]int, len(s.n.Devices))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(i, j int) int { return id(i).Compare(id(j)) })
	s.order = make([]int32, len(all))
	for k, i := range all {
		s.order[i] = int32(k)
		if k > 0 && id(i) == id(all[k-1]) {
			s.order[i] = s.order[all[k-1]]
		}
	}
}

// inside reports whether a prefix is a longer one within another.
func inside(outer, inner netip.Prefix) bool {
	return outer.Bits() < inner.Bits() && outer.Contains(inner.Addr())
}

// keep writes the routes to the prefix into the tables, and tells aggregates.
func (s *solver) keep() {
	for i := range s.aggregates {
		if a := &s.aggregates[i]; s.best[a.device].known && inside(a.prefix, s.prefix) {
			a.held = true
		}
	}
	for _, of := range s.asks[s.prefix] {
		s.reached[of] = s.best[of.device].known
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
	r := Route{Prefix: s.prefix, Aggregate: s.origin[d] == summary, Suppressed: s.suppressed[d]}
	if s.origin[d] != learned {
		r.Paths = append(r.Paths, Path{Session: -1, Shares: true})
	}
	ways := s.received(d)
	for i := range ways {
		w, first := &ways[i], &ways[0]
		p := Path{Session: int(w.at.session), NextHop: s.via(d, w), ASs: w.path.list()}
		if w.at.inside {
			p.Originator, p.Clusters = w.path.originator, w.path.reflectors()
		}
		p.Shares = s.origin[d] == learned && i < b.MaximumPaths && rank(w) == rank(first) &&
			w.path.reflections() == first.path.reflections() &&
			(sameASs(w.path, first.path) || b.Relax && w.path.length == first.path.length)
		r.Paths = append(r.Paths, p)
	}
	return r
}
