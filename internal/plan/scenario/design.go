package scenario

import (
	"railyard/internal/net/topo"
	"slices"
)

// Design is how switches are joined, by the name that files have for it; Designs says what each is.
type Design = topo.DesignName

// Designs by what they have.
var (
	withSpines = []Design{topo.DesignRailOptimized, topo.DesignLeafSpine}
	withRails  = []Design{topo.DesignRailOptimized, topo.DesignRailOnly}
	withPlanes = []Design{topo.DesignRailOptimized, topo.DesignLeafSpine, topo.DesignRailOnly}
)

// onlyOf says that a field belongs to some designs.
func onlyOf(what string, designs ...Design) func(any) string {
	return where(func(s *Scenario) string {
		switch {
		case slices.Contains(designs, s.Fabric.Design):
			return ""
		case s.Fabric.custom():
			return unlessCustom(s)
		}
		return "fabric.design is " + string(s.Fabric.Design) + ", which has no " + what
	})
}

// custom reports whether a file says how switches are joined.
func (f *Fabric) custom() bool { return f.Design == topo.DesignCustom }

func onlyCustom(s *Scenario) string {
	if !s.Fabric.custom() {
		return "fabric.design is " + string(s.Fabric.Design) + ": only custom takes its topology from a file"
	}
	return ""
}

func unlessCustom(s *Scenario) string {
	if s.Fabric.custom() {
		return "fabric.design is custom: the file of fabric.topology says it"
	}
	return ""
}

// SwitchPorts returns the ports of the switch that hosts attach to; 0 where there is none, or a file says it.
func (s *Scenario) SwitchPorts() int {
	f, nics := &s.Fabric, s.NICsPerHost()*s.Cluster.NIC.Links()
	hosts, up := s.Cluster.Hosts, f.Upper.SpinesPerLeaf.Or(f.Spines)*f.Links.Parallel
	if s.Cluster.NIC.Bonded() {
		up += (s.Cluster.NIC.Ports - 1) * f.Links.Peer
	}
	switch f.Design {
	case topo.DesignSingleSwitch:
		return hosts * nics
	case topo.DesignDualRail:
		return hosts*nics/s.Cluster.NIC.Ports + (s.Cluster.NIC.Ports-1)*f.Links.Peer
	case topo.DesignLeafSpine:
		return hosts*nics/f.Leaves + up
	case topo.DesignDragonfly:
		d := &f.Dragonfly
		return hosts*nics/(d.Groups*d.Routers) + d.Routers - 1 + d.Global
	case topo.DesignRailOptimized, topo.DesignRailOnly:
		return f.Rails.Segment.Or(hosts)*f.Rails.PerLeaf + up
	case topo.DesignDirect, topo.DesignCustom:
	}
	return 0
}
