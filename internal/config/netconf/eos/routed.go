package eos

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
)

// unrouted says what of a device's addresses and sessions there is no command on record for; "": nothing.
func unrouted(d *netconf.Device) string {
	for i := range d.Interfaces {
		if n := len(slices.DeleteFunc(slices.Clone(d.Interfaces[i].Addresses), isSix)); n > 1 {
			return "several IPv4 addresses of an interface"
		}
	}
	b := d.BGP
	if b == nil {
		return ""
	}
	if !b.Relax || b.Keepalive%unit.Second != 0 || b.Hold%unit.Second != 0 {
		return "equal paths of one AS only, or timers of parts of a second"
	}
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		switch {
		case n.AS == b.AS:
			return "equal paths inside an AS that count reflections"
		case n.BFD != nil && n.BFD.Interval%unit.Millisecond != 0:
			return "BFD by parts of a millisecond"
		}
	}
	return ""
}

func isSix(p netip.Prefix) bool { return p.Addr().Is6() }

// nameOf is what EOS calls an interface: Ethernet24, Ethernet24/2, Vlan101, Loopback0.
func nameOf(i *netconf.Interface) string {
	if i.Kind != netconf.Physical {
		return i.Name
	}
	number, part, _ := netconf.SplitPort(i.Name)
	name := fmt.Sprintf("Ethernet%d", number)
	if part > 0 {
		name += fmt.Sprintf("/%d", part)
	}
	return name
}

// vlans writes the VLANs, and that packets are routed, where there is anything to route.
func (w *writer) vlans() {
	var ids []int
	routed, six := w.d.BGP != nil, w.d.BGP != nil && slices.ContainsFunc(w.d.BGP.Neighbours, ofSix)
	for i := range w.d.Interfaces {
		here := &w.d.Interfaces[i]
		routed = routed || len(here.Addresses) > 0
		six = six || slices.ContainsFunc(here.Addresses, isSix)
		if here.VLAN > 0 && !slices.Contains(ids, here.VLAN) {
			ids = append(ids, here.VLAN)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.line(0, "vlan %d", id)
	}
	if p := w.d.Peer; p != nil {
		// Else it may be the link to the peer that is blocked.
		w.line(0, "no spanning-tree vlan-id %s", strings.TrimPrefix(p.Local, "Vlan"))
	}
	if routed {
		w.line(0, "ip routing")
	}
	if six {
		w.line(0, "ipv6 unicast-routing")
	}
}

func ofSix(n netconf.Neighbour) bool { return n.Address.Is6() }

func (w *writer) addressed(i *netconf.Interface) {
	switch {
	case i.Channel > 0:
		w.line(1, "channel-group %d mode active", i.Channel)
	case i.Kind == netconf.Physical && i.VLAN > 0:
		w.line(1, "switchport access vlan %d", i.VLAN)
	}
	if i.Kind == netconf.Physical && len(i.Addresses) > 0 {
		w.line(1, "no switchport")
	}
	for _, a := range i.Addresses {
		w.line(1, "%s address %s", map[bool]string{false: "ip", true: "ipv6"}[isSix(a)], a)
	}
}

// checkVirtual refuses what an SVI or a loopback cannot have.
func (w *writer) checkVirtual(i *netconf.Interface) {
	named := i.Kind == netconf.Loopback && i.Name == "Loopback0" && i.VLAN == 0 ||
		i.Kind == netconf.SVI && i.Name == "Vlan"+strconv.Itoa(i.VLAN) && i.VLAN >= 1 && i.VLAN <= mostVLAN
	loud := i.Kind == netconf.Loopback && i.MTU != 0 || i.MTU != 0 && inventory.IPMTU(i.MTU) < leastMTU
	if !named || loud || i.QoS != nil || i.Speed != 0 || i.LLDP != (netconf.PortLLDP{}) {
		w.Refuse("%s %s: want Loopback0 without an MTU or VlanN, with addresses, MTU and description", i.Kind, i.Name)
	}
}

const mostVLAN = 4094

// speak writes BGP. That paths of several ASs are equal if they are as long is how EOS is.
func (w *writer) speak(b *netconf.BGP) {
	w.line(0, "router bgp %d", b.AS)
	w.line(1, "router-id %s", b.RouterID)
	w.line(1, "no bgp default ipv4-unicast")
	w.line(1, "timers bgp %d %d", b.Keepalive/unit.Second, b.Hold/unit.Second)
	w.line(1, "maximum-paths %d ecmp %d", b.MaximumPaths, b.MaximumPaths)
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		w.line(1, "neighbor %s remote-as %d", n.Address, n.AS)
		if n.Description != "" {
			w.line(1, "neighbor %s description %s", n.Address, n.Description)
		}
		if f := n.BFD; f != nil {
			ms := f.Interval / unit.Millisecond
			w.line(1, "neighbor %s bfd", n.Address)
			w.line(1, "neighbor %s bfd interval %d min-rx %d multiplier %d", n.Address, ms, ms, f.Multiplier)
		}
		if n.AllowASIn > 0 {
			w.line(1, "neighbor %s allowas-in %d", n.Address, n.AllowASIn)
		}
	}
	for _, a := range b.Aggregates {
		only := ""
		if a.SummaryOnly {
			only = " summary-only"
		}
		w.line(1, "aggregate-address %s%s", a.Prefix, only)
	}
	w.family(b, "ipv4", false)
	if slices.ContainsFunc(b.Neighbours, ofSix) || slices.ContainsFunc(b.Networks, isSix) {
		w.family(b, "ipv6", true)
	}
}

// family writes who carries the routes of a family, and which of them are the device's own.
func (w *writer) family(b *netconf.BGP, name string, six bool) {
	w.line(1, "address-family %s", name)
	for i := range b.Neighbours {
		if n := &b.Neighbours[i]; ofSix(*n) == six {
			w.line(2, "neighbor %s activate", n.Address)
		}
	}
	for _, p := range b.Networks {
		if isSix(p) == six {
			w.line(2, "network %s", p)
		}
	}
}
