package nccl

import (
	"fmt"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// As measured with NCCL_ALGO=NVLS on 8 x H100 (NVIDIA/nccl, issue 1455): a ring's 365 to 370 GB/s of bus bandwidth on
// two to four GPUs, then 420, 440, 460 and 480. Another collective, or several hosts, take what was asked for.
func TestNVLSOnFewGPUs(t *testing.T) {
	p := Default()
	for n, want := range map[int]float64{2: 367.5, 3: 367.5, 4: 367.5, 5: 420, 6: 440, 7: 460, 8: 480} {
		g := Group{Ranks: n, Nodes: 1, Generation: Hopper, IntraRate: 450 * gBs, NVSwitch: true}
		a, why := p.Runs(coll.AllReduce, NVLS, g)
		d, err := p.Predict(coll.AllReduce, 4*unit.Gibibyte, g, a, Simple)
		if err != nil {
			t.Fatal(err)
		}
		bus := float64(4*unit.Gibibyte) / d.Time().Seconds() * float64(2*(n-1)) / float64(n) / 1e9
		if bus < 0.97*want || bus > 1.03*want || (a == Ring) != (n < 4) || (a == Ring) != (why != "") {
			t.Errorf("%d GPUs: %v (%s), %.1f GB/s, measured %.1f", n, a, why, bus, want)
		}
		if a, _ := p.Runs(coll.AllGather, NVLS, g); a != NVLS {
			t.Errorf("all-gather over %d: %v", n, a)
		}
	}
	// What cannot be is not replaced, but left to be refused.
	for _, g := range []Group{{Ranks: 2, Nodes: 1, Generation: Ampere, IntraRate: 300 * gBs, NVSwitch: true}, {Ranks: 1, Nodes: 1}} {
		if a, why := p.Runs(coll.AllReduce, NVLS, g); a != NVLS || why != "" {
			t.Errorf("%+v: %v, %s", g, a, why)
		}
	}
}

// What was measured says by the links alone which algorithms it can have been. 213 GB/s over 2 x 8 with 8 x 200 Gb/s
// is more than a ring's 200; nothing has more than 375.
func TestAble(t *testing.T) {
	g := Group{Ranks: 16, Nodes: 2, Generation: Hopper, IntraRate: 450 * gBs, NVSwitch: true, NICs: 8, NICRate: 25 * gBs}
	all := []Algorithm{Tree, Ring, NVLS, NVLSTree, PAT, Direct}
	for bus, want := range map[float64]string{190: "[NVLSTree Tree Ring]", 213: "[NVLSTree Tree]", 374: "[NVLSTree Tree]", 376: "[]"} {
		took := unit.Duration(float64(256*unit.Mebibyte) / (bus * 8 / 15) * 1000) // GB/s: bytes in a nanosecond
		if got := fmt.Sprint(Default().Able(all, coll.AllReduce, 256*unit.Mebibyte, took, g)); got != want {
			t.Errorf("%v GB/s: %s, want %s", bus, got, want)
		}
	}
}
