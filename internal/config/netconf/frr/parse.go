package frr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	d *netconf.Device // of Parsed

	interfaces map[string]*netconf.Interface // by their Linux names
	order      []string                      // of those
	at         *netconf.Interface            // the block that is read

	traditional bool // FRR's defaults are those of the Internet
	noPolicy    bool // sessions need none
	silent4     bool // IPv4 neighbours carry nothing until they are activated
	timers      bool
	neighbours  map[string]*peer // by address, interface, or name of a group
	sessions    []*peer          // in order, groups as well
	paths       [2]int           // by family, 0: not said
	inner       [2]int           // of those inside the AS
	profiles    map[string]*netconf.BFD
	// Where profiles and groups are said, and which groups ranges of addresses are of.
	profileLines map[string]*lines.Line
	listens      map[string]bool
	profile      *netconf.BFD // the block that is read
	profileSet   *netconf.BFD // whose interval has been given
	bridge       bridge
	linux        bool        // the file of its interfaces is here
	allVNIs      *lines.Line // that advertises them
	ends         []*end      // of VXLANs, in order
	end          *end        // the block that is read
}

// Parse reads the files of a device, in any order.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	d := &netconf.Device{}
	r := &reader{d: d, Parsed: netconf.Parsed{Device: d, Places: map[string]netconf.Place{}},
		interfaces: map[string]*netconf.Interface{},
		neighbours: map[string]*peer{}, profiles: map[string]*netconf.BFD{},
		profileLines: map[string]*lines.Line{}, listens: map[string]bool{}}
	r.Names, r.Defaults = map[string]string{}, defaults
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Name, "daemons"):
			lines.Read(&r.Parsed, f.Name, f.Text, "#", daemons, r)
		case strings.HasSuffix(f.Name, "interfaces"):
			r.linux = true
			lines.Read(&r.Parsed, f.Name, f.Text, "#", ifupdown, r)
		case ifaces.Match(f.Text): // one text of both, as collectors of configurations write it
			r.linux = true
			lines.Read(&r.Parsed, f.Name, f.Text, "!#", both, r)
		default:
			lines.Read(&r.Parsed, f.Name, f.Text, "!#", top, r)
		}
	}
	r.finish()
	r.loose()
	r.d.Sort()
	return &r.Parsed
}

// A peer is a neighbour with what is said of it elsewhere, or a group of some.
type peer struct {
	*netconf.Neighbour
	name    string
	line    *lines.Line // the first that names it
	isGroup bool
	group   string
	active  [2]bool // in the families of IPv4 and IPv6
	silent  [2]bool
	watched bool
	profile string // of BFD
	source  string // the interface whose address is its own
	auto    bool   // its AS is any
	policy  bool   // something says what it takes or gives
	other   bool   // active in a family that is in no model
}

// inherit takes what a neighbour does not say itself from its group; false: there is none of the name.
func (r *reader) inherit(s *peer) bool {
	if s.group == "" {
		return true
	}
	g := r.neighbours[s.group]
	if g == nil || !g.isGroup {
		return false
	}
	s.AS, s.Hops, s.AllowASIn = cmp.Or(s.AS, g.AS), cmp.Or(s.Hops, g.Hops), cmp.Or(s.AllowASIn, g.AllowASIn)
	s.Description, s.profile, s.source = cmp.Or(s.Description, g.Description), cmp.Or(s.profile, g.profile), cmp.Or(s.source, g.source)
	s.EVPN, s.Client, s.NextHopSelf = s.EVPN || g.EVPN, s.Client || g.Client, s.NextHopSelf || g.NextHopSelf
	s.watched, s.Down = s.watched || g.watched, s.Down || g.Down
	s.policy, s.other = s.policy || g.policy, s.other || g.other
	if s.AS == 0 && !s.Internal && !s.External {
		s.auto = s.auto || g.auto
		s.External, s.Internal = g.External, g.Internal
	}
	if !s.Source.IsValid() {
		s.Source = g.Source
	}
	for k := range g.active {
		s.active[k] = s.active[k] || g.active[k] && !s.silent[k]
	}
	return true
}

// say remembers where a thing is said first.
func (r *reader) say(l *lines.Line, what string) {
	if _, known := r.Places[what]; !known && l != nil {
		r.Places[what] = netconf.Place{File: l.File, Line: int(l.Number)}
	}
}

// late adds a problem about a thing that stands somewhere above.
func (r *reader) late(what, message string) {
	p := r.Places[what]
	r.Problems = append(r.Problems, located.Problem{File: p.File, Line: p.Line, Column: 1, Width: 1,
		Message: what + ": " + message})
}

// port is the interface that is called so on Linux, new or known; nil if none can be.
func (r *reader) port(name string, l *lines.Line) *netconf.Interface {
	if i := r.interfaces[name]; i != nil {
		return i
	}
	i, ok := named(name)
	if !ok {
		return nil
	}
	if i.Name != name && i.Kind == netconf.Physical {
		r.Names[i.Name] = name
	}
	r.interfaces[name] = &i
	r.order = append(r.order, name)
	r.say(l, "interface "+i.Name)
	return &i
}

// missing is late for what is not said.
func (r *reader) missing(what, message string) {
	r.Missing(netconf.AboutRouting, r.Places[what], "", "%s: %s", what, message)
}

// PortName is that of the port whose block is read.
func (r *reader) PortName() string {
	if r.at == nil {
		return ""
	}
	return r.at.Name
}

func errf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// finish checks what stands in several places, and puts the device together.
func (r *reader) finish() {
	for _, name := range r.order {
		r.d.Interfaces = append(r.d.Interfaces, *r.interfaces[name])
	}
	r.finishTunnels()
	r.finishBridge()
	b := r.d.BGP
	if b == nil {
		return
	}
	for _, s := range r.sessions {
		if !s.isGroup && !r.inherit(s) {
			r.missing("neighbour "+s.Neighbour.Name(), "no peer group "+located.Shown(s.group))
		}
	}
	if r.traditional && !r.noPolicy && slices.ContainsFunc(r.sessions, r.bare) {
		r.missing("bgp", "sessions take and give no routes without a policy, want no bgp ebgp-requires-policy")
	}
	if !r.timers {
		b.Keepalive, b.Hold = 3*unit.Second, 9*unit.Second
		if r.traditional {
			b.Keepalive, b.Hold = 60*unit.Second, 180*unit.Second
		}
	}
	r.finishPaths()
	r.finishInner()
	for _, s := range r.sessions {
		if s.isGroup {
			continue
		}
		r.finishPeer(s)
		b.Neighbours = append(b.Neighbours, *s.Neighbour)
	}
}

// bare reports whether a session to another AS has nothing that says what it takes or gives.
func (r *reader) bare(s *peer) bool {
	inside := s.Internal || s.AS == r.d.BGP.AS
	return !s.isGroup && !inside && !s.policy && !s.other
}

func (r *reader) finishPeer(s *peer) {
	b, n, what := r.d.BGP, s.Neighbour, "neighbour "+s.Neighbour.Name()
	k := 0
	if n.Address.Is6() || !n.Address.IsValid() { // between link-local addresses
		k = 1
	}
	carries := s.active[k] || k == 0 && !r.silent4 && !s.silent[0] || !n.Address.IsValid() && (s.active[0] || !r.silent4)
	both := n.EVPN && carries && (s.active[k] || s.group == "")
	switch {
	case n.AS == 0 && !n.External && !n.Internal && !s.auto:
		r.missing(what, "no remote-as")
	case n.AS != 0 && n.AS != b.AS && (n.Client || n.NextHopSelf):
		r.late(what, fmt.Sprintf("route-reflector-client and next-hop-self force outside AS %d, want neither", b.AS))
	case n.EVPN && n.NextHopSelf:
		r.late(what, "next-hop-self force on EVPN's routes, whose next hops are ends of tunnels")
	case n.Hops != 0 && n.AS == b.AS:
		r.late(what, fmt.Sprintf("ebgp-multihop inside AS %d", b.AS))
	case !n.EVPN && !carries && !s.other:
		r.missing(what, "not activated in the address family of its address: it carries no routes")
	}
	if both || n.EVPN && carries { // of both the routes of its address's family count
		n.EVPN = n.Source.IsValid() && !both
	}
	if s.source != "" {
		if i := r.interfaces[s.source]; i != nil {
			for _, a := range i.Addresses {
				if a.Addr().Is6() == n.Address.Is6() {
					n.Source = a.Addr()
				}
			}
		}
	}
	if !s.watched {
		return
	}
	n.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
	if f := r.profiles[s.profile]; f != nil {
		*n.BFD = *f
	} else if s.profile != "" {
		r.missing(what, "no BFD profile "+located.Shown(s.profile))
	}
}

// MostPaths is how many equal paths FRR takes at most, and where nothing is said, as Debian builds it.
const MostPaths = 256

// mostPathsBuilt is how many a bgpd may be built to take: SONiC's says 514.
const mostPathsBuilt = 999

// finishPaths joins what both families say of equal paths. A family without sessions says nothing.
func (r *reader) finishPaths() {
	speaks := [2]bool{}
	for _, s := range r.sessions {
		switch {
		case s.EVPN || s.isGroup:
		case s.Address.Is6():
			speaks[1] = true
		default:
			speaks[0] = true
		}
	}
	b := r.d.BGP
	for k, said := range r.paths {
		switch {
		case said == 0 && speaks[k]:
			said = MostPaths
		case said == 0:
			continue
		}
		b.MaximumPaths = max(b.MaximumPaths, said)
	}
	if b.MaximumPaths == 0 {
		b.MaximumPaths = MostPaths
	}
}

// finishInner asks of sessions inside the AS that paths are equal only where they were reflected as often, and as many
// as of others. Without that FRR shares packets with ways that go up and down again.
func (r *reader) finishInner() {
	b := r.d.BGP
	for k, family := range [2]string{"ipv4", "ipv6"} {
		has := slices.ContainsFunc(r.sessions, func(s *peer) bool {
			return !s.isGroup && s.Address.Is6() == (k == 1) && s.AS == b.AS && !s.EVPN && s.Client
		})
		if said := r.inner[k]; (has || said != 0) && said != b.MaximumPaths {
			r.late("bgp", fmt.Sprintf("%s inside AS %d: want maximum-paths ibgp %d equal-cluster-length", family,
				b.AS, b.MaximumPaths))
			r.Problems[len(r.Problems)-1].Warning = true
		}
	}
}
