package netconf

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

// A Peer is the other of two switches that are one to what is plugged into both: MLAG, vPC, MCLAG.
type Peer struct {
	Domain  string     `json:"domain"`              // the same on both
	Address netip.Addr `json:"address"`             // where the other one is heard
	Source  netip.Addr `json:"source,omitzero"`     // the own address for that; not valid: not said
	Local   string     `json:"interface,omitempty"` // the SVI for that, where a platform names it
	VRF     string     `json:"vrf,omitempty"`       // where both addresses are; "": not said
	Link    int        `json:"link,omitempty"`      // number of the port channel between them; 0: none is said
}

// String says who the other one is.
func (p *Peer) String() string {
	text := fmt.Sprintf("domain %s, %v", p.Domain, p.Address)
	if p.Source.IsValid() {
		text += fmt.Sprintf(" from %v", p.Source)
	}
	if p.Local != "" {
		text += " by " + p.Local
	}
	if p.VRF != "" {
		text += " in " + p.VRF
	}
	if p.Link > 0 {
		text += fmt.Sprintf(", port channel %d", p.Link)
	}
	return text
}

// Numbered reports whether the domain is a number from 1 to most, as it is written.
func (p *Peer) Numbered(most int) bool {
	n, err := strconv.Atoi(p.Domain)
	return err == nil && n >= 1 && n <= most && p.Domain == strconv.Itoa(n)
}

// Peered leaves the pairing with another switch to the platform, unless it can be said.
func (f *Fitting) Peered(platform string, can func(*Peer) bool) {
	if p := f.Device.Peer; p != nil && !can(p) {
		f.Say("peer switch, %s: no command of %s is on record for that", p, platform)
		f.Device.Peer = nil
	}
}

// NoPeer is Peered for platforms that cannot say any.
func (f *Fitting) NoPeer(platform string) { f.Peered(platform, func(*Peer) bool { return false }) }

// NoChannels leaves port channels to the platform, and what stands on that between two peers: ports to NICs remain
// ports of their VLANs.
func (f *Fitting) NoChannels(platform string) {
	d, said := f.Device, false
	for i := range d.Interfaces {
		said = said || d.Interfaces[i].Channel != 0
		d.Interfaces[i].Channel = 0
	}
	if !said {
		return
	}
	f.Say("port channels, and what the link to the peer switch carries: no command of %s is on record", platform)
	if d.Peer == nil || d.Peer.Local == "" {
		return
	}
	var gone []netip.Prefix
	d.Interfaces = Without(d.Interfaces, func(i Interface) bool {
		if i.Name == d.Peer.Local {
			gone = append(gone, i.Addresses...)
		}
		return i.Name == d.Peer.Local
	})
	d.unusedVNIs()
	if d.BGP != nil {
		d.BGP = clone(d.BGP)
		d.BGP.Neighbours = Without(slices.Clone(d.BGP.Neighbours), func(n Neighbour) bool {
			return slices.ContainsFunc(gone, func(p netip.Prefix) bool { return p.Masked().Contains(n.Address) })
		})
	}
}

// NoChannels refuses port channels.
func (r *Refusals) NoChannels(d *Device) {
	if i := slices.IndexFunc(d.Interfaces, func(i Interface) bool { return i.Channel != 0 }); i >= 0 {
		r.Refuse("%s: port channel %d: no command is on record for it", d.Interfaces[i].Name, d.Interfaces[i].Channel)
	}
}

// Peered refuses a pairing with another switch that cannot be said.
func (r *Refusals) Peered(d *Device, can func(*Peer) bool) {
	if d.Peer != nil && !can(d.Peer) {
		r.Refuse("peer switch, %s: no command is on record for that", d.Peer)
	}
}

// NoPeer is Peered for platforms that cannot say any.
func (r *Refusals) NoPeer(d *Device) { r.Peered(d, func(*Peer) bool { return false }) }
