package record

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

// NewMeasured returns a recorder of a run whose ranks were processes, on real time: of it nothing is known but what the
// ranks themselves tell. now is the time since they began.
func NewMeasured(p *plan.Plan, dir *result.Dir, hooks Hooks, now func() unit.Time) *Recorder {
	r := New(p, dir, 1, hooks)
	r.real = true
	r.network = measured{now: now}
	for _, j := range r.jobs {
		j.account = nil // it knows what computing takes from the plan, and that took what it took
	}
	return r
}

// Hears takes what a rank tells of itself: see Observer. Join takes it into account.
func (j *Job) Hears() (r rankObserver) { return rankObserver{j, j.r.islands[0]} }

// Broke aborts a job of processes, for result.AbortRank or AbortWatchdog. rank is the one that is at fault, -1: none is
// known; step is that it was in, and collective "" where it was in none.
func (j *Job) Broke(at unit.Time, why string, rank int32, step int64, collective, text string) {
	a := result.Abort{At: at, Why: why, Collective: collective}
	if rank >= 0 {
		a.Rank, a.Step, a.GPU = &rank, &step, j.gpuName(rank)
	}
	j.abort(a, text, "")
	j.Ended("", at)
}

// measured is the Network of ranks on real time: a clock, and nothing is known of ports, packets and queue pairs.
type measured struct{ now func() unit.Time }

func (m measured) Now() unit.Time                                  { return m.now() }
func (m measured) NowIn(int32) unit.Time                           { return m.now() }
func (measured) Events() int64                                     { return 0 }
func (measured) Hops() int64                                       { return 0 }
func (measured) Stats(unit.Time, topo.PortID) (s fabric.PortStats) { return s }
func (measured) Fill(topo.PortID) []fabric.Share                   { return nil }
func (measured) Load(topo.PortID) []fabric.LoadPoint               { return nil }
func (measured) FlushSamples(unit.Time)                            {}
func (measured) PausedFor(unit.Time, topo.PortID) []fabric.RootTime {
	return nil
}
func (measured) Waiting(topo.PortID, int) unit.Bytes           { return 0 }
func (measured) Peak(topo.PortID, int) unit.Bytes              { return 0 }
func (measured) MaxShared(int) (used, size unit.Bytes)         { return 0, 0 }
func (measured) LosslessDrops(topo.PortID) int64               { return 0 }
func (measured) Deadlock() []topo.PortID                       { return nil }
func (measured) GaveUp() int64                                 { return 0 }
func (measured) CNPs() int64                                   { return 0 }
func (measured) Retransmits() int64                            { return 0 }
func (measured) Moves() int64                                  { return 0 }
func (measured) Delivered(int32) int64                         { return 0 }
func (measured) Tally(int32) (t roce.Tally)                    { return t }
func (measured) Evidence(int32, bool) []nic.PortEvidence       { return nil }
func (measured) ControllerState(int32, unit.Time) (s cc.State) { return s }
func (measured) Completed(*nic.Flow) unit.Time                 { return -1 }
func (measured) Open(int32) bool                               { return false }
func (measured) Standing(int32) (s nic.Standing)               { return s }
func (measured) Unfinished(func(*nic.Flow))                    {}
