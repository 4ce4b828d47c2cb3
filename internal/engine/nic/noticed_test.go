package nic_test

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
)

// everyFrame is a marking curve under which every frame is marked: min and max are below an empty
// queue.
func everyFrame() *fabric.ECN {
	return qos.Curve(-1, -1, unit.Ratio{Num: 1, Den: 1}, false)
}

// What a window holds back is told as window, what the rate of the congestion control holds back as
// rate limit: a flow with two packets in flight over a long cable, and one of which every frame is
// marked.
func TestWindowAndRateAreToldApart(t *testing.T) {
	const rate, b = 100 * unit.GigabitPerSec, 1_000_000
	run := func(ctl cc.Params, ecn *fabric.ECN) cause.Split {
		r := defaults(oneSwitch(t, 2, rate), rate)
		r.nic.Controller, r.nic.Transport.AckEvery, r.fabric.Classes[0].ECN = ctl, 1, ecn
		r.build(t)
		r.gpuFlow(t, 0, 1, b, 0)
		r.run(t)
		return r.flows[0].Split
	}
	held := run(cc.DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: mtu, InitialWindow: 2 * mtu, MaxWindow: 2 * mtu}, nil)
	if held[cause.Window] < held.Sum()/2 || held[cause.RateLimit] != 0 {
		t.Errorf("two packets in flight: %v, want most of it window, and no rate limit", held)
	}
	paced := run(cc.Presets["dcqcn-sigcomm15"].DCQCN, everyFrame())
	if paced[cause.RateLimit] < paced.Sum()/2 || paced[cause.Window] != 0 {
		t.Errorf("every frame marked: %v, want most of it rate limit, and no window", paced)
	}
}

// SIGCOMM'15, section 3.1: at most one CNP in an interval. A mark that comes exactly an interval
// after the last CNP is answered; one that comes a picosecond before, is not.
func TestACNPForEachInterval(t *testing.T) {
	const rate, packets = 100 * unit.GigabitPerSec, 40
	for _, c := range []struct {
		more unit.Duration
		want int64
	}{{0, packets}, {1, packets / 2}} {
		r := defaults(oneSwitch(t, 2, rate), rate)
		r.nic.Controller, r.fabric.Classes[0].ECN = cc.None{}, everyFrame()
		r.nic.Frames.RETH, r.nic.Frames.ImmDt = 0, 0
		// Packets of one size arrive as far apart as they leave.
		frame := r.nic.Frames.DataFrame(mtu, false, false)
		apart := rate.TransmitTime(frame + r.fabric.LinkOverhead)
		r.nic.Transport.CNPInterval = apart + c.more
		r.build(t)
		r.flow(t, 0, 1, packets*mtu, 0)
		r.run(t)
		if got := r.net.CNPs(); got != c.want {
			t.Errorf("%d marked packets %v apart, an interval of %v: %d CNPs, want %d", packets, apart,
				r.nic.Transport.CNPInterval, got, c.want)
		}
	}
}

// After the first timeout of a row the next is drawn from one to two times as long, by each queue
// pair for itself: two that lose everything do not send again in step.
func TestTimeoutsAreDrawn(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	failed := map[unit.Duration]bool{}
	for seed := range uint64(4) {
		r := defaults(oneSwitch(t, 2, rate), rate)
		r.nic.Seed = seed
		r.fabric.Faults = &fabric.Faults{Downs: []fabric.Down{{Link: r.graph.Ports[r.graph.NICs[0].Port].Link, From: 0,
			Until: unit.Time(unit.Second)}}}
		r.build(t)
		r.gpuFlow(t, 0, 1, mtu, 0)
		r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
		r.eng.Run()
		if r.net.Err() == nil {
			t.Fatal("the queue pair did not fail")
		}
		took, base, drawn := r.eng.Now().Sub(0), r.nic.Transport.Timeout, unit.Duration(r.nic.Transport.Retries)
		// The mean of the drawn ones is 1.5; that seven are below 1.1 in the mean has a probability
		// of 10^-6 or so.
		if least, most := base+drawn*base*11/10, base+drawn*base*2+20*unit.Microsecond; took < least || took > most {
			t.Errorf("seed %d: failed after %v, want %v to %v", seed, took, least, most)
		}
		failed[took] = true
	}
	if len(failed) != 4 {
		t.Errorf("of four seeds some have the same timeouts: %v", failed)
	}
}

// Who gives up says which queue pair it is, and after how many retries.
func TestWhoGivesUpSaysSo(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	for retries, tried := range []string{"", ", nor after a retry", ", nor after 2 retries"} {
		r := defaults(oneSwitch(t, 2, rate), rate)
		r.nic.Transport.Retries = retries
		r.fabric.Faults = &fabric.Faults{Downs: []fabric.Down{{Link: r.graph.Ports[r.graph.NICs[0].Port].Link, From: 0,
			Until: unit.Time(unit.Second)}}}
		r.build(t)
		r.gpuFlow(t, 0, 1, mtu, 0)
		r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
		r.eng.Run()
		name := "queue pair " + r.graph.NICName(0) + ">" + r.graph.NICName(1) + " "
		if err := r.net.Err(); err == nil || !strings.HasPrefix(err.Error(), name) ||
			!strings.HasSuffix(err.Error(), tried) ||
			tried == "" && strings.Contains(err.Error(), "nor after") {
			t.Errorf("%d retries: %v", retries, err)
		}
	}
}

// With direct placement each packet is a WRITE of its own, which says where it goes: an RDMA WRITE ONLY has the 16 B of
// a RETH (IBTA vol. 1, 9.3.3 and table 38), where of one message's packets in order only the FIRST has.
func TestEachDirectPacketSaysWhereItGoes(t *testing.T) {
	const rate, packets = 100 * unit.GigabitPerSec, 7
	for _, c := range []struct {
		receiver roce.ReceiverKind
		reths    unit.Bytes
	}{{roce.InOrder, 1}, {roce.Direct, packets}} {
		r := defaults(oneSwitch(t, 2, rate), rate)
		r.nic.Transport.Receiver = c.receiver
		r.build(t)
		r.flow(t, 0, 1, packets*mtu, 0)
		r.run(t)
		f := r.nic.Frames
		want := packets*(mtu+f.Data+r.fabric.LinkOverhead) + c.reths*16 + f.ImmDt
		if got := unit.Bytes(r.fab.Stats(r.eng.Now(), r.graph.NICs[0].Port).Bytes); got != want {
			t.Errorf("receiver %d: %v on the link for %d packets, want %v", c.receiver, got, packets, want)
		}
	}
}
