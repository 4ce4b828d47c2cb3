package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/config/dcbx"
	"railyard/internal/config/netconf"
)

// fabric checks devices against each other.
func (l *linter) fabric() {
	l.unknown()
	l.agree()
	l.macs()
	l.seeds()
	l.circle()
	l.cables()
	l.neighbours()
	l.cards()
	l.peers()
	l.overlays()
	l.routing()
}

// pausedDSCPs are, for each device, the DSCPs of its class that pauses, none: it says none, and what most have.
func (l *linter) pausedDSCPs() (sets [][]int, most []int) {
	n := map[string]int{}
	sets = make([][]int, len(l.devices))
	for k, d := range l.devices {
		if d.Device.QoS == nil {
			continue
		}
		for p := range d.Device.QoS.Profiles {
			of := &d.Device.QoS.Profiles[p]
			if l.intended(of) != nil {
				continue // which is said
			}
			for i := range of.Classes {
				if c := &of.Classes[i]; c.Pause != nil && len(sets[k]) == 0 {
					sets[k] = of.DSCPs(c.TC)
				}
			}
		}
		if len(sets[k]) > 0 {
			n[fmt.Sprint(sets[k])]++
		}
	}
	roce := func(s []int) bool {
		return slices.ContainsFunc(l.dataDSCPs(), func(v int) bool { return slices.Contains(s, v) })
	}
	for _, s := range sets {
		// Of as many on both sides those are right that have RoCE's.
		if here, there := n[fmt.Sprint(s)], n[fmt.Sprint(most)]; len(s) > 0 &&
			(here > there || here == there && roce(s) && !roce(most)) {
			most = s
		}
	}
	return sets, most
}

// agree wants the DSCPs of classes that pause, and of CNPs, to be the same on all devices: those of most.
func (l *linter) agree() {
	sets, most := l.pausedDSCPs()
	all, alike, first := 0, 0, ""
	for k, d := range l.devices {
		if len(sets[k]) > 0 {
			all++
		}
		if len(sets[k]) > 0 && slices.Equal(sets[k], most) {
			alike++
			first = cmp.Or(first, d.Device.Name)
		}
	}
	where := "most devices"
	if 2*alike <= all {
		where = first
	}
	for k, d := range l.devices {
		if len(sets[k]) == 0 || slices.Equal(sets[k], most) {
			continue
		}
		l.add(d, "Q01", Error, fmt.Sprintf("DSCP %s is in the class that pauses, and on %s %s",
			strings.Join(netconf.Ranges(sets[k]), " "), where, strings.Join(netconf.Ranges(most), " ")),
			pausedAt(d.Device, sets[k], most)...)
	}
}

// pausedAt are the places of the first port that pauses: by a DSCP that most have in its class and it has not, else by what
// is there.
func pausedAt(d *netconf.Device, set, most []int) (places []string) {
	for i := range d.Interfaces {
		here := &d.Interfaces[i]
		p := d.ProfileOf(here)
		if p == nil {
			continue
		}
		for k := range p.Classes {
			if c := &p.Classes[k]; c.Pause != nil {
				for _, v := range most {
					if !slices.Contains(set, v) {
						places = append(places, fmt.Sprintf("interface %s dscp %d", here.Name, v))
					}
				}
				return append(places, fmt.Sprintf("interface %s tc %d dscp", here.Name, c.TC), "interface "+here.Name)
			}
		}
	}
	return nil
}

// macs wants one of NX-OS's DLB.
func (l *linter) macs() {
	first := ""
	for _, d := range l.devices {
		b := d.Device.Balance
		switch {
		case b == nil || b.Method != "dlb" || d.Dialect != "nxos":
		case first == "":
			first = b.MAC
		case b.MAC != first:
			l.add(d, "Q17", Error, fmt.Sprintf("mac-address %s, and %s on other switches", b.MAC, first),
				"balance mac", "balance")
		}
	}
}

// role is a name without its number.
func role(name string) string { return strings.TrimRight(name, "0123456789") }

// seeds finds tiers that hash alike.
func (l *linter) seeds() {
	of := map[uint32]string{}
	for _, d := range l.devices {
		b := d.Device.Balance
		if b == nil || b.Seed == 0 {
			continue
		}
		if was, known := of[b.Seed]; known && role(was) != role(d.Device.Name) {
			l.add(d, "Q18", Warning, fmt.Sprintf("seed %d, as %s of another tier", b.Seed, was), "balance")
		} else if !known {
			of[b.Seed] = d.Device.Name
		}
	}
}

// circle warns, at the first device that pauses, of a design in which buffers may wait for each other.
func (l *linter) circle() {
	if l.design == nil || l.design.Circle == "" {
		return
	}
	for _, d := range l.devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			if dcbx.Configured(d.Device, p) != 0 {
				l.add(d, "Q19", Warning, "PFC, and buffers may wait for each other in a circle, "+l.design.Circle,
					"interface "+p.Name+" pfc", "interface "+p.Name)
				return
			}
		}
	}
}

// neighbours compares the ends of each cable, once.
func (l *linter) neighbours() {
	for k, d := range l.devices {
		for n := range d.Device.Interfaces {
			i := &d.Device.Interfaces[n]
			other, far := l.links.far(d, i)
			if far == nil || slices.Index(l.devices, other) < k {
				continue
			}
			l.ends(d, i, other, far)
		}
	}
}

func (l *linter) ends(d *Device, i *netconf.Interface, other *Device, far *netconf.Interface) {
	here := "interface " + i.Name
	of := fmt.Sprintf("%s and %s %s", d.Native(i.Name), other.Device.Name, other.Native(far.Name))
	l.exchange(d, i, other, far, of)
	if a, b := i.LLDP.DCBX, far.LLDP.DCBX; a != b && a != netconf.DCBXDefault && b != netconf.DCBXDefault {
		l.add(d, "Q24", Error, fmt.Sprintf("%s: DCBX %s here, %s there", of, a, b), here+" dcbx", here)
	}
	a, said := d.Frame(i)
	b, there := other.Frame(far)
	if (said || there) && a > 0 && b > 0 && a != b && !i.Down && !far.Down && !l.small[i] && !l.small[far] {
		if said {
			l.add(d, "Q12", Error, fmt.Sprintf("%s: frames of at most %v here, %v there", of, a, b), here+" mtu",
				here)
		} else {
			l.lacks(d, netconf.AboutMTU, i.Name, "Q12", Error,
				fmt.Sprintf("%s: frames of at most %v here, by default, %v there", of, a, b), here)
		}
	}
}

// exchange compares what the ends tell each other, and says what is operational then.
func (l *linter) exchange(d *Device, i *netconf.Interface, other *Device, far *netconf.Interface, of string) {
	p, q := d.Device.ProfileOf(i), other.Device.ProfileOf(far)
	if p == nil || q == nil || i.Down || far.Down {
		return
	}
	endA, endB := dcbx.Of(d.Device, i), dcbx.Of(other.Device, far)
	atA, atB := dcbx.Resolve(&endA, &endB)
	here := "interface " + i.Name
	l.unanswered(d, i, &endA, &endB, of)
	l.unanswered(other, far, &endB, &endA, fmt.Sprintf("%s and %s %s", other.Native(far.Name), d.Device.Name,
		d.Native(i.Name)))
	if a, b := priorities(d.Device, i), priorities(other.Device, far); a != b && !l.isDisplaced(d, i) && !l.isDisplaced(other, far) {
		at, port, text := d, i, fmt.Sprintf("%s: priorities %s pause here, %s there", of, a, b)
		if l.pausing[b] < l.pausing[a] { // the other end is the one that differs
			at, port = other, far
			text = fmt.Sprintf("%s and %s %s: priorities %s pause here, %s there", other.Native(far.Name), d.Device.Name,
				d.Native(i.Name), b, a)
		}
		if atA.PFCFrom == dcbx.Failed && (i.QoS.PFC == netconf.PFCAuto || far.QoS.PFC == netconf.PFCAuto) {
			text += ": DCBX CEE takes that for an error, and PFC auto is off"
		} else if atA.Version == dcbx.IEEE {
			text += ": neither is willing in DCBX, so each has its own"
		}
		places := append(pausedOf(at.Device, port), "interface "+port.Name+" pfc", "interface "+port.Name)
		switch {
		case at == d && other.Hides(netconf.AboutQoS, far.Name):
			l.add(d, "Q23", Unknown, text+notKnown, places...)
		case at == other && d.Hides(netconf.AboutQoS, i.Name):
			l.add(other, "Q23", Unknown, text+notKnown, places...)
		default:
			l.lacks(at, netconf.AboutQoS, port.Name, "Q23", Error, text, places...)
		}
	}
	a, b := pausingShare(p), pausingShare(q)
	if a == b || a == 0 || b == 0 {
		return
	}
	severity, text := Warning, fmt.Sprintf("%s: the class that pauses has %d%% of the link here, %d%% there", of,
		a, b)
	if atA.ETSFrom == dcbx.Failed || atB.ETSFrom == dcbx.Failed {
		severity, text = Error, text+": DCBX CEE takes that for an error"
	}
	l.add(d, "Q23", severity, text, here+" classify", here)
}

// pausedOf are the places of the classes that pause at a port.
func pausedOf(d *netconf.Device, i *netconf.Interface) (places []string) {
	p := d.ProfileOf(i)
	for k := range p.Classes {
		if p.Classes[k].Pause != nil {
			places = append(places, fmt.Sprintf("interface %s tc %d pause", i.Name, p.Classes[k].TC))
		}
	}
	return places
}

// pausingAlike counts, of priorities that pause, on how many devices a port has them.
func pausingAlike(devices []*Device) map[string]int {
	n := map[string]int{}
	for _, d := range devices {
		here := map[string]bool{}
		for i := range d.Device.Interfaces {
			if text := priorities(d.Device, &d.Device.Interfaces[i]); text != "" && !here[text] {
				here[text] = true
				n[text]++
			}
		}
	}
	return n
}

// unanswered finds a port whose PFC is auto and whose neighbour says nothing.
func (l *linter) unanswered(d *Device, i *netconf.Interface, own, peer *dcbx.End, of string) {
	speaks := func(e *dcbx.End) bool { return e.IEEE != nil || e.CEE != nil }
	if i.QoS.PFC == netconf.PFCAuto && speaks(own) && !speaks(peer) {
		l.add(d, "Q22", Error, of+": PFC is auto here, and the other end says nothing by DCBX, so it is off",
			"interface "+i.Name+" pfc",
			"interface "+i.Name)
	}
}

// pausingShare is the share of the first class that pauses; 0: none is said.
func pausingShare(p *netconf.Profile) int {
	for k := range p.Classes {
		if p.Classes[k].Pause != nil {
			return p.Classes[k].Share
		}
	}
	return 0
}

// priorities are those that a port pauses; "": nothing is said.
func priorities(d *netconf.Device, i *netconf.Interface) string {
	p := d.ProfileOf(i)
	if p == nil {
		return ""
	}
	return listed(dcbx.Configured(d, i))
}
