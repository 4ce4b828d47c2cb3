package cm

import (
	"net/netip"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// State is where a connection is.
type State uint8

// The states.
const (
	Asking      State = iota // REQ sent
	Asked                    // REQ came: Accept or Reject
	Replied                  // REP came: Establish
	Answering                // REP sent
	Established              // RTU sent or come
	Leaving                  // DREQ sent
	Over
)

// Conn is a connection as its manager knows it.
type Conn struct {
	Peer    netip.Addr
	Request wire.Request // that was sent or came
	Reply   wire.Reply   // the same

	state       State
	active      bool // it asked
	ended       bool // its last event was told
	local       uint32
	remote      uint32 // 0: not known yet
	transaction uint64
	last        wire.CM   // what was sent last
	tries       int       // of it
	deadline    unit.Time // of an answer to it, or of being remembered
}

// qp returns the numbers of its two queue pairs, 24 bits each.
func (c *Conn) qp() (ours, theirs uint32) {
	if c.active {
		return c.Request.QP, c.Reply.QP
	}
	return c.Reply.QP, c.Request.QP
}

// Kind is what an event tells.
type Kind uint8

// The kinds of events: see the picture in doc.go.
const (
	WasAsked Kind = iota
	WasReplied
	IsReady
	WasRejected // Reason says why
	Unreachable // there was no answer
	HasLeft
)

// Event is what a driver is told of a connection.
type Event struct {
	Kind   Kind
	Conn   *Conn
	Reason wire.Reason
}

// Message is what is to be sent to the manager at an address.
type Message struct {
	To netip.Addr
	wire.CM
}

// Manager makes and ends connections.
type Manager struct {
	// Timeout is how long an answer may take, Retries how often it is asked again. 0: those of Linux's rdma_cm.
	Timeout unit.Duration
	Retries int
	// Last is the number before that of its first connection. Who begins anew draws it, as Linux does: else a REQ of the next
	// process at an address looks like one of the last that comes again.
	Last uint32

	services map[uint64]bool
	conns    []*Conn
	out      lists.Queue[Message]
	events   lists.Queue[Event]
}

// mostConns is how many connections there may be, with those that are over and remembered.
const mostConns = 1024

func (m *Manager) timeout() unit.Duration {
	if m.Timeout == 0 {
		return roce.ManagerTimeout
	}
	return m.Timeout
}

func (m *Manager) retries() int {
	if m.Retries == 0 {
		return roce.ManagerRetries
	}
	return m.Retries
}

// Listen says that connections to a service are welcome.
func (m *Manager) Listen(service uint64) {
	if m.services == nil {
		m.services = map[uint64]bool{}
	}
	m.services[service] = true
}

// Event takes out what happened first; ok is false if nothing did.
func (m *Manager) Event() (e Event, ok bool) {
	if m.events.Len() == 0 {
		return e, false
	}
	return m.events.Pop(), true
}

// Next takes out the message that goes next; ok is false if there is none.
func (m *Manager) Next() (out Message, ok bool) {
	if m.out.Len() == 0 {
		return out, false
	}
	return m.out.Pop(), true
}

// Wake returns when Expire is to be called; unit.Never: not at all.
func (m *Manager) Wake() unit.Time {
	at := unit.Never
	for _, c := range m.conns {
		at = min(at, c.deadline)
	}
	return at
}

func (m *Manager) tell(k Kind, c *Conn, reason wire.Reason) {
	if k >= WasRejected {
		if c.ended {
			return
		}
		c.ended = true
	}
	m.events.Push(Event{Kind: k, Conn: c, Reason: reason})
}

// send sends a message of a connection; if an answer is awaited, it is repeated.
func (m *Manager) send(now unit.Time, c *Conn, k wire.CMKind, answered bool) *wire.CM {
	c.last = wire.CM{Kind: k, Transaction: c.transaction, LocalID: c.local, RemoteID: c.remote}
	c.tries, c.deadline = 1, unit.Never
	if answered {
		c.deadline = now.Add(m.timeout())
	}
	return &c.last
}

func (m *Manager) push(c *Conn) { m.out.Push(Message{To: c.Peer, CM: c.last}) }

// Dial asks for a connection with what the request says.
func (m *Manager) Dial(now unit.Time, peer netip.Addr, r wire.Request) *Conn {
	c := m.newConn(peer)
	c.state, c.active, c.Request, c.transaction = Asking, true, r, uint64(c.local)<<32|uint64(r.QP)
	m.send(now, c, wire.CMRequest, true).Request = r
	m.push(c)
	return c
}

func (m *Manager) newConn(peer netip.Addr) *Conn {
	m.Last++
	c := &Conn{Peer: peer, local: m.Last, deadline: unit.Never}
	m.conns = append(m.conns, c)
	return c
}

// Accept answers a REQ.
func (m *Manager) Accept(now unit.Time, c *Conn, r wire.Reply) {
	if c.state != Asked {
		return
	}
	c.state, c.Reply = Answering, r
	m.send(now, c, wire.CMReply, true).Reply = r
	m.push(c)
}

// Reject refuses a connection that is not established.
func (m *Manager) Reject(now unit.Time, c *Conn, reason wire.Reason) {
	if c.state == Established || c.state >= Leaving {
		return
	}
	of := wire.RejectsRequest
	if c.active {
		of = wire.RejectsReply
	}
	m.send(now, c, wire.CMReject, false).Reject = wire.Reject{Of: of, Reason: reason}
	m.push(c)
	m.over(now, c)
}

// Establish says that both queue pairs are there, after a REP.
func (m *Manager) Establish(now unit.Time, c *Conn) {
	if c.state != Replied {
		return
	}
	c.state = Established
	m.send(now, c, wire.CMReady, false)
	m.push(c)
}

// Leave takes a connection down.
func (m *Manager) Leave(now unit.Time, c *Conn) {
	switch c.state {
	case Established, Answering:
		c.state = Leaving
		_, theirs := c.qp()
		m.send(now, c, wire.CMDisconnect, true).RemoteQP = theirs
		m.push(c)
	case Asking, Asked, Replied:
		m.Reject(now, c, wire.RejectConsumer)
	}
}

// over remembers a connection for as long as what ended it may be repeated.
func (m *Manager) over(now unit.Time, c *Conn) {
	c.state, c.deadline = Over, now.Add(2*m.timeout())
}

// Expire does what time asks for.
func (m *Manager) Expire(now unit.Time) {
	kept := m.conns[:0]
	for _, c := range m.conns {
		if c.deadline > now || m.expired(now, c) {
			kept = append(kept, c)
		}
	}
	clear(m.conns[len(kept):])
	m.conns = kept
}

// expired reports whether a connection is remembered further.
func (m *Manager) expired(now unit.Time, c *Conn) bool {
	switch {
	case c.state == Over:
		return false
	case c.tries <= m.retries():
		c.tries, c.deadline = c.tries+1, now.Add(m.timeout())
		m.push(c)
	case c.state == Leaving:
		m.tell(HasLeft, c, 0)
		m.over(now, c)
	default:
		m.Reject(now, c, wire.RejectTimeout)
		m.tell(Unreachable, c, 0)
	}
	return true
}
