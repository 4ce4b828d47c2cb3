package verbs

import (
	"fmt"

	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// State is that of a queue pair (IBTA vol. 1, 10.3.1).
type State uint8

// The states.
const (
	Reset State = iota
	Init
	ReadyToReceive
	ReadyToSend
	SendQueueDrained // refused
	Failed
)

var states = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "ERR"}

// String returns the state's short name.
func (s State) String() string { return states[s] }

// Attributes are what a queue pair is told on its way to RTS.
type Attributes struct {
	Access   Access // what the other end may do: INIT
	PKey     uint16
	MTU      wire.MTU // RTR
	DestQP   uint32
	RecvPSN  wire.PSN // the first that comes
	RNRTimer uint8    // 5 bits: what an RNR NAK says
	SendPSN  wire.PSN // RTS: the first that goes

	Timeout    unit.Duration
	Adaptive   unit.Duration // the least that the timer takes where it follows round trips: roce.Params.Adaptive; 0: it does not
	Retries    int
	RNRRetries int
	AckEvery   int // as responder, within a message; as requester it asks for one so often

	// READs and atomic operations: how many of the other end's are remembered (max_dest_rd_atomic), to RTR, and how many of ours
	// may be without their answer (max_rd_atomic), to RTS. 0: none may be.
	MaxDestReads, MaxReads int
}

// MostReads is the most of both.
const MostReads = 128

// QP is a queue pair of a reliable connection: the cores of package roce with memory, rights and completions. It has no
// clock and no socket: Receive takes what came, Next gives what goes, Wake is when to ask again.
type QP struct {
	number     uint32
	state      State
	at         Attributes
	domain     *Domain
	send, recv *CQ
	params     roce.Params
	ctl        cc.Controller
	told       cc.Ack
	q          roce.Requester
	r          roce.Responder
	sends      lists.Queue[posted]
	recvs      lists.Queue[Receive]
	in         incoming
	pk         roce.Packet
	counters   Counters
	respond    unit.Time // when the next response to a READ may go
	turn       bool      // a response went last
}

// posted is a work request that is not complete, with its bytes.
type posted struct {
	Work
	b []byte
}

// incoming is the message that comes.
type incoming struct {
	b       []byte  // where its bytes go
	receive Receive // that it has taken
	taken   bool
}

// NewQP makes a queue pair, in state RESET. Congestion control is the driver's.
func NewQP(number uint32, d *Domain, send, recv *CQ, ctl cc.Controller) *QP {
	return &QP{number: number, domain: d, send: send, recv: recv, ctl: ctl}
}

// Number returns its number.
func (p *QP) Number() uint32 { return p.number }

// State returns its state.
func (p *QP) State() State { return p.state }

// Counters returns what it has counted.
func (p *QP) Counters() *Counters { return &p.counters }

// Modify takes it to another state, with all attributes that it has from there on.
func (p *QP) Modify(to State, a Attributes) error {
	switch {
	case to == Reset:
		p.reset()
		return nil
	case to == Failed && p.state != Reset:
		p.fail(Flushed)
		return nil
	case to != p.state+1 || to == SendQueueDrained || to == Failed:
		return fmt.Errorf("queue pair 0x%06x: from %v to %v: want RESET, INIT, RTR, RTS one after the other, or ERR "+
			"from any but RESET; SQD is not there", p.number, p.state, to)
	}
	if err := a.validate(to); err != nil {
		return fmt.Errorf("queue pair 0x%06x: to %v: %w", p.number, to, err)
	}
	p.at = a
	switch to {
	case ReadyToReceive:
		p.params = roce.Params{MTU: a.MTU.Bytes(), AckEvery: a.AckEvery, Timeout: a.Timeout, Retries: a.Retries,
			AskEvery: int64(a.AckEvery), AckDuplicates: true, RNRRetries: a.RNRRetries, CNPInterval: cnpInterval,
			Resources: a.MaxDestReads}
	case ReadyToSend:
		p.params.Timeout, p.params.Adaptive, p.params.Retries, p.params.RNRRetries = a.Timeout, a.Adaptive, a.Retries, a.RNRRetries
		p.params.Reads = a.MaxReads
		p.q.Init(&p.params, p.ctl, &p.told)
	}
	p.state = to
	return nil
}

// cnpInterval is the least time between two notifications of a queue pair: N of DCQCN, 50 us (SIGCOMM 2015, 3.1).
const cnpInterval = 50 * unit.Microsecond

func (a *Attributes) validate(to State) error {
	switch {
	case to == ReadyToReceive && !pathMTU(a.MTU):
		return fmt.Errorf("path MTU code %d, want 1 (256 B) to 5 (4096 B)", a.MTU)
	case to == ReadyToReceive && (a.DestQP >= 1<<24 || a.DestQP < 2):
		return fmt.Errorf("destination queue pair 0x%x, want 2 to 0xffffff", a.DestQP)
	case a.RecvPSN > wire.PSNMask || a.SendPSN > wire.PSNMask:
		return fmt.Errorf("PSN 0x%x, 0x%x, want at most 0xffffff", uint32(a.RecvPSN), uint32(a.SendPSN))
	case a.RNRTimer > 31 || a.RNRRetries < 0 || a.RNRRetries > roce.ForeverRNR || a.Retries < 0 || a.Retries > 7:
		return fmt.Errorf("RNR timer %d, RNR retries %d, retries %d, want at most 31, 7 and 7", a.RNRTimer, a.RNRRetries,
			a.Retries)
	case to >= ReadyToReceive && a.AckEvery < 1:
		return fmt.Errorf("acknowledgements every %d packets, want at least 1", a.AckEvery)
	case a.MaxReads < 0 || a.MaxReads > MostReads || a.MaxDestReads < 0 || a.MaxDestReads > MostReads:
		return fmt.Errorf("%d READs of ours and %d of the other end at once, want 0 to %d", a.MaxReads, a.MaxDestReads, MostReads)
	case a.Timeout < 0 || a.Adaptive < 0:
		return fmt.Errorf("timeout %v, adaptive %v, want at least 0", a.Timeout, a.Adaptive)
	}
	return nil
}

func (p *QP) reset() {
	*p = QP{number: p.number, domain: p.domain, send: p.send, recv: p.recv, ctl: p.ctl, counters: p.counters}
}

// fail takes it to ERR: the oldest work request of the send queue has a status, all others are flushed.
func (p *QP) fail(first Status) {
	if p.state == Failed {
		return
	}
	p.state = Failed
	p.q.Close()
	if !p.r.Closed() { // else a NAK is to be sent
		p.r.Silence()
	}
	p.flush(first)
}

// flush ends all work requests.
func (p *QP) flush(first Status) {
	for p.sends.Len() > 0 {
		p.send.push(Completion{ID: p.sends.Pop().ID, QP: p.number, Kind: SendDone, Status: first})
		first = Flushed
	}
	if p.in.taken {
		p.recv.push(Completion{ID: p.in.receive.ID, QP: p.number, Kind: Received, Status: Flushed})
		p.in = incoming{}
	}
	for p.recvs.Len() > 0 {
		p.recv.push(Completion{ID: p.recvs.Pop().ID, QP: p.number, Kind: Received, Status: Flushed})
	}
}

// PostSend posts a work request. In ERR it is flushed at once.
func (p *QP) PostSend(w Work) error {
	if p.state == Failed {
		p.send.push(Completion{ID: w.ID, QP: p.number, Kind: SendDone, Status: Flushed})
		return nil
	}
	if p.state != ReadyToSend {
		return fmt.Errorf("queue pair 0x%06x: a send in state %v, want RTS or ERR", p.number, p.state)
	}
	if w.Local.Length > MaxMessage {
		return fmt.Errorf("queue pair 0x%06x: a message of %d bytes, want at most %d", p.number, w.Local.Length, MaxMessage)
	}
	need := Access(0)
	if w.Op.Asks() {
		if err := p.mayAsk(&w); err != nil {
			return err
		}
		need = LocalWrite
	}
	b, ok := p.local(&w.Local, need)
	if !ok {
		p.sends.Push(posted{Work: w})
		p.failLocal()
		return nil
	}
	p.sends.Push(posted{Work: w, b: b})
	p.q.Post(roce.Write{Bytes: unit.Bytes(len(b)), Address: w.Address, Key: w.Key, Imm: w.Imm, Op: w.Op})
	return nil
}

// failLocal ends all because of the youngest work request: its memory is not its own.
func (p *QP) failLocal() {
	for p.sends.Len() > 1 {
		p.send.push(Completion{ID: p.sends.Pop().ID, QP: p.number, Kind: SendDone, Status: Flushed})
	}
	p.fail(LocalProtection)
}

// PostReceive posts a receive. In ERR it is flushed at once.
func (p *QP) PostReceive(w Receive) error {
	switch {
	case p.state == Failed:
		p.recv.push(Completion{ID: w.ID, QP: p.number, Kind: Received, Status: Flushed})
		return nil
	case p.state == Reset:
		return fmt.Errorf("queue pair 0x%06x: a receive in state RESET, want INIT, RTR, RTS or ERR", p.number)
	}
	p.recvs.Push(w)
	return nil
}

// local returns the bytes of a span; of none, nil whatever its key.
func (p *QP) local(s *Span, need Access) ([]byte, bool) {
	if s.Length == 0 {
		return nil, true
	}
	return p.domain.At(s.Key, s.Address, int(s.Length), need)
}

// Next writes what goes now to r: an answer, or the next packet of what was posted. It reports false if nothing does.
// The payload is the memory that was posted.
func (p *QP) Next(now unit.Time, r *wire.RoCE) bool {
	if p.state < ReadyToReceive {
		return false
	}
	if p.turn && p.request(now, r) { // responses and requests in turn
		p.turn = false
		return true
	}
	return p.answer(now, r) || p.request(now, r)
}

// request writes the next packet of what was posted.
func (p *QP) request(now unit.Time, r *wire.RoCE) bool {
	if p.state != ReadyToSend || p.q.Next(now, &p.pk, &p.params) != roce.Goes {
		return false
	}
	pk := &p.pk
	from, w := pk.Payload.Offset, p.sends.At(pk.Payload.Message)
	pk.Swap, pk.Compare = w.Swap, w.Compare
	frame := p.frame(pk)
	gap := p.q.Rate(now).TransmitTime(wire.RoCEv2.OnLink(frame))
	if p.q.Sent(now, pk, frame, 0, gap, &p.params) {
		p.q.Arm(now, p.q.Jitter(&p.params)/2, &p.params)
	}
	p.respond = max(p.respond, now.Add(gap))
	headers.To(r, pk, p.peer(p.at.SendPSN), w.b[from:from+int64(pk.Payload.Size)])
	return true
}

// frame returns the bytes of a packet's frame.
func (p *QP) frame(pk *roce.Packet) unit.Bytes {
	return wire.RoCEv2.DataFrame(pk.Payload.Size, pk.Lands() || pk.Asks(), pk.Immediate())
}

// answer writes what is owed to the other end. Responses to READs are data: congestion control has its say.
func (p *QP) answer(now unit.Time, r *wire.RoCE) bool {
	data := p.r.Responds()
	if data && now < p.respond || !p.r.Answer(&p.pk, &p.params) {
		return false
	}
	pk := &p.pk
	var payload []byte
	switch {
	case pk.Opcode == wire.CNPOpcode:
		p.counters.CNPSent++
	case data:
		p.turn = true
		frame := p.frame(pk)
		p.respond = now.Add(p.ctl.Rate(now).TransmitTime(wire.RoCEv2.OnLink(frame)))
		if p.state == ReadyToSend {
			p.ctl.OnSent(now, frame)
			p.q.Repace(max(p.q.Paced(), p.respond))
		}
		payload, _ = p.domain.At(pk.Landing.Key, pk.Landing.Address, int(pk.Payload.Size), RemoteRead)
	}
	headers.To(r, pk, p.peer(p.at.RecvPSN), payload)
	return true
}

func (p *QP) peer(first wire.PSN) headers.End {
	return headers.End{QP: p.at.DestQP, PKey: p.at.PKey, First: first}
}

// Wake returns when Next or Expire is to be asked again if nothing comes; unit.Never: not at all.
func (p *QP) Wake(now unit.Time) unit.Time {
	at := unit.Never
	if p.state >= ReadyToReceive && p.r.Responds() {
		at = p.respond
	}
	if p.state != ReadyToSend {
		return at
	}
	at = min(at, p.q.Deadline())
	if p.q.Ready() && !p.q.WindowFull(now, &p.params) {
		at = min(at, p.q.Due())
	}
	return at
}

// Expire does what a deadline that has come asks for.
func (p *QP) Expire(now unit.Time) {
	if p.state != ReadyToSend || now < p.q.Deadline() {
		return
	}
	switch p.q.Expire(now, &p.params) {
	case roce.Retry:
		p.counters.AckTimeout++
		p.q.Arm(now, p.q.Jitter(&p.params)/2, &p.params)
	case roce.Failed:
		p.counters.AckTimeout++
		p.fail(RetryExceeded)
	}
}
