package report

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// What aborts and checkpoints took of a job is said first, then what its steps were limited by; and drawn.
func TestAnswerBeginsWithWhatAJobLost(t *testing.T) {
	d := judged(computeBound(), diagnose.Blame{Kind: diagnose.Compute, Time: 90 * us})
	rank := int32(3)
	d.Summary.Lifetime = diagnose.Lifetime(10*unit.Millisecond, []diagnose.Cost{
		{Kind: diagnose.RetryExceeded, Port: "host1/rail1", Faults: []string{"faults[0]"},
			Felt: []diagnose.Felt{{Cause: diagnose.LostWork, Time: unit.Millisecond}, {Cause: diagnose.Down, Time: unit.Millisecond}}},
		{Kind: diagnose.RetryExceeded, Port: "host1/rail1", Faults: []string{"faults[0]"},
			Felt: []diagnose.Felt{{Cause: diagnose.Down, Time: unit.Millisecond}}},
		{Kind: diagnose.JobWatchdog, Rank: &rank, Felt: []diagnose.Felt{{Cause: diagnose.LostWork, Time: 2 * unit.Millisecond}}},
		{Kind: diagnose.Checkpoints, Felt: []diagnose.Felt{{Cause: diagnose.Writing, Time: 100 * us}}},
	})
	sentence, bullets := Answer(d)
	for _, want := range []string{"gave up at host1/rail1", "which aborted the job, by faults[0]: 3 ms of the 10 ms (30.0 %) of the job."} {
		if !strings.Contains(sentence, want) {
			t.Errorf("%q, want %q", sentence, want)
		}
	}
	want := []string{"Other reasons: hang: rank 3 hung, and the others waited in a collective until the watchdog aborted the job (20.0 %).",
		"Of the steps: compute-bound: GPUs computed"}
	for i, w := range want {
		if i >= len(bullets) || !strings.HasPrefix(bullets[i], w) {
			t.Errorf("bullets %q, want %q", bullets, want)
			break
		}
	}
	f := lifetimeChart(d)[0]
	if err := chart.Check(&f); err != nil {
		t.Error(err)
	}
	var keys []string
	for _, k := range f.Keys {
		keys = append(keys, k.ID)
	}
	if !slices.Equal(keys, []string{diagnose.Working, diagnose.Writing, diagnose.LostWork, diagnose.Down}) || len(f.Bars.Rows) != 5 {
		t.Errorf("keys %q, %d bars", keys, len(f.Bars.Rows))
	}
	if d.Summary.Lifetime.Blames[0].Time != 4900*us || len(lifetimeChart(judged(computeBound()))) != 0 {
		t.Errorf("%+v; a job that lost nothing has no such plot", d.Summary.Lifetime.Blames)
	}
}

// A rerun that brings an aborted job to its end stands in the answer.
func TestAnswerSaysWhatBringsAJobToItsEnd(t *testing.T) {
	d := judged(computeBound(), diagnose.Blame{Kind: diagnose.Compute, Time: 90 * us})
	d.Summary.Lifetime = diagnose.Lifetime(unit.Millisecond, []diagnose.Cost{{Kind: diagnose.RetryExceeded, Port: "host1/rail1",
		Faults: []string{"faults[0]"}, Felt: []diagnose.Felt{{Cause: diagnose.LostWork, Time: unit.Millisecond}}}})
	d.Summary.State = result.Failed
	d.WhatIf = &result.WhatIf{Changes: []result.WhatIfChange{{Kind: result.ChangeFault, Name: "without faults[0], of host2",
		Subject: []string{"host2", "faults[0]"}, Time: new(3 * unit.Millisecond), Brings: "all 20 steps"}}}
	if sentence, _ := Answer(d); !strings.Contains(sentence, "; a rerun without faults[0], of host2 comes to its end, after 3 ms.") {
		t.Error(sentence)
	}
}
