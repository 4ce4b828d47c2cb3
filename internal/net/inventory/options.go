package inventory

import (
	"errors"
	"net/netip"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// Protocol says how switches learn the subnets of others.
type Protocol string

// The protocols. None of them changes a packet of a run: they change the inventory, which ways are left, and how long it
// takes until a failure is known everywhere.
const (
	None Protocol = "none" // addresses without sessions
	EBGP Protocol = "ebgp" // a session on each link, every switch's AS in the path (RFC 7938)
	IBGP Protocol = "ibgp" // one AS; switches reflect to those below them (RFC 4456)
	EVPN Protocol = "evpn" // eBGP below, and sessions between loopbacks for what VXLAN carries (RFC 8365)
)

// Options are the choices that a graph leaves open.
type Options struct {
	Panel    func(topo.NodeID) Panel // of a switch
	MTU      unit.Bytes              // the largest frame, header and FCS included
	Pools    Pools
	IPv6     bool // each interface has an IPv6 address as well, and each session a second one
	RailBits int  // length of a rail's subnet; 0: a switch's block is split evenly over its rails
	Routing  Routing
}

// Pools are the prefixes that addresses are taken from.
type Pools struct {
	Hosts, Links, Loopbacks    netip.Prefix // IPv4
	Hosts6, Links6, Loopbacks6 netip.Prefix
}

// DefaultPools are those of the documents: private addresses (RFC 1918) and unique local ones (RFC
// 4193, whose global id a site draws; here it is 0).
var DefaultPools = Pools{
	Hosts:      netip.MustParsePrefix("10.0.0.0/9"),
	Links:      netip.MustParsePrefix("172.16.0.0/12"),
	Loopbacks:  netip.MustParsePrefix("10.255.0.0/16"),
	Hosts6:     netip.MustParsePrefix("fd00::/32"),
	Links6:     netip.MustParsePrefix("fd00:1::/64"),
	Loopbacks6: netip.MustParsePrefix("fd00:2::/64"),
}

// Routing is what sessions are like.
type Routing struct {
	Protocol  Protocol
	ASBase    uint32 // the lowest AS number
	UniqueAS  bool   // spines and super-spines have an AS each; else those of a pod and plane share one
	Summaries bool   // a switch with several rails advertises its block instead of their subnets
	BFD       *BFD   // nil: sessions notice a dead neighbour by Hold alone
	Hold      unit.Duration
}

// BFD is bidirectional forwarding detection (RFC 5880): a neighbour is dead when nothing came for so
// many intervals.
type BFD struct {
	Interval   unit.Duration
	Multiplier int
}

// Detection is how long a dead neighbour stays unnoticed.
func (r *Routing) Detection() unit.Duration {
	if r.BFD != nil {
		return r.BFD.Interval * unit.Duration(r.BFD.Multiplier)
	}
	return r.Hold
}

// A pool is one of Pools.
type pool struct {
	name   string
	prefix *netip.Prefix
}

// all lists the pools that are used.
func (p *Pools) all(ipv6 bool) []pool {
	all := []pool{{"Hosts", &p.Hosts}, {"Links", &p.Links}, {"Loopbacks", &p.Loopbacks}}
	if ipv6 {
		all = append(all, pool{"Hosts6", &p.Hosts6}, pool{"Links6", &p.Links6}, pool{"Loopbacks6", &p.Loopbacks6})
	}
	return all
}

// check refuses pools that have addresses in common.
func (p *Pools) check(ipv6 bool) (err error) {
	all := p.all(ipv6)
	for i, a := range all {
		for _, b := range all[:i] {
			if a.prefix.Overlaps(*b.prefix) {
				err = errors.Join(err, refuse(a.name, "%s and %s have addresses in common, want pools apart", *a.prefix, *b.prefix))
			}
		}
	}
	return err
}
