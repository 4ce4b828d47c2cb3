package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/qos"
)

// treatment is what ports of a role have in common: thresholds may follow a port's rate and cable.
func treatment(d *netconf.Device, i *netconf.Interface) string {
	p := d.ProfileOf(i)
	if p == nil {
		return "no quality of service"
	}
	text := "PFC " + i.QoS.PFC.String()
	for k := range p.Classes {
		c := &p.Classes[k]
		text += fmt.Sprintf("; class %d: DSCP %s, queue %d, %s", c.TC,
			strings.Join(netconf.Ranges(p.DSCPs(c.TC)), " "), c.Queue,
			c.Served())
		if c.Pause != nil {
			text += ", pauses"
		}
	}
	return text
}

// duty is what a port is for, as its configuration says: those of one are alike.
func duty(i *netconf.Interface) string {
	switch {
	case len(i.Addresses) > 0 || i.Routed:
		return "routed"
	case i.Trunk:
		return "trunk"
	case i.VLAN > 0:
		return "access"
	}
	return ""
}

// forgotten finds ports that are configured otherwise than most of their duty or, where they are not enough to tell, than
// most of the device.
func (l *linter) forgotten(d *Device) {
	all := usual[string]{}
	for i := range d.Device.Interfaces {
		if p := &d.Device.Interfaces[i]; used(p) {
			all.count(p, treatment(d.Device, p))
		}
	}
	pairs := pairsOf(d)
	for i := range d.Device.Interfaces {
		p := &d.Device.Interfaces[i]
		if !used(p) {
			continue
		}
		most := all.of(p)
		if most == "" {
			l.twin(d, p, pairs.twin(p))
		}
		if d.Untrusted[p.Name] != "" && pausesAt(d.Device, p) { // Q02 says it
			continue
		}
		if t := treatment(d.Device, p); most != "" && t != most {
			l.lacks(d, netconf.AboutQoS, p.Name, "Q13", Error, fmt.Sprintf("%s: %s; most ports: %s",
				d.Native(p.Name), t, most),
				"interface "+p.Name+" pfc", "interface "+p.Name)
		}
	}
}

// twin warns of a port that does not pause though its class is to, beside one that treats classes the same and pauses: where
// there are two, there is no majority. What the neighbour says is held against it elsewhere.
func (l *linter) twin(d *Device, p, o *netconf.Interface) {
	if o == nil || p.QoS == nil || o.QoS == nil || p.QoS.PFC != netconf.PFCOff || o.QoS.PFC == netconf.PFCOff ||
		p.QoS.Profile != o.QoS.Profile || !pausesAt(d.Device, p) {
		return
	}
	if far, at := l.links.far(d, p); far != nil && far.Device.ProfileOf(at) != nil {
		return
	}
	l.lacks(d, netconf.AboutQoS, p.Name, "Q13", Warning, fmt.Sprintf("%s: PFC is off, and on at %s, the other port like it",
		d.Native(p.Name), d.Native(o.Name)), "interface "+p.Name+" pfc", "interface "+p.Name)
}

// pairs are the ports of each duty and VRF, three at most: where there are two, each is the other's twin.
type pairs map[[2]string][]*netconf.Interface

func pairsOf(d *Device) pairs {
	all := pairs{}
	for k := range d.Device.Interfaces {
		if i := &d.Device.Interfaces[k]; used(i) {
			key := [2]string{duty(i), i.VRF}
			if len(all[key]) < 3 {
				all[key] = append(all[key], i)
			}
		}
	}
	return all
}

// twin is the one other port like one; nil: there is none, or there are several.
func (all pairs) twin(p *netconf.Interface) *netconf.Interface {
	alike := all[[2]string{duty(p), p.VRF}]
	switch {
	case len(alike) != 2:
		return nil
	case alike[0] == p:
		return alike[1]
	}
	return alike[0]
}

// used reports whether an interface is a port that is not shut down.
func used(p *netconf.Interface) bool { return p.Kind == netconf.Physical && !p.Down }

// usual counts what ports have, by their duty and, at "*", in all.
type usual[K cmp.Ordered] map[string]map[K]int

func (u usual[K]) count(p *netconf.Interface, has K) {
	for _, duty := range []string{duty(p), "*"} {
		if u[duty] == nil {
			u[duty] = map[K]int{}
		}
		u[duty][has]++
	}
}

// of is what most ports of a port's duty have or, where they are not enough to tell, most in all; the zero value: there is no
// such thing.
func (u usual[K]) of(p *netconf.Interface) K { return cmp.Or(majority(u[duty(p)]), majority(u["*"])) }

// majority is what more than half of some have, of three at least; the zero value: there is none.
func majority[K cmp.Ordered](of map[K]int) (most K) {
	total := 0
	for _, t := range slices.Sorted(maps.Keys(of)) {
		total += of[t]
		if of[t] > of[most] {
			most = t
		}
	}
	if total < 3 || 2*of[most] <= total {
		return *new(K)
	}
	return most
}

// ports checks MTU, LLDP and headroom of each.
func (l *linter) ports(d *Device) {
	var mtu unit.Bytes
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		here := "interface " + i.Name
		switch {
		case i.Kind != netconf.Physical || i.MTU == 0 || i.Down || i.QoS == nil || l.design == nil && !pausesAt(d.Device, i):
		case l.small[i]: // which is said
		case mtu != 0 && i.MTU != mtu:
			l.add(d, "Q12", Warning, fmt.Sprintf("%s: frames of at most %v, and %v at other ports", d.Native(i.Name),
				i.MTU, mtu), here+" mtu", here)
		default:
			mtu = i.MTU
		}
		if q := i.QoS; q != nil && q.PFC == netconf.PFCAuto {
			lldp := d.Device.LLDP
			if i.LLDP.Silent || lldp == nil || !lldp.On || lldp.DCBX == netconf.DCBXOff || i.LLDP.DCBX == netconf.DCBXOff {
				l.lacks(d, netconf.AboutLLDP, "", "Q22", Error,
					d.Native(i.Name)+": PFC is auto, and LLDP or DCBX is off", here+" lldp", "dcbx",
					here+" pfc", here)
			}
		}
		l.headroom(d, i)
	}
	l.scaled(d)
}

// meant is the port of a design; nil: there is no design, or no such port.
func (l *linter) meant(d *Device, i *netconf.Interface) *netconf.Interface {
	if l.design == nil || l.design.Devices[d.Meant()] == nil {
		return nil
	}
	return l.design.Devices[d.Meant()].Port(i.Name)
}

// headroom compares it with the formula at the port's rate and cable.
func (l *linter) headroom(d *Device, i *netconf.Interface) {
	p, meant := d.Device.ProfileOf(i), l.meant(d, i)
	if p == nil || meant == nil || meant.Speed == 0 {
		return
	}
	link := qos.Link{Rate: meant.Speed, Delay: l.design.Delay(d.Meant(), i.Name)}
	frame := i.MTU
	if frame == 0 {
		frame = meant.MTU
	}
	need := qos.FormulaHeadroom(frame, 0).At(link)
	for k := range p.Classes {
		c := &p.Classes[k]
		if c.Pause != nil && c.Pause.Buffer != nil && c.Pause.Buffer.Headroom < need {
			l.add(d, "Q07", Error, fmt.Sprintf("%s: headroom %v of traffic class %d, "+
				"and %v can arrive after xOFF (%v, frames of %v)", d.Native(i.Name),
				c.Pause.Buffer.Headroom, c.TC, need, meant.Speed, frame),
				fmt.Sprintf("interface %s tc %d pause", i.Name, c.TC),
				"interface "+i.Name)
		}
	}
}

// scaled compares marking at ports of different rates.
func (l *linter) scaled(d *Device) {
	type curve struct {
		tc  uint8
		ecn netconf.ECN
	}
	rates := map[curve]*netconf.Interface{}
	said := map[curve]bool{}
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		p, meant := d.Device.ProfileOf(i), l.meant(d, i)
		if p == nil || meant == nil || meant.Speed == 0 {
			continue
		}
		for n := range p.Classes {
			c := &p.Classes[n]
			if c.ECN == nil || c.Pause == nil {
				continue
			}
			of := curve{c.TC, *c.ECN}
			other := rates[of]
			if other == nil {
				rates[of] = meant
			} else if other.Speed != meant.Speed && !said[of] {
				said[of] = true
				l.add(d, "Q08", Warning, fmt.Sprintf("%s at %v and %s at %v: both mark traffic class %d alike, %s",
					d.Native(other.Name), other.Speed, d.Native(i.Name),
					meant.Speed, c.TC, c.ECN), fmt.Sprintf("interface %s tc %d ecn", i.Name, c.TC))
			}
		}
	}
}

// subnets checks that summaries contain something, and that VLANs of ports are there.
func (l *linter) subnets(d *Device) {
	vlans := map[int]bool{}
	for i := range d.Device.Interfaces {
		if p := &d.Device.Interfaces[i]; p.Kind == netconf.SVI {
			vlans[p.VLAN] = true
		}
	}
	for i := range d.Device.Interfaces {
		p := &d.Device.Interfaces[i]
		if p.Kind == netconf.Physical && p.VLAN != 0 && len(vlans) > 0 && !vlans[p.VLAN] && l.pausesIn(d, p) {
			l.lacks(d, netconf.AboutRouting, "", "Q26", Error,
				fmt.Sprintf("%s is in VLAN %d, which has no gateway here", d.Native(p.Name), p.VLAN),
				"interface "+p.Name)
		}
	}
	l.overlaps(d)
	b := d.Device.BGP
	if b == nil {
		return
	}
	l.summarised(d, b)
	for _, a := range b.Aggregates {
		inside := len(b.Networks) == 0 && !b.Connected // of what it is told, such as a spine's
		for _, n := range b.Networks {
			inside = inside || a.Prefix.Bits() <= n.Bits() && a.Prefix.Contains(n.Addr())
		}
		for k := range d.Device.Interfaces { // told of by redistribution
			for _, n := range d.Device.Interfaces[k].Addresses {
				inside = inside || b.Connected && a.Prefix.Bits() <= n.Bits() && a.Prefix.Contains(n.Addr())
			}
		}
		if !inside {
			l.lacks(d, netconf.AboutRouting, "", "Q26", Error,
				fmt.Sprintf("summary %s contains no network of the switch", a.Prefix),
				"aggregate "+a.Prefix.String(), "bgp")
		}
	}
}

// pausesIn reports whether a port is one that must have a gateway: others may be switched alone. Those that pause must, or
// any where most ports of VLANs have one.
func (l *linter) pausesIn(d *Device, p *netconf.Interface) bool {
	with, without := 0, 0
	for i := range d.Device.Interfaces {
		switch o := &d.Device.Interfaces[i]; {
		case o.Kind != netconf.Physical || o.VLAN == 0:
		case gateway(d, o.VLAN) != nil:
			with++
		default:
			without++
		}
	}
	return d.Device.Tunnels == nil && (with > 0 && with >= without || p.QoS != nil && p.QoS.PFC != netconf.PFCOff && pausesAt(d.Device, p))
}

// overlaps finds VLANs whose subnets have addresses in common.
func (l *linter) overlaps(d *Device) {
	all := d.Device.Interfaces
	for i := range all {
		for k := range all[:i] {
			for _, a := range all[i].Addresses {
				for _, b := range all[k].Addresses {
					if all[i].Kind == netconf.SVI && all[k].Kind == netconf.SVI && all[i].VRF == all[k].VRF &&
						a.Masked().Overlaps(b.Masked()) {
						l.add(d, "Q26", Error,
							fmt.Sprintf("%s has %s and %s has %s: they have addresses in common", all[k].Name,
								b.Masked(), all[i].Name, a.Masked()), "interface "+all[i].Name)
					}
				}
			}
		}
	}
}

// summarised wants the subnets of VLANs that are advertised to lie in a summary, where their family has any.
func (l *linter) summarised(d *Device, b *netconf.BGP) {
	for i := range d.Device.Interfaces {
		svi := &d.Device.Interfaces[i]
		for _, a := range svi.Addresses {
			if svi.Kind != netconf.SVI || !slices.Contains(b.Networks, a.Masked()) {
				continue
			}
			there, inside := false, false
			for _, s := range b.Aggregates {
				if s.Prefix.Addr().Is6() == a.Addr().Is6() {
					there = true
					inside = inside || s.Prefix.Bits() <= a.Bits() && s.Prefix.Contains(a.Addr())
				}
			}
			if there && !inside {
				l.add(d, "Q26", Error, fmt.Sprintf("%s of %s is in no summary of the switch", a.Masked(), svi.Name),
					"network "+a.Masked().String(), "interface "+svi.Name)
			}
		}
	}
}
