package plan

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// Receive is the receive buffer of NICs: xOFF leaves room for what is on its way then.
type Receive struct {
	Size, XOFF, XON unit.Bytes
	Pauses          bool
}

// ReceiveBuffer returns it, nil if there is none.
func (p *Plan) ReceiveBuffer() *Receive { return p.receive }

// planReceive works out when NICs pause their switches: as these do, by the headroom of their links.
func (p *Plan) planReceive() error {
	sc := p.Scenario
	size := sc.Cluster.NIC.ReceiveBuffer
	if !size.Set {
		return nil
	}
	r := &Receive{Size: size.Value, XOFF: size.Value, XON: size.Value, Pauses: p.Switches.Pauses()}
	p.receive = r
	if !r.Pauses {
		return nil
	}
	formula, headroom := qos.FormulaHeadroom(sc.Fabric.MTU, sc.Cluster.NIC.Latency), unit.Bytes(0)
	for id, n := range p.Graph.Nodes {
		if n.Kind != topo.HostKind {
			continue
		}
		for _, l := range fabric.Links(p.Graph, topo.NodeID(id)) {
			headroom = max(headroom, formula.At(l))
		}
	}
	if least := headroom + 4*sc.Fabric.MTU; r.Size < least {
		return sc.Refused("cluster.nic.receive_buffer", "%s: too small, want at least %s: %s of it is headroom for what is in flight "+
			"after xOFF", r.Size, least, headroom)
	}
	r.XOFF -= headroom
	r.XON = r.XOFF - 2*sc.Fabric.MTU
	return nil
}
