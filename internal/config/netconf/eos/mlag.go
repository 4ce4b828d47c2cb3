package eos

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// mostChannel bounds the number of a port channel.
const mostChannel = 999_999

// localized leaves out the own address for the other switch where it is that of the SVI which EOS names.
func localized(d *netconf.Device) {
	p := d.Peer
	if p == nil || !p.Source.IsValid() {
		return
	}
	for i := range d.Interfaces {
		here := &d.Interfaces[i]
		if here.Name == p.Local && slices.ContainsFunc(here.Addresses, func(a netip.Prefix) bool { return a.Addr() == p.Source }) {
			p.Source = netip.Addr{}
		}
	}
}

// peered reports whether EOS can say a peer: a domain of one word, by an SVI, over a port channel.
func peered(p *netconf.Peer) bool {
	_, isVirtual := virtual(p.Local)
	return len(strings.Fields(p.Domain)) == 1 && strings.HasPrefix(p.Local, "Vlan") && isVirtual && p.Address.Is4() &&
		!p.Source.IsValid() && p.VRF == "" && p.Link >= 1 && p.Link <= mostChannel
}

func (w *writer) mlag(p *netconf.Peer) {
	w.line(0, "mlag configuration")
	w.line(1, "domain-id %s", p.Domain)
	w.line(1, "local-interface %s", p.Local)
	w.line(1, "peer-address %s", p.Address)
	w.line(1, "peer-link Port-Channel%d", p.Link)
}

// inMLAG is the block of mlag configuration. How it notices that the other one is gone is not in the model.
var inMLAG = &block{Ends: []string{"exit"}, Rules: []rule{
	{Pattern: "domain-id NAME", Do: func(r *reader, l *line) error {
		r.Device.Peer.Domain = l.Args[0]
		r.say(l, "peer domain")
		return nil
	}},
	{Pattern: "local-interface NAME", Do: func(r *reader, l *line) error {
		i, ok := virtual(l.Args[0])
		if !ok || i.Kind != netconf.SVI {
			return fmt.Errorf("%s: want an SVI, such as Vlan4094", located.Shown(l.Args[0]))
		}
		r.Device.Peer.Local = i.Name
		return nil
	}},
	{Pattern: "peer-address ADDRESS", Do: func(r *reader, l *line) (err error) {
		r.Device.Peer.Address, err = lines.Address4(l.Args[0])
		r.say(l, "peer address")
		return err
	}},
	{Pattern: "peer-link NAME", Do: func(r *reader, l *line) error {
		n, err := channelNumber(l.Args[0])
		if err != nil {
			return err
		}
		r.Device.Peer.Link = n
		r.say(l, "peer link")
		return nil
	}},
	{Pattern: "peer-address heartbeat ADDRESS"},
	{Pattern: "peer-address heartbeat ADDRESS vrf NAME"},
	{Pattern: "dual-primary detection delay SECONDS action errdisable all-interfaces"},
	{Pattern: "reload-delay mlag SECONDS"},
	{Pattern: "reload-delay non-mlag SECONDS"},
}}

// beginMLAG begins what is said of the other switch.
func beginMLAG(r *reader, l *line) error {
	if r.Device.Peer == nil {
		r.Device.Peer = &netconf.Peer{}
		r.say(l, "peer")
	}
	return nil
}
