package topo

// SingleSwitch puts every NIC on one switch, rail1 (book chapter 13, the single rail switch). NIC i of
// each host is on rail i all the same: rails share the switch, each as a VLAN.
//
//	        rail1
//	 / |    |  |    | \
//	host1  host2   host3
type SingleSwitch struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	HostLink          Cable // between a NIC and the switch
	Isolated          bool  // nothing routes between the VLANs
}

// Graph makes the network.
func (d SingleSwitch) Graph() (*Graph, error) {
	h := hosts{d.Hosts, d.GPUs, d.NICs, d.HostLink}
	m := &Misfits{Design: "single-switch"}
	if h.check(m); len(m.All) == 0 {
		h.links(m, 0)
	}
	if err := m.err(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	all := h.add(b, noPod)
	sw := b.AddSwitch("rail1", Leaf)
	h.connect(b, all, func(int, int) NodeID { return sw })
	b.g.Isolated = d.Isolated
	return b.Build()
}
