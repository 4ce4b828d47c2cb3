package lint

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// least is the largest frame of RoCE data.
func (l *linter) least() unit.Bytes {
	if l.design != nil {
		return l.design.Frame
	}
	return leastFrame
}

// frames wants interfaces that carry RoCE data to take its frames, by what is said or by default.
func (l *linter) frames(d *Device) {
	var short []string // that say nothing
	var frame unit.Bytes
	said, pausing := false, vlansOf(d, d.pauses)
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		said = said || i.Kind == netconf.Physical && i.MTU > 0
		f, here := d.Frame(i)
		if f == 0 || f >= l.least() || i.Down || i.VRF != "" && i.Kind != netconf.Physical || !l.roce(d, i, &pausing) {
			continue
		}
		l.small[i] = true
		if here {
			at := "interface " + i.Name
			l.add(d, "Q12", Error, fmt.Sprintf("%s: frames of at most %v, and RoCE's take %v", d.Native(i.Name), f, l.least()),
				at+" mtu", at)
			continue
		}
		short, frame = append(short, i.Name), f
	}
	l.uneven(d)
	l.narrow(d)
	if len(short) == 0 {
		return
	}
	s := Warning // a file that says the MTU of no port may be a part of one
	if said || l.design != nil {
		s = Error
	}
	l.lacks(d, netconf.AboutMTU, short[0], "Q12", s,
		fmt.Sprintf("%s: no MTU is said, so frames of at most %v, and RoCE's take %v",
			d.some(short), frame, l.least()), "interface "+short[0])
}

// roce reports whether an interface is known to carry RoCE data: the design has it, or its class pauses there, or at a port
// of its VLAN.
func (l *linter) roce(d *Device, i *netconf.Interface, pausing *[4096]bool) bool {
	switch i.Kind {
	case netconf.Physical:
		return l.meant(d, i) != nil || pausesAt(d.Device, i) && (i.QoS.PFC != netconf.PFCOff || i.MTU > 0)
	case netconf.SVI:
		return l.meant(d, i) != nil || pausing[i.VLAN&4095]
	}
	return false
}

// vlansOf are the VLANs that some ports are in.
func vlansOf(d *Device, some func(*netconf.Interface) bool) (has [4096]bool) {
	var more [4097]int // at a VLAN, than at the one before it
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		if i.Kind != netconf.Physical || !some(i) {
			continue
		}
		for _, r := range i.InVLANs() {
			more[r[0]]++
			more[r[1]+1]--
		}
	}
	n := 0
	for v := range has {
		n += more[v]
		has[v] = n > 0
	}
	return has
}

// pauses reports whether PFC is on, or may be, at a port whose class pauses.
func (d *Device) pauses(i *netconf.Interface) bool {
	return i.QoS != nil && i.QoS.PFC != netconf.PFCOff && pausesAt(d.Device, i)
}

// uneven warns of ports that take smaller frames than most of their duty or, where there are two of it, than the other one:
// what is too small for RoCE data beside one that is not.
func (l *linter) uneven(d *Device) {
	frames := usual[unit.Bytes]{}
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		if f, _ := d.Frame(i); used(i) && duty(i) != "" && f > 0 {
			frames.count(i, f)
		}
	}
	pairs := pairsOf(d)
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		f, said := d.Frame(i)
		if !used(i) || duty(i) == "" || i.Channel > 0 || f == 0 || l.small[i] {
			continue
		}
		most, others := frames.of(i), "most ports take %v"
		if most == 0 {
			most, others = d.wide(pairs.twin(i)), "the other one like it takes %v"
		}
		if most <= f || said && (f >= leastFrame || most < leastFrame) {
			continue
		}
		l.small[i] = true
		at, text := "interface "+i.Name, "%s: frames of at most %v, and "+others
		if said {
			l.add(d, "Q12", Warning, fmt.Sprintf(text, d.Native(i.Name), f, most), at+" mtu", at)
		} else {
			text = "%s: no MTU is said, so frames of at most %v, and " + others
			l.lacks(d, netconf.AboutMTU, i.Name, "Q12", Warning, fmt.Sprintf(text, d.Native(i.Name), f, most), at)
		}
	}
}

// wide is the largest frame of a port that takes RoCE data's; 0: it does not, or there is none.
func (d *Device) wide(i *netconf.Interface) unit.Bytes {
	if i == nil {
		return 0
	}
	if f, _ := d.Frame(i); f >= leastFrame {
		return f
	}
	return 0
}

// narrow warns of SVIs that take smaller frames than RoCE data's between ports of their VLAN and routed ports which take
// larger ones. In a VRF, or where routed ports say nothing, it may be meant.
func (l *linter) narrow(d *Device) {
	routed := map[unit.Bytes]int{}
	for k := range d.Device.Interfaces {
		if i := &d.Device.Interfaces[k]; used(i) && duty(i) == "routed" && i.VRF == "" {
			routed[i.MTU]++
		}
	}
	wide := unit.Bytes(0) // what all of them say at least
	for f := range routed {
		if wide == 0 || f < wide {
			wide = f
		}
	}
	if wide < leastFrame {
		return
	}
	there := vlansOf(d, used)
	for k := range d.Device.Interfaces {
		i := &d.Device.Interfaces[k]
		f, said := d.Frame(i)
		if i.Kind != netconf.SVI || i.Down || i.VRF != "" || len(i.Addresses) == 0 || f == 0 || f >= leastFrame || l.small[i] ||
			!there[i.VLAN&4095] {
			continue
		}
		at, text := "interface "+i.Name, "%s: frames of at most %v, and routed ports take %v"
		if said {
			l.add(d, "Q12", Warning, fmt.Sprintf(text, d.Native(i.Name), f, wide), at+" mtu", at)
		} else {
			text = "%s: no MTU is said, so frames of at most %v, and routed ports take %v"
			l.lacks(d, netconf.AboutMTU, i.Name, "Q12", Warning, fmt.Sprintf(text, d.Native(i.Name), f, wide), at)
		}
	}
}
