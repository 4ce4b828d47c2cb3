package roce_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
)

// data and reply are frames between the two halves.
type data struct{ seg roce.Segment }

type reply struct {
	psn, sack uint32
	nak       bool
}

// pair is a queue pair: a sender and a receiver joined by a channel that tests may disturb, and
// what a user of it may rely on.
type pair struct {
	t       *rapid.T
	p       roce.Params
	s       roce.Sender
	r       roce.Receiver
	now     unit.Time
	first   int64        // sequence number of the first packet
	posted  []unit.Bytes // messages
	packets []unit.Bytes // payloads of every packet posted
	toR     []data
	toS     []reply

	seen      map[int64]bool // packets accepted
	kept      map[int64]bool // in a buffer
	high      int64          // one more than the highest sequence number sent
	completed int64          // messages
	sinceAck  int            // packets accepted
	naks      int            // at this gap
	nakAt     unit.Time
	resent    int
}

func newPair(t *rapid.T, p roce.Params, first int64) *pair {
	x := &pair{t: t, p: p, first: first, high: first, seen: map[int64]bool{}, kept: map[int64]bool{}}
	x.p.Retries = 1 << 30
	x.s.Init(&x.p)
	x.s.StartAt(first)
	x.r.StartAt(first)
	return x
}

func (x *pair) post(b unit.Bytes) {
	x.s.Post(roce.Write{Bytes: b, Tag: int64(len(x.posted))})
	x.posted = append(x.posted, b)
	for rest := b; rest > 0 || rest == b; rest -= x.p.MTU {
		x.packets = append(x.packets, min(rest, x.p.MTU))
		if rest <= x.p.MTU {
			break
		}
	}
}

// bytesBefore is the payload of the first n packets.
func (x *pair) bytesBefore(n int64) (b int64) {
	for _, p := range x.packets[:n] {
		b += int64(p)
	}
	return b
}

func (x *pair) send() {
	var seg roce.Segment
	x.s.Peek(&seg)
	if again := x.s.Next(); again != seg {
		x.t.Fatalf("peeked %+v, sent %+v", seg, again)
	}
	n := seg.Seq - x.first
	if seg.Payload != x.packets[n] || seg.PSN != uint32(seg.Seq)&roce.PSNMask {
		x.t.Fatalf("packet %d: %+v, want %d bytes", n, seg, x.packets[n])
	}
	if seg.Again {
		x.resent++
	}
	x.high = max(x.high, seg.Seq+1)
	x.toR = append(x.toR, data{seg})
}

// receive hands a data packet to the receiver and checks its verdict: each accepts what it expects,
// one that places directly what lies past that too, one with a buffer keeps it while there is room,
// and none takes anything twice.
func (x *pair) receive(d data) {
	expected, seq := x.r.Expected(), d.seg.Seq
	ahead := seq > expected && !x.seen[seq] && !x.kept[seq]
	want := seq == expected || x.p.Receiver == roce.Direct && ahead
	room := x.p.Receiver == roce.Buffered && len(x.kept) < x.p.Buffer
	v := x.r.OnData(x.now, d.seg.PSN, d.seg.Last, &x.p)
	if v.Accept != want || v.Ack && v.Nak || v.Keep != (ahead && room) ||
		v.Full != (ahead && x.p.Receiver == roce.Buffered && !room) {
		x.t.Fatalf("packet %d, expecting %d, %d kept: %+v", seq, expected, len(x.kept), v)
	}
	if v.Accept {
		x.seen[seq] = true
	}
	if v.Keep {
		x.kept[seq] = true
	}
	for range v.Freed {
		if seq++; !x.kept[seq] {
			x.t.Fatalf("packet %d is freed, which was not kept", seq)
		}
		delete(x.kept, seq)
		x.seen[seq] = true
	}
	if x.kept[x.r.Expected()] {
		x.t.Fatalf("packet %d is expected, and kept", x.r.Expected())
	}
	if x.p.Receiver == roce.InOrder {
		x.count(d, v)
	}
	if v.Ack || v.Nak {
		x.toS = append(x.toS, reply{v.PSN, v.Sack, v.Nak})
	}
}

// count holds a go-back-N receiver to its promises of when it answers.
func (x *pair) count(d data, v roce.Verdict) {
	switch {
	case v.Accept:
		x.naks = 0
		if x.sinceAck++; v.Ack {
			x.sinceAck = 0
		}
		if x.sinceAck >= x.p.AckEvery || d.seg.Last && !v.Ack {
			x.t.Fatalf("%d packets accepted without acknowledgement, last: %v", x.sinceAck, d.seg.Last)
		}
	case v.Ack:
		x.sinceAck = 0
	case v.Nak:
		x.sinceAck = 0
		if x.naks++; x.naks > 1 && (x.p.NakAgain == 0 || x.now.Sub(x.nakAt) < x.p.NakAgain) {
			x.t.Fatalf("NAK %d for the same gap, %v after the one before", x.naks, x.now.Sub(x.nakAt))
		}
		x.nakAt = x.now
	}
}

func (x *pair) reply(r reply) {
	acked, una := x.s.Acked(), x.s.Una()
	var newly unit.Bytes
	switch {
	case r.nak && x.p.Selective:
		newly = x.s.OnSack(r.psn, r.sack)
	case r.nak:
		newly = x.s.OnNak(r.psn)
	default:
		newly = x.s.OnAck(r.psn)
	}
	for m, ok := x.s.Take(); ok; m, ok = x.s.Take() {
		if m.Tag != x.completed || m.Bytes != x.posted[m.Tag] {
			x.t.Fatalf("message %+v completes after message %d", m, x.completed-1)
		}
		if m.Last() >= x.r.Expected() {
			x.t.Fatalf("message %d completes before it was received", m.Tag)
		}
		x.completed++
	}
	if x.s.Una() < una || x.s.Acked()-acked != int64(newly) {
		x.t.Fatalf("una %d -> %d, acknowledged bytes %d -> %d, said to be %d", una, x.s.Una(),
			acked, x.s.Acked(), newly)
	}
}

// check holds the sender's sums against the list of packets.
func (x *pair) check() {
	next := x.first + int64(len(x.packets))
	if x.p.Selective {
		next = x.high
	} else if x.s.Ready() {
		var seg roce.Segment
		x.s.Peek(&seg)
		next = seg.Seq
	}
	una := x.s.Una()
	if una > next || una > x.r.Expected() {
		x.t.Fatalf("una %d, next %d, receiver expects %d", una, next, x.r.Expected())
	}
	acked, sent := x.bytesBefore(una-x.first), x.bytesBefore(next-x.first)
	if x.s.Acked() != acked || x.s.Sent() != sent || int64(x.s.InFlight()) != sent-acked {
		x.t.Fatalf("acked %d, sent %d, in flight %d; want %d, %d, %d", x.s.Acked(), x.s.Sent(),
			x.s.InFlight(), acked, sent, sent-acked)
	}
}

// step does one thing drawn at random: post, send, deliver, lose or duplicate a frame, let the
// timeout come.
func (x *pair) step(fate *rapid.Generator[string], reorderData bool) {
	x.now += unit.Time(rapid.IntRange(0, 50).Draw(x.t, "wait"))
	switch rapid.SampledFrom([]string{"post", "send", "send", "send", "data", "data", "data", "reply", "reply",
		"timeout"}).Draw(x.t, "step") {
	case "post":
		if len(x.packets) < 200 {
			x.post(unit.Bytes(rapid.IntRange(0, 6*int(x.p.MTU)).Draw(x.t, "bytes")))
		}
	case "send":
		if x.s.Ready() {
			x.send()
		}
	case "data":
		if len(x.toR) == 0 {
			return
		}
		i := 0
		if reorderData {
			i = rapid.IntRange(0, len(x.toR)-1).Draw(x.t, "which")
		}
		d := x.toR[i]
		switch fate.Draw(x.t, "data") {
		case "lose":
			x.toR = append(x.toR[:i], x.toR[i+1:]...)
		case "twice":
			x.receive(d)
		default:
			x.toR = append(x.toR[:i], x.toR[i+1:]...)
			x.receive(d)
		}
	case "reply":
		if len(x.toS) == 0 {
			return
		}
		i := rapid.IntRange(0, len(x.toS)-1).Draw(x.t, "which")
		r := x.toS[i]
		switch fate.Draw(x.t, "reply") {
		case "lose":
			x.toS = append(x.toS[:i], x.toS[i+1:]...)
		case "twice":
			x.reply(r)
		default:
			x.toS = append(x.toS[:i], x.toS[i+1:]...)
			x.reply(r)
		}
	case "timeout":
		if x.s.Outstanding() {
			x.s.OnTimeout(&x.p)
		}
	}
	x.check()
}

// finish delivers everything over a channel that loses nothing more.
func (x *pair) finish() {
	for range 10_000 {
		switch {
		case len(x.toS) > 0:
			r := x.toS[0]
			x.toS = x.toS[1:]
			x.reply(r)
		case len(x.toR) > 0:
			d := x.toR[0]
			x.toR = x.toR[1:]
			x.receive(d)
		case x.s.Ready():
			x.send()
		case x.s.Outstanding():
			x.s.OnTimeout(&x.p)
		default:
			return
		}
		x.now++
		x.check()
	}
	x.t.Fatalf("no end: una %d of %d, receiver expects %d", x.s.Una()-x.first, len(x.packets), x.r.Expected()-x.first)
}

// TestEveryMessageOnce: whatever the channel does, every packet is accepted once and every message
// completes after that, in order, also where the 24 bits of the PSN wrap.
func TestEveryMessageOnce(t *testing.T) {
	for _, c := range []struct {
		name                 string
		receiver             roce.ReceiverKind
		selective, reordered bool
	}{
		{"go-back-N", roce.InOrder, false, false}, {"go-back-N, data reordered", roce.InOrder, false, true},
		{"selective", roce.Direct, true, false}, {"selective, data reordered", roce.Direct, true, true},
		{"direct, go-back-N", roce.Direct, false, true}, {"buffered, go-back-N", roce.Buffered, false, true},
		{"buffered, selective", roce.Buffered, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := roce.Params{MTU: unit.Bytes(rapid.SampledFrom([]int{1, 7, 4096}).Draw(t, "MTU")),
					AckEvery:      rapid.SampledFrom([]int{1, 2, 16}).Draw(t, "ack every"),
					AckDuplicates: rapid.Bool().Draw(t, "ack duplicates"),
					NakAgain:      unit.Duration(rapid.SampledFrom([]int{0, 100}).Draw(t, "NAK again")),
					Receiver:      c.receiver,
					Selective:     c.selective}
				if c.receiver != roce.InOrder {
					p.Tolerance = rapid.SampledFrom([]int64{0, 1, 7, roce.AnyOrder}).Draw(t, "tolerance")
					p.Buffer = rapid.SampledFrom([]int{1, 2, 64}).Draw(t, "buffer")
				}
				if err := p.Validate(); err != nil {
					t.Fatal(err)
				}
				x := newPair(t, p, rapid.SampledFrom([]int64{0, 1<<24 - 5, 1<<24 - 100, 1<<25 - 50, 1<<40 - 20}).Draw(t,
					"first"))
				fate := rapid.SampledFrom(rapid.SampledFrom([][]string{
					{"arrive"}, {"arrive", "arrive", "arrive", "lose"}, {"arrive", "twice"},
					{"arrive", "lose", "twice"}}).Draw(t, "channel"))
				for range rapid.IntRange(1, 200).Draw(t, "steps") {
					x.step(fate, c.reordered)
				}
				// A lost last acknowledgement comes again only as that of a duplicate.
				x.p.AckDuplicates = true
				x.finish()
				if len(x.seen) != len(x.packets) || x.completed != int64(len(x.posted)) {
					t.Fatalf("%d of %d packets accepted, %d of %d messages complete", len(x.seen), len(x.packets),
						x.completed, len(x.posted))
				}
			})
		})
	}
}

// TestWrap sends more packets than there are PSNs, end to end.
func TestWrap(t *testing.T) {
	if testing.Short() {
		t.Skip("17 million packets")
	}
	const packets = 1<<24 + 1000
	p := roce.Params{MTU: 1, AckEvery: 64}
	var s roce.Sender
	var r roce.Receiver
	s.Init(&p)
	s.Post(roce.Write{Bytes: packets})
	complete := 0
	for s.Ready() {
		seg := s.Next()
		if v := r.OnData(0, seg.PSN, seg.Last, &p); !v.Accept {
			t.Fatalf("packet %d refused: %+v", seg.Seq, v)
		} else if v.Ack {
			s.OnAck(v.PSN)
		}
	}
	for _, ok := s.Take(); ok; _, ok = s.Take() {
		complete++
	}
	if complete != 1 || s.Acked() != packets || r.Expected() != packets || s.InFlight() != 0 {
		t.Errorf("%d messages complete, %d bytes acknowledged, %d expected next", complete, s.Acked(), r.Expected())
	}
}
