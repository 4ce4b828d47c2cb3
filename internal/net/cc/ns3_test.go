package cc

import (
	"testing"

	"railyard/internal/base/unit"
)

// Variants of the HPCC authors' ns-3 model, each step by hand.

// TestTIMELYPerRoundTrip: a decision by the first acknowledgement of what was sent after the
// decision before, with the round trip of that packet; five steps of AI, then HAI, below Low too.
func TestTIMELYPerRoundTrip(t *testing.T) {
	p := Defaults["timely"].(TIMELY)
	p.PortRate, p.AI, p.HAI, p.HAIAfter, p.HAIBelowLow, p.Segment = 0, 100*unit.MegabitPerSec,
		500*unit.MegabitPerSec, 6, true, 0
	c := single(p, 100*gbps, 10*us).(*timelyFlow)
	c.rate = 50e9
	ack := func(seq, next int64, rtt unit.Duration, want float64) {
		t.Helper()
		c.OnAck(&Ack{Bytes: 1000, Seq: seq, NextSeq: next, RTT: rtt})
		if d := c.rate - want; d > 1 || d < -1 {
			t.Errorf("acknowledged %d: rate %.1f, want %.1f", seq, c.rate, want)
		}
	}
	ack(1000, 10_000, 30*us, 50e9) // the first round trip gives only the one to compare with
	ack(2000, 11_000, 40*us, 50e9)
	ack(10_000, 19_000, 40*us, 50e9)    // of the first round trip still
	ack(11_000, 20_000, 30*us, 50.1e9)  // below Low
	ack(12_000, 21_000, 300*us, 50.1e9) // decided already
	for i := range int64(4) {
		ack(21_000+i*10_000, 30_000+i*10_000, 30*us, 50.2e9+float64(i)*1e8)
	}
	ack(61_000, 70_000, 30*us, 51.0e9) // the sixth: HAI
	ack(71_000, 80_000, 30*us, 51.5e9)
	ack(81_000, 90_000, 51*us, 51.5e9*(1-0.8*0.91875)) // difference 0.875 x 21 us, of 20 us
	ack(91_000, 99_000, 30*us, 51.5e9*(1-0.8*0.91875)+1e8)
}

// TestDCTCPOfARate: alpha from the part of the packets in flight that were marked, once a round
// trip; the rate is cut by half of alpha on the first mark, not again before all that was sent by
// then is acknowledged, and grows once in a round trip without a cut.
func TestDCTCPOfARate(t *testing.T) {
	p := DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: 1000, RateAI: unit.GigabitPerSec, MinRate: 100 * unit.MegabitPerSec}
	c := single(p, 100*gbps, 10*us).(*dctcpRate)
	ack := func(seq, next int64, marked bool, rate, alpha float64) {
		t.Helper()
		c.OnAck(&Ack{Bytes: 1000, Seq: seq, NextSeq: next, Marked: marked})
		if d := float64(c.rate) - rate; d > 1 || d < -1 {
			t.Errorf("acknowledged %d: rate %v, want %v", seq, c.rate, unit.Bitrate(rate))
		}
		if d := c.alpha - alpha; d > 1e-9 || d < -1e-9 {
			t.Errorf("acknowledged %d: alpha %v, want %v", seq, c.alpha, alpha)
		}
	}
	ack(1000, 10_000, false, 100e9, 1) // a round begins, of 10,000 / 1,000 + 1 packets; the rate is the line's
	ack(2000, 11_000, true, 50e9, 1)   // cut by half
	ack(3000, 12_000, true, 50e9, 1)   // not again before 11,000 is acknowledged
	// The next round: 2 + this one of 11 packets were marked.
	a := 1 - 1.0/16 + 3.0/11/16
	ack(11_000, 20_000, true, 50e9, a)  // the cut holds up to and with 11,000
	ack(12_000, 20_500, false, 50e9, a) // the cut is over, but no round begins
	ack(13_000, 21_000, true, 50e9*(1-a/2), a)
	// A round of (20,000 - 11,000) / 1,000 + 1 packets with one mark; then one without.
	b := a*15/16 + 1.0/10/16
	ack(21_000, 30_000, false, 50e9*(1-a/2), b)
	ack(31_000, 40_000, false, 50e9*(1-a/2)+1e9, b*15/16)
	for i := range int64(100) {
		c.OnAck(&Ack{Seq: 41_000 + 10_000*i, NextSeq: 50_000 + 10_000*i})
	}
	if c.rate != 100*gbps {
		t.Errorf("rate %v after 100 round trips without marks, want the line's", c.rate)
	}
	p.Window = Window{Bytes: 50_000, Scale: true}
	c = single(p, 100*gbps, 10*us).(*dctcpRate)
	c.rate = 20 * gbps
	if w := c.Window(0); w != 10_000 {
		t.Errorf("window %v at a fifth of the line rate, want 10kB", w)
	}
}

// TestHPCCUnits: telemetry in units is rounded down at both ends of what is measured; RateAI is the
// step over T.
func TestHPCCUnits(t *testing.T) {
	p := Defaults["hpcc"].(HPCC)
	p.MaxStage, p.TxUnit, p.QueueUnit, p.RateAI = 0, 128, 80, 40*unit.MegabitPerSec
	c := single(p, 100*gbps, 4*us).(*hpccFlow) // 50 kB
	hop := func(at unit.Time, tx, queue unit.Bytes) []Hop {
		return []Hop{{Queue: queue, TxBytes: tx, Time: at, Rate: 100 * gbps}}
	}
	c.OnAck(&Ack{Seq: 1000, NextSeq: 50_000, Hops: hop(0, 1000, 5000)})
	c.OnAck(&Ack{Seq: 2000, NextSeq: 51_000, Hops: hop(unit.Time(us), 13_500, 4999)})
	// 13,440 - 896 B in 1 us are 1.00352 of the rate; a queue of 4,960 B is 0.0992 of 50 kB; the
	// average moves by a quarter.
	u := 0.75 + 0.25*(1.00352+0.0992)
	if d := c.utilisation - u; d > 1e-12 || d < -1e-12 {
		t.Errorf("utilisation %.9f, want %.9f", c.utilisation, u)
	}
	if want := 100e9*0.95/u + 40e6; float64(c.rate) < want-1 || float64(c.rate) > want+1 {
		t.Errorf("rate %v, want %.0f b/s: a step of 40 Mb/s", c.rate, want)
	}
	if want := int64(50_000 * float64(c.rate) / 100e9); int64(c.Window(0)) != want {
		t.Errorf("window %v, want %d B: 50 kB at line rate", c.Window(0), want)
	}
}
