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

// defaultPartition is that of connection managers (IBTA vol. 1 section 10.9.1.2).
const defaultPartition = 0xFFFF

// manage fills in a connection manager's message: it goes from queue pair 1 to queue pair 1.
func (c *Capture) manage(r *wire.RoCE, pk *fabric.Packet) {
	qpn, psn := c.plan.QPN(pk.Flow), wire.PSN(c.plan.Scenario.Transport.FirstPSN)
	q := &c.plan.Pairs[pk.Flow]
	m := wire.CM{Transaction: uint64(qpn), LocalID: qpn, RemoteID: qpn}
	switch pk.Kind() {
	case fabric.CMRequest:
		m.Kind, m.RemoteID = wire.CMRequest, 0
		m.Request = c.request(q.From, q.To)
		m.Request.QP, m.Request.PSN = qpn, psn
	case fabric.CMReply:
		m.Kind, m.Reply = wire.CMReply, wire.Reply{QP: qpn, PSN: psn, RNRRetries: 7, GUID: guid(c.plan.Graph.NICs[q.To].Port)}
		// Where the sender may write, as applications tell it each other: address and R_Key.
		address, key := uint64(0), pk.Count()
		if key == 0 {
			address, key = noMemory, noKey|uint32(pk.Flow)
		}
		binary.BigEndian.PutUint64(m.Reply.Private[:], address)
		binary.BigEndian.PutUint32(m.Reply.Private[8:], key)
	case fabric.CMLeave:
		m.Kind, m.RemoteQP = wire.CMDisconnect, qpn
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
