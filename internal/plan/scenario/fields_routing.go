package scenario

import (
	"net/netip"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Routing is how switches learn routes. It says what is configured and how long a failure takes to
// be known; no packet of a run changes by it otherwise.
type Routing struct {
	Protocol      string // see RoutingProtocols; empty where links' costs differ by design
	BFD           bool
	BFDInterval   unit.Duration
	BFDMultiplier int
	Hold          unit.Duration
	Update        unit.Duration // from the detection on, until all switches have changed their tables
	SpineAS       string        // see SpineASs
	ASBase        int
	Summaries     bool
}

// Addresses is what addresses are taken from.
type Addresses struct {
	Hosts, Links, Loopbacks    string // prefixes, as text
	IPv6                       bool
	Hosts6, Links6, Loopbacks6 string
	RailPrefix                 Opt[int] // not set: a switch's block is split evenly
}

// The choices of fabric.routing.
var (
	RoutingProtocols = []Choice{
		{"ebgp", "a BGP session on each link between switches, AS numbers as in RFC 7938"},
		{"ibgp", "one AS: each tier reflects routes to the one below it (RFC 4456)"},
		{"evpn", "ebgp, and EVPN sessions between loopbacks for what VXLAN carries: " +
			"a rail is one subnet over all leaves, each its gateway"},
		{"none", "addresses without sessions"},
	}
	SpineASs = []Choice{
		{"shared", "spines of a pod and plane have one AS, super-spines of a plane one"},
		{"unique", "every spine and super-spine has its own"},
	}
)

// staticConvergence is the default of faults[].convergence where there are no sessions to ask.
const staticConvergence = 600 * unit.Millisecond

// Speaks reports whether switches have sessions.
func (r *Routing) Speaks() bool { return r.Protocol != "" && r.Protocol != "none" }

// Overlay reports whether frames have the headers of an overlay between leaves.
func (f *Fabric) Overlay() bool { return f.Encapsulation == "vxlan" }

// AsScheduled reports whether events of an instant happen in the order in which they were scheduled.
func (f *Fabric) AsScheduled() bool { return f.Order == "scheduled" }

// Convergence is how long after a link goes down or comes up all switches route without it, or
// with it: the default of faults[].convergence.
func (r *Routing) Convergence() unit.Duration {
	switch {
	case !r.Speaks():
		return staticConvergence
	case r.BFD:
		return r.BFDInterval*unit.Duration(r.BFDMultiplier) + r.Update
	}
	return r.Hold + r.Update
}

// Conditions under which a key of routing has a meaning.
var (
	byCost = where(func(s *Scenario) string {
		if s.Fabric.Design == topo.DesignDragonfly {
			return "fabric.design is dragonfly: its paths follow the costs of links, and BGP counts networks"
		}
		return ""
	})
	speaking = where(func(s *Scenario) string {
		if s.Fabric.Routing.Protocol == "none" {
			return "fabric.routing.protocol is none"
		}
		return byCost(s)
	})
	withBFD = where(func(s *Scenario) string {
		if text := speaking(s); text != "" || s.Fabric.Routing.BFD {
			return text
		}
		return "fabric.routing.bfd is false"
	})
	numbering = where(func(s *Scenario) string {
		if text := speaking(s); text != "" || s.Fabric.Routing.Protocol != "ibgp" {
			return text
		}
		return "fabric.routing.protocol is ibgp: all switches have one AS"
	})
	with6 = where(func(s *Scenario) string {
		if !s.Fabric.Addresses.IPv6 {
			return "fabric.addresses.ipv6 is false"
		}
		return ""
	})
)

// updateOf is the default of fabric.routing.update.
func updateOf(_ *decoder, b any, _ string) string {
	if b.(*Scenario).Fabric.Routing.Protocol == "evpn" {
		return "600ms"
	}
	return "300ms"
}

// routingFields: names and addresses, and how switches learn routes.
var routingFields = []*Field{
	{
		Path: "fabric.routing",
		Meaning: "how switches learn routes: it changes names and addresses (`railyard show inventory`), configuration, and how " +
			"long a failure takes to be known (faults[].convergence), and which paths are left (spine_as); nothing else in a run",
	},
	{
		Path: "fabric.routing.protocol", Default: "ebgp", Choices: RoutingProtocols, applies: byCost,
		value: in(choice, func(s *Scenario) *string { return &s.Fabric.Routing.Protocol }),
		Meaning: "what switches speak; a run takes the shortest paths that it leaves, before and after faults: with ibgp those " +
			"that go up and then down, with ebgp and evpn as spine_as says, with none any",
		Also: []string{"bgp", "underlay"},
	},
	{
		Path: "fabric.routing.bfd", Default: "true", applies: speaking,
		value:   in(boolean, func(s *Scenario) *bool { return &s.Fabric.Routing.BFD }),
		Meaning: "neighbours watch each other (RFC 5880), so that a dead one is noticed before its hold time is over",
	},
	{
		Path: "fabric.routing.bfd_interval", Default: "100ms", Min: "10ms", Max: "60s", applies: withBFD,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.Routing.BFDInterval }),
		Meaning: "time between two packets of BFD, whole milliseconds",
		Source:  "assumed: usual where hardware sends them; software takes 300ms and more",
	},
	{
		Path: "fabric.routing.bfd_multiplier", Default: "3", Min: "2", Max: "255", applies: withBFD,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Routing.BFDMultiplier }),
		Meaning: "intervals without a packet after which a neighbour is dead",
		Source:  "RFC 5880 names the parameter; 3 is usual",
	},
	{
		Path: "fabric.routing.hold", Default: "9s", Min: "3s", Max: "65535s", applies: speaking,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.Routing.Hold }),
		Meaning: "BGP's hold time, whole seconds; a keepalive is sent three times in it",
		Source:  "FRR's data-centre profile; RFC 4271 suggests 90s",
	},
	{
		Path: "fabric.routing.update", Min: "0ns", Max: "1h", Rule: "300ms; 600ms with evpn, where sessions follow the " +
			"routes below them", applies: speaking, derive: updateOf,
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Fabric.Routing.Update }),
		Meaning: "time after a failure is noticed until all switches have heard and their tables are in hardware",
		Source:  assumed,
	},
	{
		Path: "fabric.routing.spine_as", Default: "shared", Choices: SpineASs, applies: numbering,
		value: in(choice, func(s *Scenario) *string { return &s.Fabric.Routing.SpineAS }),
		Meaning: "AS numbers above the leaves, which have one each. A switch refuses a route that has its own, so with shared no way " +
			"comes by two spines of a pod, or two super-spines",
		Source: "RFC 7938, section 5.2.1",
	},
	{
		Path: "fabric.routing.as_base", Default: "4200000000", Min: "1", Max: "4294967294", applies: speaking,
		value:   in(whole, func(s *Scenario) *int { return &s.Fabric.Routing.ASBase }),
		Meaning: "the lowest AS number: super-spines, spines and leaves count up from it",
		Source:  "RFC 6996: 4200000000 to 4294967294 and 64512 to 65534 are private",
		Also:    []string{"asn", "as"},
	},
	{
		Path: "fabric.routing.summaries", Default: "true", applies: speaking,
		value:   in(boolean, func(s *Scenario) *bool { return &s.Fabric.Routing.Summaries }),
		Meaning: "a switch with several rails advertises one prefix that holds their subnets, instead of them",
		Also:    []string{"aggregate", "summary"},
	},
	{Path: "fabric.addresses", Meaning: "the prefixes that addresses are taken from; a run knows none of them"},
	prefixField("hosts", "10.0.0.0/9", "rails: a block for each switch with NICs, in it a subnet for each rail", "RFC 1918",
		nil, func(a *Addresses) *string { return &a.Hosts }),
	prefixField("links", "172.16.0.0/12", "links between switches, two addresses each (RFC 3021)", "RFC 1918",
		nil, func(a *Addresses) *string { return &a.Links }),
	prefixField("loopbacks", "10.255.0.0/16", "loopbacks of switches", "RFC 1918",
		nil, func(a *Addresses) *string { return &a.Loopbacks }),
	{
		Path: "fabric.addresses.rail_prefix", Default: "auto", Word: "auto", Min: "8", Max: "30",
		value: in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Fabric.Addresses.RailPrefix }),
		Meaning: "length of the subnet of a rail on a switch; auto: a /24 for each switch, or more, split evenly over its " +
			"rails",
		Also: []string{"subnet", "prefix_length"},
	},
	{
		Path: "fabric.addresses.ipv6", Default: "false",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Fabric.Addresses.IPv6 }),
		Meaning: "every interface has an IPv6 address as well, and every session a second one",
	},
	prefixField("hosts6", "fd00::/32", "rails, a /64 each", "RFC 4193, with a global id of 0",
		with6, func(a *Addresses) *string { return &a.Hosts6 }),
	prefixField("links6", "fd00:1::/64", "links between switches, a /127 each (RFC 6164)", "RFC 4193, with a global id of 0",
		with6, func(a *Addresses) *string { return &a.Links6 }),
	prefixField("loopbacks6", "fd00:2::/64", "loopbacks of switches", "RFC 4193, with a global id of 0",
		with6, func(a *Addresses) *string { return &a.Loopbacks6 }),
}

// Prefixes as regular expressions, nearly.
const (
	octet          = `(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])`
	prefix4Pattern = `^(` + octet + `\.){3}` + octet + `/(3[0-2]|[12][0-9]|[1-9])$`
	prefix6Pattern = `^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*/(6[0-4]|[1-5][0-9]|[1-9])$`
)

// prefixField is the field of one pool of addresses.
func prefixField(name, value, what, source string, applies func(any) string, at func(*Addresses) *string) *Field {
	f := &Field{
		Path: "fabric.addresses." + name, Default: value, check: checkPrefix4, pattern: prefix4Pattern,
		example: "a prefix such as " + value, applies: applies, Source: source,
		value:   in(text, func(s *Scenario) *string { return at(&s.Fabric.Addresses) }),
		Meaning: "addresses of " + what,
	}
	if netip.MustParsePrefix(value).Addr().Is6() {
		f.check, f.pattern = checkPrefix6, prefix6Pattern
	}
	return f
}

func checkPrefix4(text string) string {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || !p.Addr().Is4() || p.Bits() < 1:
		return "want an IPv4 prefix such as 10.0.0.0/9"
	case p != p.Masked():
		return "has bits set beyond its length, want " + p.Masked().String()
	}
	return ""
}

func checkPrefix6(text string) string {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || !p.Addr().Is6() || p.Addr().Is4In6() || p.Bits() < 1 || p.Bits() > 64:
		return "want an IPv6 prefix of at most 64 bits such as fd00::/32"
	case p != p.Masked():
		return "has bits set beyond its length, want " + p.Masked().String()
	}
	return ""
}

// checkRouting reports times that sessions cannot be told.
func (d *decoder) checkRouting(s *Scenario) {
	r := &s.Fabric.Routing
	if r.Speaks() && r.BFD && d.ok("fabric.routing.bfd_interval") && r.BFDInterval%unit.Millisecond != 0 {
		d.problem("fabric.routing.bfd_interval", r.BFDInterval.String()+", want whole milliseconds", "")
	}
	if r.Speaks() && d.ok("fabric.routing.hold") && r.Hold%unit.Second != 0 {
		d.problem("fabric.routing.hold", r.Hold.String()+", want whole seconds", "")
	}
}
