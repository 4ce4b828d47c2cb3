package scenario

import "slices"

// Design is how switches are joined, by the name that a scenario has for it.
type Design string

// The designs: Designs says what each is.
const (
	DesignRailOptimized Design = "rail-optimized"
	DesignSingleSwitch  Design = "single-switch"
	DesignDualRail      Design = "dual-rail"
	DesignLeafSpine     Design = "leaf-spine"
	DesignRailOnly      Design = "rail-only"
	DesignDragonfly     Design = "dragonfly"
	DesignDirect        Design = "direct"
	DesignCustom        Design = "custom"
)

// Designs by what they have.
var (
	withSpines = []Design{DesignRailOptimized, DesignLeafSpine}
	withRails  = []Design{DesignRailOptimized, DesignRailOnly}
	withPlanes = []Design{DesignRailOptimized, DesignLeafSpine, DesignRailOnly}
)

// onlyOf says that a field belongs to some designs.
func onlyOf(what string, designs ...Design) func(any) string {
	return where(func(s *Scenario) string {
		switch {
		case slices.Contains(designs, s.Fabric.Design):
			return ""
		case s.Fabric.Design == DesignCustom:
			return unlessCustom(s)
		}
		return "fabric.design is " + string(s.Fabric.Design) + ", which has no " + what
	})
}

// SwitchPorts returns the ports of the switch that hosts attach to; 0 where there is none, or a file says it.
func (s *Scenario) SwitchPorts() int {
	f, nics := &s.Fabric, s.NICsPerHost()*s.Cluster.NIC.Links()
	hosts, up := s.Cluster.Hosts, f.Upper.SpinesPerLeaf.Or(f.Spines)*f.Links.Parallel
	if s.Cluster.NIC.Bonded() {
		up += (s.Cluster.NIC.Ports - 1) * f.Links.Peer
	}
	switch f.Design {
	case DesignSingleSwitch:
		return hosts * nics
	case DesignDualRail:
		return hosts*nics/s.Cluster.NIC.Ports + (s.Cluster.NIC.Ports-1)*f.Links.Peer
	case DesignLeafSpine:
		return hosts*nics/f.Leaves + up
	case DesignDragonfly:
		d := &f.Dragonfly
		return hosts*nics/(d.Groups*d.Routers) + d.Routers - 1 + d.Global
	case DesignRailOptimized, DesignRailOnly:
		return f.Rails.Segment.Or(hosts)*f.Rails.PerLeaf + up
	case DesignDirect, DesignCustom:
	}
	return 0
}
