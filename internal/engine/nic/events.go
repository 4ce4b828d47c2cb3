package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// EventKind says what happened at one end of a queue pair.
type EventKind uint8

// The kinds of event. A timeout goes to Config.OnTimeout.
const (
	EventCNPSent     EventKind = iota // the receiver answered a mark with a CNP
	EventNAKSent                      // it answered a packet that it did not expect with a NAK
	EventCNPReceived                  // the sender got a CNP, or an acknowledgement that echoes a mark
	EventNAKReceived                  // it got a NAK
	EventRate                         // its controller has another rate or target than when last told, or a smaller window
	EventMoved                        // its NIC sends by another port from now on
	EventKinds                        // how many there are
)

// AtReceiver reports whether it happens at the receiving end.
func (k EventKind) AtReceiver() bool { return k <= EventNAKSent }

// Event is something that happened at one end of a queue pair, for Config.OnEvent.
type Event struct {
	At     unit.Time
	QP     int32
	Port   topo.PortID // of the NIC there
	Kind   EventKind
	PSN    uint32       // of a NAK: the packet that the receiver expects; of a move: the port that it sent by
	Why    fabric.Kind  // of a rate: what the sender had just received; Data: its timer ran out
	Before unit.Bitrate // of a rate: when it was looked at last; it may have changed in several steps
	State  cc.State     // of its controller
}

// Posted is a message that a queue pair takes, for Config.OnPost.
type Posted struct {
	At          unit.Time
	QP          int32
	First, Last int64 // of its packets, which are counted from 0
	Bytes       unit.Bytes
	From        []byte // its bytes, which stay as they are until it is acknowledged; nil: nothing real
	Acked       int64  // messages of the queue pair that are acknowledged by now
}

// tell tells of an event at one end of a queue pair. It is behind a comparison of Config.OnEvent
// with nil, as is tellRate.
func (c *card) tell(now unit.Time, k EventKind, qp int32, psn uint32) {
	c.net.cfg.OnEvent(c.isl.index, Event{At: now, QP: qp, Port: c.port, Kind: k, PSN: psn})
}

// tellRate tells of another rate. Controllers that raise it by timers are asked when their queue
// pair receives something, or its timer runs out.
func (s *sender) tellRate(now unit.Time, why fabric.Kind) {
	n := s.card.net
	st, last := n.ControllerState(s.id, now), &n.told[s.id]
	before := *last
	if *last = st; st.Rate == before.Rate && st.Target == before.Target && st.Window >= before.Window {
		return
	}
	n.cfg.OnEvent(s.card.isl.index, Event{At: now, QP: s.id, Port: s.card.port, Kind: EventRate, Why: why,
		Before: before.Rate, State: st})
}
