package roce

import "railyard/internal/unit"

// Landing says where the bytes of an RDMA WRITE go: the RDMA extended transport header (IBTA vol. 1,
// 9.3), with the PSN of the message's first packet.
//
// It comes with the first packet. Where packets are placed in any order, each has it, as in IRN
// (SIGCOMM 2018, section 4.3): RETH then is in every packet.
type Landing struct {
	Address uint64
	Key     uint32 // of the memory region
	PSN     uint32
	Length  unit.Bytes
}

// Packet is a data packet as it came.
type Packet struct {
	PSN     uint32
	Last    bool     // ends its message
	AckReq  bool     // asks for an acknowledgement
	Marked  bool     // congestion experienced
	Landing *Landing // nil: the packet has no RETH
}

// Reply says what to do with a data packet: place its bytes, send a congestion notification, an
// acknowledgement or a NAK.
type Reply struct {
	Verdict
	CNP  bool // send a congestion notification
	Echo bool // the acknowledgement echoes a mark

	// Of a packet that is accepted: Size bytes go to Offset of the message that lies in Slot.
	// Whole says that the message now has all its bytes. It is complete when those before it are:
	// see Take.
	Slot   int32
	Offset int64
	Size   unit.Bytes
	Whole  bool
	Cell   int32 // of a packet to keep, or that was kept: where among those that are kept; see Free
}

// Responder is the receiving half of a queue pair: Receiver, the notification point of congestion
// control, and where bytes go. What it knows of a message came with packets.
type Responder struct {
	Receiver
	cnpAt   unit.Time // last CNP
	cnpSent bool
	echo    bool // a mark that the next acknowledgement echoes
	open    []arriving
	free    []int32 // slots
	slots   int32
	kept    kept
}

// arriving is a message of which packets are here. They are listed in order.
type arriving struct {
	first, last int64 // sequence numbers
	length      int64
	left        int64 // packets that are not here
	slot        int32
}

// OnData decides about a data packet.
func (r *Responder) OnData(now unit.Time, pk *Packet, p *Params) (a Reply) {
	if pk.Marked {
		a.CNP = r.notify(now, p)
	}
	seq := expand(pk.PSN, r.expected)
	at := -1
	if seq == r.expected || seq > r.expected && p.Receiver != Buffered {
		if at = r.find(seq, pk.Landing, p); at < 0 {
			return a // of a message that nobody has announced
		}
	}
	a.Verdict = r.Receiver.OnData(now, pk.PSN, pk.Last || pk.AckReq, p)
	r.answer(pk, &a, p)
	switch {
	case a.Keep:
		a.Cell = r.kept.put(seq, pk)
	case a.Accept:
		r.land(&a, at, seq, pk.Landing, p)
		r.kept.next, r.kept.left = seq+1, a.Freed
	}
	return a
}

// answer decides about the echo of marks: an answer has those of all packets since the last one, but one that names a
// packet past a gap that packet's alone.
func (r *Responder) answer(pk *Packet, a *Reply, p *Params) {
	if a.Early {
		a.Echo = pk.Marked && p.EchoMarks
		return
	}
	answers := a.Ack || a.Nak
	r.echo = r.echo || pk.Marked && (a.Accept || a.Keep || answers)
	if answers {
		a.Echo = r.echo && p.EchoMarks
		r.echo = false
	}
}

// land says where the bytes of a packet go, whose message is at index at of open or is put there.
func (r *Responder) land(a *Reply, at int, seq int64, l *Landing, p *Params) {
	m := r.message(at, seq, l, p)
	m.left--
	a.Slot, a.Whole = m.slot, m.left == 0
	a.Offset = (seq - m.first) * int64(p.MTU)
	a.Size = unit.Bytes(min(int64(p.MTU), m.length-a.Offset))
}

// Free returns where the next of the packets goes that were kept and whose turn has come, behind the
// packet that OnData has just accepted; ok is false if there is none. One of a message that nobody
// has announced has no place: its reply says so by Accept.
func (r *Responder) Free(p *Params) (a Reply, ok bool) {
	if r.kept.left == 0 {
		return a, false
	}
	seq := r.kept.next
	cell, l := r.kept.take(seq)
	a.Cell = cell
	if at := r.find(seq, l, p); at >= 0 && (at < len(r.open) && r.open[at].first <= seq || l != nil) {
		a.Accept = true
		r.land(&a, at, seq, l, p)
	}
	return a, true
}

// notify is the notification point: a marked packet is answered with a CNP, and several may share one
// (IBTA annex A17, A17.9.3, CA17-44); DCQCN sends at most one per flow and interval (SIGCOMM'15,
// section 3.1, figure 6).
func (r *Responder) notify(now unit.Time, p *Params) bool {
	if p.EchoMarks || p.NoCNPs || r.cnpSent && now.Sub(r.cnpAt) < p.CNPInterval {
		return false
	}
	r.cnpSent, r.cnpAt = true, now
	return true
}

// find returns the index in open of the message that a packet belongs to, or where it is to be put;
// -1 if no packet has said anything of it.
func (r *Responder) find(seq int64, l *Landing, p *Params) int {
	i := len(r.open)
	for i > 0 && r.open[i-1].first > seq {
		i--
	}
	if i > 0 && seq <= r.open[i-1].last {
		return i - 1
	}
	if l == nil && (p.Receiver == Direct || seq == r.expected) {
		return -1
	}
	return i
}

// message returns the message at index at of open, put there now if the packet is the first of it
// that is here.
func (r *Responder) message(at int, seq int64, l *Landing, p *Params) *arriving {
	if at < len(r.open) && r.open[at].first <= seq {
		return &r.open[at]
	}
	r.open = append(r.open, arriving{})
	copy(r.open[at+1:], r.open[at:])
	first, packets := expand(l.PSN, seq), p.packets(l.Length)
	r.open[at] = arriving{first: first, last: first + packets - 1, length: int64(l.Length), left: packets, slot: r.slot()}
	return &r.open[at]
}

func (r *Responder) slot() int32 {
	if n := len(r.free); n > 0 {
		s := r.free[n-1]
		r.free = r.free[:n-1]
		return s
	}
	r.slots++
	return r.slots - 1
}

// Take returns the slot of the oldest message that is complete, which another message may have from
// then on; ok is false if there is none.
func (r *Responder) Take() (slot int32, ok bool) {
	if len(r.open) == 0 || r.open[0].last >= r.expected || r.open[0].left > 0 {
		return 0, false
	}
	slot = r.open[0].slot
	r.open = r.open[:copy(r.open, r.open[1:])]
	r.free = append(r.free, slot)
	return slot, true
}
