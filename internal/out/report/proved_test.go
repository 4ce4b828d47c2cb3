package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"

	"pgregory.net/rapid"
)

// What a rerun saved ends the first sentence: that of the change which takes the reason away, not
// of any other.
func TestARerunEndsTheFirstSentence(t *testing.T) {
	change := func(kind, name string, saves unit.Duration, subject ...string) result.WhatIfChange {
		part := float64(saves) / float64(100*us)
		return result.WhatIfChange{Kind: kind, Name: name, Subject: subject, Saves: &saves, Part: &part}
	}
	shared := diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Crossed: true, Time: 60 * us,
		Culprits: []diagnose.Culprit{{Name: "flow4", Share: 1}}}
	for _, c := range []struct {
		name    string
		main    diagnose.Blame
		changes []result.WhatIfChange
		want    string // "": nothing of a rerun
	}{
		{name: "nobody asked", main: shared},
		{name: "the culprit", main: shared, want: "; a rerun without flow4 saves 55.0 %.",
			changes: []result.WhatIfChange{
				change(result.ChangeCongestion, "without congestion control", 70*us),
				change(result.ChangeFlow, "without flow9", 60*us, "flow9"),
				change(result.ChangeFlow, "without flow4", 55*us, "flow4")}},
		{name: "its group saves more", main: shared, want: "; a rerun without all saves 58.0 %.",
			changes: []result.WhatIfChange{
				change(result.ChangeFlows, "without all", 58*us, "flow9", "flow4"),
				change(result.ChangeFlow, "without flow4", 5*us, "flow4")}},
		{name: "a faster port", main: shared, want: "; a rerun with it at 1Tb/s saves 80.0 %.",
			changes: []result.WhatIfChange{
				change(result.ChangePort, "with another", 90*us, "rail1/host9"),
				change(result.ChangePort, "with it at 1Tb/s", 80*us, "rail1/host1"),
				change(result.ChangeFlow, "without flow4", 5*us, "flow4")}},
		{name: "it saves nothing", main: shared, want: "; a rerun without flow4 saves nothing.",
			changes: []result.WhatIfChange{change(result.ChangeFlow, "without flow4", -us, "flow4")}},
		{name: "the cable's other end",
			main: diagnose.Blame{Kind: diagnose.SlowPort, Port: "rail1/host1", Time: 60 * us},
			want: "; a rerun with a new cable saves 50.0 %.",
			changes: []result.WhatIfChange{change(result.ChangeLink, "with another", 90*us, "host2/rail1"),
				change(result.ChangeLink, "with a new cable", 50*us, "host1/rail1")}},
		{name: "a rank", main: diagnose.Blame{Kind: diagnose.SlowRank, Rank: new(int32(3)), Time: 60 * us},
			want: "; a rerun with rank 3 as the others saves 40.0 %.",
			changes: []result.WhatIfChange{change(result.ChangeRank, "with rank 2 as the others", 50*us, "rank 2"),
				change(result.ChangeRank, "with rank 3 as the others", 40*us, "rank 3")}},
		{name: "a controller", main: diagnose.Blame{Kind: diagnose.Controller, Port: "rail1/host1", Time: 60 * us},
			want:    "; a rerun without congestion control saves 70.0 %.",
			changes: []result.WhatIfChange{change(result.ChangeCongestion, "without congestion control", 70*us)}},
		{name: "a fault", main: diagnose.Blame{Kind: diagnose.LossyLink, Port: "rail1/host1", Time: 60 * us},
			want:    "; a rerun without the fault saves 30.0 %.",
			changes: []result.WhatIfChange{change(result.ChangeFault, "without the fault", 30*us, "host1/rail1")}},
	} {
		d := judged(incast(0, 1), c.main)
		if c.changes != nil {
			d.WhatIf = &result.WhatIf{Changes: c.changes}
		}
		first, _ := Answer(d)
		if c.want == "" && strings.Contains(first, "rerun") || !strings.HasSuffix(first, c.want) {
			t.Errorf("%s: %q, want it to end in %q", c.name, first, c.want)
		}
	}
}

// Once reruns have told, the sentence begins with what a cure saves, and the first of the diagnosis stands among other reasons.
func TestTheSentenceFollowsItsReruns(t *testing.T) {
	d := judged(incast(0, 1), diagnose.Blame{Kind: diagnose.Launch, Time: 60 * us},
		diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Crossed: true, Time: 40 * us,
			Culprits: []diagnose.Culprit{{Name: "flow4", Share: 1}}})
	d.Summary.Diagnosis.Findings = []diagnose.Finding{
		{Finding: noun.Finding{Noun: noun.LaunchBound, Time: 60 * us, Share: 0.6}, Blames: []int{0}},
		{Finding: noun.Finding{Noun: noun.Incast, N: 2, Place: noun.Place{Kind: noun.Port, Name: "rail1/host1"},
			Time: 40 * us, Share: 0.4,
			Culprits: []string{"flow4"}}, Blames: []int{1}},
	}
	if first, _ := Answer(d); !strings.HasPrefix(first, "Launch-bound") {
		t.Errorf("before: %s", first)
	}
	saves := func(kind string, time unit.Duration, subject ...string) result.WhatIfChange {
		return result.WhatIfChange{Kind: kind, Name: "without " + kind, Subject: subject, Before: 100 * us, Saves: &time,
			Part: new(unit.Share(time, 100*us))}
	}
	d.WhatIf = &result.WhatIf{Changes: []result.WhatIfChange{saves(result.ChangeLaunch, 55*us),
		saves(result.ChangeFlow, 20*us, "flow4")}}
	first, bullets := Answer(d)
	if !strings.HasPrefix(first, "Bottleneck: rail1 -> host1") ||
		!strings.HasSuffix(first, "; a rerun without flow saves 20.0 %: 80 us instead of 100 us.") {
		t.Errorf("after: %s", first)
	}
	c := &d.WhatIf.Changes[1]
	c.MeanBefore, c.MeanTime, c.MeanSaves, c.Seeds = new(300*us), new(50*us), new(250*us), make([]result.WhatIfSeed, 3)
	const paired = "; a rerun without flow saves 83.3 %: 50 us instead of 300 us in the mean of 3 seeds."
	if seeded, _ := Answer(d); !strings.HasSuffix(seeded, paired) {
		t.Errorf("losses are drawn: %s", seeded)
	}
	if all := strings.Join(bullets, "\n"); !strings.Contains(all, "launch-bound") {
		t.Errorf("the first of the diagnosis is not said any more: %s", all)
	}
}

// A cure that is printed was run: whatever changes there are, of whatever kind, what is said to be saved is the figure of one of
// them that has one; without any nothing is.
func TestWhatIsPrintedAsSavedWasRun(t *testing.T) {
	kinds := []string{result.ChangeIdeal, result.ChangeFlow, result.ChangeFlows, result.ChangePort, result.ChangeLink, result.ChangeRank,
		result.ChangeCongestion, result.ChangeWindow, result.ChangeBuffer, result.ChangeLaunch, result.ChangeFault, result.ChangeCure}
	subjects := []string{"flow4", "rail1/host1", "rank 3", "fabric.qos.ecn.min", "faults[0]"}
	said := regexp.MustCompile(`(?:rerun (\S+) |would )saves? ([0-9.]+ %|nothing)`)
	printed := 0
	rapid.Check(t, func(t *rapid.T) {
		d := judged(incast(0, 1), diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Crossed: true, Time: 60 * us,
			Culprits: []diagnose.Culprit{{Name: "flow4", Share: 1}}}, diagnose.Blame{Kind: diagnose.Launch, Time: 30 * us})
		d.WhatIf = &result.WhatIf{}
		run := map[string]string{} // figure by name; "": infinitely fast links
		for i := range rapid.IntRange(0, 6).Draw(t, "changes") {
			c := result.WhatIfChange{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Name: fmt.Sprintf("change%d", i),
				Subject: []string{rapid.SampledFrom(subjects).Draw(t, "subject")}}
			if saves := unit.Duration(rapid.IntRange(-10, 90).Draw(t, "us")) * us; rapid.Bool().Draw(t, "run") {
				c.Saves, c.Part = &saves, new(unit.Share(saves, 100*us))
				name := c.Name
				if c.Kind == result.ChangeIdeal {
					name = ""
				}
				run[name] += "|" + saved(saves, *c.Part) + "|"
			}
			d.WhatIf.Changes = append(d.WhatIf.Changes, c)
		}
		first, bullets := Answer(d)
		for _, m := range said.FindAllStringSubmatch(first+strings.Join(bullets, " "), -1) {
			printed++
			if !strings.Contains(run[m[1]], "|"+m[2]+"|") {
				t.Fatalf("%q says of %q %s, which was not run: %v", first, m[1], m[2], run)
			}
		}
		if len(run) == 0 && strings.Contains(first, "save") {
			t.Fatalf("%q, and nothing was run", first)
		}
	})
	if printed == 0 {
		t.Error("nothing was printed")
	}
}
