package run

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
	"railyard/internal/plan/scenario"
)

// oneEach is n hosts of one GPU on one switch, so that every hop of the ring is RDMA. The network
// has 256,000 parameters in one bucket: for the MTUs below a chunk is a whole number of packets.
func oneEach(t *testing.T, n, mtu, ackEvery int) string {
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
transport: {mtu: %dB, ack_every: %d}
job:
  train: {model: mlp, layers: [784, 322, 10], data: %q, batch: 1, steps: 3, lr: 0.1,
    start: equal}
  collective: {channels: 1}
`, n, mtu, ackEvery, digits(t))
}

// message is how long one message of whole packets takes over an idle switch, from post to its last
// byte in the peer's GPU, and acknowledgement how much later than that byte the sender hears of it.
//
//	PCIe   |-first->
//	link           |-first-|------- the others ------->
//	cable, switch           ----->
//	link                           |-first-|------- the others ------->
//	cable, NIC                                                          ----->
//	PCIe                                                                     |-last->
func message(sc *scenario.Scenario, bytes unit.Bytes) (placed, acknowledgement unit.Duration) {
	host, nic, l := sc.Cluster.Host, sc.Cluster.NIC, sc.Fabric.Links
	frames, mtu := wire.RoCEv2, sc.Transport.MTU
	packets := bytes / mtu
	tx := func(first, last bool) unit.Duration {
		return l.Host.TransmitTime(frames.OnLink(frames.DataFrame(mtu, first, last)))
	}
	cable := unit.Duration(l.Length) * topo.DelayPerMetre / unit.Duration(unit.Metre)
	toNIC := host.PCIeLatency + host.PCIe.TransmitTime(mtu) + nic.Latency
	all := tx(true, false) + unit.Duration(packets-2)*tx(false, false) + tx(false, true)
	// The first packet is the longest but for the last, whose immediate data leave a little later:
	// nothing waits at the switch but for those bytes. Of the two links the second ends last: it
	// starts after the first packet and carries all of them back to back.
	across := tx(true, false) + cable + sc.Fabric.Switch.Latency + all + cable + nic.Latency
	toGPU := host.PCIe.TransmitTime(mtu) + host.PCIeLatency
	ack := 2*(l.Host.TransmitTime(frames.OnLink(frames.ACK))+cable) + sc.Fabric.Switch.Latency + nic.Latency
	return toNIC + across + toGPU, ack - toGPU
}

// A ring all-reduce takes 2 (n-1) messages one after the other, n-1 reductions and n-2 copies
// between them, a launch before and the last acknowledgement after: to the picosecond.
// coll.Time has the messages: 2 (n-1)/n * size / rate and latencies.
func TestRingAllReduceTakesItsClosedForm(t *testing.T) {
	for _, c := range []struct{ n, mtu int }{{2, 4096}, {4, 2048}, {5, 2048}, {8, 1024}} {
		yaml := oneEach(t, c.n, c.mtu, 65536) // one acknowledgement per message: it never meets data
		sc := read(t, yaml)
		plan, err := NewPlan(sc)
		if err != nil {
			t.Fatal(err)
		}
		const size = 4 * 256_000 * unit.Byte
		chunk := size / unit.Bytes(c.n)
		placed, ack := message(sc, chunk)
		device := plan.Jobs[0].Work.Programs[0].Device
		latency := placed - sc.Fabric.Links.Host.TransmitTime(chunk)
		reduce, copied := device.ReduceTime(int64(chunk)), device.CopyTime(int64(chunk))
		link := coll.Link{Rate: sc.Fabric.Links.Host, Latency: latency}
		want := device.Launch + coll.Time("ring-all-reduce", c.n, size, link, 1) +
			unit.Duration(c.n-1)*reduce + unit.Duration(c.n-2)*copied + max(ack, copied)

		r := run(t, yaml, Options{})
		if len(r.Collectives) != 1 {
			t.Fatalf("%d collectives, want 1", len(r.Collectives))
		}
		if got := r.Collectives[0].Time; got != want {
			t.Errorf("%d ranks, MTU %d: %v, want %v", c.n, c.mtu, got, want)
		}
	}
}

// With an acknowledgement each 16 packets the ring's data share their link with them: 86 bytes in
// 16 packets of 2,130.
func TestAcknowledgementsCostARingLittle(t *testing.T) {
	few, many := run(t, oneEach(t, 4, 2048, 65536), Options{}), run(t, oneEach(t, 4, 2048, 16), Options{})
	a, b := few.Collectives[0].Time, many.Collectives[0].Time
	if b <= a || float64(b-a) > 0.006*float64(a) {
		t.Errorf("%v with one acknowledgement per message, %v with one each 16 packets: want up to 0.6 %% more", a, b)
	}
}

// Twice the rate of every link takes off half of the time that bytes take, and nothing else.
func TestTwiceTheRateHalvesTheBytesTime(t *testing.T) {
	var times []unit.Duration
	for _, rate := range []string{"50Gb/s", "100Gb/s", "200Gb/s"} {
		sc := read(t, oneEach(t, 4, 2048, 65536))
		r, err := unit.ParseBitrate(rate)
		if err != nil {
			t.Fatal(err)
		}
		sc.Cluster.NIC.Speed, sc.Fabric.Links.Host = r, r
		times = append(times, run(t, string(sc.YAML()), Options{}).Collectives[0].Time)
	}
	if slow, fast := times[0]-times[1], times[1]-times[2]; slow-2*fast < -10 || slow-2*fast > 10 {
		t.Errorf("50, 100, 200 Gb/s: %v: differences %v and %v, want the first twice the second", times, slow, fast)
	}
}
