package whatif

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// What was found comes first, with its seeds; all of it is at most three times what there is without cures; with full, all is
// run. From the fourth seed on there is room left for other cures, and for what confirms reasons.
func TestCuresTakeThreeTimesThePacketHopsAtMost(t *testing.T) {
	found := &diagnose.Diagnosis{Findings: []diagnose.Finding{{Finding: noun.Finding{Noun: noun.Polarisation}},
		{Finding: noun.Finding{Noun: noun.Incast}}}}
	trials := []trial{
		{Cut: Cut{Kind: Ideal, Name: "ideal"}, plays: []int{1}},
		{Cut: Cut{Kind: Tried, Name: "not found", Of: []noun.Noun{noun.Timeout}}, plays: []int{2}},
		{Cut: Cut{Kind: Tried, Name: "second", Of: []noun.Noun{noun.Incast}}, plays: []int{3}},
		{Cut: Cut{Kind: Tried, Name: "first", Of: []noun.Noun{noun.Polarisation, noun.Incast}}, plays: []int{4, 5, 6, 7}},
		{Cut: Cut{Kind: Tried, Name: "refused", Of: []noun.Noun{noun.Incast}}, plays: []int{8}},
		{Cut: Cut{Kind: Tried, Name: "late", Of: []noun.Noun{noun.Incast}, Late: true}, plays: []int{9}},
	}
	played := make([]play, 10)
	for k := range trials {
		for _, i := range trials[k].plays {
			played[i].trial = k
		}
	}
	played[0].trial = -1
	for _, c := range []struct {
		hops []int64
		full bool
		want []int // that are run
		left []string
	}{
		{[]int64{10, 10, 10, 10, 10, 10, 10, 10, -1, 10}, false, []int{0, 1, 3, 4, 5, 6}, []string{"not found", "late"}},
		{[]int64{10, 10, 10, 45, 10, 10, 10, 10, -1, 10}, false, []int{0, 1, 4, 5, 6, 9}, []string{"not found", "second"}},
		{[]int64{10, 10, 10, 10, 50, 1, 1, 1, -1, 1}, false, []int{0, 1, 2, 3, 9}, []string{"first"}},
		{[]int64{10, 10, 10, 10, 10, 10, 10, 10, -1, 10}, true, []int{0, 1, 2, 3, 4, 5, 6, 7, 9}, nil},
	} {
		sum := &result.Summary{JobFigures: result.JobFigures{Diagnosis: found}}
		a := &asking{run: &result.Run{Summary: sum}, opt: Options{Full: c.full}, trials: slices.Clone(trials), played: played}
		var got []int
		for i, run := range a.choose(c.hops) {
			if run {
				got = append(got, i)
			}
		}
		var left []string
		for _, x := range a.trials {
			if x.untried {
				left = append(left, x.Name)
			}
		}
		if !slices.Equal(got, c.want) || !slices.Equal(left, c.left) {
			t.Errorf("%v, full %v: %v are run and %q are left, want %v and %q", c.hops, c.full, got, left, c.want, c.left)
		}
	}
}

// Where chance decides there are ten seeds, each what a run with it takes, and the mean of them orders the changes.
func TestTenSeedsWhereChanceDecides(t *testing.T) {
	const collided = `
seed: %d
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2, links: {spine: 100Gb/s}}
congestion: {algorithm: none}
job: {flows: [{from: host1/nic0, to: host3/nic0, bytes: 400kB}, {from: host2/nic0, to: host4/nic0, bytes: 400kB}]}
`
	r := began(t, fmt.Sprintf(collided, 1))
	found := ask(t, r, Options{Full: true})
	c := found.change("with another seed")
	if len(c.Seeds) != seeds || c.MeanTime == nil || *c.Time != c.Seeds[0].Time || c.Set[0].Value != fmt.Sprint(c.Seeds[0].Seed) {
		t.Fatalf("%+v", c)
	}
	var sum, least, most unit.Duration
	for i, s := range c.Seeds {
		sc, err := r.Source()
		if err != nil || len(sc) == 0 {
			t.Fatal(err)
		}
		took, why := byHand(t, found, r, &result.WhatIfChange{Set: []result.WhatIfValue{{Path: "seed", Value: fmt.Sprint(s.Seed)}}})
		if took != s.Time || why != "" || s.Seed == 1 {
			t.Errorf("seed %d takes %v %s, want %v", s.Seed, took, why, s.Time)
		}
		if sum += s.Time; i == 0 {
			least = s.Time
		}
		least, most = min(least, s.Time), max(most, s.Time)
	}
	if *c.MeanTime != sum/seeds || *c.MeanSaves != c.Before-*c.MeanTime || least == most {
		t.Errorf("mean %v, saves %v, from %v to %v", c.MeanTime, c.MeanSaves, least, most)
	}
	last := unit.Duration(1<<63 - 1)
	for i := range found.Changes {
		if saves, known := found.Changes[i].Worth(); known && saves > last {
			t.Errorf("%s saves %v, more than the one before it", found.Changes[i].Name, saves)
		} else if known {
			last = saves
		}
	}
}

// Where faults draw losses, each change is held against the run as it is with the same seeds, three of them; a certain loss is
// no chance.
func TestDrawnLosses(t *testing.T) {
	const lossy = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
transport: {timeout: 500us}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 400kB}]}
faults: [{link: host1/rail1, drop: %s}]
`
	r := began(t, fmt.Sprintf(lossy, "2%"))
	found := ask(t, r, Options{})
	if !found.Drawn || len(found.Seeds) != fewSeeds {
		t.Fatalf("drawn %v, %d seeds of the run as it is", found.Drawn, len(found.Seeds))
	}
	was := map[uint64]unit.Duration{}
	for _, s := range found.Seeds {
		took, why := byHand(t, found, r, &result.WhatIfChange{Set: []result.WhatIfValue{{Path: "seed", Value: fmt.Sprint(s.Seed)}}})
		if was[s.Seed] = s.Time; took != s.Time || why != "" {
			t.Errorf("seed %d takes %v %s, want %v", s.Seed, took, why, s.Time)
		}
	}
	for i := range found.Changes {
		c := &found.Changes[i]
		var before, after unit.Duration
		for _, s := range c.Seeds {
			if s.Before == nil || *s.Before != was[s.Seed] {
				t.Fatalf("%s: seed %d was %v, want %v", c.Name, s.Seed, s.Before, was[s.Seed])
			}
			before, after = before+*s.Before, after+s.Time
		}
		if c.Time == nil {
			continue
		}
		if n := unit.Duration(len(c.Seeds)); n != fewSeeds || *c.MeanSaves != before/n-after/n || *c.MeanTime != after/n {
			t.Errorf("%s: %d seeds, mean saves %v", c.Name, n, c.MeanSaves)
		}
	}
	if !strings.Contains(spread(&result.WhatIfChange{MeanBefore: new(unit.Duration), Seeds: []result.WhatIfSeed{
		{Seed: 1, Time: 5, Before: new(unit.Duration(7))}, {Seed: 2, Time: 9, Before: new(unit.Duration(7))}}}), "not told from chance") {
		t.Error("better with one seed and worse with another: want it said")
	}
	for _, certain := range []string{"0.05, bit_errors: 0", "100%, at: 1s, for: 1us"} {
		sc, err := scenario.Parse("job.yaml", fmt.Appendf(nil, lossy, certain))
		if err != nil {
			t.Fatal(err)
		}
		if sc.DrawsLosses() != (certain[0] == '0') {
			t.Errorf("drop %s: drawn %v", certain, sc.DrawsLosses())
		}
	}
}

// A reason for the difference of attributed and saved is what differs most between the causes of the two runs.
func TestWhyAttributedAndSavedDiffer(t *testing.T) {
	const us = unit.Microsecond
	blame := func(k diagnose.Kind, port string, n unit.Duration) diagnose.Blame {
		b := diagnose.Blame{Kind: k, Port: port, Time: n * us}
		if k == diagnose.SharedPort {
			b.Culprits = []diagnose.Culprit{{Name: "a", Share: 1}}
		}
		return b
	}
	of := func(all ...diagnose.Blame) *result.Summary {
		d := &diagnose.Diagnosis{Blames: all}
		for i := range all {
			d.Whole += all[i].Time
		}
		return &result.Summary{JobFigures: result.JobFigures{Diagnosis: d}}
	}
	base := of(blame(diagnose.SharedPort, "a/b", 60), blame(diagnose.LinkSpeed, "", 40), blame(diagnose.Dependency, "", 10))
	sc, err := Scenario(began(t, neighbours))
	if err != nil {
		t.Fatal(err)
	}
	a := &asking{run: &result.Run{Summary: &result.Summary{}}, base: sc, played: []play{{sum: base}}}
	cut := &Cut{Kind: OneFlow, Subject: []string{"a"}}
	for _, c := range []struct {
		after *result.Summary
		want  *result.WhatIfReason
	}{
		{of(blame(diagnose.LinkSpeed, "", 40), blame(diagnose.Dependency, "", 10)), nil},
		{of(blame(diagnose.SharedPort, "a/b", 30), blame(diagnose.LinkSpeed, "", 40), blame(diagnose.Dependency, "", 10)),
			&result.WhatIfReason{Reason: result.ReasonRest, Cause: diagnose.SharedPort, Port: "a/b", Before: 60 * us, After: 30 * us}},
		{of(blame(diagnose.SharedPort, "c/d", 50), blame(diagnose.LinkSpeed, "", 40), blame(diagnose.Dependency, "", 30)),
			&result.WhatIfReason{Reason: result.ReasonMoved, Cause: diagnose.SharedPort, Port: "c/d", After: 50 * us}},
		{of(blame(diagnose.LinkSpeed, "", 40), blame(diagnose.Dependency, "", 50)),
			&result.WhatIfReason{Reason: result.ReasonOverlap, Cause: diagnose.Dependency, Before: 10 * us, After: 50 * us}},
		{of(blame(diagnose.LinkSpeed, "", 20), blame(diagnose.Dependency, "", 9)),
			&result.WhatIfReason{Reason: result.ReasonPhase, Cause: diagnose.LinkSpeed, Before: 40 * us, After: 20 * us}},
	} {
		attributed, saves := 60*us, base.Diagnosis.Whole-c.after.Diagnosis.Whole
		got := a.differs(cut, &result.WhatIfChange{Attributed: &attributed, Saves: &saves}, c.after)
		if len(got) == 0 || c.want == nil {
			if len(got) > 0 || c.want != nil {
				t.Errorf("saves %v: %+v, want %+v", saves, got, c.want)
			}
			continue
		}
		sum, first := unit.Duration(0), got[0]
		for i := range got {
			sum += got[i].Gives
		}
		first.Gives, first.ShareAfter = 0, 0
		if between := saves - attributed; first != *c.want || sum < 0 != (between < 0) ||
			max(sum, -sum)*10 < max(between, -between)*9 {
			t.Errorf("saves %v: %+v, want %+v first, together %v", saves, got, c.want, between)
		}
	}
}

// Where PFC cannot be taken away alone, what has no meaning without it goes too; a change that cannot run has a row, which says why.
func TestARowThatCannotRunSaysWhy(t *testing.T) {
	const watched = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 1, switch: {buffer: 260kB}, qos: {pfc: {watchdog: {detect: 1ms}}}}
congestion: {algorithm: none}
job: {flows: [{from: host1/nic0, to: host4/nic0, bytes: 2MB}, {from: host2/nic0, to: host3/nic0, bytes: 2MB}]}
`
	found := ask(t, began(t, watched), Options{})
	for _, name := range []string{"without PFC", infinitelyFast} {
		if c := found.change(name); c.Time == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	c := found.change("with leaf1/spine1 at 1Tb/s") // what spine1 keeps for it grows
	if c.Time != nil || !strings.Contains(c.Why, "want a fabric.switch.buffer") {
		t.Errorf("%+v", c)
	}
}

// Another seed of the run as it is, or a change, may be refused, and the others go on; but not the run itself, nor what was asked for.
func TestWhatMayBeRefused(t *testing.T) {
	a := &asking{trials: []trial{{Cut: Cut{Kind: Tried}}, {Cut: Cut{Kind: Set}}},
		played: []play{{trial: -1}, {trial: -1}, {trial: 0}, {trial: 1}}}
	why := errors.New("too large")
	for i, goes := range []bool{false, true, true, false} {
		if got := a.refused(i, why); got != goes || a.played[i].refused != why {
			t.Errorf("run %d: goes on %v, want %v; refused %v", i, got, goes, a.played[i].refused)
		}
	}
}
