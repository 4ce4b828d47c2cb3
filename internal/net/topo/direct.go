package topo

// Direct joins hosts in pairs without a switch: host1 and host2, host3 and host4, NIC to NIC of the same
// index. What a NIC does alone is measured so.
//
//	host1 ==== host2    host3 ==== host4
type Direct struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	HostLink          Cable // between two NICs
}

// Graph makes the network.
func (d Direct) Graph() (*Graph, error) {
	m, h := &Misfits{Design: "direct"}, hosts{d.Hosts, d.GPUs, d.NICs, 1, d.HostLink}
	h.check(m)
	m.refuse(d.Hosts%2 != 0, "Hosts", "%d hosts do not make pairs, want a multiple of 2", d.Hosts)
	if len(m.All) == 0 {
		h.links(m, 0)
	}
	if err := m.err(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	all := h.add(b, noPod)
	for i := 0; i < len(all); i += 2 {
		for nic := range d.NICs {
			b.ConnectRail(all[i], all[i+1], d.HostLink, nic)
		}
	}
	return b.Build()
}
