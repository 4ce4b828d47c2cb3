package run

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/sim"
	"railyard/internal/run/record"
)

// network is the packet engine as it is recorded.
type network struct {
	*sim.Engine
	*fabric.Fabric
	*nic.Net
	images *imaged // nil: all is simulated
}

var _ record.Network = network{}

// NowIn is the time of the event that an island is handling.
func (n network) NowIn(island int32) unit.Time { return n.Engine.Island(island).Now() }
