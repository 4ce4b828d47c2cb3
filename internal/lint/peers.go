package lint

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/netconf"
)

// A leg is a switch's port to a NIC that has ports on several.
type leg struct {
	of   *Device
	port *netconf.Interface
}

// peers holds switches that share NICs (MLAG, or an Ethernet segment of EVPN) against each other: what one tells a NIC,
// and which subnet it is in, the other must too. Whose ports are one NIC's is read from descriptions: "to host1
// nic0/1" and "to host1 nic0/2".
func (l *linter) peers() {
	legs := map[string][]leg{}
	var names []string
	for _, d := range l.devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			words := strings.Fields(p.Description)
			if len(words) != 3 || words[0] != "to" {
				continue
			}
			nic, _, several := strings.Cut(words[2], "/")
			if !several || !strings.HasPrefix(nic, "nic") {
				continue
			}
			name := words[1] + " " + nic
			if legs[name] == nil {
				names = append(names, name)
			}
			legs[name] = append(legs[name], leg{d, p})
		}
	}
	for _, name := range names {
		for _, other := range legs[name][1:] {
			l.pair(name, legs[name][0], other)
		}
	}
}

// pair compares two legs of a NIC.
func (l *linter) pair(nic string, a, b leg) {
	differ := func(what string, x, y any) {
		if x != y {
			here := "interface " + b.port.Name
			l.add(b.of, "Q25", Error, fmt.Sprintf("%s is on %s and on %s %s: %s %v here, %v there", nic, b.port.Name,
				a.of.Device.Name, a.port.Name, what, y, x), here+" vlan", here)
		}
	}
	differ("VLAN", a.port.VLAN, b.port.VLAN)
	if a.port.VLAN == b.port.VLAN {
		differ("gateway", gateways(a), gateways(b))
	}
	if a.port.MTU > 0 && b.port.MTU > 0 {
		differ("frames of at most", a.port.MTU, b.port.MTU)
	}
	differ("rate", a.port.Speed, b.port.Speed)
	if x, y := priorities(a.of.Device, a.port), priorities(b.of.Device, b.port); x != "" && y != "" {
		differ("priorities that pause", x, y)
	}
}

// gateways are the addresses of a leg's VLAN.
func gateways(of leg) string {
	i := slices.IndexFunc(of.of.Device.Interfaces, func(i netconf.Interface) bool {
		return i.Kind == netconf.SVI && i.VLAN == of.port.VLAN
	})
	if i < 0 || len(of.of.Device.Interfaces[i].Addresses) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(of.of.Device.Interfaces[i].Addresses), "[]")
}
