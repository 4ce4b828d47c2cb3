package result

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
)

// What is to be said first follows what was saved: an incident before a share that every run has, and of incidents the one whose
// cure saves most, whatever was attributed to them.
func TestTheFirstFindingFollowsWhatWasSaved(t *testing.T) {
	saves := func(kind string, us int64, subject ...string) WhatIfChange {
		d, part := unit.Duration(us)*unit.Microsecond, float64(us)/100
		return WhatIfChange{Kind: kind, Subject: subject, Before: 100 * unit.Microsecond, Saves: &d, Part: &part}
	}
	cure := func(us int64, of ...noun.Noun) WhatIfChange {
		c := saves(ChangeTried, us)
		c.Nouns = of
		return c
	}
	big := func(f noun.Finding) noun.Finding { f.Share, f.Time = 0.8, 80*unit.Microsecond; return f }
	small := func(f noun.Finding) noun.Finding { f.Share, f.Time = 0.001, unit.Microsecond/10; return f }
	found := func(all ...noun.Finding) (out []diagnose.Finding) {
		for _, f := range all {
			if f.Share == 0 {
				f.Share, f.Time = 0.2, 20*unit.Microsecond
			}
			out = append(out, diagnose.Finding{Finding: f})
		}
		return out
	}
	launch, incast := noun.Finding{Noun: noun.LaunchBound}, noun.Finding{Noun: noun.Incast, Culprits: []string{"a"}}
	slow := noun.Finding{Noun: noun.SlowLink, Place: noun.Place{Name: "rail1/host2"}}
	for _, c := range []struct {
		changes  []WhatIfChange
		findings []diagnose.Finding
		want     int
	}{
		{nil, found(launch), -1},
		{[]WhatIfChange{saves(ChangeLaunch, 80), saves(ChangeFlow, 20, "a")}, found(launch, incast), 1},
		{[]WhatIfChange{saves(ChangeLaunch, 80), saves(ChangeFlow, 5, "a")}, found(launch, incast), 0},
		{[]WhatIfChange{saves(ChangeLink, 40, "host2/rail1"), saves(ChangeFlow, 20, "a")}, found(incast, slow), 1},
		{[]WhatIfChange{cure(40, noun.Incast), saves(ChangeLink, 20, "host2/rail1")}, found(slow, incast), 1},
		{[]WhatIfChange{cure(-40, noun.Incast), saves(ChangeLink, 20, "host3/rail1")}, found(slow, incast), -1},
		// what has next to nothing of the time gets no credit for a cure of its noun; of two that a cure is for the larger does
		{[]WhatIfChange{cure(70, noun.Incast), saves(ChangeLink, 60, "host2/rail1")}, found(big(slow), small(incast)), 0},
		{[]WhatIfChange{cure(70, noun.Incast, noun.SlowLink)}, found(launch, incast, big(slow)), 2},
		{[]WhatIfChange{cure(70, noun.Incast, noun.SlowLink)}, found(incast, slow), 0}, // the diagnosis' own first stays
		{[]WhatIfChange{cure(1, noun.LaunchBound)}, found(slow, launch), -1},           // nor does next to nothing reorder
	} {
		w := &WhatIf{Changes: c.changes}
		if got := w.First(c.findings); got != c.want {
			t.Errorf("%+v: %d is first, want %d", c.changes, got, c.want)
		}
	}
	for kind, want := range map[string]bool{"a": true, "b": false} {
		if c := saves(ChangeFlow, 30, kind); c.IsFor(&incast) != want {
			t.Errorf("without %s is for an incast by a: %v", kind, !want)
		}
	}
}

// What can be had is printed rather than what shows what there is to save, unless that is a tenth more: a port many times as fast, or
// messages of the job itself that are taken away, so that the others are compared.
func TestACureBeforeWhatShowsIt(t *testing.T) {
	change := func(kind string, us, before int) *WhatIfChange {
		d := unit.Duration(us) * unit.Microsecond
		return &WhatIfChange{Kind: kind, Saves: &d, Before: unit.Duration(before) * unit.Microsecond}
	}
	w := &WhatIf{Measure: MeasureFCT, Time: 200 * unit.Microsecond}
	for _, c := range []struct {
		a, b *WhatIfChange
		want bool // a rather than b
	}{
		{change(ChangeTried, 50, 200), nil, true},
		{change(ChangeTried, 50, 200), change(ChangeTried, 49, 200), true},
		{change(ChangePort, 54, 200), change(ChangeTried, 50, 200), false},
		{change(ChangePort, 57, 200), change(ChangeTried, 50, 200), true},
		{change(ChangeTried, 50, 200), change(ChangePort, 54, 200), true},
		{change(ChangeFlow, 54, 210), change(ChangeTried, 50, 200), false}, // its own: others are compared
		{change(ChangeFlow, 54, 200), change(ChangeTried, 50, 200), true},
	} {
		if got := w.Better(c.a, c.b); got != c.want {
			t.Errorf("%+v rather than %+v: %v", c.a, c.b, got)
		}
	}
}

// The slowest flow's best change is one that leaves all flows, is no ideal network and no matter of chance.
func TestBestOfTheSlowest(t *testing.T) {
	all := []WhatIfChange{{Kind: ChangeIdeal, Slowest: 1, Before: 10}, {Kind: ChangeFlow, Slowest: 2, Before: 9},
		{Kind: ChangeTried, Slowest: 3, Seeds: make([]WhatIfSeed, 2), Before: 10}, {Kind: ChangePort, Slowest: 25, Before: 10},
		{Kind: ChangePFC, Slowest: 19, Before: 10}, {Kind: ChangeFlows, Slowest: 18, Before: 10}}
	w := &WhatIf{Time: 10, Slowest: 20, Changes: all}
	if best := w.BestOfSlowest(); best != &all[5] {
		t.Errorf("%+v", best)
	}
	if w.Slowest = 18; w.BestOfSlowest() != nil {
		t.Errorf("%+v", w.BestOfSlowest())
	}
}
