package topo

import "strconv"

// Dragonfly is groups of routers: in a group every two routers have a link, and every two groups have
// links (J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology,
// ISCA 2008). Hosts are spread over the routers in order, each with all of its NICs on one.
//
//	group 1                 group 2
//	router1 -- router2      router3 -- router4
//	  |  \________|___________/          |
//	hosts       hosts ...
//
// Routes are minimal: at most one link between groups, and before and after it at most one inside. A
// link between groups costs 3 and one inside 1, so no way over a third group is as short.
//
// With one class of buffers those routes are not free of deadlock: the paper gives a packet another
// virtual channel after each link between groups, which Ethernet with PFC in one class has not.
type Dragonfly struct {
	Hosts, GPUs, NICs int   // GPUs and NICs of each host
	Bond              int   // ports of each NIC, all to its router; 0: 1
	HostLink          Cable // between a port and its router
	Groups            int
	Routers           int   // of a group
	Global            int   // links of a router to other groups
	LocalLink         Cable // between routers of a group
	GlobalLink        Cable // between groups
}

// globalCost is more than the two links inside groups that a minimal route may have beside it.
const globalCost = 3

// Graph makes the network.
func (d Dragonfly) Graph() (*Graph, error) {
	m, h := &Misfits{Design: DesignDragonfly}, hosts{d.Hosts, d.GPUs, d.NICs, d.Bond, d.HostLink}
	h.check(m)
	m.within("Groups", "groups", d.Groups, 1, 1<<12)
	m.within("Routers", "routers per group", d.Routers, 1, 1<<12)
	m.within("Global", "links of a router to other groups", d.Global, 0, 1<<10)
	if d.Routers > 1 {
		m.cable("LocalLink", "link inside a group", d.LocalLink)
	}
	if d.Groups > 1 {
		m.cable("GlobalLink", "link between groups", d.GlobalLink)
	}
	if err := m.err(); err != nil {
		return nil, err
	}
	ends, others := d.Routers*d.Global, d.Groups-1
	m.refuse(d.Hosts%(d.Groups*d.Routers) != 0, "Hosts", "%d hosts do not spread evenly over %d x %d routers, "+
		"want a multiple of %d", d.Hosts, d.Groups, d.Routers, d.Groups*d.Routers)
	m.refuse(others > 0 && (ends == 0 || ends%others != 0), "Global", "%d routers x %d links to %d other groups, "+
		"want a multiple of %d above 0 in all", d.Routers, d.Global, others, others)
	m.refuse(others == 0 && ends > 0, "Global", "%d links of a router to other groups, and there are none: want 0",
		d.Global)
	h.links(m, product(d.Groups, sum(product(d.Routers, d.Routers-1), ends)))
	if err := m.err(); err != nil {
		return nil, err
	}
	b := NewBuilder()
	each := d.Hosts / (d.Groups * d.Routers)
	all := h.add(b, func(host int) int { return host / each / d.Routers })
	routers := make([]NodeID, d.Groups*d.Routers)
	for i := range routers {
		routers[i] = b.AddSwitch("router"+strconv.Itoa(i+1), Leaf)
		b.Place(routers[i], Place{Pod: i / d.Routers, Plane: -1, Rail: -1})
	}
	h.connect(b, all, func(host, _ int) NodeID { return routers[host/each] })
	d.connectLocal(b, routers)
	d.connectGlobal(b, routers)
	return b.Build()
}

// connectLocal links every two routers of a group.
func (d *Dragonfly) connectLocal(b *Builder, routers []NodeID) {
	for g := range d.Groups {
		in := routers[g*d.Routers : (g+1)*d.Routers]
		for i := range in {
			for k := i + 1; k < len(in); k++ {
				b.Connect(in[i], in[k], d.LocalLink)
			}
		}
	}
}

// Far says where end k of a group's links to other groups leads, of d.Routers * d.Global: to the group that comes so
// many after it, round and round, and to that group's end. The ends of a group are those of its routers in order.
func (d *Dragonfly) Far(k int) (ahead, end int) {
	others := d.Groups - 1
	return 1 + k%others, k/others*others + others - 1 - k%others
}

// connectGlobal links the groups.
func (d *Dragonfly) connectGlobal(b *Builder, routers []NodeID) {
	cable := d.GlobalLink
	cable.Cost = globalCost
	for g := range d.Groups {
		for k := range d.Routers * d.Global {
			ahead, back := d.Far(k)
			if far := (g + ahead) % d.Groups; g < far {
				b.Connect(routers[g*d.Routers+k/d.Global], routers[far*d.Routers+back/d.Global], cable)
			}
		}
	}
}
