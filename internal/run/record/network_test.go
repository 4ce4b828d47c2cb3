package record

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// told is a network that is what a script says: no packet is sent, so each answer stands alone.
type told struct {
	plan         *plan.Plan
	now, wall    unit.Time // of the run, and of the event that an island is handling
	counts       counts
	atSender     bool // a message is complete when it is acknowledged
	ports        map[topo.PortID]*portTold
	pairs        map[int32]*pairTold
	left         []*nic.Flow
	circle       []topo.PortID
	shared, size unit.Bytes
	flushed      int
}

type counts struct{ Events, Hops, CNPs, Retransmits, Moves, GaveUp int64 }

type portTold struct {
	fabric.PortStats
	Lossless int64
	fill     []fabric.Share
	load     []fabric.LoadPoint
	roots    []fabric.RootTime
	waiting  unit.Bytes
}

type pairTold struct {
	roce.Tally
	cc.State
	nic.Standing
	Delivered int64
	Open      bool
	saw, back []nic.PortEvidence
}

func newTold() *told {
	return &told{ports: map[topo.PortID]*portTold{}, pairs: map[int32]*pairTold{}}
}

func (n *told) port(id topo.PortID) *portTold {
	if n.ports[id] == nil {
		n.ports[id] = &portTold{}
	}
	return n.ports[id]
}

func (n *told) pair(id int32) *pairTold {
	if n.pairs[id] == nil {
		n.pairs[id] = &pairTold{Standing: nic.Standing{Left: -1}}
	}
	return n.pairs[id]
}

func (n *told) Now() unit.Time                                          { return n.now }
func (n *told) NowIn(int32) unit.Time                                   { return n.wall }
func (n *told) Events() int64                                           { return n.counts.Events }
func (n *told) Hops() int64                                             { return n.counts.Hops }
func (n *told) CNPs() int64                                             { return n.counts.CNPs }
func (n *told) Retransmits() int64                                      { return n.counts.Retransmits }
func (n *told) Moves() int64                                            { return n.counts.Moves }
func (n *told) GaveUp() int64                                           { return n.counts.GaveUp }
func (n *told) Stats(_ unit.Time, id topo.PortID) fabric.PortStats      { return n.port(id).PortStats }
func (n *told) Fill(id topo.PortID) []fabric.Share                      { return n.port(id).fill }
func (n *told) Load(id topo.PortID) []fabric.LoadPoint                  { return n.port(id).load }
func (n *told) FlushSamples(unit.Time)                                  { n.flushed++ }
func (n *told) PausedFor(_ unit.Time, id topo.PortID) []fabric.RootTime { return n.port(id).roots }
func (n *told) Peak(id topo.PortID, _ int) unit.Bytes                   { return n.port(id).MaxQueue }
func (n *told) MaxShared(int) (used, size unit.Bytes)                   { return n.shared, n.size }
func (n *told) LosslessDrops(id topo.PortID) int64                      { return n.port(id).Lossless }
func (n *told) Deadlock() []topo.PortID                                 { return n.circle }
func (n *told) Delivered(qp int32) int64                                { return n.pair(qp).Delivered }
func (n *told) Tally(qp int32) roce.Tally                               { return n.pair(qp).Tally }
func (n *told) ControllerState(qp int32, _ unit.Time) cc.State          { return n.pair(qp).State }
func (n *told) Open(qp int32) bool                                      { return n.pair(qp).Open }
func (n *told) Standing(qp int32) nic.Standing                          { return n.pair(qp).Standing }

// Waiting is of the first class: what a script says waits is data.
func (n *told) Waiting(id topo.PortID, class int) unit.Bytes {
	if class > 0 {
		return 0
	}
	return n.port(id).waiting
}

// Evidence is of each port of the way: one frame, that met nothing, where the script says no more.
func (n *told) Evidence(qp int32, back bool) (all []nic.PortEvidence) {
	q := &n.plan.Pairs[qp]
	way, said := q.Path, n.pair(qp).saw
	if back {
		way, said = q.Back, n.pair(qp).back
	}
	for _, port := range way {
		e := nic.PortEvidence{Port: port, HopEvidence: nic.HopEvidence{Frames: 1}}
		if i := slices.IndexFunc(said, func(x nic.PortEvidence) bool { return x.Port == port }); i >= 0 {
			e = said[i]
		}
		all = append(all, e)
	}
	return all
}

func (n *told) Completed(f *nic.Flow) unit.Time {
	if n.atSender {
		return f.Acked
	}
	return f.Placed
}

func (n *told) Unfinished(f func(*nic.Flow)) {
	for _, x := range n.left {
		f(x)
	}
}
