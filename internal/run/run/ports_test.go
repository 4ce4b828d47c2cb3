package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// twoPorts is two hosts whose NICs have a port on each of two switches. Eight queue pairs send from the one to
// the other every 10 us.
func twoPorts(nic, fabric, faults string) string {
	return `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s, ports: 2` + nic + `}}
fabric: {` + fabric + `}
transport: {timeout: 30us, retries: 5}
output: {events: true}
faults: [` + faults + `]
job:
  flows:
` + strings.Repeat("    - {from: host1/gpu0, to: host2/gpu0, bytes: 10kB, count: 30, every: 10us}\n", 8)
}

// byPort counts messages that were posted in a span by the host's port that their path begins with.
func byPort(t *testing.T, r ran, from, until unit.Time) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, f := range rows(t, r.Run.Flows()) {
		if f.Posted >= from && f.Posted < until {
			n[strings.Split(f.Path, ">")[1]]++
		}
	}
	return n
}

// losses returns the times of lost frames, in order.
func losses(t *testing.T, r ran) (all []unit.Time) {
	t.Helper()
	for _, l := range rows(t, r.Run.Losses()) {
		if l.Kind != "timeout" {
			all = append(all, l.Time)
		}
	}
	slices.Sort(all)
	return all
}

const us = unit.Time(unit.Microsecond)

// Either port of a bond carries any queue pair. When a port or a switch is down, frames by it are lost until the
// NICs have found out; then its queue pairs, and no others, go by the other port, and come back after it is up.
func TestABondMovesQueuePairsFromADeadPort(t *testing.T) {
	for _, c := range []struct{ name, fabric, faults string }{
		{"port of the sender", "design: dual-rail", "{link: host1/rail1, at: 100us, down: 100us}"},
		{"port of the receiver", "design: dual-rail", "{link: host2/rail1, at: 100us, down: 100us}"},
		{"switch", "design: dual-rail", "{link: rail1/*, at: 100us, down: 100us}"},
		{"leaf under spines", "design: leaf-spine, leaves: 4, spines: 2", "{link: leaf1/*, at: 100us, down: 100us, convergence: 20us}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			yaml := twoPorts(", bond: {detection: 20us}", c.fabric, c.faults)
			r := run(t, yaml, Options{})
			before, during, after := byPort(t, r, 0, 100*us), byPort(t, r, 130*us, 190*us), byPort(t, r, 250*us, 300*us)
			if len(before) != 2 || len(after) != 2 {
				t.Errorf("before %v, after %v: want both ports in use", before, after)
			}
			if sender := c.name != "port of the receiver"; sender != (len(during) == 1) {
				t.Errorf("messages by %v while a port is down", during)
			}
			lost := losses(t, r)
			if len(lost) == 0 || lost[0] < 100*us || lost[len(lost)-1] > 125*us {
				t.Errorf("frames were lost at %v, want some from 100 us until soon after 120 us", lost)
			}
			moved := map[string]int{}
			for _, e := range eventsOf(t, r) {
				if e.Kind == result.EventMoved {
					moved[fmt.Sprintf("%s > %s at %v", e.Root, e.Port, e.Time)]++
				}
			}
			if c.name == "switch" {
				n := before["rail1"] / 10
				want := map[string]int{"host1/rail1 > host1/rail2 at 120us": n, "host1/rail2 > host1/rail1 at 220us": n}
				if fmt.Sprint(moved) != fmt.Sprint(want) {
					t.Errorf("moved: %v, want %v", moved, want)
				}
			}
			cut := run(t, yaml, Options{Islands: 3, Workers: 2})
			if digestOf(t, r.path) != digestOf(t, cut.path) {
				t.Error(firstDifference(t, r.path, cut.path))
			}
		})
	}
}

// A queue pair that is pinned to a port dies with it.
func TestWithoutABondAQueuePairDiesWithItsPort(t *testing.T) {
	yaml := twoPorts(", bond: {mode: none}", "design: dual-rail, vlans: routed", "{link: host1/rail1, at: 100us, down: 1s}")
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || !strings.Contains(err.Error(), " failed at ") {
		t.Fatalf("%v, state %s: want a queue pair that fails", err, r.State)
	}
	other := run(t, strings.ReplaceAll(yaml, "from: host1/gpu0, to: host2/gpu0", "from: host1/nic1, to: host2/nic1"), Options{})
	if n := len(losses(t, other)); n > 0 {
		t.Errorf("%d frames lost by the port that is up", n)
	}
}

// Planes share no switch: what comes by one for a NIC that has lost its port there has no way on.
func TestAPlaneDoesNotKnowOfTheOther(t *testing.T) {
	yaml := twoPorts(", bond: {detection: 20us}", "segment: 1, planes: 2", "{link: host2/leaf3, at: 100us, down: 1s}")
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || !strings.Contains(err.Error(), "failed") {
		t.Fatalf("%v: want a queue pair that fails", err)
	}
	ways := 0
	for _, e := range eventsOf(t, r) {
		if e.Kind == result.EventLoss && e.Why == "route" {
			ways++
		}
	}
	if ways == 0 {
		t.Error("no frame was without a way")
	}
}

// Ports that are NICs of their own share the PCIe link of their card.
func TestPortsShareTheirCardsPCIe(t *testing.T) {
	took := func(ports string) unit.Time {
		r := run(t, `
cluster: {hosts: 2, host: {gpus: 1, pcie: 25GB/s}, nic: {speed: 200Gb/s, `+ports+`}}
fabric: {design: single-switch}
congestion: {algorithm: none}
job: {collectives: [{op: all-reduce, bytes: 4MB, channels: 2, warmup: 0, iterations: 1}]}
`, Options{})
		return r.VirtualTime
	}
	cards, ports, bond := took("per_gpu: 2"), took("ports: 2, bond: {mode: none}"), took("ports: 2")
	if 10*ports < 17*cards || 10*ports > 21*cards || 10*bond < 17*cards {
		t.Errorf("%v by two cards, %v by two ports of one and %v by a bond of one: want about half the speed", cards, ports, bond)
	}
}

// HPCC learns from telemetry how fast a degraded link is: then its queue stays near zero, as on any link.
func TestTelemetryHasTheRateOfADegradedLink(t *testing.T) {
	r := run(t, `
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: hpcc}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 2MB}, {from: host3/gpu0, to: host2/gpu0, bytes: 2MB}]}
faults: [{link: rail1/host2, speed: 25Gb/s}]
`, Options{})
	q := r.Summary.Queues[0]
	if mean := unit.Bytes(q.Mean); q.Port != "rail1/host2" || mean > 4*unit.Kilobyte {
		t.Errorf("the queue of %s held %v in the mean", q.Port, mean)
	}
}
