package sonic

import (
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// mclag is the table of the other switch, by the number of the domain.
const mclag = "MCLAG_DOMAIN"

// Bounds of a domain and of a port channel.
const mostDomain, mostChannel = 4095, 9999

// peered reports whether SONiC can say a peer: a domain that is a number, and both addresses.
func peered(p *netconf.Peer) bool {
	return p.Numbered(mostDomain) && p.Address.Is4() && p.Source.Is4() &&
		p.Local == "" && p.VRF == "" && p.Link >= 0 && p.Link <= mostChannel
}

func (w *writer) peer() {
	p := w.d.Peer
	if p == nil {
		return
	}
	values := fields{"source_ip", p.Source.String(), "peer_ip", p.Address.String()}
	if p.Link > 0 {
		values = append(values, "peer_link", "PortChannel"+strconv.Itoa(p.Link))
	}
	w.set(mclag, p.Domain, values...)
}

func (r *reader) peer() {
	r.objects(mclag, func(o *node) {
		if _, err := lines.Whole(o.key, 1, mostDomain); err != nil || r.Device.Peer != nil {
			r.wrong(o, "%s: want one domain, from 1 to %d", located.Shown(o.key), mostDomain)
			return
		}
		p := &netconf.Peer{Domain: o.key}
		r.Device.Peer = p
		for _, what := range []string{"peer", "peer domain", "peer address", "peer link"} {
			r.say(o, "%s", what)
		}
		var err error
		if p.Address, err = lines.Address4(o.field("peer_ip")); err != nil {
			r.wrong(o, "peer_ip: %v", err)
		}
		if p.Source, err = lines.Address4(o.field("source_ip")); err != nil {
			r.wrong(o, "source_ip: %v", err)
		}
		if text := o.field("peer_link"); text != "" {
			n, err := lines.Whole(strings.TrimPrefix(text, "PortChannel"), 1, mostChannel)
			if err != nil {
				r.wrong(o, "peer_link: %s: want a port channel, such as PortChannel10", located.Shown(text))
			}
			p.Link = int(n)
		}
	})
}
