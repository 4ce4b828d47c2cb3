package run

import (
	"context"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/switches"
	"railyard/internal/run/record"
)

// An Observer looks on while a run goes on. It is called at 0, and then each time as much later as it has said, on the clock of
// the simulation, for as long as there are events: all of them up to that instant are done, and none after. It changes
// nothing: the run is the same, byte for byte, however often it looks. For as long as it does not return the run stands
// still; the context ends with the run's.
type Observer func(ctx context.Context, v View) (next unit.Duration)

// Every is an observer that looks at from, from+every, ...
func Every(from, every unit.Duration, look func(View)) Observer {
	begun := false
	return func(_ context.Context, v View) unit.Duration {
		if !begun {
			begun = true
			return from
		}
		look(v)
		return every
	}
}

// View is the network of a run at one instant.
type View struct {
	Now unit.Time
	r   *runner
}

// Due returns when the next event happens, unit.Never: none is left.
func (v View) Due() unit.Time {
	if due := v.r.eng.Due(); due < unit.Never {
		return v.r.told(due)
	}
	return unit.Never
}

// Viewer returns who tells what happened since it looked last: one for the run.
func (v View) Viewer() *record.Viewer {
	if v.r.viewer == nil {
		v.r.viewer = v.r.record.Viewer()
	}
	return v.r.viewer
}

// Plan returns what the run was made from.
func (v View) Plan() *plan.Plan { return v.r.plan }

// Queue returns the bytes of data waiting at a port.
func (v View) Queue(id topo.PortID) unit.Bytes {
	return v.r.fab.Waiting(v.r.images.port(id), int(switches.ClassData))
}

// Shared returns the bytes of the shared part of a switch's buffer in use; switches are numbered in
// the order of the graph's nodes.
func (v View) Shared(index int) unit.Bytes { return v.r.fab.Shared(v.r.images.switchOf(index)) }

// Controller returns the state of a queue pair's congestion controller. Fields that its algorithm
// does not have are zero.
func (v View) Controller(id int32) cc.State {
	return v.r.net.ControllerState(v.r.net.LeadOf(id), v.Now.Add(-v.r.reuse.late()))
}
