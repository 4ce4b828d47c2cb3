package endpoint

import (
	"encoding/binary"
	"net/netip"

	"railyard/internal/base/unit"
	"railyard/internal/engine/cm"
	"railyard/internal/engine/headers"
	"railyard/internal/net/wire"
)

// Connections returns the endpoint's connection manager, and the time that it is to be told: for f of Do and Await.
func (e *Endpoint) Connections() (*cm.Manager, unit.Time) { return &e.cm, e.now() }

// gid returns the GID of an IP address (annex A17, A17.4.5).
func gid(a netip.Addr) wire.GID { return wire.GID(a.As16()) }

// Request returns a REQ to an address with what the endpoint knows: GIDs, and the IP addresses in its private data. Queue
// pair, PSN, path MTU and what the application wants are the caller's.
func (e *Endpoint) Request(service uint64, peer netip.Addr) wire.Request {
	r := wire.Request{ServiceID: service, GUID: e.guid(), PKey: headers.DefaultPartition, LocalLID: noLID, RemoteLID: noLID,
		LocalGID: gid(e.addr), RemoteGID: gid(peer), HopLimit: 64, RemoteTimeout: managerTimeout, LocalTimeout: managerTimeout,
		CMRetries: 15, PacketRate: rate100G, AckTimeout: ackTimeout, Retries: 7, RNRRetries: 7}
	wire.IPService{Port: wire.RoCEv2Port, Source: e.addr, Dest: peer}.Put(&r.Private)
	return r
}

// guid is made up from the IP address.
func (e *Endpoint) guid() uint64 {
	a := e.addr.As16()
	return binary.BigEndian.Uint64(a[:8]) ^ binary.BigEndian.Uint64(a[8:])
}

const (
	noLID          = 0xFFFF // RoCE has none
	managerTimeout = 20     // 4.3 s, as Linux's rdma_cm says
	rate100G       = 16     // IBTA vol. 1 section 9.11: code of 100 Gb/s
	ackTimeout     = 14     // 67.1 ms
)

// managed takes a datagram that came for queue pair 1.
func (e *Endpoint) managed() {
	r := &e.in.RoCE
	m := r.CM()
	if m == nil || r.DETH.QKey != wire.ServiceQKey || r.BTH.PKey|fullMember != headers.DefaultPartition {
		e.counters.NoQueuePair++
		return
	}
	e.cm.Receive(e.now(), e.in.IP.Source, m)
	e.converse()
	e.changed.Broadcast()
}

const fullMember = 0x8000

// converse sends what the connection manager has to say.
func (e *Endpoint) converse() {
	for e.broken == nil && !e.closed {
		m, ok := e.cm.Next()
		if !ok {
			e.due(e.cm.Wake())
			return
		}
		headers.Manage(&e.out.RoCE, &m.CM)
		e.out.RoCE.BTH.PSN = e.cmPSN
		e.cmPSN = e.cmPSN.Next()
		e.write(m.To)
	}
}
