package eos

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
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
			return fmt.Sprintf("port channel %d of %s without a peer switch, or with an address", here.Channel, here.Name)
		case peer != (here.VLAN == 0), known && vlan != here.VLAN:
			return fmt.Sprintf("port channel %d with VLAN %d, want none to the peer, and one to a NIC", here.Channel, here.VLAN)
		case !peer && here.Channel > mostMLAG:
			return fmt.Sprintf("port channel %d, which is the number of its MLAG too, want at most %d", here.Channel, mostMLAG)
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

// inChannel is the block of a port channel.
var inChannel = &block{Ends: []string{"exit"}, Rules: []rule{
	{Pattern: "description TEXT..."},
	{Pattern: "switchport"},
	{Pattern: "switchport mode trunk", Do: func(r *reader, _ *line) error { r.channel.trunk = true; return nil }},
	{Pattern: "switchport access vlan ID", Do: func(r *reader, l *line) (err error) {
		r.channel.vlan, err = l.Int(0, 1, mostVLAN)
		return err
	}},
	{Pattern: "mlag N", Do: func(r *reader, l *line) (err error) {
		r.channel.mlag, err = l.Int(0, 1, mostMLAG)
		return err
	}},
}}

// channelNumber reads the name of a port channel.
func channelNumber(name string) (int, error) {
	n, err := lines.Whole(strings.TrimPrefix(name, "Port-Channel"), 1, mostChannel)
	if err != nil {
		return 0, fmt.Errorf("%s: want a port channel, such as Port-Channel10", located.Shown(name))
	}
	return int(n), nil
}

// beginChannel begins a port channel, by its number.
func beginChannel(r *reader, l *line) error {
	n, err := channelNumber(l.Args[0])
	if err != nil {
		r.channel = &channel{} // so that its lines are read
		return err
	}
	i := slices.IndexFunc(r.channels, func(c *channel) bool { return c.number == n })
	if i < 0 {
		i = len(r.channels)
		r.channels = append(r.channels, &channel{number: n, line: l})
	}
	r.channel = r.channels[i]
	return nil
}

// bundled puts a port into a port channel.
func bundled(r *reader, l *line) (err error) {
	if r.port.Kind != netconf.Physical {
		return fmt.Errorf("a port channel of %s, want it on a port", r.port.Name)
	}
	r.port.Channel, err = l.Int(0, 1, mostChannel)
	return err
}

// finishChannels gives ports the VLAN of their port channel, and reports those that are not as both peers need them.
func (r *reader) finishChannels(wrong func(l *line, format string, args ...any)) {
	used := map[int]bool{}
	for i := range r.Device.Interfaces {
		here := &r.Device.Interfaces[i]
		if here.Channel == 0 {
			continue
		}
		used[here.Channel] = true
		at := r.Places["interface "+here.Name]
		l := &line{File: at.File, Number: lines.Number(at.Line)}
		k := slices.IndexFunc(r.channels, func(c *channel) bool { return c.number == here.Channel })
		switch {
		case k < 0:
			wrong(l, "%s: no interface Port-Channel%d", here.Name, here.Channel)
		case here.VLAN != 0:
			wrong(l, "%s: a VLAN beside port channel %d, want it there", here.Name, here.Channel)
		case len(here.Addresses) > 0:
			wrong(l, "%s: an address beside port channel %d", here.Name, here.Channel)
		default:
			here.VLAN = r.channels[k].vlan
		}
	}
	link := 0
	if r.Device.Peer != nil {
		link = r.Device.Peer.Link
	}
	for _, c := range r.channels {
		name := located.Shown(fmt.Sprintf("Port-Channel%d", c.number))
		switch {
		case !used[c.number]:
			wrong(c.line, "%s: no port has channel-group %d", name, c.number)
		case link == 0:
			wrong(c.line, "%s: port channels without mlag configuration have no place here", name)
		case c.number == link && (!c.trunk || c.vlan != 0 || c.mlag != 0):
			wrong(c.line, "%s: the peer-link, want switchport mode trunk alone", name)
		case c.number != link && (c.trunk || c.vlan == 0 || c.mlag != c.number):
			wrong(c.line, "%s: want switchport access vlan, and mlag %d", name, c.number)
		}
	}
}
