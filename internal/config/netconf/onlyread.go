package netconf

import "slices"

// onlyRead leaves out what is read of configurations and rendered in none: VRFs, ports of several VLANs, port channels
// that are interfaces of their own, other loopbacks, and sessions without addresses.
func (f *Fitting) onlyRead() {
	d := f.Device
	d.Interfaces = Without(d.Interfaces, func(i Interface) bool {
		gone := i.Kind == Bundle || i.Kind == Loopback && i.Name != "Loopback0" || i.Kind != Physical && i.VRF != ""
		if gone {
			f.Say("%s: no dialect renders it", i.Name)
		}
		return gone
	})
	for i := range d.Interfaces {
		here := &d.Interfaces[i]
		if here.VRF != "" || here.Trunk || here.Routed || here.Down {
			if here.VRF != "" {
				here.Addresses = nil
			}
			if here.Trunk {
				here.VLAN = 0
			}
			f.Say("VRFs, several VLANs of a port, ports that are routed without an address or shut down: no dialect renders them")
		}
		here.VRF, here.Trunk, here.Allowed, here.Routed, here.Down = "", false, nil, false, false
	}
	if d.QoS != nil {
		for i := range d.QoS.Profiles {
			for k := range d.QoS.Profiles[i].Classes {
				if c := &d.QoS.Profiles[i].Classes[k]; c.ECN != nil && c.ECN.Scale != "" {
					f.Say("WRED in %s: no dialect renders it", c.ECN.Scale)
					c.ECN = nil
				}
			}
		}
	}
	d.unusedVNIs()
	if d.BGP == nil {
		return
	}
	read := func(n Neighbour) bool { return !n.Address.IsValid() || n.AS == 0 || n.Down }
	if d.BGP.Connected || len(d.BGP.Listen) > 0 || slices.ContainsFunc(d.BGP.Neighbours, read) {
		f.NoRouting("a BGP with sessions without addresses, or that redistributes,")
	}
}
