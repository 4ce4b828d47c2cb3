package roce_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
)

// Mittal et al., SIGCOMM'18, section 3.1: RTO_low holds while no more than N packets are
// outstanding, N included.
func TestLowTimeoutHoldsUpToN(t *testing.T) {
	p := roce.Params{MTU: 1000, AckEvery: 1, Selective: true, Receiver: roce.Direct, Timeout: unit.Millisecond,
		TimeoutLow: unit.Microsecond, LowPackets: 3}
	var s roce.Sender
	s.Init(&p)
	s.Post(roce.Write{Bytes: 10_000})
	for n := 1; n <= 5; n++ {
		s.Next()
		want := p.TimeoutLow
		if n > 3 {
			want = p.Timeout
		}
		if got := s.TimeoutOf(&p); got != want {
			t.Errorf("%d packets outstanding: timeout %v, want %v", n, got, want)
		}
	}
	s.OnAck(1)
	if got := s.TimeoutOf(&p); got != p.TimeoutLow {
		t.Errorf("3 packets outstanding again: timeout %v, want %v", got, p.TimeoutLow)
	}
}

// Whatever is acknowledged, NAKs and duplicates included, the count of packets to the next
// acknowledgement begins anew.
func TestAnyAcknowledgementBeginsTheCountAnew(t *testing.T) {
	for name, c := range map[string]struct {
		psn  uint32
		want roce.Verdict
	}{
		"duplicate": {0, roce.Verdict{Ack: true, PSN: 1}},
		"gap":       {7, roce.Verdict{Nak: true, PSN: 2}},
	} {
		p := roce.Params{MTU: 1000, AckEvery: 3, AckDuplicates: true}
		var r roce.Receiver
		r.OnData(0, 0, false, &p)
		r.OnData(0, 1, false, &p)
		if got := r.OnData(0, c.psn, false, &p); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		for psn := uint32(2); psn < 8; psn++ {
			want := roce.Verdict{Accept: true}
			if psn == 4 || psn == 7 {
				want = roce.Verdict{Accept: true, Ack: true, PSN: psn}
			}
			if got := r.OnData(0, psn, false, &p); got != want {
				t.Errorf("%s, then packet %d: %+v, want %+v", name, psn, got, want)
			}
		}
	}
}
