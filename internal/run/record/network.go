package record

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// Network is the run as the recorder asks it: clock, ports and queue pairs. Whatever answers can be recorded; package
// run gives the packet engine.
type Network interface {
	Now() unit.Time
	NowIn(island int32) unit.Time // of the event that the island is handling
	Events() int64

	// Of ports and switches: see package fabric.
	Hops() int64
	Stats(now unit.Time, port topo.PortID) fabric.PortStats
	Fill(port topo.PortID) []fabric.Share
	Load(port topo.PortID) []fabric.LoadPoint
	FlushSamples(now unit.Time)
	PausedFor(now unit.Time, port topo.PortID) []fabric.RootTime
	Waiting(port topo.PortID, class int) unit.Bytes
	Peak(port topo.PortID, class int) unit.Bytes
	MaxShared(switchIndex int) (used, size unit.Bytes)
	LosslessDrops(port topo.PortID) int64
	Deadlock() []topo.PortID
	GaveUp() int64 // tails, of ConWeave

	// Of queue pairs: see package nic.
	CNPs() int64
	Retransmits() int64
	Moves() int64
	Delivered(qp int32) int64
	Tally(qp int32) roce.Tally
	Evidence(qp int32, back bool) []nic.PortEvidence
	ControllerState(qp int32, now unit.Time) cc.State
	Completed(f *nic.Flow) unit.Time
	Open(qp int32) bool
	Standing(qp int32) nic.Standing
	Unfinished(f func(*nic.Flow))
}
