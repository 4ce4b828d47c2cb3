package verbs

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// Receive takes a packet that came to this queue pair from its other end, with its ICRC verified; marked says that its IP
// header tells of congestion. What is to be sent for it Next gives. It reports whether the packet was for it.
func (p *QP) Receive(now unit.Time, r *wire.RoCE, marked bool) bool {
	if p.state < ReadyToReceive || p.state == Failed || r.BTH.DestQP != p.number {
		return false
	}
	if !fits(p.at.PKey, r.BTH.PKey) {
		p.counters.BadPKey++
		return false
	}
	switch o := r.BTH.Opcode; {
	case o <= wire.ReadRequest || o == wire.CompareSwap || o == wire.FetchAdd:
		if !headers.From(&p.pk, r, headers.End{First: p.at.RecvPSN}) {
			return false
		}
		p.pk.Marked = marked
		if marked {
			p.counters.Marked++
		}
		if p.pk.Asks() {
			p.ask(now)
		} else {
			p.take(now, r.Payload)
		}
	case o >= wire.ReadResponseFirst && o <= wire.AtomicAcknowledge || o == wire.CNPOpcode:
		if p.state != ReadyToSend || !headers.From(&p.pk, r, headers.End{First: p.at.SendPSN}) {
			return false
		}
		p.pk.Echo, p.pk.BECN = false, false // no marks in acknowledgements: there are notifications
		if marked && p.pk.Responds() {
			p.counters.Marked++
			p.r.Notify(now, &p.params)
		}
		p.response(now, r.Payload)
	default:
		return false
	}
	return true
}

// take takes a packet of a SEND or WRITE.
func (p *QP) take(now unit.Time, payload []byte) {
	pk := &p.pk
	expected := p.r.Expects(pk.PSN)
	if expected && !p.judge(pk) {
		return
	}
	a := p.r.Receive(now, pk, &p.params)
	switch {
	case a.Nak:
		p.counters.OutOfSequence++
	case !expected && a.Ack:
		p.counters.Duplicate++
	}
	if !a.Accept {
		return
	}
	if len(payload) > 0 {
		copy(p.in.b[a.Offset:], payload)
	}
	if _, ok := p.r.Take(); ok {
		p.arrived(pk, uint32(a.Offset)+uint32(len(payload)))
	}
}

// judge reports whether a request whose turn it is may be executed, and has it answered if not.
func (p *QP) judge(pk *roce.Packet) bool {
	switch {
	case !p.r.Valid(pk, &p.params):
		return p.refuse(wire.NAKInvalid)
	case pk.Opcode <= wire.SendOnlyImm:
		return p.judgeSend(pk)
	}
	if pk.Lands() {
		l := &pk.Landing
		if l.Length > MaxMessage {
			return p.refuse(wire.NAKInvalid)
		}
		b, ok := p.domain.At(l.Key, l.Address, int(l.Length), RemoteWrite)
		if p.at.Access&RemoteWrite == 0 {
			return p.refuse(wire.NAKInvalid)
		}
		if !ok && l.Length > 0 { // no bytes: neither key nor address are looked at (IBTA vol. 1, 9.7.4.1.5)
			return p.refuse(wire.NAKRemoteAccess)
		}
		p.in.b = b
	}
	if pk.Immediate() {
		return p.takeReceive()
	}
	return true
}

// judgeSend looks for a receive, and for its room.
func (p *QP) judgeSend(pk *roce.Packet) bool {
	if pk.Opcode == wire.SendFirst || pk.Opcode == wire.SendOnly || pk.Opcode == wire.SendOnlyImm {
		if !p.takeReceive() {
			return false
		}
		b, ok := p.local(&p.in.receive.Local, LocalWrite)
		if !ok {
			p.ended(LocalProtection)
			return p.refuse(wire.NAKRemoteOp)
		}
		p.in.b = b
	}
	if p.r.Arrived(&p.params)+int64(pk.Payload.Size) > int64(len(p.in.b)) {
		p.ended(LocalLength)
		return p.refuse(wire.NAKInvalid)
	}
	return true
}

// takeReceive takes a receive for the message; without one the other end is told to come again.
func (p *QP) takeReceive() bool {
	if p.recvs.Len() == 0 {
		p.counters.RNRSent++
		p.r.NotReady(p.at.RNRTimer)
		return false
	}
	p.in.receive, p.in.taken = p.recvs.Pop(), true
	return true
}

// ended completes the receive that the message has taken.
func (p *QP) ended(s Status) {
	p.recv.push(Completion{ID: p.in.receive.ID, QP: p.number, Kind: Received, Status: s})
	p.in = incoming{}
}

// refuse answers with a NAK; the queue pair fails.
func (p *QP) refuse(code uint8) bool {
	switch code {
	case wire.NAKInvalid:
		p.counters.InvalidRequest++
	case wire.NAKRemoteAccess:
		p.counters.AccessError++
	}
	p.r.Refuse(code)
	p.fail(Flushed)
	return false
}

// arrived completes a message that came.
func (p *QP) arrived(pk *roce.Packet, bytes uint32) {
	p.counters.Requests++
	if p.in.taken {
		c := Completion{ID: p.in.receive.ID, QP: p.number, Kind: WrittenTo, Bytes: bytes, HasImm: pk.Immediate(), Imm: pk.Imm}
		if pk.Opcode <= wire.SendOnlyImm {
			c.Kind = Received
		}
		p.recv.push(c)
	}
	p.in = incoming{}
}

// response takes an acknowledgement, a NAK, a response or a notification.
func (p *QP) response(now unit.Time, payload []byte) {
	switch pk := &p.pk; {
	case pk.Opcode == wire.CNPOpcode:
		p.counters.CNPHandled++
	case pk.AETH.Kind == wire.RNRNAK:
		p.counters.RNRReceived++
	case pk.Nak() && pk.AETH.Value == wire.NAKSequence:
		p.counters.SequenceNAK++
	}
	h := p.q.Receive(now, &p.pk, &p.params)
	if h.Brought {
		p.brought(&h.Place, payload)
	}
	if h.Missing {
		p.counters.Implied++
	}
	for {
		if _, ok := p.q.Take(); !ok {
			break
		}
		w := p.sends.Pop()
		p.send.push(Completion{ID: w.ID, QP: p.number, Kind: SendDone, Op: w.Op, Bytes: uint32(len(w.b))})
	}
	switch {
	case h.Refused == roce.RefusedUnkept:
		p.fail(RNRExceeded)
	case h.Refused == roce.BadResponse:
		p.fail(BadResponse)
	case h.Refused == roce.RefusedNAK:
		p.fail(refusals[h.Code&3])
	case h.Arm:
		p.q.Arm(now, p.q.Jitter(&p.params)/2, &p.params)
	}
}

// refusals are the statuses of NAK codes; those that are reserved are no worse than the last.
var refusals = [4]Status{RemoteOperation, RemoteInvalid, RemoteAccess, RemoteOperation}

// Counters are what a queue pair has counted, under the names that operators know.
type Counters struct {
	OutOfSequence, Duplicate, AckTimeout, SequenceNAK int64
	RNRSent, RNRReceived                              int64
	CNPSent, CNPHandled, Marked                       int64
	InvalidRequest, AccessError, BadPKey, Requests    int64
	Implied, Reads, Atomics                           int64
}

// Named is a counter with its name: that of mlx5's and of Linux's counters where they have it.
type Named struct {
	Name  string
	Count int64
}

// Timeouts is the name of AckTimeout: how often the timer of a queue pair ran out.
const Timeouts = "local_ack_timeout_err"

// List returns them all.
func (c *Counters) List() []Named {
	return []Named{{"out_of_sequence", c.OutOfSequence}, {"duplicate_request", c.Duplicate},
		{Timeouts, c.AckTimeout}, {"packet_seq_err", c.SequenceNAK}, {"out_of_buffer", c.RNRSent},
		{"rnr_nak_retry_err", c.RNRReceived}, {"np_cnp_sent", c.CNPSent}, {"rp_cnp_handled", c.CNPHandled},
		{"np_ecn_marked_roce_packets", c.Marked}, {"resp_invalid_request", c.InvalidRequest},
		{"resp_remote_access_errors", c.AccessError}, {"bad_pkey", c.BadPKey}, {"messages_received", c.Requests},
		{"implied_nak_seq_err", c.Implied}, {"rx_read_requests", c.Reads}, {"rx_atomic_requests", c.Atomics}}
}
