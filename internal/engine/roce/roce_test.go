package roce_test

import (
	"reflect"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
)

func TestSegmentation(t *testing.T) {
	var s roce.Sender
	s.Init(&roce.Params{MTU: 1000})
	s.Post(roce.Write{Bytes: 2500, Tag: 7})
	s.Post(roce.Write{Bytes: 0, Tag: 8})
	s.Post(roce.Write{Bytes: 1000, Tag: 9})
	want := []roce.Segment{
		{PSN: 0, Seq: 0, Offset: 0, Payload: 1000, First: true},
		{PSN: 1, Seq: 1, Offset: 1000, Payload: 1000},
		{PSN: 2, Seq: 2, Offset: 2000, Payload: 500, Last: true},
		{PSN: 3, Seq: 3, First: true, Last: true, Index: 1},
		{PSN: 4, Seq: 4, Payload: 1000, First: true, Last: true, Index: 2},
	}
	for _, w := range want {
		if got := s.Next(); got != w {
			t.Errorf("sent %+v, want %+v", got, w)
		}
	}
	if s.Ready() || s.Sent() != 3500 || s.InFlight() != 3500 {
		t.Errorf("ready %v, sent %d, in flight %d", s.Ready(), s.Sent(), s.InFlight())
	}
	n := s.OnAck(3)
	s.Post(roce.Write{Bytes: 500, Tag: 10}) // does not disturb what is to be taken
	var tags []int64
	for m, ok := s.Take(); ok; m, ok = s.Take() {
		tags = append(tags, m.Tag)
	}
	if n != 2500 || len(tags) != 2 || tags[0] != 7 || tags[1] != 8 {
		t.Errorf("acknowledging PSN 3: %d bytes, messages %v", n, tags)
	}
}

// TestNakAgain: with NakAgain the NAK of a gap that stays is repeated, not more often.
func TestNakAgain(t *testing.T) {
	p := roce.Params{MTU: 1000, AckEvery: 100, NakAgain: 100}
	var r roce.Receiver
	naks := 0
	for now := unit.Time(0); now < 1000; now += 10 {
		if r.OnData(now, 5, false, &p).Nak {
			naks++
		}
	}
	if naks != 10 {
		t.Errorf("%d NAKs in 1000 ps, want 10", naks)
	}
}

// TestGoBackN: a NAK for 2 acknowledges 0 and 1 and sends from 2 on again.
func TestGoBackN(t *testing.T) {
	var s roce.Sender
	s.Init(&roce.Params{MTU: 1000})
	s.Post(roce.Write{Bytes: 6000})
	for range 5 {
		s.Next()
	}
	if n := s.OnNak(2); n != 2000 || s.InFlight() != 0 || s.Acked() != 2000 {
		t.Errorf("NAK 2: %d bytes, in flight %d, acked %d", n, s.InFlight(), s.Acked())
	}
	for seq := int64(2); s.Ready(); seq++ {
		if got := s.Next(); got.Seq != seq || got.Again != (seq < 5) {
			t.Errorf("sent %+v, want packet %d, again: %v", got, seq, seq < 5)
		}
	}
	// A late NAK or acknowledgement of what is acknowledged changes nothing; nor does one of what
	// was never sent.
	s.OnAck(3)
	for _, psn := range []uint32{0, 1, 2, 3} {
		if n := s.OnNak(psn); n != 0 || s.Ready() {
			t.Errorf("late NAK %d: %d bytes, ready %v", psn, n, s.Ready())
		}
	}
	if n := s.OnAck(99); n != 0 || s.Una() != 4 {
		t.Errorf("acknowledgement of what was never sent: %d bytes, una %d", n, s.Una())
	}
}

// TestRetries: limit timeouts in a row are repeated, the next one fails the queue pair; progress
// counts from the start.
func TestRetries(t *testing.T) {
	const limit = 7
	p := roce.Params{Retries: limit}
	var s roce.Sender
	s.Init(&roce.Params{MTU: 1000})
	s.Post(roce.Write{Bytes: 3000})
	s.Next()
	s.Next()
	for i := range limit {
		if s.OnTimeout(&p) {
			t.Fatalf("failed at timeout %d, want %d retries", i+1, limit)
		}
		if seg := s.Next(); seg.Seq != 0 || !seg.Again {
			t.Fatalf("timeout %d: sent %+v, want packet 0 again", i+1, seg)
		}
	}
	s.OnAck(0)
	for i := range limit {
		if s.OnTimeout(&p) {
			t.Fatalf("failed at timeout %d after progress, want %d retries", i+1, limit)
		}
	}
	if !s.OnTimeout(&p) || s.Ready() || s.Outstanding() {
		t.Errorf("not failed after %d retries without progress", limit)
	}
	if s.OnAck(2) != 0 {
		t.Error("an acknowledgement revives a failed queue pair")
	}
}

// TestSelectiveResendsWhatIsMissing: of 40 packets the channel loses 5 and 9; those two are sent
// again, once each, and nothing else (IRN, SIGCOMM 2018, section 3.1).
func TestSelectiveResendsWhatIsMissing(t *testing.T) {
	for _, ackEvery := range []int{1, 4} {
		p := roce.Params{MTU: 1000, AckEvery: ackEvery, AckDuplicates: true, Selective: true, Receiver: roce.Direct}
		var s roce.Sender
		var r roce.Receiver
		s.Init(&p)
		s.Post(roce.Write{Bytes: 40_000})
		type reply struct{ v roce.Verdict }
		var sent, resent []int64
		var replies []reply
		complete := false
		// Replies come back ten packets late.
		for tick := 0; !complete && tick < 200; tick++ {
			if s.Ready() {
				seg := s.Next()
				if seg.Again {
					resent = append(resent, seg.Seq)
				}
				if lost := !seg.Again && (seg.Seq == 5 || seg.Seq == 9); !lost {
					replies = append(replies, reply{r.OnData(0, seg.PSN, seg.Last, &p)})
				} else {
					replies = append(replies, reply{})
				}
				sent = append(sent, seg.Seq)
			} else {
				replies = append(replies, reply{})
			}
			if tick < 10 {
				continue
			}
			switch v := replies[tick-10].v; {
			case v.Nak:
				s.OnSack(v.PSN, v.Sack)
			case v.Ack:
				s.OnAck(v.PSN)
			}
			_, complete = s.Take()
		}
		if !complete || len(resent) != 2 || resent[0] != 5 || resent[1] != 9 {
			t.Errorf("ack every %d: complete %v, sent again %v, want 5 and 9; all sent: %v",
				ackEvery, complete, resent, sent)
		}
	}
}

// A message that is posted has each field of what was posted, also where another lay before it.
func TestPostKeepsEachField(t *testing.T) {
	var s roce.Sender
	s.Init(&roce.Params{MTU: 1000})
	for round := range 3 {
		var w roce.Write
		fields := reflect.ValueOf(&w).Elem()
		for i := range fields.NumField() {
			switch f := fields.Field(i); {
			case f.CanInt():
				f.SetInt(int64(100*round + i + 1))
			case f.CanUint() && f.Type() != reflect.TypeFor[roce.Op](): // an operation that asks is more than one packet
				f.SetUint(uint64(100*round + i + 1))
			}
		}
		if m := s.Post(w); m.Write != w {
			t.Errorf("posted %+v, kept %+v", w, m.Write)
		}
		if w.Op = roce.OpSend; s.Post(w).Op != w.Op {
			t.Error("the operation is lost")
		}
		for s.Ready() {
			s.Next()
		}
		s.OnAck(uint32(s.Post(roce.Write{}).First) - 1)
		for _, ok := s.Take(); ok; _, ok = s.Take() {
		}
	}
}
