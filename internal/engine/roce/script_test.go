package roce

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// TestScripts plays testdata/*.txt: what a queue pair does, step by step. A script is blocks of
// commands, a line of dashes and what comes of them. `qp` begins anew with a queue pair whose frames
// take 100 ns each; then
//
//	at TIME            the time of what follows
//	post BYTES...      messages, numbered from 0
//	credit TIME        the next packet's bytes are at the NIC from then on
//	send [N]           the packets that may go, or the next N: their starts, and when the next may go
//	arrive PSN...      packets that were sent reach the responder; marked, or asking for an
//	                   acknowledgement, with ! or ? behind; what it answers
//	ack|nak PSN [SACK] a response reaches the requester
//	entropy N          of N packets; the first that may be drawn is 100, and so on
//	back PORT...       answers bring entropies back; of a marked packet with ! behind
//	expire             the deadline has come
//	tally              what the receiver has counted
//	repace TIME        the next packet may start then
//	look               what the requester says of itself
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

// stage is a queue pair and what a script has had told of it.
type stage struct {
	t *testing.T
	scripttest.Log
	p       Params
	now     unit.Time
	q       Requester
	r       Responder
	sent    map[uint32]Packet
	first   map[uint32]uint32 // by PSN, of the first packet of its message
	slots   map[int32]uint32  // first PSN of the message in a slot
	cells   map[int32]uint32  // PSN of the packet in a cell
	ctl     *spy
	network cc.Ack
	draw    uint16 // the next entropy
}

// spy is a congestion control that says what it is told.
type spy struct {
	s      *stage
	window unit.Bytes
	rate   unit.Bitrate
}

func (c *spy) Rate(unit.Time) unit.Bitrate    { return c.rate }
func (c *spy) Window(unit.Time) unit.Bytes    { return c.window }
func (c *spy) OnSent(unit.Time, unit.Bytes)   {}
func (c *spy) OnCNP(unit.Time, unit.Duration) { c.s.say("controller: CNP") }
func (c *spy) OnLoss(unit.Time)               { c.s.say("controller: loss") }
func (c *spy) OnAck(a *cc.Ack) {
	c.s.say("controller: %v acknowledged, RTT %v, up to %d of %d", a.Bytes, a.RTT, a.Seq, a.NextSeq)
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.Log, format+"\n", args...) }

func (s *stage) number(w string) int64 {
	s.t.Helper()
	return scripttest.Number(s.t, w)
}

func (s *stage) span(w string) unit.Duration {
	s.t.Helper()
	d, err := unit.ParseDuration(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// frameTime is how long each frame occupies the link.
const frameTime = 100 * unit.Nanosecond

func (s *stage) Do(words []string) {
	s.t.Helper()
	switch args := words[1:]; words[0] {
	case "qp":
		s.begin(args)
	case "at":
		s.now = unit.Time(s.span(args[0]))
	case "post":
		for _, a := range args {
			m := s.q.Post(Write{Bytes: unit.Bytes(s.number(a))})
			for seq := m.First; seq <= m.Last(); seq++ {
				s.first[uint32(seq)&PSNMask] = uint32(m.First) & PSNMask
			}
		}
	case "credit":
		s.q.Credit(unit.Time(s.span(args[0])))
	case "send":
		n := int64(1 << 20)
		if len(args) > 0 {
			n = s.number(args[0])
		}
		s.send(n)
	case "arrive":
		for _, a := range args {
			s.arrive(a)
		}
	case "entropy":
		var all []string
		for range s.number(args[0]) {
			all = append(all, fmt.Sprint(s.q.Entropy(&s.p, s.draw)))
			s.draw++
		}
		s.say("entropies %s", strings.Join(all, " "))
	case "back":
		for _, a := range args {
			port := uint16(s.number(strings.TrimSuffix(a, "!")))
			s.q.Receive(s.now, &Packet{Opcode: wire.Acknowledge, Entropy: port, BECN: strings.HasSuffix(a, "!"), PSN: PSNMask}, &s.p)
		}
	case "ack", "nak":
		s.respond(words[0] == "nak", args)
	case "cnp":
		s.q.Receive(s.now, &Packet{Opcode: wire.CNPOpcode}, &s.p)
	case "expire":
		s.expire()
	case "tally":
		c := s.r.Tally()
		s.say("most past a gap: %d, dropped: %d, gaps answered: %d, of them only late: %d", c.Most, c.Full, c.Gaps, c.Early)
	case "repace":
		s.q.Repace(unit.Time(s.span(args[0])))
	case "look":
		s.look()
	default:
		s.t.Fatalf("no command %q", words[0])
	}
}

// begin makes a queue pair.
func (s *stage) begin(args []string) {
	s.t.Helper()
	*s = stage{t: s.t, sent: map[uint32]Packet{}, first: map[uint32]uint32{}, slots: map[int32]uint32{},
		cells: map[int32]uint32{}, draw: 100}
	s.ctl = &spy{s: s, rate: unit.GigabitPerSec}
	s.p = Params{MTU: 1000, AckEvery: 1, Timeout: 100 * unit.Microsecond, Retries: 2, AckDuplicates: true, TimeRTT: true}
	from, explore := int64(0), 0
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		switch k {
		case "every":
			s.p.AckEvery = int(s.number(v))
		case "selective":
			s.p.Selective, s.p.Receiver = true, Direct
		case "direct":
			s.p.Receiver, s.p.Tolerance = Direct, AnyOrder
		case "selective-too":
			s.p.Selective = true
		case "buffer":
			s.p.Receiver, s.p.Buffer, s.p.Tolerance = Buffered, int(s.number(v)), AnyOrder
		case "recycled":
			s.p.Entropy = Entropy{Kind: RecycledEntropy, Cache: int(s.number(v)), Freeze: 50 * unit.Microsecond}
		case "random":
			s.p.Entropy = Entropy{Kind: RandomEntropy}
		case "explore":
			explore = int(s.number(v))
		case "late":
			s.p.Tolerance = s.number(v)
		case "echo":
			s.p.EchoMarks = true
		case "quiet":
			s.p.AckDuplicates = false
		case "cnps":
			s.p.CNPInterval = s.span(v)
		case "again":
			s.p.NakAgain = s.span(v)
		case "low":
			s.p.TimeoutLow, s.p.LowPackets = s.span(v), 3
		case "adaptive":
			s.p.Adaptive = s.span(v)
		case "window":
			s.ctl.window = unit.Bytes(s.number(v))
		case "psn":
			from = s.number(v)
		default:
			s.t.Fatalf("no parameter %q", a)
		}
	}
	if err := s.p.Validate(); err != nil {
		s.say("%v", err)
	}
	s.q.Init(&s.p, s.ctl, &s.network)
	s.q.Explore(explore)
	s.q.StartAt(from)
	s.r.StartAt(from)
}

// kinds are the names of packets by whether they are the first, or the last, of their message.
var kinds = map[[2]bool]string{{true, true}: "ONLY", {true, false}: "FIRST", {false, true}: "LAST", {}: "MIDDLE"}

// send sends up to n packets.
func (s *stage) send(n int64) {
	for ; n > 0 && s.q.Ready(); n-- {
		var pk Packet
		turn := s.q.Next(s.now, &pk, &s.p)
		if turn == Later {
			s.now = s.q.Due()
			turn = s.q.Next(s.now, &pk, &s.p)
		}
		if turn == Window {
			s.say("window full: %v in flight", s.q.InFlight())
			break
		}
		s.sent[pk.PSN] = pk
		again := ""
		if pk.Again {
			again = " again"
		}
		at := pk.Payload
		s.say("%v: %s %d, %v at %d%s", s.now, kinds[[2]bool{at.Offset == 0, s.p.Ends(pk.Opcode)}], pk.PSN, at.Size, at.Offset,
			again)
		s.arm(s.q.Sent(s.now, &pk, at.Size+62, frameTime, frameTime, &s.p))
		s.now = s.now.Add(frameTime)
	}
}

// arm starts the retransmission timer, without a draw, if it is to be.
func (s *stage) arm(again bool) {
	if !again {
		return
	}
	before := s.q.Deadline()
	s.q.Arm(s.now, 0, &s.p)
	if jitter := s.q.Jitter(&s.p); jitter > 0 {
		s.say("deadline %v, and up to %v more", s.q.Deadline(), jitter)
	} else if before != s.q.Deadline() {
		s.say("deadline %v", s.q.Deadline())
	}
}

// arrive hands a packet to the responder.
func (s *stage) arrive(word string) {
	s.t.Helper()
	psn := uint32(s.number(strings.TrimRight(word, "!?")))
	in, ok := s.sent[psn]
	if !ok {
		s.t.Fatalf("packet %d was not sent", psn)
	}
	in.Marked, in.AckReq = strings.Contains(word, "!"), in.AckReq || strings.Contains(word, "?")
	a := s.r.Receive(s.now, &in, &s.p)
	var did []string
	place := func(a *Reply, psn uint32, what string) {
		s.slots[a.Slot] = s.first[psn]
		did = append(did, fmt.Sprintf("%s%v placed at %d of message %d", what, a.Size, a.Offset, s.slots[a.Slot]))
		if a.Whole {
			did = append(did, "which is whole")
		}
		for slot, ok := s.r.Take(); ok; slot, ok = s.r.Take() {
			did = append(did, fmt.Sprintf("message %d complete", s.slots[slot]))
		}
	}
	if a.Accept {
		place(&a, in.PSN, "")
	}
	for k, ok := s.r.Free(&s.p); ok; k, ok = s.r.Free(&s.p) {
		psn := s.cells[k.Cell]
		place(&k, psn, fmt.Sprintf("%d too: ", psn))
	}
	if a.Keep {
		s.cells[a.Cell] = in.PSN
		did = append(did, "kept")
	}
	if a.Full {
		did = append(did, "dropped: the buffer is full")
	}
	notified := ""
	for pk := (Packet{}); s.r.Answer(&pk, &s.p); {
		if pk.Opcode == wire.CNPOpcode {
			notified = "CNP" // printed last, though it goes first
			continue
		}
		did = append(did, answered(&pk, a.Early))
	}
	if notified != "" {
		did = append(did, notified)
	}
	if a.CNP != (notified != "") {
		s.t.Errorf("the reply tells of a CNP: %v, and one is sent: %v", a.CNP, notified != "")
	}
	if len(did) == 0 {
		did = []string{"nothing"}
	}
	s.say("%d: %s", in.PSN, strings.Join(did, ", "))
}

// answered is an ACK or a NAK in words.
func answered(pk *Packet, early bool) string {
	text := fmt.Sprintf("ACK %d", pk.PSN)
	switch {
	case early:
		text = fmt.Sprintf("ACK %d, and %d past it", int32(pk.PSN<<8)>>8, pk.Sack)
	case pk.Nak() && pk.Sack > 0:
		text = fmt.Sprintf("NAK %d SACK %d", pk.PSN, pk.Sack)
	case pk.Nak():
		text = fmt.Sprintf("NAK %d", pk.PSN)
	}
	if pk.Echo {
		text += " with echo"
	}
	return text
}

// respond hands a response to the requester.
func (s *stage) respond(nak bool, args []string) {
	s.t.Helper()
	r := Packet{Opcode: wire.Acknowledge, PSN: uint32(s.number(args[0]))}
	if nak {
		r.AETH.Kind = wire.NAK
	}
	if len(args) > 1 {
		r.Sack = uint32(s.number(args[1]))
	}
	arm := s.q.Receive(s.now, &r, &s.p).Arm
	for m, ok := s.q.Take(); ok; m, ok = s.q.Take() {
		s.say("message %d complete", uint32(m.First)&PSNMask)
	}
	s.arm(arm)
	if s.q.Deadline() == unit.Never {
		s.say("no deadline")
	}
}

func (s *stage) expire() {
	s.now = max(s.now, s.q.Deadline())
	switch s.q.Expire(s.now, &s.p) {
	case Answered:
		s.say("%v: all is answered", s.now)
	case Failed:
		s.say("%v: failed", s.now)
	case Retry:
		s.say("%v: timeout", s.now)
		s.arm(true)
	}
}

// look tells what the requester says of itself.
func (s *stage) look() {
	at, frame := s.q.Left()
	s.say("%d is not acknowledged; %v left at %v, the next packet's bytes are here at %v, it may start at %v",
		s.q.Una(), frame, at, s.q.Here(), s.q.Paced())
	if s.q.Outstanding() {
		m := s.q.Message(0)
		s.say("oldest message from %d on, %v; next packet of the message %d after it", m.First, m.Bytes, s.q.Sending())
	}
	if n := s.q.Retries(); n > 0 {
		s.say("retries in a row: %d; given up: %v", n, s.q.Dead())
	}
	if s.q.Controller() != cc.Controller(s.ctl) {
		s.say("another controller")
	}
}
