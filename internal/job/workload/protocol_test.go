package workload

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Links carry whole lines.
func TestLinesOfAProtocol(t *testing.T) {
	ll128, nvls := &Protocol{Data: 120, Line: 128}, &Protocol{Data: 85, Line: 100, OnSwitch: true}
	for _, c := range []struct {
		p        *Protocol
		n        int64
		bySwitch bool
		want     int64
	}{{nil, 7, false, 7}, {&Protocol{}, 7, false, 7}, {ll128, 0, false, 0}, {ll128, 1, false, 128},
		{ll128, 120, false, 128}, {ll128, 121, true, 256}, {nvls, 86, true, 200}, {nvls, 86, false, 86}} {
		if got := c.p.Wire(c.n, c.bySwitch); got != c.want {
			t.Errorf("%+v: %d bytes take %d, want %d", c.p, c.n, got, c.want)
		}
	}
}

// A protocol's launch is the least that a collective takes before its first message, in a training
// and in a benchmark; compute operations keep theirs.
func TestLaunchUnderAProtocol(t *testing.T) {
	const us = unit.Microsecond
	for _, c := range []struct{ protocol, want unit.Duration }{{1 * us, 3 * us}, {8 * us, 8 * us}} {
		p := &Protocol{Launch: c.protocol}
		train, err := Lower(digits(4, DefaultBucket)) // whose kernels take 3 us to start
		if err != nil {
			t.Fatal(err)
		}
		before := train.Programs[0].Ops[0]
		train.SetProtocols(func(*Collective) *Protocol { return p })
		if op := train.Programs[0].Ops[0]; op.Duration != before.Duration || op.Launch != before.Launch {
			t.Errorf("%v: compute takes %v and starts for %v, before %v and %v", c.protocol, op.Duration, op.Launch,
				before.Duration, before.Launch)
		}
		s, err := coll.RingAllReduce([][]int32{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		bench, _, err := Benchmark(BenchmarkConfig{Ranks: 2, Device: Device{Launch: 3 * us},
			Rows: []BenchmarkRow{{Name: "sum", Elems: 8, Schedule: s, Protocol: p, Iterations: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		for name, j := range map[string]*Job{"training": train, "benchmark": bench} {
			found := false
			for _, op := range j.Programs[0].Ops {
				if op.Coll < 0 {
					continue
				}
				found = true
				if op.Duration != c.want || op.Launch != c.want || j.Collectives[op.Coll].Protocol != p {
					t.Errorf("%s, %v: %q takes %v, %v of it a launch, want %v", name, c.protocol, op.Name, op.Duration, op.Launch,
						c.want)
				}
			}
			if !found {
				t.Errorf("%s without a collective", name)
			}
		}
	}
}
