package netconf

import (
	"fmt"
	"net/netip"
	"slices"

	"railyard/internal/base/unit"
)

// Tunnels is what a switch is an end of: VXLANs (RFC 7348), whose other ends it hears of by EVPN (RFC 8365).
type Tunnels struct {
	Source netip.Addr `json:"source"`                        // where frames in them come from and go to
	MTU    unit.Bytes `json:"largest_frame_bytes,omitempty"` // inside, header and FCS included; 0: not said
	VNIs   []VNI      `json:"vnis"`                          // by VLAN
}

// A VNI is a VLAN that is joined with those of other switches.
type VNI struct {
	VLAN   int `json:"vlan"`
	Number int `json:"vni"`
}

// MostVNI is the highest number of a VXLAN: 24 bits.
const MostVNI = 1<<24 - 1

// GatewayMAC is the address that all gateways of a rail answer with: the first of VRRP's for IPv4 (RFC 5798, section
// 7.3), as RFC 9135, section 4.1, has it.
const GatewayMAC = "00:00:5e:00:01:01"

// clone is a copy that shares nothing.
func (t *Tunnels) clone() *Tunnels {
	t = clone(t)
	if t != nil {
		t.VNIs = slices.Clone(t.VNIs)
	}
	return t
}

// unusedVNIs leaves out those of VLANs that no interface has any more.
func (d *Device) unusedVNIs() {
	if d.Tunnels == nil {
		return
	}
	d.Tunnels.VNIs = Without(d.Tunnels.VNIs, func(v VNI) bool {
		return !slices.ContainsFunc(d.Interfaces, func(i Interface) bool { return i.VLAN == v.VLAN })
	})
	if len(d.Tunnels.VNIs) == 0 {
		d.Tunnels = nil
	}
}

func (t *Tunnels) facts() (all []Fact) {
	inside := ""
	if t.MTU > 0 {
		inside = fmt.Sprintf(", frames of at most %v", t.MTU)
	}
	all = append(all, Fact{What: "VXLAN", Value: fmt.Sprintf("from %v%s", t.Source, inside), Place: "vxlan"})
	for _, v := range t.VNIs {
		all = append(all, Fact{What: fmt.Sprintf("VNI of VLAN %d", v.VLAN), Value: fmt.Sprint(v.Number),
			Place: fmt.Sprintf("VNI %d", v.Number)})
	}
	return all
}

// Overlaid reports whether a device is in an overlay: an end of tunnels, or a switch that passes on what ends say.
func (d *Device) Overlaid() bool {
	return d.Tunnels != nil || d.BGP != nil && slices.ContainsFunc(d.BGP.Neighbours, func(n Neighbour) bool {
		return n.EVPN || n.Source.IsValid() || n.Hops != 0
	}) || slices.ContainsFunc(d.Interfaces, func(i Interface) bool { return i.MAC != "" })
}

// NoOverlay is for platforms that have no words for VXLAN and EVPN: what is below an overlay goes nowhere without it, so
// all addresses and sessions are left to the platform.
func (f *Fitting) NoOverlay(platform string) {
	if f.Device.Overlaid() {
		f.NoRouting(platform + ", which has no command on record for VXLAN and EVPN,")
	}
}

// NoOverlay refuses VXLAN and EVPN.
func (r *Refusals) NoOverlay(d *Device) {
	if d.Overlaid() {
		r.Refuse("%s: VXLAN and EVPN: no command is on record for them", d.Name)
	}
}
