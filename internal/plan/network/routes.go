package network

import (
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/transport"
)

// Routes are the routes that switches find without some links: those that BGP leaves. Where there are no
// sessions, or BGP is none that follows what links cost, they are the shortest ways.
func Routes(sc *scenario.Scenario, g *topo.Graph, dead map[topo.LinkID]bool) *topo.Routes {
	isDead := func(l topo.LinkID) bool { return dead[l] }
	by := sessions(&sc.Fabric.Routing)
	numbers, err := inventory.Numbers(g, &by)
	switch {
	case err != nil || numbers == nil:
		return topo.NewRoutesWithout(g, isDead)
	case by.Protocol == inventory.IBGP:
		return topo.NewRoutesUpDown(g, isDead)
	}
	return topo.NewRoutesBGP(g, isDead, numbers)
}

// CheckTunnel reports an overlay whose frames no port takes.
func CheckTunnel(sc *scenario.Scenario, g *topo.Graph) error {
	extra := transport.Tunnel(sc)
	if by := &sc.Fabric.Routing; by.Speaks() && by.Protocol == string(inventory.EVPN) && !sc.Fabric.Overlay() &&
		inventory.Joined(g) {
		return sc.Refused("fabric.routing.protocol", "evpn: what it tells switches is for VXLAN, and frames between them have no "+
			"VXLAN, want fabric.encapsulation vxlan, or protocol ebgp")
	}
	by := sessions(&sc.Fabric.Routing)
	if err := inventory.CheckOverlay(g, &by); err != nil {
		return sc.Refused("fabric.routing.protocol", "%v", err)
	}
	largest := transport.Frames(sc).MaxDataFrame(sc.Transport.MTU)
	if extra <= 0 || largest+extra <= sc.Fabric.MTU {
		return nil
	}
	return sc.Refused("fabric.mtu", "%s: with fabric.encapsulation %s a frame of %s has %s more between leaves, want at least "+
		"%s, or a smaller transport.mtu", sc.Fabric.MTU, sc.Fabric.Encapsulation, largest, extra, largest+extra)
}
