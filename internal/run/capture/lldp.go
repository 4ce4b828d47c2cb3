package capture

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// up is a port whose link has come up.
type up struct {
	at   unit.Time
	port topo.PortID
}

// linkUps lists when links of captured ports come up: at the start, and after faults.
func (c *Capture) linkUps() []up {
	var all []up
	for _, p := range c.ports {
		all = append(all, up{0, p.id})
	}
	if f := c.plan.FabricConfig().Faults; f != nil {
		for _, d := range f.Downs {
			for _, p := range c.ports {
				if c.plan.Graph.Ports[p.id].Link == d.Link {
					all = append(all, up{d.Until, p.id})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b up) int { return cmp.Compare(a.at, b.at) })
	return all
}

// announce writes what ports say when their links come up, until now.
func (c *Capture) announce(now unit.Time) {
	for ; len(c.ups) > 0 && c.ups[0].at <= now; c.ups = c.ups[1:] {
		u := c.ups[0]
		if c.ports[c.interfaces[u.port]].seen++; c.kept < c.limit {
			c.put(u.port, u.at, c.lldp(u.port), []string{"the link is up"})
		}
	}
}

// timeToLive is four intervals of 30 s (IEEE 802.1AB section 9.2.5.6; the book's capture 11-1).
const timeToLive = 120

// lldp is what a port tells its neighbour: who it is, and how it shares the link (IEEE 802.1Qaz). Hosts are willing to
// take the switch's word.
func (c *Capture) lldp(id topo.PortID) *wire.Frame {
	g := c.plan.Graph
	node := g.Ports[id].Node
	host := g.Nodes[node].Kind == topo.HostKind
	chassis := MAC(g.Nodes[node].Ports[0])
	classes := c.plan.Switches.ClassesAt(node)
	l := &wire.LLDP{Chassis: wire.ID{Subtype: wire.ChassisMAC, Value: string(chassis[:])},
		Port: wire.ID{Subtype: wire.PortInterface, Value: c.addresses.Ports[id].Name.String()}, TTL: timeToLive,
		PortText: g.Ports[id].Name, System: g.Nodes[node].Name, DCBX: dcbx(classes, host)}
	data := classes[0].Priority
	l.DCBX.Apps = []wire.Application{{Priority: data, Selector: wire.SelectUDP, Protocol: wire.RoCEv2Port}}
	for i := range classes {
		l.DCBX.Apps = append(l.DCBX.Apps, wire.Application{Priority: classes[i].Priority, Selector: wire.SelectDSCP,
			Protocol: uint16(c.plan.Switches.DSCP(uint8(i)))})
	}
	return &wire.Frame{Ethernet: wire.Ethernet{Source: MAC(id), Dest: wire.LLDPAddress}, LLDP: l}
}

// dcbx says how classes share a link: each priority is a traffic class of its own number, the others are class 0.
// Weights become per cent; what rounding leaves goes to the first.
func dcbx(classes []fabric.Class, willing bool) wire.DCBX {
	var s wire.Shares
	sum, left, first := 0, 100, -1
	for _, cl := range classes {
		sum += cl.Weight
	}
	pfc := &wire.PFCConfig{Willing: willing, Capability: 8}
	for _, cl := range classes {
		s.Class[cl.Priority] = cl.Priority
		if cl.Lossless {
			pfc.Enable |= 1 << cl.Priority
		}
		if cl.Strict || sum == 0 {
			continue
		}
		if first < 0 {
			first = int(cl.Priority)
		}
		share := 100 * cl.Weight / sum
		s.Selection[cl.Priority], s.Bandwidth[cl.Priority] = wire.ETSShare, uint8(share)
		left -= share
	}
	if first >= 0 {
		s.Bandwidth[first] += uint8(left)
	}
	return wire.DCBX{Config: &wire.ETS{Willing: willing, Shares: s}, Recommended: &wire.Recommendation{Shares: s}, PFC: pfc}
}
