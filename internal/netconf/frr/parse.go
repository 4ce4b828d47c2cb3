package frr

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
	"railyard/internal/unit"
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
	neighbours  map[netip.Addr]*netconf.Neighbour
	sessions    []netip.Addr // in order
	active      map[netip.Addr]bool
	paths       [2]int // by family, 0: not said
	inner       [2]int // of those inside the AS
	bfd         map[netip.Addr]string
	profiles    map[string]*netconf.BFD
	profile     *netconf.BFD // the block that is read
	profileSet  *netconf.BFD // whose interval has been given
	bridge      bridge
	allVNIs     *lines.Line // that advertises them
	ends        []*end      // of VXLANs, in order
	end         *end        // the block that is read
}

// Parse reads the files of a device, in any order.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	d := &netconf.Device{}
	r := &reader{d: d, Parsed: netconf.Parsed{Device: d, Places: map[string]netconf.Place{}},
		interfaces: map[string]*netconf.Interface{},
		neighbours: map[netip.Addr]*netconf.Neighbour{}, active: map[netip.Addr]bool{}, bfd: map[netip.Addr]string{},
		profiles: map[string]*netconf.BFD{}}
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Name, "daemons"):
			lines.Read(&r.Parsed, f.Name, f.Text, "#", daemons, r)
		case strings.HasSuffix(f.Name, "interfaces"):
			lines.Read(&r.Parsed, f.Name, f.Text, "#", ifupdown, r)
		default:
			lines.Read(&r.Parsed, f.Name, f.Text, "!#", top, r)
		}
	}
	r.finish()
	r.d.Sort()
	return &r.Parsed
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
	r.Problems = append(r.Problems, located.Problem{File: p.File, Line: p.Line, Column: 1, Width: 1, Message: what + ": " + message})
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
	r.interfaces[name] = &i
	r.order = append(r.order, name)
	r.say(l, "interface "+i.Name)
	return &i
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
	if r.traditional && !r.noPolicy {
		r.late("bgp", "sessions take and give no routes without a policy, want no bgp ebgp-requires-policy")
	}
	if !r.timers {
		b.Keepalive, b.Hold = 3*unit.Second, 9*unit.Second
		if r.traditional {
			b.Keepalive, b.Hold = 60*unit.Second, 180*unit.Second
		}
	}
	r.finishPaths()
	r.finishInner()
	for _, a := range r.sessions {
		n, what := r.neighbours[a], "neighbour "+a.String()
		switch {
		case n.AS == 0:
			r.late(what, "no remote-as")
		case n.AS != b.AS && (n.Client || n.NextHopSelf):
			r.late(what, fmt.Sprintf("route-reflector-client and next-hop-self force outside AS %d, want neither", b.AS))
		case n.EVPN && r.active[a], n.EVPN && !r.silent4 && a.Is4():
			r.late(what, "carries EVPN and the routes of its address's family, want a session for each")
		case n.EVPN && n.NextHopSelf:
			r.late(what, "next-hop-self force on EVPN's routes, whose next hops are ends of tunnels")
		case n.Hops != 0 && n.AS == b.AS:
			r.late(what, fmt.Sprintf("ebgp-multihop inside AS %d", b.AS))
		case !n.EVPN && !r.active[a] && (a.Is6() || r.silent4):
			r.late(what, "not activated in the address family of its address: it carries no routes")
		}
		if name, watched := r.bfd[a]; watched {
			n.BFD = &netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 3}
			if f := r.profiles[name]; f != nil {
				*n.BFD = *f
			} else if name != "" {
				r.late(what, "no BFD profile "+located.Shown(name))
			}
		}
		b.Neighbours = append(b.Neighbours, *n)
	}
}

// MostPaths is how many equal paths FRR takes at most, and where nothing is said, as Debian builds it.
const MostPaths = 256

// finishPaths joins what both families say of equal paths. A family without sessions says nothing.
func (r *reader) finishPaths() {
	speaks := [2]bool{}
	for _, a := range r.sessions {
		switch {
		case r.neighbours[a].EVPN:
		case a.Is6():
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
		if b.MaximumPaths != 0 && b.MaximumPaths != said {
			r.late("bgp", fmt.Sprintf("maximum-paths %d for one family and %d for the other, want one number", b.MaximumPaths,
				said))
		}
		b.MaximumPaths = said
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
		has := slices.ContainsFunc(r.sessions, func(a netip.Addr) bool {
			return a.Is6() == (k == 1) && r.neighbours[a].AS == b.AS && !r.neighbours[a].EVPN
		})
		if said := r.inner[k]; (has || said != 0) && said != b.MaximumPaths {
			r.late("bgp", fmt.Sprintf("%s inside AS %d: want maximum-paths ibgp %d equal-cluster-length", family, b.AS,
				b.MaximumPaths))
		}
	}
}
