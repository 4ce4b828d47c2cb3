package capture

import (
	"encoding/binary"

	"railyard/internal/fabric"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/wire"
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

// defaultPartition is that of connection managers (IBTA vol. 1 section 10.9.1.2).
const defaultPartition = 0xFFFF

// manage fills in a connection manager's message: it goes from queue pair 1 to queue pair 1.
func (c *Capture) manage(r *wire.RoCE, pk *fabric.Packet) {
	q, psn := &c.plan.Pairs[pk.Flow], wire.PSN(c.plan.Scenario.Transport.FirstPSN)
	// Each end has a queue pair, a communication id, which is its number here, and first PSN of its own.
	sender, receiver := c.plan.QPN(pk.Flow, true), c.plan.QPN(pk.Flow, false)
	m := wire.CM{Transaction: uint64(sender), LocalID: sender, RemoteID: receiver}
	if !pk.Kind().Forward() {
		m.LocalID, m.RemoteID = receiver, sender
	}
	switch pk.Kind() {
	case fabric.CMRequest:
		m.Kind, m.RemoteID = wire.CMRequest, 0
		m.Request = c.request(q.From, q.To)
		m.Request.QP, m.Request.PSN = sender, psn
		wire.IPService{Port: ephemeral(sender), Source: c.address(q.From), Dest: c.address(q.To)}.Put(&m.Request.Private)
	case fabric.CMReply:
		m.Kind, m.Reply = wire.CMReply, wire.Reply{QP: receiver, PSN: psn ^ otherPSN, RNRRetries: 7,
			GUID: guid(c.plan.Graph.NICs[q.To].Port)}
		// Where the sender may write, as applications tell it each other: address and R_Key.
		address, key := uint64(0), pk.Count()
		if key == 0 {
			address, key = noMemory, noKey|uint32(pk.Flow)
		}
		binary.BigEndian.PutUint64(m.Reply.Private[:], address)
		binary.BigEndian.PutUint32(m.Reply.Private[8:], key)
	case fabric.CMLeave:
		m.Kind, m.RemoteQP = wire.CMDisconnect, receiver
	case fabric.CMLeft:
		m.Kind = wire.CMDisconnectReply
	default:
		m.Kind = wire.CMReady
	}
	r.BTH = wire.BTH{Opcode: wire.DatagramSend, DestQP: wire.ServiceQP, Migrated: true, PKey: defaultPartition}
	r.DETH = wire.DETH{QKey: wire.ServiceQKey, SourceQP: wire.ServiceQP}
	r.Payload = m.Append(nil)
}

// request is what a REQ says beside queue pair and PSN.
func (c *Capture) request(from, to topo.NICID) wire.Request {
	t := &c.plan.Scenario.Transport
	return wire.Request{ServiceID: serviceID, GUID: guid(c.plan.Graph.NICs[from].Port), RemoteTimeout: cmTimeout,
		LocalTimeout: cmTimeout, Retries: uint8(min(t.Retries, 7)), RNRRetries: 7, PKey: uint16(t.PKey),
		MTU: max(1, wire.MTUOf(t.MTU)), CMRetries: cmRetries, LocalLID: 0xFFFF, RemoteLID: 0xFFFF,
		LocalGID: wire.GID(c.address(from).As16()), RemoteGID: wire.GID(c.address(to).As16()), HopLimit: ttl,
		TrafficClass: c.plan.DSCP(0) << 2, AckTimeout: ackTimeout(t.Timeout.Or(0))}
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
