package nic

import "railyard/internal/base/unit"

// Wait is what a queue pair with messages that are not acknowledged waits for.
type Wait uint8

// The waits.
const (
	ForAck    Wait = iota // all is sent
	ForWindow             // the window is full
	ForPause              // PFC holds its class at the NIC's port
	ForTurn               // its rate, the host path, or other packets of the NIC
	ForNone               // it gave up
)

// Standing is how far a queue pair is with its oldest message that is not acknowledged, for a run
// that ends before its messages do.
type Standing struct {
	Acked unit.Bytes // of that message
	Left  unit.Time  // when the queue pair's last data packet left; -1: none did
	Waits Wait
}

// Open reports whether a queue pair has messages that are not acknowledged.
func (n *Net) Open(id int32) bool { return n.senders[id].n > 0 }

// Standing returns how far a queue pair is; it has messages.
func (n *Net) Standing(id int32) Standing {
	s := &n.senders[id]
	st := Standing{Left: -1}
	if at, frame := s.Left(); frame > 0 {
		st.Left = at
	}
	m := s.Message(0)
	st.Acked = min(max(unit.Bytes(s.Acked()-m.Base), 0), m.Bytes)
	waited, closed := n.closed[id]
	switch {
	case closed:
		st.Waits = waited
	case s.Dead():
		st.Waits = ForNone
	case s.state == idle:
		st.Waits = ForAck
	case s.state == blocked:
		st.Waits = ForWindow
	case s.card.paused&(1<<s.class) != 0:
		st.Waits = ForPause
	default:
		st.Waits = ForTurn
	}
	return st
}
