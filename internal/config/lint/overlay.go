package lint

import (
	"fmt"
	"slices"

	"railyard/internal/config/netconf"
	"railyard/internal/net/wire"
)

// overlays holds VXLANs against what carries them, and those of one number against each other.
func (l *linter) overlays() {
	first := map[int]*Device{}
	for _, d := range l.devices {
		t := d.Device.Tunnels
		if t == nil {
			continue
		}
		l.carried(d)
		for _, v := range t.VNIs {
			if first[v.Number] == nil {
				first[v.Number] = d
				continue
			}
			l.joined(first[v.Number], d, v)
		}
	}
}

// carried wants ports that lead elsewhere to take frames of tunnels with the headers outside.
func (l *linter) carried(d *Device) {
	t := d.Device.Tunnels
	for i := range d.Device.Interfaces {
		p := &d.Device.Interfaces[i]
		if p.Kind != netconf.Physical || p.VLAN != 0 || p.MTU == 0 || t.MTU == 0 || t.MTU+wire.OverlayBytes <= p.MTU {
			continue
		}
		l.add(d, "Q12", Error, fmt.Sprintf("%s: frames of at most %v, and those of VXLAN take %v", p.Name, p.MTU,
			t.MTU+wire.OverlayBytes), "interface "+p.Name+" mtu", "interface "+p.Name)
	}
}

// joined wants what one VXLAN joins to be one subnet, whose gateways hosts cannot tell apart.
func (l *linter) joined(a, b *Device, v netconf.VNI) {
	at := slices.IndexFunc(a.Device.Tunnels.VNIs, func(o netconf.VNI) bool { return o.Number == v.Number })
	x, y := gateway(a, a.Device.Tunnels.VNIs[at].VLAN), gateway(b, v.VLAN)
	place := []string{fmt.Sprintf("VNI %d", v.Number), "hostname"}
	switch {
	case x == nil || y == nil: // it only passes frames on
	case fmt.Sprint(subnetsOf(x)) != fmt.Sprint(subnetsOf(y)):
		l.add(b, "Q26", Error, fmt.Sprintf("VNI %d joins %s, which has %v, with %s of %s, which has %v", v.Number, y.Name,
			subnetsOf(y), x.Name, a.Device.Name, subnetsOf(x)), place...)
	case fmt.Sprint(x.Addresses) == fmt.Sprint(y.Addresses) && (x.MAC != y.MAC || x.MAC == ""):
		l.add(b, "Q26", Error, fmt.Sprintf("%s and %s of %s are one gateway, and have MAC addresses of their own", y.Name,
			x.Name, a.Device.Name), "interface "+y.Name)
	}
}

// gateway is the SVI of a VLAN; nil: there is none.
func gateway(d *Device, vlan int) *netconf.Interface {
	all := d.Device.Interfaces
	i := slices.IndexFunc(all, func(i netconf.Interface) bool { return i.Kind == netconf.SVI && i.VLAN == vlan })
	if i < 0 || len(all[i].Addresses) == 0 {
		return nil
	}
	return &all[i]
}

func subnetsOf(i *netconf.Interface) (all []string) {
	for _, a := range i.Addresses {
		all = append(all, a.Masked().String())
	}
	return all
}
