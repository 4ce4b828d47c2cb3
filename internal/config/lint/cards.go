package lint

import (
	"fmt"
	"strings"

	"railyard/internal/config/dcbx"
	"railyard/internal/config/netconf"
)

// Held counts the NICs of hosts: all, and those that were held against a port of one of the devices.
func (h *Hosts) Held(devices []*Device) (all, held int) {
	names := named(devices)
	for i := range h.Cards {
		if farEnd(&h.Cards[i].Hears, names).port != nil {
			held++
		}
	}
	return len(h.Cards), held
}

// cards holds ports against the NICs that hear them.
func (l *linter) cards() {
	names := named(l.devices)
	for i := range l.hosts.Cards {
		c := &l.hosts.Cards[i]
		if at := farEnd(&c.Hears, names); at.port != nil && !at.port.Down && at.of.Device.ProfileOf(at.port) != nil {
			l.card(at.of, at.port, c)
		}
	}
}

func (l *linter) card(d *Device, i *netconf.Interface, c *Card) {
	here := "interface " + i.Name
	own, nic := dcbx.Of(d.Device, i), dcbx.NIC(c.Card)
	at, there := dcbx.Resolve(&own, &nic)
	of := d.Native(i.Name) + " and " + c.Name
	if i.QoS.PFC == netconf.PFCAuto && c.Host && (own.IEEE != nil || own.CEE != nil) {
		l.add(d, "Q22", Error, fmt.Sprintf("%s: PFC is auto here, and the NIC's firmware says nothing by DCBX, for its host sets it up "+
			"(%s:%d), so it is off", of, c.By.File, c.By.Line), here+" pfc", here)
		return
	}
	a, b := dcbx.Operational(d.Device, i, &at), c.Pauses(&there)
	if a == b {
		return
	}
	text := fmt.Sprintf("%s: priorities %s pause here, %s there (%s:%d)", of, listed(a), listed(b), c.At.File, c.At.Line)
	if c.By.Line == 0 {
		text += ", if its firmware does not ask by DCBX"
		l.add(d, "Q23", Unknown, text, here+" pfc", here)
		return
	}
	l.lacks(d, netconf.AboutQoS, i.Name, "Q23", Error, text, here+" pfc", here)
}

// listed are priorities for people.
func listed(bits uint8) string {
	var all []string
	for p := range 8 {
		if bits>>p&1 != 0 {
			all = append(all, fmt.Sprint(p))
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ",")
}
