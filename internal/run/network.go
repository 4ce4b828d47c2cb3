package run

import (
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/record"
	"railyard/internal/sim"
	"railyard/internal/unit"
)

// network is the packet engine as it is recorded.
type network struct {
	*sim.Engine
	*fabric.Fabric
	*nic.Net
}

var _ record.Network = network{}

// NowIn is the time of the event that an island is handling.
func (n network) NowIn(island int32) unit.Time { return n.Engine.Island(island).Now() }
