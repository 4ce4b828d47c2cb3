package roce_test

import (
	"testing"

	"railyard/internal/engine/roce"
)

// swapped is a selective queue pair with 50 packets in flight of which the first two change places
// on the way. It returns how many are sent again.
func swapped(t *testing.T) (again int) {
	p := roce.Params{MTU: 1000, AckEvery: 1, Retries: 7, AckDuplicates: true, Selective: true, Receiver: roce.Direct}
	var s roce.Sender
	var r roce.Receiver
	s.Init(&p)
	s.Post(roce.Write{Bytes: 50_000})
	var way []roce.Segment
	for s.Ready() {
		way = append(way, s.Next())
	}
	way[0], way[1] = way[1], way[0]
	for len(way) > 0 {
		seg := way[0]
		way = way[1:]
		v := r.OnData(0, seg.PSN, seg.Last, &p)
		switch {
		case v.Nak:
			s.OnSack(v.PSN, v.Sack)
		case v.Ack:
			s.OnAck(v.PSN)
		}
		for s.Ready() {
			way = append(way, s.Next())
			again++
		}
	}
	if _, done := s.Take(); !done {
		t.Error("the message is not complete")
	}
	return again
}

// Mittal et al., SIGCOMM'18, section 3.1: past the cumulative acknowledgement a packet is taken for
// lost only if one after it has been selectively acknowledged.
func TestReorderingCostsOnePacket(t *testing.T) {
	if n := swapped(t); n != 1 {
		t.Errorf("%d packets sent again because two changed places, want the one that was missing", n)
	}
}

// TestOutstandingFitsThePSN: what is on its way is never more than the 24 bits can tell apart, half
// of them, nor more than a selective NAK can name.
func TestOutstandingFitsThePSN(t *testing.T) {
	for _, c := range []struct {
		selective bool
		most      int64
	}{{false, 1 << 23}, {true, roce.MaxAhead}} {
		p := roce.Params{MTU: 1, AckEvery: 1, Selective: c.selective}
		if c.selective {
			p.Receiver = roce.Direct
		}
		var s roce.Sender
		s.Init(&p)
		s.Post(roce.Write{Bytes: 20_000_000})
		n := int64(0)
		for ; s.Ready() && !s.Full(&p); n++ {
			s.Next()
		}
		if n > c.most || n < c.most-2 {
			t.Errorf("selective %v: %d packets in flight, want at most %d", c.selective, n, c.most)
		}
		s.OnAck(9)
		if s.Full(&p) {
			t.Errorf("selective %v: still full after an acknowledgement", c.selective)
		}
	}
}
