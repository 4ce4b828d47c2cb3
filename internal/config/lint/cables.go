package lint

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/config/lldp"
	"railyard/internal/config/netconf"
)

// heardLinks are cables by what devices hear of each other. Where two ends hear of different ones, it is what the first says:
// one of them is of another time.
func heardLinks(devices []*Device) links {
	all, names := links{}, named(devices)
	for _, d := range devices {
		for k := range d.Heard {
			here, far := d.hears(&d.Heard[k], names)
			if here == nil || far.port == nil {
				continue
			}
			_, a := all[here]
			if _, b := all[far.port]; !a && !b {
				all[here], all[far.port] = far, end{d, here}
			}
		}
	}
	return all
}

// hears is the port on which a neighbour is heard, and the neighbour's own; nil: it is none of a device here.
func (d *Device) hears(n *lldp.Neighbour, names map[string]*Device) (*netconf.Interface, end) {
	far := farEnd(n, names)
	if far.of == d {
		far = end{}
	}
	return d.portCalled(n.Port), far
}

// farEnd is the device that a neighbour is, and its port; nil: it is none of those with these names, or has no such port.
func farEnd(n *lldp.Neighbour, names map[string]*Device) (far end) {
	if n.System == "" {
		return end{}
	}
	if far.of = names[n.System]; far.of == nil {
		host, _, _ := strings.Cut(n.System, ".") // a name with its domain
		far.of = names[host]
	}
	if far.of == nil {
		return end{}
	}
	if far.port = far.of.portCalled(n.FarPort); far.port == nil {
		far.port = far.of.portCalled(n.FarPortSay)
	}
	return far
}

// Heard counts what devices hear by LLDP: all of it, and what of it is a port of one of them.
func Heard(devices []*Device) (all, here int) {
	names := named(devices)
	for _, d := range devices {
		for k := range d.Heard {
			all++
			if port, far := d.hears(&d.Heard[k], names); port != nil && far.port != nil {
				here++
			}
		}
	}
	return all, here
}

// cables holds what is heard against addresses and against the design: each cable once, at its first end.
func (l *linter) cables() {
	heard, meant, names := heardLinks(l.devices), addressed(l.devices), named(l.devices)
	for k, d := range l.devices {
		for n := range d.Device.Interfaces {
			i := &d.Device.Interfaces[n]
			far, known := heard[i]
			if !known || slices.Index(l.devices, far.of) < k {
				continue
			}
			if by, both := meant[i]; both && by.port != far.port {
				l.cable(d, i, far.name(), "its address is of the link to "+by.name())
				continue
			}
			l.designed(d, i, far.of.Meant(), far.port.Name, far.name())
		}
		for n := range d.Heard { // of devices that are not here
			h := &d.Heard[n]
			if i, far := d.hears(h, names); i != nil && far.of == nil && l.design != nil && l.design.Devices[h.System] != nil {
				l.designed(d, i, h.System, "", h.System)
			}
		}
	}
}

// name is an end for people.
func (e *end) name() string { return e.of.Device.Name + " " + e.of.Native(e.port.Name) }

func (l *linter) cable(d *Device, i *netconf.Interface, is, meant string) {
	l.add(d, "Q36", Error, fmt.Sprintf("%s is plugged into %s, as LLDP says, and %s", d.Native(i.Name), is, meant),
		"interface "+i.Name)
}

// designed compares the far end of a cable with the design's, whose descriptions are "to spine1 Ethernet1/2". A port that is
// not known is any.
func (l *linter) designed(d *Device, i *netconf.Interface, device, port, is string) {
	meant := l.meant(d, i)
	if meant == nil {
		return
	}
	if w := strings.Fields(meant.Description); len(w) == 3 && w[0] == "to" && (w[1] != device || port != "" && w[2] != port) {
		l.cable(d, i, is, fmt.Sprintf("the design has it in %s %s", w[1], w[2]))
	}
}
