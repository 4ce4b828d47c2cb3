package run

import (
	"railyard/internal/cc"
	"railyard/internal/plan"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// View is the network of a run at one instant.
type View struct {
	Now unit.Time
	r   *runner
}

// Plan returns what the run was made from.
func (v View) Plan() *plan.Plan { return v.r.plan }

// Queue returns the bytes of data waiting at a port.
func (v View) Queue(id topo.PortID) unit.Bytes { return v.r.fab.Waiting(id, int(plan.ClassData)) }

// Shared returns the bytes of the shared part of a switch's buffer in use; switches are numbered in
// the order of the graph's nodes.
func (v View) Shared(index int) unit.Bytes { return v.r.fab.Shared(index) }

// Controller returns the state of a queue pair's congestion controller. Fields that its algorithm
// does not have are zero.
func (v View) Controller(id int32) cc.State { return v.r.net.ControllerState(id, v.Now) }
