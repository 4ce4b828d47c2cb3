package lint

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/netconf"
	"railyard/internal/qos"
	"railyard/internal/unit"
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

// forgotten finds ports that are configured otherwise than most.
func (l *linter) forgotten(d *Device) {
	n := map[string]int{}
	most := ""
	for i := range d.Device.Interfaces {
		if p := &d.Device.Interfaces[i]; p.Kind == netconf.Physical {
			t := treatment(d.Device, p)
			if n[t]++; n[t] > n[most] {
				most = t
			}
		}
	}
	for i := range d.Device.Interfaces {
		p := &d.Device.Interfaces[i]
		t := treatment(d.Device, p)
		if p.Kind != netconf.Physical || t == most || 2*n[most] <= len(d.Device.Interfaces) {
			continue
		}
		l.add(d, "Q13", Error, fmt.Sprintf("%s: %s; most ports: %s", p.Name, t, most),
			"interface "+p.Name+" pfc", "interface "+p.Name)
	}
}

// ports checks MTU, LLDP and headroom of each.
func (l *linter) ports(d *Device) {
	least := unit.Bytes(leastFrame)
	if l.design != nil {
		least = l.design.Frame
	}
	var mtu unit.Bytes
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		here := "interface " + i.Name
		switch {
		case i.Kind != netconf.Physical || i.MTU == 0:
		case i.MTU < least:
			l.add(d, "Q12", Error, fmt.Sprintf("%s: frames of at most %v, and RoCE's take %v", i.Name, i.MTU,
				least), here+" mtu", "mtu", here)
		case mtu != 0 && i.MTU != mtu:
			l.add(d, "Q12", Warning, fmt.Sprintf("%s: frames of at most %v, and %v at other ports", i.Name,
				i.MTU, mtu), here+" mtu", "mtu",
				here)
		default:
			mtu = i.MTU
		}
		if q := i.QoS; q != nil && q.PFC == netconf.PFCAuto {
			lldp := d.Device.LLDP
			if i.LLDP.Silent || lldp == nil || !lldp.On || lldp.DCBX == netconf.DCBXOff || i.LLDP.DCBX == netconf.DCBXOff {
				l.add(d, "Q22", Error, i.Name+": PFC is auto, and LLDP or DCBX is off", here+" lldp", "dcbx",
					here+" pfc", here)
			}
		}
		l.headroom(d, i)
	}
	l.scaled(d)
}

// meant is the port of a design; nil: there is no design, or no such port.
func (l *linter) meant(d *Device, i *netconf.Interface) *netconf.Interface {
	if l.design == nil || l.design.Devices[d.Device.Name] == nil {
		return nil
	}
	return l.design.Devices[d.Device.Name].Port(i.Name)
}

// headroom compares it with the formula at the port's rate and cable.
func (l *linter) headroom(d *Device, i *netconf.Interface) {
	p, meant := d.Device.ProfileOf(i), l.meant(d, i)
	if p == nil || meant == nil || meant.Speed == 0 {
		return
	}
	link := qos.Link{Rate: meant.Speed, Delay: l.design.Delay(d.Device.Name, i.Name)}
	frame := i.MTU
	if frame == 0 {
		frame = meant.MTU
	}
	need := qos.FormulaHeadroom(frame, 0).At(link)
	for k := range p.Classes {
		c := &p.Classes[k]
		if c.Pause != nil && c.Pause.Buffer != nil && c.Pause.Buffer.Headroom < need {
			l.add(d, "Q07", Error, fmt.Sprintf("%s: headroom %v of traffic class %d, "+
				"and %v can arrive after xOFF (%v, frames of %v)", i.Name,
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
					other.Name, other.Speed, i.Name,
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
		if p.Kind == netconf.Physical && p.VLAN != 0 && len(vlans) > 0 && !vlans[p.VLAN] {
			l.add(d, "Q26", Error, fmt.Sprintf("%s is in VLAN %d, which has no gateway here", p.Name, p.VLAN),
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
		inside := false
		for _, n := range b.Networks {
			inside = inside || a.Prefix.Bits() <= n.Bits() && a.Prefix.Contains(n.Addr())
		}
		if !inside {
			l.add(d, "Q26", Error, fmt.Sprintf("summary %s contains no network of the switch", a.Prefix),
				"aggregate "+a.Prefix.String(), "bgp")
		}
	}
}

// overlaps finds VLANs whose subnets have addresses in common.
func (l *linter) overlaps(d *Device) {
	all := d.Device.Interfaces
	for i := range all {
		for k := range all[:i] {
			for _, a := range all[i].Addresses {
				for _, b := range all[k].Addresses {
					if all[i].Kind == netconf.SVI && all[k].Kind == netconf.SVI && a.Masked().Overlaps(b.Masked()) {
						l.add(d, "Q26", Error, fmt.Sprintf("%s has %s and %s has %s: they have addresses in common", all[k].Name,
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
