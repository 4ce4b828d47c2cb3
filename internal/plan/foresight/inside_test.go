package foresight

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

const gBs = 8 * unit.GigabitPerSec

// What forecasts take of the links inside hosts: of four GPUs of an A100 board two are under each PCIe switch, and both
// switches under CPU0.
func TestRatesInsideHosts(t *testing.T) {
	for _, c := range []struct {
		host, nic       string
		write, nics     unit.Bitrate
		limit           string
		fromMemory, own unit.Bitrate // of GPU 2; of a queue pair from GPU 3 to GPU 0
	}{
		{"pcie: 20GB/s", "per_gpu: 1", 20 * gBs, 20 * gBs, "", 20 * gBs, 20 * gBs},
		{"pcie: 20GB/s", "shared: true", 20 * gBs, 20 * gBs, "", 20 * gBs, 20 * gBs},
		{"pcie: 20GB/s", "ports: 2, bond: {mode: none}", 20 * gBs, 10 * gBs, "", 20 * gBs, 20 * gBs},
		{"graph: preset, links: [{link: CPU0/PCIe2, rate: 5GB/s}]", "per_gpu: 1", 63 * gBs / 2, 63 * gBs / 2, "GPU0/PCIe1",
			5 * gBs, 63 * gBs / 2},
		{"graph: preset, links: [{link: CPU0/PCIe2, rate: 5GB/s}]", "shared: true", 63 * gBs / 2, 5 * gBs, "GPU0/PCIe1",
			5 * gBs, 5 * gBs},
		{"graph: preset, links: [{link: PCIe1/NIC0, rate: 4GB/s}]", "shared: true", 4 * gBs, 4 * gBs, "PCIe1/NIC0",
			63 * gBs / 2, 4 * gBs},
	} {
		p, err := plan.New(plantest.Graphed(t, c.host, c.nic, ""), plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rate, link := WriteRate(p, 0); rate != c.write || link != c.limit {
			t.Errorf("%s, %s: a write at %v by %q, want %v by %q", c.host, c.nic, rate, link, c.write, c.limit)
		}
		if rate := p.PCIe.NICRate(); rate != c.nics {
			t.Errorf("%s, %s: a NIC at %v, want %v", c.host, c.nic, rate, c.nics)
		}
		if rate := copyRate(p, 2); rate != c.fromMemory {
			t.Errorf("%s, %s: a copy to GPU 2 at %v, want %v", c.host, c.nic, rate, c.fromMemory)
		}
		q := &plan.Pair{From: p.Graph.NICOf(0, 3), FromGPU: 3, To: p.Graph.NICOf(1, 0)}
		if rate := insideRate(p, q); rate != c.own {
			t.Errorf("%s, %s: a queue pair of GPU 3 at %v, want %v", c.host, c.nic, rate, c.own)
		}
	}
}

// Flows that cross one link inside a host take turns on it in the forecast, in each direction apart.
func TestForecastOfFlowsKnowsTheHost(t *testing.T) {
	for _, c := range []struct {
		flows string // of 4 MB each: from and to
		want  unit.Duration
	}{
		{"1/gpu0 2/gpu0", 127 * unit.Microsecond}, // at 31.5 GB/s
		{"1/gpu2 2/gpu0", 800 * unit.Microsecond},
		{"1/gpu2 2/gpu0 1/gpu3 2/gpu0", 1600 * unit.Microsecond},
		{"1/gpu2 2/gpu0 2/gpu0 1/gpu3", 800 * unit.Microsecond},
		{"1/gpu2 2/gpu0 2/gpu2 1/gpu0", 800 * unit.Microsecond},
	} {
		flows, ends := "", strings.Fields(c.flows)
		for i := 0; i < len(ends); i += 2 {
			flows += "\n    - {from: host" + ends[i] + ", to: host" + ends[i+1] + ", bytes: 4MB}"
		}
		sc := plantest.Read(t, "cluster:\n  hosts: 2\n  host: {preset: hgx-a100, gpus: 4, graph: preset, links: [{link: CPU0/PCIe2, "+
			"rate: 5GB/s}]}\n  nic: {shared: true, speed: 400Gb/s}\nfabric: {design: single-switch}\njob:\n  flows:"+flows+"\n")
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := jobTime(p, make([]int64, 1)); took < c.want-c.want/50 || took > c.want+c.want/20 { // and a round trip
			t.Errorf("%s: %v, want %v", c.flows, took.Human(), c.want.Human())
		}
	}
}
