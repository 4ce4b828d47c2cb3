package report

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// A run that did not come to its end says so first, and then what limited the part that ran.
func TestAnswerBeginsWithHowTheRunEnded(t *testing.T) {
	for _, c := range []struct {
		state result.State
		want  string
	}{
		{result.Complete, "Compute-bound: GPUs computed: 90 us of the 90 us (100 %) of"},
		{result.Failed, "The run failed at 2 ms, when all ranks had ended 20 of 50 steps; until then compute-bound: " +
			"GPUs computed"},
		{result.Unfinished, "The run came to a standstill at 2 ms, when all ranks had ended 20 of 50 steps and 3 " +
			"messages were " +
			"posted and not acknowledged; until then compute-bound"},
		{result.Interrupted, "The run was interrupted at 2 ms, when all ranks had ended 20 of 50 steps; until then"},
		{result.Running, "The run is incomplete; so far compute-bound: GPUs"},
	} {
		d := judged(computeBound(), diagnose.Blame{Kind: diagnose.Compute, Time: 90 * us})
		d.Summary.State, d.Summary.StepsPlanned = c.state, 50
		if c.state == result.Unfinished {
			d.Summary.UnfinishedAll = 3
		}
		if got, _ := Answer(d); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want it to begin with %q", c.state, got, c.want)
		}
	}
}

// However much there is to say, three bullets are shown: whose bytes it was and the cure stand
// before the rest.
func TestAnswerHasThreeBullets(t *testing.T) {
	d := judged(withTail(latencyBound()),
		diagnose.Blame{Kind: diagnose.SharedPort, Port: "host1/rail1", Crossed: true, Time: 50 * us,
			Felt:     []diagnose.Felt{{Cause: "pause", Time: 50 * us}},
			Culprits: []diagnose.Culprit{{Name: "noise", Share: 1}}},
		diagnose.Blame{Kind: diagnose.Compute, Time: 50 * us})
	d.Summary.Pauses = 7
	d.Summary.Mistakes = []qos.Mistake{{Name: qos.PFCBeforeECN, Path: "fabric.qos.ecn.min",
		Reason: "PFC can act before ECN",
		Cures:  []qos.Cure{{Path: "fabric.qos.ecn.min", Value: "58kB", Reason: "marking begins first"}}}}
	saves, part := 30*us, 0.3
	d.WhatIf = &result.WhatIf{Changes: []result.WhatIfChange{
		{Kind: result.ChangeIdeal, Saves: new(60 * us), Part: new(0.6)},
		{Kind: result.ChangeCure, Subject: []string{"fabric.qos.ecn.min"}, Saves: &saves, Part: &part}}}
	sentence, bullets := Answer(d)
	if !strings.HasSuffix(sentence, "; infinitely fast links would save 60.0 %.") {
		t.Errorf("what infinitely fast links would save is missing: %s", sentence)
	}
	want := []string{"Spent in: pause. Cross traffic that waited there: noise (100 %).",
		"PFC can act before ECN. Here it acted: 7 pause frames. A cure: set fabric.qos.ecn.min: 58kB; marking begins " +
			"first" +
			"; a rerun with it saves 30.0 %.",
		"Other reasons: GPUs computed (50.0 %)."}
	if strings.Join(bullets, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(bullets, "\n"), strings.Join(want, "\n"))
	}
	if _, all := d.answer(); len(all) != 5 {
		t.Errorf("%d things to say in all, want also the slow steps and what did not happen: %q", len(all), all)
	}
}

// A summary alone, without tables, is enough for an answer, the rate of the port included.
func TestAnswerWithoutTables(t *testing.T) {
	d := judged(&Data{Summary: &result.Summary{State: result.Complete, ECNMarks: 1, Pauses: 1, Drops: 1,
		BusiestLinks: []result.LinkFigures{{Port: "rail1/host1", Rate: 200 * unit.GigabitPerSec}}}},
		diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Crossed: true, Time: 50 * us})
	sentence, bullets := Answer(d)
	const want = "Shared link: the port rail1/host1 (200 Gb/s) was busy with cross traffic: " +
		"50 us of the 50 us (100 %) of a step, mean over 20."
	if sentence != want || len(bullets) != 0 {
		t.Errorf("%q %q, want %q", sentence, bullets, want)
	}
}
