package nic

import "railyard/internal/unit"

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

// Standing returns how far a queue pair is; it has messages.
func (n *Net) Standing(id int32) Standing {
	q := &n.qps[id]
	s := Standing{Left: -1}
	if q.lastBytes > 0 {
		s.Left = q.lastStart
	}
	m := q.snd.Message(0)
	s.Acked = min(max(unit.Bytes(q.snd.Acked()-m.Base), 0), m.Bytes)
	switch {
	case q.dead:
		s.Waits = ForNone
	case q.state == idle:
		s.Waits = ForAck
	case q.state == blocked:
		s.Waits = ForWindow
	case n.nics[q.nic].paused&(1<<q.class) != 0:
		s.Waits = ForPause
	default:
		s.Waits = ForTurn
	}
	return s
}
