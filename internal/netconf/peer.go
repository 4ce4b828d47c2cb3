package netconf

import (
	"fmt"
	"net/netip"
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

// Peered leaves the pairing with another switch to the platform, unless it can be said.
func (f *Fitting) Peered(platform string, can func(*Peer) bool) {
	if p := f.Device.Peer; p != nil && !can(p) {
		f.Say("peer switch, %s: no command of %s is on record for that", p, platform)
		f.Device.Peer = nil
	}
}

// NoPeer is Peered for platforms that cannot say any.
func (f *Fitting) NoPeer(platform string) { f.Peered(platform, func(*Peer) bool { return false }) }

// Peered refuses a pairing with another switch that cannot be said.
func (r *Refusals) Peered(d *Device, can func(*Peer) bool) {
	if d.Peer != nil && !can(d.Peer) {
		r.Refuse("peer switch, %s: no command is on record for that", d.Peer)
	}
}

// NoPeer is Peered for platforms that cannot say any.
func (r *Refusals) NoPeer(d *Device) { r.Peered(d, func(*Peer) bool { return false }) }
