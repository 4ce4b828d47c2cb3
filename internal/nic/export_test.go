package nic

import (
	"railyard/internal/fabric"
	"railyard/internal/topo"
)

// Sink is what takes the frames that reach a NIC's first port: for tests that stand before it.
func (n *Net) Sink(id topo.NICID) (topo.PortID, fabric.Source, fabric.Sink) {
	c := &n.ports(id)[0]
	return c.port, c, c
}
