package eos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// unbundled says why port channels of a device cannot be said; "": they can. That to the peer carries all VLANs, another
// one has one VLAN, and the same number on both peers.
func unbundled(d *netconf.Device) string {
	vlans := map[int]int{} // of channels
	for i := range d.Interfaces {
		here := &d.Interfaces[i]
		if here.Channel == 0 {
			continue
		}
		vlan, known := vlans[here.Channel]
		vlans[here.Channel] = here.VLAN
		peer := d.Peer != nil && here.Channel == d.Peer.Link
		switch {
		case d.Peer == nil || here.Kind != netconf.Physical || here.Channel < 0 || here.Channel > mostChannel ||
			len(here.Addresses) > 0:
			return fmt.Sprintf("port channel %d of %s without a peer switch, or with an address", here.Channel,
				here.Name)
		case peer != (here.VLAN == 0), known && vlan != here.VLAN:
			return fmt.Sprintf("port channel %d with VLAN %d, want none to the peer, and one to a NIC",
				here.Channel, here.VLAN)
		case !peer && here.Channel > mostMLAG:
			return fmt.Sprintf("port channel %d, which is the number of its MLAG too, want at most %d",
				here.Channel, mostMLAG)
		}
	}
	return ""
}

// mostMLAG bounds the number of an MLAG: more than a switch has ports. EOS's own bound is not on record.
const mostMLAG = 2000

// channels writes the port channels of a device.
func (w *writer) channels() {
	vlans := map[int]int{}
	var numbers []int
	for i := range w.d.Interfaces {
		if here := &w.d.Interfaces[i]; here.Channel != 0 {
			vlans[here.Channel], numbers = here.VLAN, append(numbers, here.Channel)
		}
	}
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		w.line(0, "interface Port-Channel%d", number)
		if number == w.d.Peer.Link {
			w.line(1, "switchport mode trunk")
			continue
		}
		w.line(1, "switchport access vlan %d", vlans[number])
		w.line(1, "mlag %d", number)
	}
}

// A channel is a port channel as far as it was read.
type channel struct {
	line   *line
	number int
	vlan   int
	mlag   int
	trunk  bool
}

// channelNumber reads the name of a port channel.
func channelNumber(name string) (int, error) {
	n, err := lines.Whole(strings.TrimPrefix(name, "Port-Channel"), 1, mostChannel)
	if err != nil {
		return 0, fmt.Errorf("%s: want a port channel, such as Port-Channel10", located.Shown(name))
	}
	return int(n), nil
}

// channelOf is the port channel of a name.
func (r *reader) channelOf(l *line, name string) *channel {
	n, _ := channelNumber(name)
	i := slices.IndexFunc(r.channels, func(c *channel) bool { return c.number == n })
	if i < 0 {
		i = len(r.channels)
		r.channels = append(r.channels, &channel{number: n, line: l})
	}
	return r.channels[i]
}

// bundled puts a port into a port channel.
func bundled(r *reader, l *line) (err error) {
	if r.port.Kind != netconf.Physical {
		return fmt.Errorf("a port channel of %s, want it on a port", r.port.Name)
	}
	r.port.Channel, err = l.Int(0, 1, mostChannel)
	return err
}

// finishChannels gives ports what their port channel says, and reports those of which there is none.
func (r *reader) finishChannels(missing, wrong func(l *line, format string, args ...any)) {
	for i := range r.Device.Interfaces {
		here := &r.Device.Interfaces[i]
		if here.Channel == 0 {
			continue
		}
		at := r.Places["interface "+here.Name]
		l := &line{File: at.File, Number: lines.Number(at.Line)}
		k := slices.IndexFunc(r.channels, func(c *channel) bool { return c.number == here.Channel })
		name := r.Native(here.Name)
		switch {
		case k < 0:
			missing(l, "%s: no interface Port-Channel%d", name, here.Channel)
		case here.VLAN != 0:
			wrong(l, "%s: a VLAN beside port channel %d, want it there", name, here.Channel)
		case len(here.Addresses) > 0:
			wrong(l, "%s: an address beside port channel %d", name, here.Channel)
		default:
			c := r.channels[k]
			here.VLAN = c.vlan
			if peer := r.Device.Peer; peer == nil || c.number != peer.Link {
				here.Trunk = c.trunk // to the peer all VLANs go
			}
			if b := r.Device.Port(fmt.Sprintf("Port-Channel%d", c.number)); b != nil {
				here.MTU, here.Allowed = cmp.Or(here.MTU, b.MTU), b.Allowed
			}
		}
	}
	for _, c := range r.channels {
		if link := r.Device.Peer; link != nil && c.number == link.Link && (c.vlan != 0 || c.mlag != 0) {
			wrong(c.line, "Port-Channel%d: the peer-link, want switchport mode trunk alone", c.number)
		}
	} // What is no more than its ports is none of its own.
	r.Device.Interfaces = netconf.Without(r.Device.Interfaces, func(i netconf.Interface) bool {
		return i.Kind == netconf.Bundle && len(i.Addresses) == 0
	})
}
