package nxos

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// Bounds of the platform: of an MTU, of VLANs, of equal paths, of what is said for people, of BFD.
const (
	leastMTU, mostMTU           = 576, 9216
	mostVLAN                    = 4094
	mostPaths                   = 64
	mostDescription             = 80 // of a neighbour
	leastInterval, mostInterval = 50, 999
	mostMultiplier              = 50
)

// unrouted says what of a device's addresses and sessions there is no command on record for; "": nothing.
func unrouted(d *netconf.Device) string {
	for i := range d.Interfaces {
		var n [2]int
		for _, a := range d.Interfaces[i].Addresses {
			if n[family(a.Addr())]++; n[family(a.Addr())] > 1 {
				return "several addresses of an interface"
			}
		}
	}
	b := d.BGP
	if b == nil {
		return ""
	}
	if b.Keepalive%unit.Second != 0 || b.Hold%unit.Second != 0 {
		return "timers of parts of a second"
	}
	var first *netconf.BFD
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		if n.AS == b.AS {
			return "equal paths inside an AS that count reflections"
		}
		if n.BFD == nil {
			continue
		}
		switch ms := n.BFD.Interval / unit.Millisecond; {
		case n.BFD.Interval%unit.Millisecond != 0 || ms < leastInterval || ms > mostInterval ||
			n.BFD.Multiplier < 1 || n.BFD.Multiplier > mostMultiplier:
			return fmt.Sprintf("BFD of %d x %v", n.BFD.Multiplier, n.BFD.Interval)
		case first != nil && *first != *n.BFD:
			return "BFD that differs between neighbours"
		}
		first = n.BFD
	}
	return ""
}

// family is 1 of IPv6, 0 of IPv4.
func family(a netip.Addr) int {
	if a.Is6() {
		return 1
	}
	return 0
}

// families are their words in commands, by family.
var families = [2]string{"ip", "ipv6"}

// unicast are address families, by family.
var unicast = [2]string{"ipv4", "ipv6"}

// routes reports whether a port is routed.
func routes(i *netconf.Interface) bool { return len(i.Addresses) > 0 }

// nameOf is what NX-OS calls an interface.
func nameOf(i *netconf.Interface) string {
	if i.Kind == netconf.Loopback {
		return strings.ToLower(i.Name)
	}
	return i.Name
}

// features writes what is to be switched on before there are commands of it.
func (w *writer) features() {
	if b := w.d.BGP; b != nil {
		w.line(0, "feature bgp")
		if w.bfd() != nil {
			w.line(0, "feature bfd")
		}
	}
	if slices.ContainsFunc(w.d.Interfaces, func(i netconf.Interface) bool { return i.Kind == netconf.SVI }) {
		w.line(0, "feature interface-vlan")
	}
	if w.d.Peer != nil {
		w.line(0, "feature vpc")
	}
}

// bfd is how neighbours are watched; nil: none is.
func (w *writer) bfd() *netconf.BFD {
	if w.d.BGP == nil {
		return nil
	}
	for i := range w.d.BGP.Neighbours {
		if f := w.d.BGP.Neighbours[i].BFD; f != nil {
			return f
		}
	}
	return nil
}

func (w *writer) vlans() {
	var ids []int
	for i := range w.d.Interfaces {
		if id := w.d.Interfaces[i].VLAN; id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.line(0, "vlan %d", id)
	}
	if f := w.bfd(); f != nil {
		ms := f.Interval / unit.Millisecond
		w.line(0, "bfd interval %d min_rx %d multiplier %d", ms, ms, f.Multiplier)
	}
}

// addressed writes what an interface routes, or which VLAN it is in.
func (w *writer) addressed(i *netconf.Interface) {
	port := i.Kind == netconf.Physical
	if port && i.VLAN > 0 {
		w.line(1, "switchport")
		w.line(1, "switchport access vlan %d", i.VLAN)
	}
	if port && routes(i) {
		w.line(1, "no switchport")
	}
	if i.MTU > 0 { // of a port, too, whatever network-qos says: Cisco 118994
		w.line(1, "mtu %d", i.MTU)
	}
	for _, a := range i.Addresses {
		if port && w.bfd() != nil { // it cannot go with BFD
			w.line(1, "no %s redirects", families[family(a.Addr())])
		}
		w.line(1, "%s address %s", families[family(a.Addr())], a)
	}
	if i.Kind == netconf.SVI || port && (routes(i) || i.VLAN > 0) {
		w.line(1, "no shutdown")
	}
}

// checkVirtual refuses what an SVI or a loopback cannot have.
func (w *writer) checkVirtual(i *netconf.Interface) {
	named := i.Kind == netconf.Loopback && i.Name == "Loopback0" && i.VLAN == 0 && i.MTU == 0 ||
		i.Kind == netconf.SVI && i.Name == "Vlan"+strconv.Itoa(i.VLAN) && i.VLAN >= 1 && i.VLAN <= mostVLAN
	if !named || i.QoS != nil || i.Speed != 0 || i.LLDP != (netconf.PortLLDP{}) {
		w.Refuse("%s %s: want Loopback0 without an MTU, or VlanN, with addresses and a description alone",
			i.Kind, i.Name)
	}
}

func (w *writer) checkBGP(b *netconf.BGP) {
	if !b.RouterID.Is4() {
		w.Refuse("BGP without a router identifier, want an IPv4 address")
	}
	if b.MaximumPaths < 1 || b.MaximumPaths > mostPaths {
		w.Refuse("%d equal paths, want 1 to %d", b.MaximumPaths, mostPaths)
	}
	for i := range b.Neighbours {
		if n := &b.Neighbours[i]; len(n.Description) > mostDescription {
			w.Refuse("neighbour %v: a description of %d bytes, want at most %d", n.Address, len(n.Description),
				mostDescription)
		}
	}
}

// speak writes BGP.
func (w *writer) speak(b *netconf.BGP) {
	w.line(0, "router bgp %d", b.AS)
	w.line(1, "router-id %s", b.RouterID)
	w.line(1, "timers bgp %d %d", b.Keepalive/unit.Second, b.Hold/unit.Second)
	if b.Relax {
		w.line(1, "bestpath as-path multipath-relax")
	}
	for six := range families {
		w.family(b, six)
	}
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		w.line(1, "neighbor %s", n.Address)
		if n.BFD != nil {
			w.line(2, "bfd")
		}
		w.line(2, "remote-as %d", n.AS)
		if n.Description != "" {
			w.line(2, "description %s", n.Description)
		}
		w.line(2, "address-family %s unicast", unicast[family(n.Address)])
		if n.AllowASIn > 0 {
			w.line(3, "allowas-in %d", n.AllowASIn)
		}
	}
}

// family writes what sessions of a family carry; of IPv6 only if there is anything.
func (w *writer) family(b *netconf.BGP, six int) {
	said := six == 0 || slices.ContainsFunc(b.Neighbours, func(n netconf.Neighbour) bool { return family(n.Address) == six })
	of := func(p netip.Prefix) bool { return family(p.Addr()) == six }
	said = said || slices.ContainsFunc(b.Networks, of) ||
		slices.ContainsFunc(b.Aggregates, func(a netconf.Aggregate) bool { return of(a.Prefix) })
	if !said {
		return
	}
	w.line(1, "address-family %s unicast", unicast[six])
	for _, p := range b.Networks {
		if of(p) {
			w.line(2, "network %s", p)
		}
	}
	for _, a := range b.Aggregates {
		only := ""
		if a.SummaryOnly {
			only = " summary-only"
		}
		if of(a.Prefix) {
			w.line(2, "aggregate-address %s%s", a.Prefix, only)
		}
	}
	w.line(2, "maximum-paths %d", b.MaximumPaths)
}
