package nxos

import (
	"slices"
	"strconv"
	"strings"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// Bounds of a vPC domain and of a port channel.
const mostDomain, mostChannel = 1000, 4096

// peered reports whether NX-OS can say a peer: a domain that is a number, a port channel, no SVI.
func peered(p *netconf.Peer) bool {
	return p.Numbered(mostDomain) && p.Address.Is4() && p.Local == "" &&
		(p.Source.Is4() || !p.Source.IsValid()) && len(strings.Fields(p.VRF)) <= 1 && p.Link >= 0 && p.Link <= mostChannel
}

func (w *writer) vpc(p *netconf.Peer) {
	w.line(0, "vpc domain %s", p.Domain)
	text := "peer-keepalive destination " + p.Address.String()
	if p.Source.IsValid() {
		text += " source " + p.Source.String()
	}
	if p.VRF != "" {
		text += " vrf " + p.VRF
	}
	w.line(1, "%s", text)
	if p.Link > 0 {
		w.line(0, "interface port-channel%d", p.Link)
		w.line(1, "switchport mode trunk")
		w.line(1, "vpc peer-link")
	}
}

func (r *reader) peer() *netconf.Peer {
	if r.Device.Peer == nil {
		r.Device.Peer = &netconf.Peer{}
	}
	return r.Device.Peer
}

// vpcDomain reads vpc domain N. How the two share their work is not in the model.
func (r *reader) vpcDomain(l *line) {
	if n, ok := r.whole(l, 2, 1, mostDomain); ok {
		r.peer().Domain = strconv.Itoa(n)
	}
	r.At(l, "peer")
	r.At(l, "peer domain")
	quiet := []string{"peer-switch", "peer-gateway", "auto-recovery", "ip arp synchronize"}
	numbered := []string{"role priority", "system-priority", "delay restore"}
	for _, b := range l.Below {
		last := len(b.Words) - 1
		switch {
		case b.Is("peer-keepalive", "destination") && len(b.Words) > 2 && len(b.Words)%2 == 1:
			r.keepalive(b)
		case slices.Contains(quiet, b.Text(0)):
		case last > 0 && slices.Contains(numbered, strings.TrimSuffix(b.Text(0), " "+b.Word(last))):
			r.whole(b, last, 0, 65535)
		default:
			r.Tell(b, []string{"delay", "ipv6 nd", "layer3", "peer-keepalive", "dual-active", "fast-convergence",
				"graceful", "no", "track",
				"virtual", "mode", "object", "auto-recovery", "ip", "ipv6"})
			continue
		}
		r.None(b)
	}
}

// keepalive reads peer-keepalive destination A [source B] [vrf V].
func (r *reader) keepalive(b *line) {
	p := r.peer()
	a, err := lines.Address4(b.Word(2))
	if r.fine(b, 2, err) {
		p.Address = a
		r.At(b, "peer address")
	}
	for i := 3; i < len(b.Words); i += 2 {
		switch b.Word(i) {
		case "source":
			a, err := lines.Address4(b.Word(i + 1))
			if r.fine(b, i+1, err) {
				p.Source = a
			}
		case "vrf":
			p.VRF = b.Word(i + 1)
		default:
			r.Wrong(b, i, "%s is not understood here, want source or vrf", b.Word(i))
		}
	}
}

// channel reads interface port-channelN, of which only the link between two vPC switches has a place in the model;
// false: it is none.
func (r *reader) channel(l *line) bool {
	text, ok := strings.CutPrefix(strings.ToLower(l.Text(1)), "port-channel")
	n, err := lines.Whole(text, 1, mostChannel)
	link := func(b *line) bool { return b.Text(0) == "vpc peer-link" }
	if !ok || err != nil || !slices.ContainsFunc(l.Below, link) {
		return false
	}
	for _, b := range l.Below {
		switch {
		case link(b):
			r.peer().Link = int(n)
			r.At(b, "peer link")
		case b.Text(0) == "switchport", b.Text(0) == "switchport mode trunk", b.Text(0) == "no shutdown",
			b.Text(0) == "spanning-tree port type network", b.Is("description") && len(b.Words) > 1:
		default:
			r.Tell(b, knownOnInterface)
			continue
		}
		r.None(b)
	}
	return true
}
