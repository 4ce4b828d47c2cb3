package fabric

import (
	"railyard/internal/unit"
)

// Kind says what a frame carries.
type Kind uint8

// The kinds of frame.
const (
	Data Kind = iota
	Ack
	Nak
	CNP
	CTS
	Credit
	CreditAck
)

// Packet is one frame: 32 bytes, no pointer. Flow, Seq and Kind belong to sources and sinks at the
// edge; the fabric only carries them.
type Packet struct {
	at    unit.Time // when it reaches the far end of the link it is on
	Flow  int32     // whose frame it is, to the edge
	Seq   uint32    // packet sequence number, to the edge
	route uint32    // index into the route table of the port it leaves by next
	trace int32     // trace slot + 1, 0: not traced
	in    PortID    // the link it came over to the switch it is in
	Bytes uint16    // frame bytes, headers and FCS included, preamble and gap not
	Class uint8     // dense traffic class
	flags uint8
}

const (
	flagCE    = 1 << 0 // congestion experienced
	flagEcho  = 1 << 1 // an acknowledgement that echoes a mark
	flagECT   = 1 << 2 // ECN-capable transport
	flagLast  = 1 << 3 // ends a message
	flagAsks  = 1 << 7 // wants an acknowledgement at once
	kindShift = 4
	kindMask  = 7
)

// Make returns a frame of a kind on a route.
func Make(kind Kind, flow int32, seq uint32, r Route, class uint8, bytes unit.Bytes) Packet {
	p := Packet{Flow: flow, Seq: seq, route: uint32(r), Class: class, Bytes: uint16(bytes),
		flags: uint8(kind) << kindShift}
	if kind == Data {
		p.flags |= flagECT
	}
	return p
}

// Kind returns what the frame carries.
func (p *Packet) Kind() Kind { return Kind(p.flags >> kindShift & kindMask) }

// Marked reports whether a switch marked the frame: congestion experienced (RFC 3168).
func (p *Packet) Marked() bool { return p.flags&flagCE != 0 }

// SetLast says that the frame ends its message.
func (p *Packet) SetLast() { p.flags |= flagLast }

// Last reports whether the frame ends its message.
func (p *Packet) Last() bool { return p.flags&flagLast != 0 }

// SetAsks makes the frame ask for an acknowledgement at once: the AckReq bit of the base transport
// header. Other frames are acknowledged together.
func (p *Packet) SetAsks() { p.flags |= flagAsks }

// Asks reports whether the sender wants the frame acknowledged at once.
func (p *Packet) Asks() bool { return p.flags&flagAsks != 0 }

// SetQueued says since when an acknowledgement waits to be sent, for its trace.
func (p *Packet) SetQueued(at unit.Time) { p.at = at }

// SetEcho makes an acknowledgement say that data it acknowledges was marked.
func (p *Packet) SetEcho() { p.flags |= flagEcho }

// Echo reports whether the acknowledgement echoes a mark.
func (p *Packet) Echo() bool { return p.flags&flagEcho != 0 }

// ring is a queue of packets by value; its capacity is a power of two and only grows.
type ring struct {
	buf  []Packet
	head uint32
	n    uint32
}

func (r *ring) push(p *Packet) {
	if int(r.n) == len(r.buf) {
		r.grow()
	}
	r.buf[(r.head+r.n)&uint32(len(r.buf)-1)] = *p
	r.n++
}

func (r *ring) grow() {
	buf := make([]Packet, max(4, 2*len(r.buf)))
	for i := range r.n {
		buf[i] = r.buf[(r.head+i)&uint32(len(r.buf)-1)]
	}
	r.buf, r.head = buf, 0
}

func (r *ring) front() *Packet { return &r.buf[r.head&uint32(len(r.buf)-1)] }
func (r *ring) back() *Packet  { return &r.buf[(r.head+r.n-1)&uint32(len(r.buf)-1)] }

func (r *ring) drop() {
	r.head++
	r.n--
}
