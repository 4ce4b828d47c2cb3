package run

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// Ranks that begin equal have no start phase, and end with the same weights.
func TestStartEqual(t *testing.T) {
	yaml := cluster8(2) + training(t, 4, 2)
	sent := run(t, yaml, Options{})
	equal := run(t, strings.Replace(yaml, "lr: 0.2", "lr: 0.2, start: equal", 1), Options{})
	if sent.Start == nil || sent.Start.Time == 0 || sent.Start.Bytes != unit.Bytes(4*(784*32+32+32*10+10)) ||
		sent.Start.CriticalPath == nil {
		t.Errorf("start phase %+v", sent.Start)
	}
	last := sent.Start.LastRank.Split()
	if path := sent.Start.CriticalPath.Split(); last.Sum() != sent.Start.Time || path.Sum() != sent.Start.Time {
		t.Errorf("the start phase took %v, its causes sum to %v and %v", sent.Start.Time, last.Sum(), path.Sum())
	}
	if equal.Start != nil || sent.WeightsSHA256 == "" || sent.WeightsSHA256 != equal.WeightsSHA256 {
		t.Errorf("start %+v, weights %s, want none and %s", equal.Start, equal.WeightsSHA256, sent.WeightsSHA256)
	}
	for _, row := range rows(t, equal.Run.Steps()) {
		if row.Step < 0 {
			t.Fatalf("%+v", row)
		}
	}
}

// A batch that is copied while a step computes costs its steps next to nothing; where PCIe is slow
// each step but the last waits for it, as its causes and its critical path say. The weights are the
// same.
func TestPrefetch(t *testing.T) {
	const bytes = 32 * (784*4 + 8)
	job := strings.NewReplacer("batch: 4", "batch: 32, prefetch: PREFETCH", "dp: 8", "dp: 2").
		Replace(training(t, 6, 1)) // in one host: nothing else is on PCIe
	of := func(prefetch, pcie string) ran {
		yaml := strings.Replace(cluster8(1), "host: {", "host: {pcie: "+pcie+", ", 1)
		return run(t, yaml+strings.Replace(job, "PREFETCH", prefetch, 1), Options{})
	}
	for _, c := range []struct {
		pcie string
		rate unit.Bitrate
		slow bool
	}{{"63GB/s", 504 * unit.GigabitPerSec, false}, {"1GB/s", 8 * unit.GigabitPerSec, true}} {
		without, with := of("false", c.pcie), of("true", c.pcie)
		if without.WeightsSHA256 == "" || with.WeightsSHA256 != without.WeightsSHA256 {
			t.Errorf("PCIe of %s: weights %s, want %s", c.pcie, with.WeightsSHA256, without.WeightsSHA256)
		}
		copied := c.rate.TransmitTime(bytes)
		longest := unit.Duration(0)
		for _, o := range rows(t, with.Run.Operations()) {
			if o.Stream != "copy" {
				continue
			}
			d := o.End.Sub(o.Start)
			longest = max(longest, d)
			if last := o.Step == 5; last != (d == 0) || !last && d < copied {
				t.Errorf("PCIe of %s: step %d copies for %v, want at least %v", c.pcie, o.Step, d, copied)
			}
		}
		waits := func(r ran) unit.Duration { return r.StepSplit.Mean.Split()[cause.PCIe] }
		more, waited := with.StepTime-without.StepTime, waits(with)-waits(without)
		switch {
		case !c.slow && (more > without.StepTime/100 || waited > without.StepTime/100):
			t.Errorf("PCIe of %s: steps of %v, %v without copies, %v more in PCIe: want the same within 1 %%", c.pcie,
				with.StepTime, without.StepTime, waited)
		case c.slow && (with.StepMedian < copied || waited < more/2 || with.CriticalPath.Split()[cause.PCIe] < copied/2):
			t.Errorf("PCIe of %s: steps of %v with copies of %v, %v without; %v more in PCIe, on the path %+v", c.pcie,
				with.StepMedian, longest, without.StepTime, waited, with.CriticalPath)
		}
	}
}
