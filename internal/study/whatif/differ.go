package whatif

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// found is what the run's diagnosis found, first what is to be said first.
func (a *asking) found() []diagnose.Finding {
	if d := a.was().Diagnosis; d != nil {
		return d.Findings
	}
	return nil
}

// A cause of a diagnosis: a kind of blame at a port.
type place struct {
	kind diagnose.Kind
	port string
}

// mostReasons is how many causes are named at most for what differs, enough the part of it that they have to make up together.
const (
	mostReasons = 6
	enough      = 0.9
	notable     = 20 // what saves, or costs, less than such a part needs no reason where nothing is attributed
)

// differs says why what is attributed to a change is not what it saved, where a tenth of the latter or more is between them; nil:
// they agree, or it cannot be told.
//
// What the causes of two runs differ by sums to what their diagnoses differ by, and the rest is what is compared beside them:
//
//	saved = attributed + sum over causes of (before - after - attributed part) + what the diagnosis is not of
//
// So the terms of this sum are the reasons, largest first, until they make up nine tenths: the run with the change has shown each. Of a
// formula's time, which is no cause's, and where nothing is attributed, the terms sum to what was saved.
func (a *asking) differs(c *Cut, out *result.WhatIfChange, s *result.Summary) []result.WhatIfReason {
	with, without := a.diagnosed(a.of(a.played[0].sum)), a.diagnosed(a.of(s))
	if out.Saves == nil || with == nil || without == nil || out.Attributed != nil && within(*out.Attributed, *out.Saves) {
		return nil
	}
	none, shown := func(*diagnose.Blame) unit.Duration { return 0 }, ""
	share, whole := shareOf(c, with), *out.Saves
	switch found := c.finding(with); {
	case out.Attributed == nil && max(whole, -whole)*notable < out.Before:
		return nil
	case out.Attributed == nil:
		share, shown = none, result.ReasonShown
	case c.Kind == Tried && found != nil && len(found.Blames) == 0:
		share, shown = none, result.ReasonEstimate
	default:
		whole -= *out.Attributed
	}
	if share == nil {
		return nil
	}
	sums, order := compared(with, without, share)
	var all []result.WhatIfReason
	more := whole > 0
	for _, at := range order {
		x := sums[at]
		r := result.WhatIfReason{Reason: reasonOf(at, x.part > 0, more), Cause: at.kind, Port: at.port, Noun: x.noun, Before: x.before,
			After: x.after, Gives: x.before - x.after - x.part, ShareAfter: unit.Share(x.after, without.Whole)}
		if shown != "" {
			r.Reason = shown
		}
		all = append(all, r)
	}
	if beside := *out.Saves - (with.Whole - without.Whole); beside != 0 {
		r := result.WhatIfReason{Reason: result.ReasonTraced, Before: with.Whole, After: without.Whole, Gives: beside}
		if a.fewer(c) {
			r.Reason = result.ReasonFewer
		}
		all = append(all, r)
	}
	return largest(all, whole)
}

// largest returns the reasons that go the way of a difference, largest first, until they make up enough of it.
func largest(all []result.WhatIfReason, whole unit.Duration) []result.WhatIfReason {
	toward := func(r *result.WhatIfReason) unit.Duration {
		if whole < 0 {
			return -r.Gives
		}
		return r.Gives
	}
	slices.SortStableFunc(all, func(x, y result.WhatIfReason) int { return cmp.Compare(toward(&y), toward(&x)) })
	sum := unit.Duration(0)
	for i := range all {
		if toward(&all[i]) <= 0 || i == mostReasons || float64(sum) >= enough*float64(max(whole, -whole)) {
			return all[:i]
		}
		sum += toward(&all[i])
	}
	return all
}

// diagnosed is where the time went that is compared: of a whole job, or of its steps or messages.
func (a *asking) diagnosed(s *result.Summary) *diagnose.Diagnosis {
	switch {
	case !a.life:
		return s.Diagnosis
	case s.Lifetime != nil:
		return s.Lifetime
	}
	return diagnose.Lifetime(s.Took, nil)
}

// fewer reports whether a change leaves fewer of the job's messages to compare than the diagnosis is of.
func (a *asking) fewer(c *Cut) bool {
	for _, j := range a.base.Jobs {
		for i := range j.Flows {
			if slices.Contains(c.Subject, j.Flows[i].Name) {
				return true
			}
		}
	}
	return false
}

// change of a cause: its time in the run as it is and in the one with a change, the part that is attributed to that, and what it is
// called where it takes most.
type moved struct {
	before, after, part, most unit.Duration
	noun                      noun.Noun
}

// called notes what a blame of a diagnosis is called.
func (m *moved) called(d *diagnose.Diagnosis, b *diagnose.Blame) {
	if f := d.Finding(b); f != nil && b.Time > m.most {
		m.noun, m.most = f.Noun, b.Time
	}
}

// compared sums the causes of two runs, in order of the first.
func compared(with, without *diagnose.Diagnosis, share func(*diagnose.Blame) unit.Duration) (map[place]*moved, []place) {
	sums, order := map[place]*moved{}, []place(nil)
	at := func(b *diagnose.Blame) *moved {
		k := place{b.Kind, b.Port}
		if !b.Kind.Congestion() { // a port of what every run has is named where it is the only one
			k.port = ""
		}
		if sums[k] == nil {
			sums[k], order = &moved{}, append(order, k)
		}
		return sums[k]
	}
	for i := range with.Blames {
		b := &with.Blames[i]
		x := at(b)
		x.before, x.part = x.before+b.Time, x.part+share(b)
		x.called(with, b)
	}
	for i := range without.Blames {
		b := &without.Blames[i]
		x := at(b)
		x.after += b.Time
		x.called(without, b)
	}
	return sums, order
}

// within reports whether a time is within a tenth of another.
func within(a, of unit.Duration) bool { return 10*(max(a, of)-min(a, of)) <= max(of, -of) }

// reasonOf names the reason for which a cause gave to, or took from, what is saved.
func reasonOf(at place, own, more bool) string {
	switch {
	case own && more:
		return result.ReasonDivided
	case own:
		return result.ReasonRest
	case more:
		return result.ReasonPhase
	case at.kind.Congestion():
		return result.ReasonMoved
	}
	return result.ReasonOverlap
}
