package lint

import (
	"maps"
	"net/netip"
	"regexp"
	"strings"

	"railyard/internal/config/netconf"
)

// An end is an interface of a device.
type end struct {
	of   *Device
	port *netconf.Interface
}

// links are the cables between devices, by one of their ends.
type links map[*netconf.Interface]end

// linksOf finds who is plugged into whom: by what is heard by LLDP, else by an address of the same subnet of a link, /31 to
// /29 or /127 to /125, else by descriptions that name a device and its port.
func linksOf(devices []*Device) links {
	all, heard := links{}, heardLinks(devices)
	for port, far := range addressed(devices) { // of each port its own: order does not matter
		_, a := heard[port]
		if _, b := heard[far.port]; !a && !b {
			all[port] = far
		}
	}
	maps.Copy(all, heard)
	names := named(devices)
	for _, d := range devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			if _, known := all[p]; known || p.Description == "" {
				continue
			}
			if far := described(d, names, p.Description); far.port != nil {
				all[p] = far
			}
		}
	}
	return all
}

// named are devices by their host names.
func named(devices []*Device) map[string]*Device {
	names := map[string]*Device{}
	for _, d := range devices {
		names[d.Device.Name] = d
	}
	return names
}

// addressed are cables by the addresses of their ends.
func addressed(devices []*Device) links {
	all := links{}
	subnets := map[netip.Prefix][]end{}
	for _, d := range devices {
		for i := range d.Device.Interfaces {
			p := &d.Device.Interfaces[i]
			for _, a := range p.Addresses {
				if p.Kind == netconf.Physical && p.VRF == "" && isLink(a) {
					subnets[a.Masked()] = append(subnets[a.Masked()], end{d, p})
				}
			}
		}
	}
	for _, ends := range subnets { // each of its own ports: order does not matter
		if len(ends) == 2 && ends[0].of != ends[1].of {
			all[ends[0].port], all[ends[1].port] = ends[1], ends[0]
		}
	}
	return all
}

// isLink reports whether a subnet is one of two ends.
func isLink(a netip.Prefix) bool {
	return a.Addr().BitLen()-a.Bits() <= 3 && a.Addr().BitLen() > a.Bits()
}

// described is the end that a description names: "to spine1 Ethernet1/2", "P2P_spine1_Ethernet2".
func described(d *Device, names map[string]*Device, text string) end {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" _:|,;()[]<>", r) })
	for k, w := range words {
		far := names[w]
		if far == nil || far == d {
			continue
		}
		for _, port := range words[k+1:] {
			if p := far.portCalled(port); p != nil {
				return end{far, p}
			}
		}
	}
	return end{}
}

// short are names of ports as devices shorten them in tables.
var short = regexp.MustCompile(`^(?:Et|Eth)(\d.*)$`)

// portCalled is a port by its neutral name or the device's own, or by that as it is shortened; nil: there is none.
func (d *Device) portCalled(name string) *netconf.Interface {
	if name == "" {
		return nil
	}
	if m := short.FindStringSubmatch(name); m != nil {
		name = "Ethernet" + m[1]
	}
	for i := range d.Device.Interfaces {
		if p := &d.Device.Interfaces[i]; p.Kind == netconf.Physical && (p.Name == name || d.Native(p.Name) == name) {
			return p
		}
	}
	return nil
}

// far is what an interface is plugged into; nil: none of the devices is known to be.
func (l links) far(_ *Device, i *netconf.Interface) (*Device, *netconf.Interface) {
	e := l[i]
	return e.of, e.port
}

// Far is the device and the port that an interface of one of them is plugged into; nil: none of them.
func Far(devices []*Device, i *netconf.Interface) (*Device, *netconf.Interface) {
	return linksOf(devices).far(nil, i)
}
