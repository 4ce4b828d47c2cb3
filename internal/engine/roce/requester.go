package roce

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// Requester is the sending half of a queue pair: what Sender says is next, when congestion control
// and the bytes at the NIC let it go, and when to try again; slots and credits that its other end gives.
//
// Calls come in order of time. What it answers: whether and when a packet may go (Ready, Due,
// WindowFull), the packet (Next), the time at which it gives up waiting (Deadline), the messages that
// are complete (Take), what it sends for what came (Answer).
type Requester struct {
	Sender
	Dialer
	Slots
	known    Known
	answer   answer
	told     *cc.Ack
	paced    unit.Time // the rate lets the next packet start
	here     unit.Time // the next packet's bytes are at the NIC
	left     unit.Time // the packet before it started
	frame    unit.Bytes
	deadline unit.Time // of an acknowledgement; Never: none is waited for
	ctl      cc.Controller
	rtt      unit.Duration // latest sample
	trips    trips
	early    int  // timeouts in a row that came before Params.Timeout
	hasty    bool // the deadline does
	probes   probes
	owed     bool       // an acknowledgement is due: the retransmission timer runs
	unkept   int        // RNR NAKs since something was acknowledged
	ports    *entropies // nil: none is recycled
}

// Init puts a requester at its start. told is memory of the driver's for what congestion control is told of an
// acknowledgement; several requesters may share it. Before Receive the driver says there what the way of a packet tells
// beside its headers: Hops, Path and Lead.
func (q *Requester) Init(p *Params, ctl cc.Controller, told *cc.Ack) {
	q.Sender.Init(p)
	q.deadline, q.ctl, q.told = unit.Never, ctl, told
	q.ports = newEntropies(&p.Entropy)
}

// Explore says how many packets have a drawn entropy before any is recycled: as many as a bandwidth-delay product
// holds, so that the first answers come before the last of them leaves.
func (q *Requester) Explore(packets int) {
	if q.ports != nil {
		q.ports.explore = packets
	}
}

// Entropy returns that of the packet which Next gave; drawn is one that it may be. It is not asked with OneEntropy.
func (q *Requester) Entropy(p *Params, drawn uint16) uint16 {
	return q.ports.next(&p.Entropy, drawn)
}

// Credit says from when on the next packet's bytes are at the NIC.
func (q *Requester) Credit(at unit.Time) { q.here = at }

// Here is when the next packet's bytes are at the NIC, as Credit said last.
func (q *Requester) Here() unit.Time { return q.here }

// Paced is when the rate lets the next packet start.
func (q *Requester) Paced() unit.Time { return q.paced }

// Due is when the next packet may start, if the window lets it.
func (q *Requester) Due() unit.Time { return max(q.paced, q.here) }

// Left returns when the packet that was sent last started, and the bytes of its frame; 0: none was.
func (q *Requester) Left() (at unit.Time, frame unit.Bytes) { return q.left, q.frame }

// Rate is the rate at which packets may follow each other now.
func (q *Requester) Rate(now unit.Time) unit.Bitrate { return q.ctl.Rate(now) }

// Controller returns the congestion control, for those that look at it.
func (q *Requester) Controller() cc.Controller { return q.ctl }

// WindowFull reports whether the window, or what the two halves can tell apart, holds the next
// packet back. What selective repeat sends again is in the window already.
func (q *Requester) WindowFull(now unit.Time, p *Params) bool {
	if q.recovering && q.MustResend() {
		return false
	}
	if q.Full(p) {
		return true
	}
	if p.NoWindow {
		return false
	}
	w := q.ctl.Window(now)
	return w > 0 && q.InFlight() >= w
}

// Turn says whether a packet goes, or what holds the next one back.
type Turn uint8

// The turns.
const (
	Goes    Turn = iota // it goes now: Sent is to be called
	Nothing             // there is none to send
	Window              // the window is full
	Later               // it may not start before Due
)

// Next writes the packet that goes now to pk.
func (q *Requester) Next(now unit.Time, pk *Packet, p *Params) Turn {
	switch {
	case !q.Ready():
		return Nothing
	case q.WindowFull(now, p):
		return Window
	case q.Due() > now:
		return Later
	}
	var seg Segment
	q.Sender.take(&seg)
	*pk = Packet{}
	m := q.at(seg.Index)
	pk.Opcode, pk.PSN = p.opcode(m.Op, seg.First, seg.Last), seg.PSN
	pk.Again, pk.AckReq = seg.Again, seg.Last || seg.Again && p.Selective || p.AskEvery > 0 && (seg.Seq+1)%p.AskEvery == 0
	pk.Payload.Message, pk.Payload.Offset, pk.Payload.Size = seg.Index, seg.Offset, seg.Payload
	if pk.Lands() {
		l := &pk.Landing
		l.Address, l.Key, l.PSN, l.Length = m.Address, m.Key, uint32(m.First)&PSNMask, m.Bytes
	}
	if m.Op.Asks() {
		q.wants(pk, &seg, m)
	}
	if seg.Last {
		pk.Imm = m.Imm
	}
	return Goes
}

// Sent notes that pk, which Next gave, starts now: its frame takes tx on the link, and
// the rate wants the next start gap later. It may have pk ask for an acknowledgement. It reports whether the
// retransmission timer starts again: then Arm is to be called.
//
// A packet starts the timer until an acknowledgement is owed. So a paced sender with coalesced
// acknowledgements does not time out, but one that is never answered does, however much it has left
// to send (IBTA vol. 1, 9.7.6.1.3).
func (q *Requester) Sent(now unit.Time, pk *Packet, frame unit.Bytes, tx, gap unit.Duration, p *Params) (arm bool) {
	q.paced, q.left, q.frame = now.Add(max(tx, gap)), now, frame
	q.ctl.OnSent(now, frame)
	slow := p.slow(gap)
	pk.AckReq = pk.AckReq || slow
	if arm = !q.owed; arm {
		q.owed = slow || q.Unacked() >= int64(p.AckEvery) || p.Ends(pk.Opcode)
	}
	if (p.TimeRTT || p.Adaptive > 0) && !pk.Again && q.asksAck(pk, p) {
		q.probes.push(probe{q.next - 1, now})
	}
	return arm && p.Timeout > 0
}

// slow reports whether the next packet is so far away that the timer, which each packet starts again while no answer
// is due, could run out before. Such a packet asks for an acknowledgement (the AckReq bit): what is only paced must
// not look lost.
func (p *Params) slow(gap unit.Duration) bool { return p.Timeout > 0 && gap > p.Timeout/2 }

// Repace moves the start of the next packet: see Paced.
func (q *Requester) Repace(at unit.Time) { q.paced = at }

// Jitter is the bound of the time that is to be drawn and given to Arm; 0: none is.
//
// After the first timeout in a row the next is drawn from one to two times the configured value, so
// that queue pairs that time out together do not collide again; InfiniBand allows up to four times
// (vol. 1, 9.7.6.1.3).
func (q *Requester) Jitter(p *Params) unit.Duration {
	if q.retries+q.early == 0 {
		return 0
	}
	wait, _ := q.wait(p)
	return wait
}

// wait is how long an acknowledgement may take, and whether that is less than Params.Timeout because round trips are short.
func (q *Requester) wait(p *Params) (t unit.Duration, early bool) {
	t = q.TimeoutOf(p)
	if p.Adaptive == 0 || !q.trips.known {
		return t, false
	}
	a := max(p.Adaptive, q.trips.mean+4*q.trips.deviation)
	for range q.early {
		if a >= t {
			break
		}
		a *= 2
	}
	return min(a, t), a < t
}

// trips is how round trips have been: their smoothed mean and deviation (RFC 6298, section 2).
type trips struct {
	mean, deviation unit.Duration
	known           bool
}

func (t *trips) add(sample unit.Duration) {
	if !t.known {
		*t = trips{mean: sample, deviation: sample / 2, known: true}
		return
	}
	off := sample - t.mean
	t.deviation += (max(off, -off) - t.deviation) / 4
	t.mean += off / 8
}

// Arm starts the retransmission timer again.
func (q *Requester) Arm(now unit.Time, jitter unit.Duration, p *Params) {
	wait, hasty := q.wait(p)
	q.deadline, q.hasty = now.Add(wait+jitter), hasty
}

// Deadline is when Expire is to be called, unless it has changed by then.
func (q *Requester) Deadline() unit.Time { return q.deadline }

// Heard says what a packet that came back means for the driver. What is to be sent for it Answer gives.
type Heard struct {
	Arm      bool // the retransmission timer starts again: Arm is to be called
	Notified bool // of congestion: by a CNP, or an acknowledgement that echoes a mark
	Paced    bool // congestion control asks for the start of the next packet to be moved: see cc.Ack
	Freed    bool // there are more slots: what waits for one may be posted
	Replied  bool // the other end's queue pair is there: make this one ready, then Establish
	Credits  int  // of pk.Coll, that are new: the rank is to be told

	Refused Refusal // the queue pair has given up
	Code    uint8   // of the NAK

	Brought bool // bytes of a READ, or what an atomic operation has found: Place says which
	Place   Payload
	Missing bool // answers to READs or atomic operations are missing that later packets imply: they are asked for again
}

// answer is what a requester is to send for what came; 0: nothing.
type answer struct {
	opcode wire.Opcode
	manage wire.CMKind
	coll   int32
	count  uint32
}

// Answer writes the packet that is to be sent for what Receive took to pk: the answer to a credit, or an RTU. It
// reports false if there is none. The driver asks before it hands over another packet.
func (q *Requester) Answer(pk *Packet) bool {
	a := &q.answer
	if a.opcode == 0 {
		return false
	}
	*pk = Packet{Opcode: a.opcode, Manage: a.manage, Coll: a.coll, Count: a.count}
	a.opcode = 0
	return true
}

// Receive takes a packet that came back: an acknowledgement or a NAK, a congestion notification, a clear-to-send, a
// credit, what a connection manager says. Messages that are thereby complete are to be taken.
func (q *Requester) Receive(now unit.Time, pk *Packet, p *Params) (h Heard) {
	switch pk.Opcode {
	case wire.Acknowledge:
		switch {
		case q.failed || pk.ghost(&q.Sender):
		case pk.AETH.Kind == wire.RNRNAK || pk.Nak() && pk.AETH.Value != wire.NAKSequence:
			q.refused(now, pk, &h, p)
		default:
			q.onResponse(now, pk, &h, p)
		}
	case wire.ReadResponseFirst, wire.ReadResponseMiddle, wire.ReadResponseLast, wire.ReadResponseOnly, wire.AtomicAcknowledge:
		q.onAnswer(now, pk, &h, p)
	case wire.CNPOpcode: // IBTA annex A17, A17.9.3, CA17-45
		h.Notified = true
		q.ctl.OnCNP(now, q.told.Lead)
	case ClearToSend:
		h.Freed = q.OnClear(pk.Count)
	case CreditGiven:
		h.Credits = q.known.OnCredit(pk.Coll, pk.Count)
		q.answer = answer{opcode: CreditTaken, coll: pk.Coll, count: pk.Count}
	case wire.DatagramSend:
		q.onManager(now, pk, &h)
	}
	return h
}

// onResponse takes an acknowledgement or a NAK.
//
// A NAK acknowledges all before it (IBTA vol. 1, 9.7.5.1.2), and is a loss to congestion control.
// Every packet behind a gap is answered with a selective NAK: all NAKs of one recovery are one loss.
func (q *Requester) onResponse(now unit.Time, r *Packet, h *Heard, p *Params) {
	una, nak := q.una, r.Nak()
	if r.Entropy != 0 {
		q.ports.answered(now, &p.Entropy, r.Entropy, r.BECN)
	}
	var bytes unit.Bytes
	lost := false
	switch {
	case !nak && r.Sack > 0:
		if at, ok := q.probes.sent(expand(r.PSN, una) + 1 + int64(r.Sack)); ok {
			q.timed(now.Sub(at), p)
		}
		bytes = q.OnEarly(r.PSN, r.Sack)
	case !nak:
		bytes = q.OnAck(r.PSN)
		lost = q.implied(expand(r.PSN, una))
		h.Missing = lost
	case p.Selective:
		known := q.Recovery()
		bytes = q.OnSack(r.PSN, r.Sack)
		again := q.Recovery()
		lost = again >= 0 && again != known
	default:
		bytes = q.OnNak(r.PSN)
		lost = true
	}
	q.settled(now, r, una, bytes, lost, h, p)
}

// settled does what an answer asks for that acknowledges bytes from una on, or tells of a loss.
func (q *Requester) settled(now unit.Time, r *Packet, una int64, bytes unit.Bytes, lost bool, h *Heard, p *Params) {
	nak := r.Nak()
	if lost {
		q.probes.clear()
		q.ctl.OnLoss(now)
	}
	moved := q.una > una
	q.owed = q.owed && !moved && !lost
	if moved {
		q.early, q.unkept = 0, 0
	}
	if at, ok := q.probes.answered(q.una); ok {
		q.timed(now.Sub(at), p)
	}
	h.Notified = r.Echo
	a := q.told
	a.Now, a.Bytes, a.RTT, a.Seq, a.NextSeq, a.Marked = now, bytes, q.rtt, q.Acked(), q.Sender.Sent(), r.Echo
	a.Paced = false
	if r.Entropy == 0 || nak || bytes > 0 || a.Marked || len(a.Hops) > 0 { // else it only brings an entropy back
		q.ctl.OnAck(a)
	}
	h.Paced = a.Paced
	arm := lost
	if moved {
		q.deadline = unit.Never
		arm = q.Outstanding()
	}
	h.Arm = arm && p.Timeout > 0
}

// timed takes a round trip that was timed.
func (q *Requester) timed(rtt unit.Duration, p *Params) {
	if q.rtt = rtt; p.Adaptive > 0 {
		q.trips.add(rtt)
	}
}

// Expiry is what a deadline that has come means.
type Expiry uint8

// The meanings.
const (
	Answered Expiry = iota // nothing: all was acknowledged
	Retry                  // what was not acknowledged is sent again; Arm is to be called
	Failed                 // the queue pair has given up
)

// Expire is called when the deadline has come.
func (q *Requester) Expire(now unit.Time, p *Params) Expiry {
	if !q.Outstanding() {
		q.deadline = unit.Never
		return Answered
	}
	if q.hasty {
		q.early++
		q.again(p)
	} else if q.OnTimeout(p) {
		q.deadline = unit.Never
		return Failed
	}
	q.owed = false
	q.probes.clear()
	q.ctl.OnLoss(now)
	q.ports.failed(now, &p.Entropy)
	return Retry
}

// Close ends the queue pair: it sends nothing more, and nothing is waited for.
func (q *Requester) Close() { q.failed, q.deadline = true, unit.Never }

// Dead reports whether the queue pair has given up, or is closed.
func (q *Requester) Dead() bool { return q.failed }

// probe is a packet whose round trip is being timed.
type probe struct {
	seq int64
	at  unit.Time
}

// probes is a queue of them, in order: a ring whose length is a power of two.
type probes struct {
	buf     []probe
	head, n int
}

func (f *probes) push(v probe) {
	if f.n == len(f.buf) {
		buf := make([]probe, max(4, 2*f.n))
		for i := range f.n {
			buf[i] = f.buf[(f.head+i)&(f.n-1)]
		}
		f.buf, f.head = buf, 0
	}
	f.buf[(f.head+f.n)&(len(f.buf)-1)] = v
	f.n++
}

// clear forgets them: when a packet was sent again nobody knows which copy was answered (Karn and
// Partridge, SIGCOMM 1987).
func (f *probes) clear() { f.n = 0 }

// answered takes out the packets before una and returns when the last of them left.
func (f *probes) answered(una int64) (at unit.Time, ok bool) {
	for f.n > 0 && f.buf[f.head].seq < una {
		at, ok = f.buf[f.head].at, true
		f.head = (f.head + 1) & (len(f.buf) - 1)
		f.n--
	}
	return at, ok
}

// asksAck reports whether a packet makes the receiver acknowledge, if nothing is lost: the
// AckEvery-th since the oldest that is not acknowledged, or since the start of the message, or the
// last of the message.
func (q *Requester) asksAck(pk *Packet, p *Params) bool {
	seq := q.next - 1 // what is sent again is not asked about
	from := max(q.una, seq-pk.Payload.Offset/int64(p.MTU))
	return p.Ends(pk.Opcode) || (seq+1-from)%int64(p.AckEvery) == 0
}

// Rest has congestion control do what it has put off, and come to rest where that makes no difference.
func (q *Requester) Rest(now unit.Time) {
	if r, ok := q.ctl.(cc.Rester); ok {
		r.Rest(now, q.Acked())
	}
}

// CountAgain has so many bytes more have been posted and acknowledged in so long a time, which were so before: see Acked. It
// is at rest.
func (q *Requester) CountAgain(bytes int64, took unit.Duration) {
	q.total, q.acked = q.total+bytes, q.acked+bytes
	if r, ok := q.ctl.(cc.Repeater); ok {
		r.Repeat(bytes, took)
	}
}
