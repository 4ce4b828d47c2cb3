package host

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// A Network carries messages from the memory of one host to that of another. Between them lies
// whatever there is: NICs and a simulated fabric (package nic), an ideal wire for tests
// (host/hosttest), rates of flows, sockets.
//
// Messages of one queue pair are received and acknowledged in the order in which they were posted.
// The network tells by Hosts.Received, Acked and Credited, never inside a call of its own.
type Network interface {
	// Post starts a message. m is the caller's after the call.
	Post(now unit.Time, m *Message)
	// Credit tells the sender of a queue pair that one more staging slot of a collective is free.
	// Credits of one collective come in order, each once; some may come late.
	Credit(now unit.Time, qp, coll int32)
	// Wake is what the network has set with Hosts.Alarm.
	Wake(now unit.Time, a Alarm)
	// Linger is the longest time in which one host or switch acts on another. A run that goes on for so
	// long after its last useful event ends at the same instant with any partition.
	Linger() unit.Duration
}

// Message is an RDMA WRITE with immediate.
type Message struct {
	QP      int32
	Bytes   unit.Bytes // that the queue pair carries; 0: a packet without payload
	From    []byte     // what they are, nil: nothing real. With a protocol there are fewer of them
	Key     uint32     // of the memory region that they go to, 0: none
	Address uint64     // in it
	Header  verbs.Header
	Tag     int64        // of explicit flows: its number
	Of      exec.Message // of ranks, which have a Way; else the zero value
	OfRanks bool
}

// Delivery is a message that has been received.
type Delivery struct {
	Posted, Placed unit.Time // Placed may be to come: the bytes are on their way into memory
	Header         verbs.Header
	Segments       []exec.Segment // from Posted to Placed; the host may append to them, and keeps nothing
}

// Answer is what the sender of a message learns: when it was placed, and what its acknowledgement
// met on the way back.
type Answer struct {
	Placed   unit.Time
	Segments []exec.Segment
}

// Alarm is what a network wants to be woken for, in the phase in which hosts work.
type Alarm struct {
	What uint8 // the network's; at one instant, a host's alarms come in the order of What, QP, N
	QP   int32
	N    int64
}

// Way is when the first byte of a message is past each stage of the host path, without the time
// that it takes to carry the bytes.
type Way struct {
	NVLink, PCIe, NIC unit.Time   // NIC: it could be sent
	Slowest           cause.Cause // the link that the bytes asked for are past last
	At                int32       // of PCIe: which link, see Place; -1: one stands for all
}
