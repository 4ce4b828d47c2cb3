package cm

import (
	"net/netip"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// Receive takes a message that came from the manager at an address.
func (m *Manager) Receive(now unit.Time, from netip.Addr, in *wire.CM) {
	if in.Kind == wire.CMRequest {
		m.request(now, from, in)
		return
	}
	c := m.find(from, in)
	if c == nil {
		m.stranger(from, in)
		return
	}
	switch in.Kind {
	case wire.CMReply:
		m.reply(now, c, in)
	case wire.CMReady:
		if c.state == Answering {
			c.state, c.deadline = Established, unit.Never
			m.tell(IsReady, c, 0)
		}
	case wire.CMReject:
		if c.state == Asking || c.state == Replied || c.state == Answering {
			m.tell(WasRejected, c, in.Reject.Reason)
			m.over(now, c)
		}
	case wire.CMDelay: // it has come, and takes as long as it says
		if c.state == Asking || c.state == Answering {
			c.tries, c.deadline = 1, now.Add(m.timeout()+4096*unit.Nanosecond<<in.Delay.Timeout)
		}
	case wire.CMDisconnect:
		m.disconnect(now, c, in)
	case wire.CMDisconnectReply:
		if c.state == Leaving {
			m.tell(HasLeft, c, 0)
			m.over(now, c)
		}
	}
}

// find returns the connection that a message is of, by the name that it has here.
func (m *Manager) find(from netip.Addr, in *wire.CM) *Conn {
	for _, c := range m.conns {
		if c.local == in.RemoteID && c.Peer == from && (c.remote == 0 || c.remote == in.LocalID) {
			return c
		}
	}
	return nil
}

// stranger answers a message of a connection that is not there: what ends one is answered, so that the other end need not
// wait (IBTA vol. 1, 12.9.8).
func (m *Manager) stranger(from netip.Addr, in *wire.CM) {
	out := wire.CM{Transaction: in.Transaction, LocalID: in.RemoteID, RemoteID: in.LocalID}
	switch in.Kind {
	case wire.CMReply:
		out.Kind, out.Reject = wire.CMReject, wire.Reject{Of: wire.RejectsReply, Reason: wire.RejectID}
	case wire.CMDisconnect:
		out.Kind = wire.CMDisconnectReply
	default:
		return
	}
	m.out.Push(Message{To: from, CM: out})
}

// request takes a REQ.
func (m *Manager) request(now unit.Time, from netip.Addr, in *wire.CM) {
	for _, c := range m.conns {
		if !c.active && c.Peer == from && c.remote == in.LocalID {
			if c.state == Answering || c.state == Over && c.last.Kind == wire.CMReject {
				m.push(c) // it comes again: so does the answer
			}
			return
		}
	}
	refuse := wire.Reason(0)
	switch old := m.of(from, in.Request.QP); {
	case old != nil: // it forgot the connection, or never knew that it is over (12.9.8.3.1)
		refuse = wire.RejectStale
		m.tell(HasLeft, old, wire.RejectStale)
		m.Leave(now, old)
		old.tries = m.retries() + 1 // nobody is expected to answer
	case !m.services[in.Request.ServiceID]:
		refuse = wire.RejectService
	case len(m.conns) >= mostConns:
		refuse = wire.RejectResources
	}
	if refuse != 0 {
		m.out.Push(Message{To: from, CM: wire.CM{Kind: wire.CMReject, Transaction: in.Transaction, RemoteID: in.LocalID,
			Reject: wire.Reject{Of: wire.RejectsRequest, Reason: refuse}}})
		return
	}
	c := m.newConn(from)
	c.state, c.remote, c.transaction, c.Request = Asked, in.LocalID, in.Transaction, in.Request
	m.tell(WasAsked, c, 0)
}

// of returns the connection of another host's queue pair.
func (m *Manager) of(peer netip.Addr, qp uint32) *Conn {
	for _, c := range m.conns {
		if _, theirs := c.qp(); c.Peer == peer && theirs == qp && (c.state == Answering || c.state == Established) {
			return c
		}
	}
	return nil
}

// reply takes a REP.
func (m *Manager) reply(now unit.Time, c *Conn, in *wire.CM) {
	switch {
	case c.state == Established && c.active:
		m.push(c) // the RTU was lost
	case c.state == Over && c.last.Kind == wire.CMReject:
		m.push(c)
	case c.state != Asking:
	case m.of(c.Peer, in.Reply.QP) != nil:
		c.remote = in.LocalID
		m.Reject(now, c, wire.RejectStale)
		m.tell(WasRejected, c, wire.RejectStale)
	default:
		c.state, c.remote, c.Reply, c.deadline = Replied, in.LocalID, in.Reply, unit.Never
		m.tell(WasReplied, c, 0)
	}
}

// disconnect takes a DREQ.
func (m *Manager) disconnect(now unit.Time, c *Conn, in *wire.CM) {
	if ours, _ := c.qp(); in.RemoteQP != ours {
		return
	}
	switch c.state {
	case Established, Answering, Leaving:
		m.tell(HasLeft, c, 0)
	case Over:
	default:
		return
	}
	m.send(now, c, wire.CMDisconnectReply, false)
	m.push(c)
	m.over(now, c)
}
