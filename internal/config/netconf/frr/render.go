package frr

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
)

// The files of a device.
const (
	routingFile    = "etc/frr/frr.conf"
	daemonsFile    = "etc/frr/daemons"
	interfacesFile = "etc/network/interfaces"
)

// Dialect renders and reads FRR and ifupdown2.
type Dialect struct{}

// Render writes a device's files. The error names all that they have no words for.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	files := []netconf.File{{Name: routingFile, Text: []byte(routing(d))}}
	if d.BGP != nil {
		daemons := "bgpd=yes\n"
		if len(profiles(d.BGP)) > 0 {
			daemons += "bfdd=yes\n"
		}
		files = append(files, netconf.File{Name: daemonsFile, Text: []byte(daemons)})
	}
	return append(files, netconf.File{Name: interfacesFile, Text: []byte(interfaces(d))}), nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// mostDescription is how long FRR lets a neighbour's description be.
const mostDescription = 80

// check reports what the files have no words for.
func check(d *netconf.Device) (err error) {
	no := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(d.Name+": "+format, args...)) }
	describe := func(what, text string) {
		if strings.TrimSpace(text) != text || len(text) > mostDescription ||
			strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Contains(text, "  ") {
			no("%s: description %q, want at most %d printable characters without blanks in a row", what, text, mostDescription)
		}
	}
	if !hostName.MatchString(d.Name) {
		no("the name of a host is letters, digits, - and .")
	}
	if d.QoS != nil || d.LLDP != nil || d.Balance != nil || d.Peer != nil {
		no("quality of service, LLDP, load balancing and a peer switch have no words here")
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		describe(i.Name, i.Description)
		switch {
		case linuxName(i) == "":
			no("%s %s: no name on Linux, want Ethernet1/N, VlanN or Loopback0", i.Kind, i.Name)
		case i.Speed%unit.MegabitPerSec != 0 || i.Kind != netconf.Physical && i.Speed != 0:
			no("%s: speed %v, want whole megabits, of a port", i.Name, i.Speed)
		case i.MTU != 0 && i.MTU < 64 || i.Kind == netconf.Loopback && i.MTU != 0:
			no("%s: frames of %v, want 64B or more, of a port or an SVI", i.Name, i.MTU)
		case i.MAC != "" && (i.Kind != netconf.SVI || !isMAC.MatchString(i.MAC)):
			no("%s: MAC %q, want six pairs of small hexadecimal digits with colons, of an SVI", i.Name, i.MAC)
		case i.Channel != 0:
			no("%s: port channel %d has no words here", i.Name, i.Channel)
		case i.Kind == netconf.Physical && i.VLAN != 0 && len(i.Addresses) > 0:
			no("%s: an address and VLAN %d, want one of them", i.Name, i.VLAN)
		}
	}
	err = errors.Join(err, checkTunnels(d))
	if d.BGP != nil {
		err = errors.Join(err, checkBGP(d))
		for i := range d.BGP.Neighbours {
			describe(d.BGP.Neighbours[i].Address.String(), d.BGP.Neighbours[i].Description)
		}
	}
	return err
}

func checkBGP(d *netconf.Device) (err error) {
	no := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(d.Name+": "+format, args...)) }
	b := d.BGP
	if b.Keepalive%unit.Second != 0 || b.Hold%unit.Second != 0 || b.Keepalive <= 0 || b.Hold < 3*unit.Second {
		no("BGP timers %v and %v, want whole seconds, hold time 3s or more", b.Keepalive, b.Hold)
	}
	if b.MaximumPaths < 1 || b.MaximumPaths > MostPaths {
		no("%d equal paths, want 1 to %d", b.MaximumPaths, MostPaths)
	}
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		if n.AS != b.AS && (n.Client || n.NextHopSelf) {
			no("neighbour %v: a reflector's client, or told a next hop, in AS %d, want that inside AS %d alone", n.Address,
				n.AS, b.AS)
		}
		if f := n.BFD; f != nil && (f.Interval%unit.Millisecond != 0 || f.Interval < 10*unit.Millisecond ||
			f.Interval > unit.Minute || f.Multiplier < 2 || f.Multiplier > 255) {
			no("neighbour %v: BFD %d x %v, want 2 to 255 times 10ms to 60s, whole milliseconds", n.Address, f.Multiplier,
				f.Interval)
		}
		if n.Hops != 0 && (n.Hops < 2 || n.Hops > mostHops || n.AS == b.AS) {
			no("neighbour %v: over %d links, want 2 to %d, into another AS", n.Address, n.Hops, mostHops)
		}
		if n.Source.IsValid() && n.Source.Is4() != n.Address.Is4() {
			no("neighbour %v: from %v, want an address of the same family", n.Address, n.Source)
		}
		if n.EVPN && n.NextHopSelf {
			no("neighbour %v: told a next hop of EVPN's routes, which are those of tunnels", n.Address)
		}
		if n.AllowASIn < 0 || n.AllowASIn > 10 {
			no("neighbour %v: own AS %d times in a path, want 0 to 10", n.Address, n.AllowASIn)
		}
	}
	return err
}

// routing is frr.conf.
func routing(d *netconf.Device) string {
	var b strings.Builder
	b.WriteString("frr defaults datacenter\nhostname " + d.Name + "\nservice integrated-vtysh-config\n" +
		"ip forwarding\nipv6 forwarding\n!\n")
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		if len(i.Addresses) == 0 && i.Description == "" {
			continue
		}
		fmt.Fprintf(&b, "interface %s\n", linuxName(i))
		if i.Description != "" {
			fmt.Fprintf(&b, " description %s\n", i.Description)
		}
		for _, a := range i.Addresses {
			fmt.Fprintf(&b, " %s address %s\n", family(a.Addr()), a)
		}
		b.WriteString("exit\n!\n")
	}
	if d.BGP != nil {
		speak(&b, d.BGP, d.Tunnels != nil)
	}
	return b.String()
}

// family is the word for an address's family.
func family(a netip.Addr) string {
	if a.Is4() {
		return "ip"
	}
	return "ipv6"
}

func seconds(d unit.Duration) int64 { return int64(d / unit.Second) }

// speak writes the BGP of a device. An end of tunnels tells of its own.
func speak(w *strings.Builder, b *netconf.BGP, end bool) {
	fmt.Fprintf(w, "router bgp %d\n", b.AS)
	if b.RouterID.IsValid() {
		fmt.Fprintf(w, " bgp router-id %s\n", b.RouterID)
	}
	w.WriteString(" no bgp default ipv4-unicast\n no bgp ebgp-requires-policy\n")
	if b.Relax {
		w.WriteString(" bgp bestpath as-path multipath-relax\n")
	}
	fmt.Fprintf(w, " timers bgp %d %d\n", seconds(b.Keepalive), seconds(b.Hold))
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		fmt.Fprintf(w, " neighbor %s remote-as %d\n", n.Address, n.AS)
		if n.Description != "" {
			fmt.Fprintf(w, " neighbor %s description %s\n", n.Address, n.Description)
		}
		if n.Hops > 0 {
			fmt.Fprintf(w, " neighbor %[1]s ebgp-multihop %[2]d\n neighbor %[1]s disable-connected-check\n", n.Address, n.Hops)
		}
		if n.Source.IsValid() {
			fmt.Fprintf(w, " neighbor %s update-source %s\n", n.Address, n.Source)
		}
		if n.BFD != nil {
			fmt.Fprintf(w, " neighbor %s bfd\n neighbor %s bfd profile %s\n", n.Address, n.Address, profile(n.BFD))
		}
	}
	for _, six := range []bool{false, true} {
		carried(w, b, six)
	}
	overlay(w, b, end)
	w.WriteString("exit\n!\n")
	if all := profiles(b); len(all) > 0 {
		w.WriteString("bfd\n")
		for _, f := range all {
			ms := f.Interval / unit.Millisecond
			fmt.Fprintf(w, " profile %s\n  detect-multiplier %d\n  receive-interval %d\n  transmit-interval %d\n exit\n !\n",
				profile(&f), f.Multiplier, ms, ms)
		}
		w.WriteString("exit\n!\n")
	}
}

// carried writes what the sessions of one family carry.
func carried(w *strings.Builder, b *netconf.BGP, six bool) {
	in := func(a netip.Addr) bool { return a.Is6() == six }
	name := map[bool]string{false: "ipv4", true: "ipv6"}[six]
	fmt.Fprintf(w, " !\n address-family %s unicast\n", name)
	for _, p := range b.Networks {
		if in(p.Addr()) {
			fmt.Fprintf(w, "  network %s\n", p)
		}
	}
	for _, a := range b.Aggregates {
		if !in(a.Prefix.Addr()) {
			continue
		}
		only := ""
		if a.SummaryOnly {
			only = " summary-only"
		}
		fmt.Fprintf(w, "  aggregate-address %s%s\n", a.Prefix, only)
	}
	for i := range b.Neighbours {
		n := &b.Neighbours[i]
		if !in(n.Address) || n.EVPN {
			continue
		}
		fmt.Fprintf(w, "  neighbor %s activate\n", n.Address)
		if n.Client {
			fmt.Fprintf(w, "  neighbor %s route-reflector-client\n", n.Address)
		}
		if n.NextHopSelf {
			fmt.Fprintf(w, "  neighbor %s next-hop-self force\n", n.Address)
		}
		if n.AllowASIn > 0 {
			fmt.Fprintf(w, "  neighbor %s allowas-in %d\n", n.Address, n.AllowASIn)
		}
	}
	fmt.Fprintf(w, "  maximum-paths %d\n", b.MaximumPaths)
	if slices.ContainsFunc(b.Neighbours, func(n netconf.Neighbour) bool { return in(n.Address) && n.AS == b.AS && !n.EVPN }) {
		fmt.Fprintf(w, "  maximum-paths ibgp %d equal-cluster-length\n", b.MaximumPaths)
	}
	w.WriteString(" exit-address-family\n")
}

// profiles lists the kinds of BFD that neighbours have, each once.
func profiles(b *netconf.BGP) (all []netconf.BFD) {
	for i := range b.Neighbours {
		if f := b.Neighbours[i].BFD; f != nil && !slices.Contains(all, *f) {
			all = append(all, *f)
		}
	}
	return all
}

// profile names one: 3x100ms.
func profile(f *netconf.BFD) string {
	return fmt.Sprintf("%dx%dms", f.Multiplier, f.Interval/unit.Millisecond)
}

// interfaces is the file of ifupdown2.
func interfaces(d *netconf.Device) string {
	var b strings.Builder
	var access, vlans []string
	for k := range d.Interfaces {
		switch i := &d.Interfaces[k]; {
		case i.Kind == netconf.SVI:
			vlans = append(vlans, fmt.Sprint(i.VLAN))
		case i.Kind == netconf.Physical && i.VLAN != 0:
			access = append(access, linuxName(i))
			if id := fmt.Sprint(i.VLAN); !slices.Contains(vlans, id) {
				vlans = append(vlans, id)
			}
		}
	}
	if d.Tunnels != nil {
		for _, v := range d.Tunnels.VNIs {
			access = append(access, tunnelName(v.Number))
		}
	}
	if len(vlans) > 0 {
		b.WriteString("\nauto bridge\niface bridge\n    bridge-vlan-aware yes\n")
		if len(access) > 0 {
			fmt.Fprintf(&b, "    bridge-ports %s\n", strings.Join(access, " "))
		}
		fmt.Fprintf(&b, "    bridge-vids %s\n", strings.Join(vlans, " "))
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		if i.Kind == netconf.Loopback {
			b.WriteString("\nauto lo\niface lo inet loopback\n")
			continue
		}
		fmt.Fprintf(&b, "\nauto %[1]s\niface %[1]s\n", linuxName(i))
		if i.MTU != 0 {
			fmt.Fprintf(&b, "    mtu %d\n", inventory.IPMTU(i.MTU))
		}
		switch {
		case i.Kind == netconf.SVI:
			fmt.Fprintf(&b, "    vlan-id %d\n    vlan-raw-device bridge\n", i.VLAN)
		case i.VLAN != 0:
			fmt.Fprintf(&b, "    bridge-access %d\n", i.VLAN)
		}
		if i.MAC != "" {
			// What hosts answer to one gateway may come to another: that one has to take it too.
			fmt.Fprintf(&b, "    hwaddress %s\n    arp-accept on\n", i.MAC)
		}
		if i.Speed != 0 {
			fmt.Fprintf(&b, "    link-speed %d\n", i.Speed/unit.MegabitPerSec)
		}
	}
	if d.Tunnels != nil {
		tunnels(&b, d.Tunnels)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// Fit leaves out what Linux has other programs for.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoChannels("FRR")
	f.MostPaths("FRR", MostPaths)
	f.NoQoS("FRR")
	f.NoPeer("FRR")
	f.NoLLDP("FRR")
	f.NoBalance("FRR", func(*netconf.Balance) bool { return false })
	return f.Device, f.Left
}
