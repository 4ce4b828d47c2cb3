package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// A packet of a queue pair and a frame of the fabric say the same in different words; here each is turned into the
// other. What the fabric has no room for goes along in the frame's trace (fabric.Edge), or is left out: of immediate
// data and of an acknowledgement's MSN the simulated ends make no use.

// Packet writes what a frame's headers say to pk: but for where a message goes, which its trace knows.
func Packet(f *fabric.Packet, pk *roce.Packet) {
	*pk = roce.Packet{}
	pk.Opcode, pk.PSN, pk.Entropy = wire.Opcode(f.Opcode()), f.PSN(), f.Entropy
	switch kind := f.Kind(); kind {
	case fabric.Data:
		pk.AckReq, pk.Marked, pk.Again = f.AckReq(), f.Marked(), f.Again()
	case fabric.Ack, fabric.Nak:
		pk.Opcode, pk.AETH.Kind, pk.AETH.Value = wire.Acknowledge, wire.ACK, roce.NoCredits
		pk.Sack, pk.BECN, pk.Echo = f.Sack(), f.BECN(), f.Echo()
		if kind == fabric.Nak {
			pk.AETH.Kind, pk.AETH.Value = wire.NAK, wire.NAKSequence
		}
	case fabric.CNP:
		pk.BECN = true
	case fabric.CTS, fabric.Credit, fabric.CreditAck:
		pk.PSN, pk.Coll, pk.Count = 0, int32(f.PSN()), f.Count()
	default:
		pk.Opcode, pk.Manage, pk.Landing.Key = wire.DatagramSend, managed[f.Kind()], f.Count()
	}
}

// managed are connection managers' messages.
var managed = [...]wire.CMKind{fabric.CMRequest: wire.CMRequest, fabric.CMReply: wire.CMReply, fabric.CMReady: wire.CMReady,
	fabric.CMLeave: wire.CMDisconnect, fabric.CMLeft: wire.CMDisconnectReply}

// data makes f the frame of a packet of data.
func (s *sender) data(f *fabric.Packet, pk *roce.Packet, bytes unit.Bytes) {
	f.Make(fabric.Opcode(pk.Opcode), s.id, pk.PSN, s.route, s.class, bytes)
	f.Entropy = pk.Entropy
	if pk.AckReq {
		f.SetAckReq()
	}
	if pk.Again {
		f.SetAgain()
	}
}

// acknowledgement makes f the frame of an ACK or a NAK.
func (n *Net) acknowledgement(f *fabric.Packet, pk *roce.Packet, qp int32, r fabric.Route) {
	op := fabric.OpAck
	if pk.Nak() {
		op = fabric.OpNak
	}
	f.Make(op, qp, pk.PSN, r, n.cfg.AckClass, n.cfg.Frames.ACK)
	f.SetSack(pk.Sack)
	f.Entropy = pk.Entropy
	if pk.BECN {
		f.SetBECN()
	}
	if pk.Echo {
		f.SetEcho()
	}
}

// send queues what a half of a queue pair sends beside data, ACK and NAK: in the class of CNPs.
func (c *card) send(pk *roce.Packet, qp int32, r fabric.Route) {
	n := c.net
	op, number, count, bytes := fabric.Opcode(pk.Opcode), uint32(pk.Coll), pk.Count, n.cfg.Frames.ACK
	switch pk.Opcode {
	case wire.CNPOpcode:
		bytes = n.cfg.Frames.CNP
	case wire.DatagramSend:
		op, count, bytes = opcodeOf(pk.Manage), pk.Landing.Key, wire.CMFrameBytes+n.cfg.Frames.Tag
	}
	f := c.out.Notes.Add()
	f.Make(op, qp, number, r, n.cfg.CNPClass, bytes)
	if pk.Opcode != wire.CNPOpcode {
		f.SetCount(count)
	}
}

// opcodeOf is that of a connection manager's message in the fabric.
func opcodeOf(k wire.CMKind) fabric.Opcode {
	switch k {
	case wire.CMRequest:
		return fabric.OpCMRequest
	case wire.CMReply:
		return fabric.OpCMReply
	case wire.CMDisconnect:
		return fabric.OpCMLeave
	case wire.CMDisconnectReply:
		return fabric.OpCMLeft
	}
	return fabric.OpCMReady
}
