package roce

import (
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// Reply says what to do with a packet. What is to be sent for it Answer gives.
type Reply struct {
	Verdict
	CNP  bool // congestion is notified
	Echo bool // the acknowledgement echoes a mark
	// Again says that a READ or an atomic operation is answered again.
	Again bool
	// Asked says that a connection is asked for: when the queue pair is there, Accept.
	Asked bool

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
// control, where bytes go, credits. What it knows of a message came with packets.
type Responder struct {
	Receiver
	Given
	owed    owed
	closed  bool      // what comes is for nobody
	placed  uint32    // messages in memory, for admission
	taken   uint32    // messages complete
	cnpAt   unit.Time // last CNP
	cnpSent bool
	echo    bool // a mark that the next acknowledgement echoes
	open    []arriving
	free    []int32 // slots
	slots   int32
	kept    kept
	asked   *asked // nil: no READ and no atomic operation has come
}

// arriving is a message of which packets are here. They are listed in order.
type arriving struct {
	first, last int64 // sequence numbers; of one that grows, last is beyond all
	length      int64
	left        int64 // packets that are not here
	slot        int32
	growing     bool // a SEND: its last packet ends it
}

// Receive takes a packet that came: data, the answer to a credit, what a connection manager says. Whatever is to be
// sent for it, Answer gives.
func (r *Responder) Receive(now unit.Time, pk *Packet, p *Params) (a Reply) {
	switch {
	case r.closed:
		return a
	case !pk.Data() && !pk.Asks():
		return r.onControl(pk)
	}
	if pk.Marked {
		a.CNP = r.notify(now, p)
		r.owed.cnp = a.CNP
	}
	if pk.Asks() {
		return r.onAsk(now, pk, a, p)
	}
	seq := expand(pk.PSN, r.expected)
	at := -1
	if seq == r.expected || seq > r.expected && p.Receiver != Buffered {
		if at = r.find(seq, pk, p); at < 0 {
			return a // of a message that nobody has announced
		}
	}
	a.Verdict = r.Receiver.OnData(now, pk.PSN, pk.AckReq || p.Ends(pk.Opcode), p)
	r.answer(pk, &a, p)
	switch {
	case a.Keep:
		a.Cell = r.kept.put(seq, pk)
	case a.Accept:
		r.land(&a, at, seq, pk, p)
		r.kept.next, r.kept.left = seq+1, a.Freed
	}
	return a
}

// onControl takes a packet that is not data.
func (r *Responder) onControl(pk *Packet) (a Reply) {
	switch {
	case pk.Opcode == CreditTaken:
		r.Given.OnAnswer(pk.Coll, pk.Count)
	case pk.Opcode != wire.DatagramSend:
	case pk.Manage == wire.CMRequest:
		a.Asked = true
	case pk.Manage == wire.CMDisconnect:
		r.owed.left = true
	}
	return a
}

// Close ends the queue pair: what comes is for nobody. On a host it would be destroyed; a NIC drops packets for one that
// is not there (IBTA vol. 1, 9.6.1).
func (r *Responder) Close() { r.closed = true }

// Notify is the notification point of what comes to the other half: a marked response to a READ.
func (r *Responder) Notify(now unit.Time, p *Params) {
	if !r.closed && r.notify(now, p) {
		r.owed.cnp = true
	}
}

// Closed reports whether it is closed.
func (r *Responder) Closed() bool { return r.closed }

// answer notes what is to be answered, and decides about the echo of marks: an answer has those of all packets since the
// last one, but one that names a packet past a gap that packet's alone.
func (r *Responder) answer(pk *Packet, a *Reply, p *Params) {
	answers := a.Ack || a.Nak
	switch {
	case a.Early:
		a.Echo = pk.Marked && p.EchoMarks
	default:
		if r.echo = r.echo || pk.Marked && (a.Accept || a.Keep || answers); answers {
			a.Echo = r.echo && p.EchoMarks
			r.echo = false
		}
	}
	if answers {
		r.owed.nak, r.owed.psn, r.owed.sack = a.Nak, a.PSN, a.Sack
		r.owed.rnr, r.owed.value = false, wire.NAKSequence
		r.owed.echo, r.owed.entropy = a.Echo, pk.Entropy
		r.owed.becn = pk.Entropy != 0 && pk.Marked
		r.owe()
	}
}

// land says where the bytes of a packet go, whose message is at index at of open or is put there.
func (r *Responder) land(a *Reply, at int, seq int64, pk *Packet, p *Params) {
	m := r.message(at, seq, pk, p)
	if m.growing {
		if p.Ends(pk.Opcode) {
			m.last, m.left = seq, 0
		}
		a.Slot, a.Whole, a.Offset, a.Size = m.slot, m.left == 0, (seq-m.first)*int64(p.MTU), pk.Payload.Size
		return
	}
	m.left--
	a.Slot, a.Whole = m.slot, m.left == 0
	a.Offset = (seq - m.first) * int64(p.MTU)
	a.Size = unit.Bytes(min(int64(p.MTU), m.length-a.Offset))
}

// Free returns where the next of the packets goes that were kept and whose turn has come, behind the
// packet that Receive has just accepted; ok is false if there is none. One of a message that nobody
// has announced has no place: its reply says so by Accept.
func (r *Responder) Free(p *Params) (a Reply, ok bool) {
	if r.kept.left == 0 {
		return a, false
	}
	seq := r.kept.next
	cell, pk := r.kept.take(seq)
	a.Cell = cell
	if at := r.find(seq, pk, p); at >= 0 && (at < len(r.open) && r.open[at].first <= seq || pk.Lands()) {
		a.Accept = true
		r.land(&a, at, seq, pk, p)
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
func (r *Responder) find(seq int64, pk *Packet, p *Params) int {
	i := len(r.open)
	for i > 0 && r.open[i-1].first > seq {
		i--
	}
	if i > 0 && seq <= r.open[i-1].last {
		return i - 1
	}
	if pk.sends() && p.Receiver != InOrder || !pk.opens() && (p.Receiver == Direct || seq == r.expected) {
		return -1
	}
	return i
}

// message returns the message at index at of open, put there now if the packet is the first of it
// that is here.
func (r *Responder) message(at int, seq int64, pk *Packet, p *Params) *arriving {
	if at < len(r.open) && r.open[at].first <= seq {
		return &r.open[at]
	}
	r.open = append(r.open, arriving{})
	copy(r.open[at+1:], r.open[at:])
	if pk.sends() {
		r.open[at] = arriving{first: seq, last: math.MaxInt64, left: 1, slot: r.slot(), growing: true}
		return &r.open[at]
	}
	l := &pk.Landing
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
	r.taken++
	return slot, true
}
