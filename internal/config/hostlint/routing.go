package hostlint

import (
	"fmt"
	"net/netip"
	"strconv"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
)

// routing checks H08 and H09.
func (l *linter) routing() {
	var routed []*nic
	for _, n := range l.nics {
		if n.roce() && n.net != nil && len(v4s(n.net)) > 0 {
			routed = append(routed, n)
		}
	}
	if len(routed) < 2 {
		return
	}
	if l.h.Complete(hostinfo.IPRule) && l.h.Complete(hostinfo.IPRoute) {
		l.tables(routed)
	}
	l.filters(routed)
}

// v4s are the IPv4 addresses of an interface.
func v4s(n *hostinfo.Netdev) (all []hostinfo.Said[netip.Prefix]) {
	for _, a := range n.Addresses {
		if a.Value.Addr().Is4() && !a.Value.Addr().IsLinkLocalUnicast() {
			all = append(all, a)
		}
	}
	return all
}

// tables checks that what a NIC sends beyond its subnet leaves by itself: by a table of its own, which a rule chooses by its
// address, or by a route of the main table by a gateway on it. Without any of these and without a default route nothing leaves.
func (l *linter) tables(nics []*nic) {
	own := map[*nic]bool{}
	with := 0
	for _, n := range nics {
		for _, r := range l.h.Routes {
			if r.Dev != n.net.Name || !r.Via.IsValid() || !r.To.Addr().Is4() {
				continue
			}
			if (r.Table == "main" && r.To.Bits() > 0) || l.chosenBy(n, r.Table) {
				own[n] = true
			}
		}
		if own[n] {
			with++
		}
	}
	main := l.gateway()
	for _, n := range nics {
		if own[n] || main == nil || main.Dev == n.net.Name {
			continue
		}
		severity, text := lint.Error, fmt.Sprintf("no rule of its address chooses a table with a gateway of its own: "+
			"what is not on its subnet leaves by %s",
			main.Dev)
		if with == 0 && !l.among(main.Dev, nics) { // rails that are not routed: it leaves by the host's other network
			severity = lint.Warning
		}
		l.alike("H08", severity, n.String(), text, main.At, v4s(n.net)[0].At)
	}
}

// among reports whether an interface is one of NICs.
func (l *linter) among(dev string, nics []*nic) bool {
	for _, n := range nics {
		if n.net.Name == dev {
			return true
		}
	}
	return false
}

// gateway is the default route of the main table; nil: none.
func (l *linter) gateway() *hostinfo.Route {
	for i := range l.h.Routes {
		if r := &l.h.Routes[i]; r.Table == "main" && r.To.Bits() == 0 && r.To.Addr().Is4() {
			return r
		}
	}
	return nil
}

// chosenBy reports whether a rule sends what a NIC sends to a table.
func (l *linter) chosenBy(n *nic, table string) bool {
	for _, r := range l.h.Rules {
		if r.Table != table || table == "main" || table == "local" || table == "default" {
			continue
		}
		if r.Dev == n.net.Name && !r.From.IsValid() {
			return true
		}
		for _, a := range v4s(n.net) {
			if r.From.IsValid() && r.From.Contains(a.Value.Addr()) {
				return true
			}
		}
	}
	return false
}

// filters checks H09. Of two values, of all interfaces and of one, the larger counts (Linux, ip-sysctl).
func (l *linter) filters(nics []*nic) {
	value := func(dev, key string) (int, netconf.Place, bool) {
		one, all := l.h.Sysctl["net.ipv4.conf."+dev+"."+key], l.h.Sysctl["net.ipv4.conf.all."+key]
		if !one.Known() || !all.Known() {
			return 0, netconf.Place{}, false
		}
		a, err := strconv.Atoi(one.Value)
		b, err2 := strconv.Atoi(all.Value)
		if b > a {
			return b, all.At, err == nil && err2 == nil
		}
		return a, one.At, err == nil && err2 == nil
	}
	subnets := map[netip.Prefix]int{}
	for _, n := range nics {
		for _, a := range v4s(n.net) {
			subnets[a.Value.Masked()]++
		}
	}
	for _, n := range nics {
		if v, at, ok := value(n.net.Name, "rp_filter"); ok && v == 1 {
			l.alike("H09", lint.Error, n.String(), "rp_filter is 1, strict", at)
		}
		shared := false
		for _, a := range v4s(n.net) {
			shared = shared || subnets[a.Value.Masked()] > 1
		}
		if !shared { // nobody asks it for the address of another
			continue
		}
		if v, at, ok := value(n.net.Name, "arp_ignore"); ok && v == 0 {
			l.alike("H09", lint.Error, n.String(), "arp_ignore is 0: it answers for the other NICs on its subnet", at)
		}
		if v, at, ok := value(n.net.Name, "arp_announce"); ok && v == 0 {
			l.alike("H09", lint.Error, n.String(), "arp_announce is 0: it asks with the address of another NIC on its subnet", at)
		}
	}
}
