package topo

// A DesignName is what files call a way to join switches.
type DesignName string

// The designs that files name: what makes the network of each is a Design, of multi-plane several, and custom is what a file says.
const (
	DesignSingleSwitch  DesignName = "single-switch"
	DesignDualRail      DesignName = "dual-rail"
	DesignRailOnly      DesignName = "rail-only"
	DesignRailOptimized DesignName = "rail-optimized"
	DesignLeafSpine     DesignName = "leaf-spine"
	DesignDragonfly     DesignName = "dragonfly"
	DesignMultiPlane    DesignName = "multi-plane"
	DesignDirect        DesignName = "direct"
	DesignCustom        DesignName = "custom"
)
