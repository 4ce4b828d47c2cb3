package capture

import (
	"encoding/binary"

	"railyard/internal/base/unit"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/roce"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// What Linux's rdma_cm asks for: 4.096 us x 2^20, fifteen times.
const (
	cmTimeout = 20
	cmRetries = 15
)

// serviceID is one of rdma_cm for connections (IBTA annex A11), with the port of perftest.
const serviceID = 0x0000000001060000 + 18515

// otherPSN is how the first PSN of who receives differs: it sends nothing but answers, which have the sender's.
const otherPSN = 0x800000

// ephemeral is the port that an application has bound to no service (RFC 6335: 49152 to 65535).
func ephemeral(qpn uint32) uint16 { return 49152 + uint16(qpn%16384) }

// manage is a connection manager's message.
func (c *Capture) manage(qp int32, pk *roce.Packet) *wire.CM {
	q, psn := &c.plan.Pairs[qp], wire.PSN(c.plan.Scenario.Transport.FirstPSN)
	// Each end has a queue pair, a communication id, which is its number here, and first PSN of its own.
	sender, receiver := c.plan.QPN(qp, true), c.plan.QPN(qp, false)
	m := &wire.CM{Kind: pk.Manage, Transaction: uint64(sender), LocalID: sender, RemoteID: receiver}
	switch m.Kind {
	case wire.CMRequest:
		m.RemoteID = 0
		m.Request = c.request(q.From, q.To)
		m.Request.QP, m.Request.PSN = sender, psn^otherPSN // each says with what the other is to begin
		wire.IPService{Port: ephemeral(sender), Source: c.address(q.From), Dest: c.address(q.To)}.Put(&m.Request.Private)
	case wire.CMReply:
		m.LocalID, m.RemoteID = receiver, sender
		m.Reply = wire.Reply{QP: receiver, PSN: psn, RNRRetries: 7, GUID: guid(c.plan.Graph.NICs[q.To].Port)}
		address, key := uint64(0), pk.Landing.Key
		if key == 0 {
			address, key = noMemory, noKey|uint32(qp)
		}
		headers.PutMemory(&m.Reply, address, key)
	case wire.CMDisconnect:
		m.RemoteQP = receiver
	case wire.CMDisconnectReply:
		m.LocalID, m.RemoteID = receiver, sender
	}
	return m
}

// request is what a REQ says beside queue pair and PSN.
func (c *Capture) request(from, to topo.NICID) wire.Request {
	t := &c.plan.Scenario.Transport
	return wire.Request{ServiceID: serviceID, GUID: guid(c.plan.Graph.NICs[from].Port), RemoteTimeout: cmTimeout,
		LocalTimeout: cmTimeout, Retries: uint8(min(t.Retries, 7)), RNRRetries: 7, PKey: uint16(t.PKey),
		MTU: max(1, wire.MTUOf(t.MTU)), CMRetries: cmRetries, LocalLID: 0xFFFF, RemoteLID: 0xFFFF,
		LocalGID: wire.GID(c.address(from).As16()), RemoteGID: wire.GID(c.address(to).As16()), HopLimit: ttl,
		TrafficClass: c.plan.Switches.DSCP(0) << 2, AckTimeout: ackTimeout(t.Timeout.Or(0))}
}

// guid makes an EUI-64 of a port's MAC address: FF-FE in its middle (IEEE registration authority).
func guid(id topo.PortID) uint64 {
	m := MAC(id)
	return binary.BigEndian.Uint64([]byte{m[0], m[1], m[2], 0xFF, 0xFE, m[3], m[4], m[5]})
}

// ackTimeout is the code of a retransmission timeout, the next one that verbs know: 4.096 us x 2^v; 0: none.
func ackTimeout(d unit.Duration) (v uint8) {
	for v < 31 && d > 0 && 4096*unit.Nanosecond<<v < d {
		v++
	}
	return v
}
