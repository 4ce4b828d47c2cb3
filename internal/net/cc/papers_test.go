package cc

import (
	"testing"

	"railyard/internal/base/unit"
)

const ms = unit.Millisecond

// HPCC (SIGCOMM 2019, sections 3.2 and 3.3): senders that start at line rate drain
// the queue within a few round trips, then the link runs at eta with next to no queue.
func TestHPCC19KeepsLinkAtEtaWithoutQueue(t *testing.T) {
	for _, n := range []int{1, 2, 16} {
		b := newBottleneck(Defaults["hpcc"], n, 100*gbps, 1000, 100) // base RTT 8 us
		b.run(20 * b.baseRTT())
		first := b.measure()
		if limit := unit.Bytes(n) * 101 * 1000; first.queueMax > limit {
			t.Errorf("%d senders: queue reached %v, want at most one window each, %v", n, first.queueMax, limit)
		}
		b.run(2 * ms)
		b.measure()
		b.run(2 * ms)
		m := b.measure()
		t.Logf("%d senders: %+v", n, m)
		if m.utilisation < 0.92 || m.utilisation > 0.98 || m.queue > 20*1000 {
			t.Errorf("%d senders: utilisation %.3f, mean queue %v, want 0.95 and less than a fifth of a BDP",
				n, m.utilisation, m.queue)
		}
	}
}

// HPCC, section 3.2, equation 2: bytes in flight are queue / (B T) + txRate / B; the
// window is divided by them over eta, from the same Wc within one round trip.
func TestHPCC19Algorithm1(t *testing.T) {
	ack := func(c Controller, now unit.Duration, tx, queue unit.Bytes, seq int64) unit.Bytes {
		c.OnAck(&Ack{Now: at(now), Seq: seq, NextSeq: seq + 1000,
			Hops: []Hop{{Queue: queue, TxBytes: tx, Time: at(now), Rate: 100 * gbps}}})
		return c.Window(at(now))
	}
	expect := func(name string, got unit.Bytes, want float64) {
		t.Helper()
		if d := float64(got) - want; d > 1 || d < -1 {
			t.Errorf("%s: window %v, want %.1f", name, got, want)
		}
	}
	c := single(Defaults["hpcc"], 100*gbps, 10*us) // BDP 125 kB
	ack(c, 0, 0, 62500, 1)
	// A full link with half a BDP of queue at both ends of 10 us: U = 1 + 1/2.
	expect("new round trip", ack(c, 10*us, 125000, 62500, 2000), 125000/(1.5/0.95)+80)
	// Within the round trip, the same Wc: U stays 1.5, so the window is divided once more, from Wc.
	expect("same round trip", ack(c, 20*us, 250000, 62500, 2500), (125000/(1.5/0.95)+80)/(1.5/0.95)+80)
	expect("same round trip again", ack(c, 30*us, 375000, 62500, 2600), (125000/(1.5/0.95)+80)/(1.5/0.95)+80)
	// The lesser of two queue readings counts: a queue that has gone is none.
	expect("queue gone", ack(c, 40*us, 500000, 0, 2700), (125000/(1.5/0.95)+80)/(1/0.95)+80)
}

// HPCC, section 3.3: maxStage additive steps, then a multiplicative one reclaims the
// bandwidth of a flow that left.
func TestHPCC19ReclaimsBandwidth(t *testing.T) {
	b := newBottleneck(Defaults["hpcc"], 2, 100*gbps, 1000, 100)
	b.run(2 * ms)
	b.flows[1].off = true
	b.run(20 * b.baseRTT())
	b.measure()
	b.run(20 * b.baseRTT())
	if m := b.measure(); m.utilisation < 0.9 {
		t.Errorf("utilisation %.3f 20 round trips after the other flow left, want 0.95", m.utilisation)
	}
}

// TIMELY (SIGCOMM 2015, algorithm 1), each branch.
func TestTIMELY15Algorithm1(t *testing.T) {
	p := Defaults["timely"].(TIMELY)
	p.PortRate = 0
	run := func(rtts ...unit.Duration) (rates []float64) {
		c := single(p, 10*gbps, 20*us)
		c.(*timelyFlow).rate = 5e9
		for _, r := range rtts {
			c.OnAck(&Ack{Bytes: p.Segment, RTT: r})
			rates = append(rates, c.(*timelyFlow).rate)
		}
		return rates
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1 || d < -1 {
			t.Errorf("%s: rate %.1f, want %.1f", name, got, want)
		}
	}
	near("below Tlow, even rising: add delta", run(30*us, 45*us)[1], 5e9+1e7)
	near("above Thigh: by the excess", run(100*us, 625*us)[1], 5e9*(1-0.8*(1-500.0/625)))
	// difference (0.875 x 10 us) / 20 us = gradient 0.4375
	near("rising between: by the gradient", run(100*us, 110*us)[1], 5e9*(1-0.8*0.4375))
	falling := run(200*us, 190*us, 180*us, 170*us, 160*us, 150*us, 140*us)
	near("falling: add delta", falling[4], 5e9+4e7)
	near("five in a row: hyperactive", falling[6], 5e9+4e7+2*5e7)
	c := single(p, 10*gbps, 20*us)
	c.(*timelyFlow).rate = 5e9
	for range 15 {
		c.OnAck(&Ack{Bytes: 1000, RTT: 30 * us})
	}
	near("no decision within a segment", c.(*timelyFlow).rate, 5e9)
}

// TIMELY, section 6: the queue grows to Tlow and no further, far from Thigh, where
// senders without control would take it at once. Utilisation saws between: 0.91
// to 0.99 here, lower with more senders.
func TestTIMELY15HoldsDelayNearTlow(t *testing.T) {
	p := Defaults["timely"].(TIMELY)
	for _, n := range []int{2, 8, 16} {
		b := newBottleneck(p, n, 10*gbps, 1000, 24) // base RTT 20 us
		b.run(100 * ms)
		b.measure()
		b.run(100 * ms)
		m := b.measure()
		t.Logf("%d senders: %+v", n, m)
		if worst := b.baseRTT() + b.rate.TransmitTime(m.queueMax); worst > 2*p.Low || m.utilisation < 0.9 {
			t.Errorf("%d senders: largest RTT %v, utilisation %.3f, want less than twice Tlow and above 0.9",
				n, worst, m.utilisation)
		}
	}
	b := newBottleneck(None{}, 2, 10*gbps, 1000, 24)
	b.run(10 * ms)
	if m := b.measure(); b.rate.TransmitTime(m.queueMax) < p.High {
		t.Errorf("without control the queue reached only %v: the scenario shows nothing", m.queueMax)
	}
}

// "ECN or Delay" (CoNEXT 2016), section 4: TIMELY has no unique fixed point, so that
// the shares are anything; DCQCN in the same place shares fairly.
func TestCoNEXT16TIMELYDoesNotShareFairly(t *testing.T) {
	shares := func(p Params, mark func(unit.Bytes) float64, cnp unit.Duration) float64 {
		b := newBottleneck(p, 8, 10*gbps, 1000, 24)
		b.mark, b.cnp = mark, cnp
		b.run(200 * ms)
		b.measure()
		b.run(100 * ms)
		return b.measure().jain
	}
	unmarked := func(unit.Bytes) float64 { return 0 }
	timely, dcqcn := shares(Defaults["timely"], unmarked, 0), shares(sigcomm15, red10.Mark, 50*us)
	t.Logf("Jain index: timely %.3f, dcqcn %.3f", timely, dcqcn)
	if timely > 0.8 || dcqcn < 0.95 {
		t.Errorf("Jain index: timely %.3f, want unfair; dcqcn %.3f, want above 0.95", timely, dcqcn)
	}
}

// DCTCP (SIGCOMM 2010, sections 3.3 and 3.4): with a step at K > C RTT / 7 the queue
// stays about K (its maximum is K + n packets) and never runs empty.
func TestDCTCP10QueueStaysAtK(t *testing.T) {
	const packet, delay, k = 1000, 100, 40 * 1000 // C RTT / 7 = 14 packets
	p := Defaults["dctcp"].(DCTCP)
	p.MSS = packet
	for _, n := range []int{2, 8} {
		b := newBottleneck(p, n, 10*gbps, packet, delay)
		b.mark = func(q unit.Bytes) float64 {
			if q > k {
				return 1
			}
			return 0
		}
		b.run(100 * ms)
		b.measure()
		b.run(100 * ms)
		m := b.measure()
		t.Logf("%d senders: %+v", n, m)
		if m.utilisation < 0.999 || m.queue > k || m.queue < k/2 ||
			m.queueMax > k+unit.Bytes(2*n+2)*packet || m.jain < 0.95 {
			t.Errorf("%d senders: %+v, want a full link and a queue under %d + n packets", n, m, k)
		}
	}
}

// DCTCP, section 3.4: the cut is in proportion to the part of marked bytes.
func TestDCTCP10CutsInProportion(t *testing.T) {
	p := Defaults["dctcp"].(DCTCP)
	p.MaxWindow = unit.Gigabyte
	after := func(part int64) float64 { // of 100 packets per round trip, so many marked
		c := single(p, 100*gbps, 10*us)
		seq := int64(0)
		for range 100 { // alpha settles
			for i := range int64(100) {
				seq += 4096
				c.OnAck(&Ack{Bytes: 4096, Seq: seq, NextSeq: seq + 100*4096 - i*4096, Marked: i < part})
			}
		}
		return c.(*dctcpFlow).alpha
	}
	for _, part := range []int64{0, 10, 50, 100} {
		if got, want := after(part), float64(part)/100; got < want-0.03 || got > want+0.03 {
			t.Errorf("%d %% marked: alpha %.3f", part, got)
		}
	}
	c := single(p, 100*gbps, 10*us)
	c.(*dctcpFlow).alpha = 0.2
	c.OnAck(&Ack{Bytes: 4096, Seq: 4096, NextSeq: 120000, Marked: true})
	c.OnAck(&Ack{Bytes: 4096, Seq: 8192, NextSeq: 120000, Marked: true}) // the same round trip
	if w := c.Window(0); w != 125000*9/10 {
		t.Errorf("window %v after marks at alpha 0.2, want one cut of 10 %%, 112.5kB", w)
	}
}

// Swift (SIGCOMM 2020, sections 3.1 and 3.3): the delay sits at the target whatever the number
// of flows, also when the fair share is below one packet per round trip.
func TestSwift20DelayAtTarget(t *testing.T) {
	p := Defaults["swift"].(Swift)
	p.MTU = 1000
	for _, n := range []int{2, 8, 1000} { // target 226 packets in flight: 1000 senders of one packet each are too many
		b := newBottleneck(p, n, 100*gbps, 1000, 100)
		target := b.baseRTT() + p.Queueing
		b.run(20 * ms)
		b.measure()
		b.run(20 * ms)
		m := b.measure()
		t.Logf("%d senders: target %v %+v", n, target, m)
		if m.utilisation < 0.97 || m.rtt < target*6/10 || m.rtt > target*14/10 {
			t.Errorf("%d senders: mean RTT %v, utilisation %.3f, want about the target %v and a full link", n,
				m.rtt, m.utilisation, target)
		}
	}
}

// Swift, section 3.5: small windows get a longer target, large ones none.
func TestSwift20FlowScaling(t *testing.T) {
	p := Defaults["swift"].(Swift)
	p.FlowScaleRange = 30 * us
	f := single(p, 100*gbps, 10*us).(*swiftFlow)
	target := func(cwnd float64) unit.Duration { f.cwnd = cwnd; return f.target() }
	if got := target(100); got != 20*us {
		t.Errorf("target at 100 packets %v, want 20us", got)
	}
	if got := target(0.01); got != 50*us {
		t.Errorf("target at 0.01 packets %v, want 50us", got)
	}
	if a, b := target(1), target(10); a <= b || b <= 20*us || a >= 50*us {
		t.Errorf("targets at 1 and 10 packets: %v and %v, want falling", a, b)
	}
}
