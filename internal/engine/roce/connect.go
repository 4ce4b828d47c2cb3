package roce

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// ManagerTimeout and ManagerRetries are what connection managers wait for an answer, and how often they ask again:
// 4.096 us x 2^20, and 15 times, as Linux's rdma_cm does (drivers/infiniband/core/cma.c).
const (
	ManagerTimeout = 4096 * unit.Nanosecond << 20
	ManagerRetries = 15
)

// Dialer is the end of a connection that asks for it: the three-way exchange of connection managers, and how it ends
// (IBTA vol. 1, 12.6 and 12.9.6). The other end is the responder: see Responder.Receive and Accept.
//
//	requester                       responder
//	  |---- REQ ----------------------->| Asked
//	  |                                 | the driver makes its queue pair: Accept
//	  |<--- REP: key -------------------|
//	  | Replied: the driver makes its own ready: Ready
//	  |---- RTU ----------------------->|
//	  |==== what was posted meanwhile =>|
//	  |---- DREQ ---------------------->|
//	  |<--- DREP -----------------------|
//
// A REQ or DREQ without an answer is repeated after ManagerTimeout, and so is what answers it. A lost RTU does no harm:
// the first data say the same.
type Dialer struct {
	unready  bool // not connected yet
	answered bool
	tries    int       // of a REQ, then of a DREQ
	leaves   bool      // a DREQ was sent, or is to be
	parted   unit.Time // when the DREP came; 0: it has not
}

// Try is what became of an attempt to ask the other end for something.
type Try uint8

// What becomes of it.
const (
	NotNeeded Try = iota // the answer is there, or nobody waits for it any more
	Asked                // it was asked; ask again after ManagerTimeout
	GaveUp               // it was asked for the last time before
)

// Dial says that the queue pair is to be connected before it sends.
func (d *Dialer) Dial() { d.unready = true }

// Connected reports whether it may send.
func (d *Dialer) Connected() bool { return !d.unready }

// Tries returns how often the other end was asked for what is asked for now.
func (d *Dialer) Tries() int { return d.tries }

// try counts an attempt, which pk is to be written for.
func (d *Dialer) try(kind wire.CMKind, pk *Packet) Try {
	if d.tries > ManagerRetries {
		return GaveUp
	}
	d.tries++
	d.manage(kind, pk)
	return Asked
}

func (d *Dialer) manage(kind wire.CMKind, pk *Packet) {
	*pk = Packet{Opcode: wire.DatagramSend, Manage: kind}
}

// Ask writes a REQ to pk if no answer has come to the one before.
func (q *Requester) Ask(pk *Packet) Try {
	if q.answered || q.failed {
		return NotNeeded
	}
	return q.try(wire.CMRequest, pk)
}

// Establish says that both queue pairs are there, and writes the RTU to pk. What was posted may be sent.
func (d *Dialer) Establish(pk *Packet) {
	d.unready = false
	d.manage(wire.CMReady, pk)
}

// Leave says that the queue pair is to be closed in order. It reports false for one that was not connected, that gave
// up or was closed: it sends no DREQ.
func (q *Requester) Leave() bool {
	if q.unready || q.failed {
		return false
	}
	q.leaves, q.tries = true, 0
	return true
}

// AskToLeave writes a DREQ to pk if no answer has come to the one before. One that is never answered has no
// consequence: the queue pair is over.
func (q *Requester) AskToLeave(pk *Packet) Try {
	if q.parted > 0 || q.failed {
		return NotNeeded
	}
	return q.try(wire.CMDisconnect, pk)
}

// Gone returns whether the queue pair is to be closed in order, and when it was; 0: it is not yet.
func (d *Dialer) Gone() (leaves bool, at unit.Time) { return d.leaves, d.parted }

// onManager takes a connection manager's answer. A REP that comes again is answered again: the RTU was lost.
func (q *Requester) onManager(now unit.Time, pk *Packet, h *Heard) {
	switch pk.Manage {
	case wire.CMReply:
		switch {
		case !q.answered:
			q.answered, h.Replied = true, true
		case !q.unready:
			q.answer = answer{opcode: wire.DatagramSend, manage: wire.CMReady}
		}
	case wire.CMDisconnectReply:
		q.parted = now
	}
}
