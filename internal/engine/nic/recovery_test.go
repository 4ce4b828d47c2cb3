package nic_test

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// TestTimeoutWhileSending: a sender with a long message does not wait for its end to notice that
// nothing is acknowledged any more.
func TestTimeoutWhileSending(t *testing.T) {
	const rate = 100 * unit.GigabitPerSec
	r := defaults(oneSwitch(t, 2, rate), rate)
	down := unit.Time(100 * unit.Microsecond)
	r.fabric.Faults = &fabric.Faults{Downs: []fabric.Down{{Link: r.graph.Ports[r.graph.NICs[0].Port].Link, From: down,
		Until: unit.Time(unit.Second)}}}
	r.build(t)
	r.gpuFlow(t, 0, 1, unit.Gigabyte, 0)
	r.net.Build(func(int32) unit.Duration { return 4 * unit.Microsecond })
	r.eng.Run()
	if r.net.Err() == nil {
		t.Fatal("the queue pair did not fail")
	}
	// The first timeout, and seven of at most twice as long.
	if most := down.Add(unit.Duration(1+7*2) * r.nic.Transport.Timeout).Add(20 * unit.Microsecond); r.eng.Now() > most {
		t.Errorf("failed at %v, want by %v", r.eng.Now(), most)
	}
}

// TestPacedSenderDoesNotTimeOut: packets so far apart that an acknowledgement of sixteen takes many
// timeouts are no reason to send them again.
func TestPacedSenderDoesNotTimeOut(t *testing.T) {
	const rate = 40 * unit.MegabitPerSec // a packet takes 0.8 ms
	r := defaults(oneSwitch(t, 2, rate), rate)
	r.fabric.Classes[0].ECN = nil
	r.nic.Transport.Timeout = 5 * unit.Millisecond
	r.build(t)
	r.gpuFlow(t, 0, 1, 100*mtu, 0)
	r.run(t)
	if n := r.net.Retransmits(); n > 0 {
		t.Errorf("%d packets sent again", n)
	}
}

// blink has one flow cross a link that is down for an instant at half time, with selective repeat,
// and returns it.
func blink(t *testing.T, cable unit.Duration, ctl cc.Params, ackEvery int, b unit.Bytes, at,
	long unit.Duration) (*rig, nic.Flow) {
	t.Helper()
	const rate = 100 * unit.GigabitPerSec
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: 1, NICs: 1, HostLink: topo.Cable{Rate: rate, Delay: cable}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := defaults(g, rate)
	selective(r)
	r.nic.Controller, r.nic.Transport.AckEvery = ctl, ackEvery
	r.fabric.Faults = &fabric.Faults{Downs: []fabric.Down{{Link: r.graph.Ports[r.graph.NICs[0].Port].Link,
		From: unit.Time(at), Until: unit.Time(at + long)}}}
	r.build(t)
	r.gpuFlow(t, 0, 1, b, 0)
	r.run(t)
	return r, r.flows[0]
}

// TestOneLossIsOneSignal: every packet behind a gap is answered with a NAK, and all of them are one
// loss to the controller.
func TestOneLossIsOneSignal(t *testing.T) {
	const b, cable = 40_000_000, 20 * unit.Microsecond // 1.1 MB on the way
	ctl := cc.DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: mtu, InitialWindow: 3_000_000, MaxWindow: 3_000_000}
	_, f := blink(t, cable, ctl, 1, b, 800*unit.Microsecond, unit.Nanosecond)
	if on := int64(cable/(100*unit.GigabitPerSec).TransmitTime(mtu)) + 2; f.Retransmits == 0 || f.Retransmits > on {
		t.Errorf("%d packets sent again, want those on the link, at most %d", f.Retransmits, on)
	}
	// Halved once, the window still covers the round trip.
	if got, want := f.Placed.Sub(0), (100*unit.GigabitPerSec).TransmitTime(b)*110/100; got > want {
		t.Errorf("took %v, want at most %v", got, want)
	}
}

// TestTailLossUnderCoalescing: the end of a message is lost, so no NAK tells; what the timeout has
// sent again is acknowledged at once.
func TestTailLossUnderCoalescing(t *testing.T) {
	const packets = 100
	end := (100 * unit.GigabitPerSec).TransmitTime(packets * (mtu + 82))
	r, f := blink(t, cable, cc.None{}, 16, packets*mtu, end-3*unit.Microsecond, 10*unit.Microsecond)
	if f.Retransmits < 5 {
		t.Fatalf("%d packets sent again: nothing is tested", f.Retransmits)
	}
	if got, most := f.Placed.Sub(0), end+2*r.nic.Transport.Timeout; got > most {
		t.Errorf("took %v, want at most %v: one timeout", got, most)
	}
	if f.Split[cause.Retransmission] == 0 {
		t.Errorf("causes %v", f.Split)
	}
}

// TestRoundTripOfCoalescedAcks: an acknowledgement of 16 packets times the one that caused it, not
// the one that waited longest for it. Swift, whose target is 10 us above the base, would take the
// wait (20 us at 25 Gb/s) for a queue.
func TestRoundTripOfCoalescedAcks(t *testing.T) {
	const rate, b = 25 * unit.GigabitPerSec, 10_000_000
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: 1, NICs: 1,
		HostLink: topo.Cable{Rate: rate, Delay: 20 * unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	r := defaults(g, rate)
	r.nic.Controller = cc.Defaults["swift"]
	r.fabric.Classes[0].ECN = nil
	r.rtt = 85 * unit.Microsecond
	r.build(t)
	r.gpuFlow(t, 0, 1, b, 0)
	r.run(t)
	if got, want := r.flows[0].Placed.Sub(0), rate.TransmitTime(b)*108/100; got > want {
		t.Errorf("took %v, want at most %v: nothing queues", got, want)
	}
}

// TestAdmissionSurvivesLosses: a clear-to-send that is lost, or comes twice, neither stops a
// connection nor lets it send more.
func TestAdmissionSurvivesLosses(t *testing.T) {
	for _, f := range []fabric.Chances{{Drop: unit.Ratio{Num: 1, Den: 20}}, {Duplicate: unit.Ratio{Num: 1, Den: 2}}} {
		f.BitErrors.Den, f.Reorder.Den, f.Drop.Den, f.Duplicate.Den = 1, 1, max(1, f.Drop.Den), max(1, f.Duplicate.Den)
		const n, slot = 3, 16_000
		r, _ := gatherWith(t, n, 400_000, nic.Admission{Slots: 2, Bytes: slot}, func(r *rig) {
			r.fabric.Faults = &fabric.Faults{Chances: f}
			r.nic.Transport.Timeout, r.nic.Transport.Retries, r.nic.Transport.AckDuplicates = 200*unit.Microsecond,
				1000, true
		})
		bound := unit.Bytes((n - 1) * 2 * slot * 1048 / 1000 * 2)
		if got := r.fab.Stats(r.eng.Now(), r.graph.NICs[0].Port^1).MaxQueue; got > bound {
			t.Errorf("%+v: queue of %v, want at most what the slots hold twice, %v", f, got, bound)
		}
	}
}
