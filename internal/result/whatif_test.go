package result

import (
	"testing"

	"railyard/internal/diagnose"
	"railyard/internal/noun"
	"railyard/internal/unit"
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
	w := &WhatIf{Changes: []WhatIfChange{cure(10, noun.Incast), saves(ChangeFlow, 30, "a"), saves(ChangeFlow, 50, "b")}}
	if got := w.For(&incast); got != &w.Changes[1] {
		t.Errorf("for an incast by a: %+v", got)
	}
}
