package whatif

import (
	"slices"

	"railyard/internal/diagnose"
	"railyard/internal/result"
	"railyard/internal/unit"
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

// differs says why what is attributed to a change is not what it saved, where a tenth of the latter or more is between them; nil:
// they agree, or it cannot be told.
//
// What the blames of two runs differ by sums to what the runs differ by:
//
//	saved = sum over causes of (before - after) = attributed + sum over causes of (before - after - attributed part)
//
// So the largest of these terms that goes the way of the difference is its reason, and the run with the change has shown it.
func (a *asking) differs(c *Cut, out *result.WhatIfChange, s *result.Summary) *result.WhatIfReason {
	with, without := a.of(a.played[0].sum).Diagnosis, a.of(s).Diagnosis
	share := shareOf(c, with)
	if a.life || out.Attributed == nil || out.Saves == nil || share == nil || with == nil || without == nil ||
		within(*out.Attributed, *out.Saves) || a.fewer(c) {
		return nil
	}
	if c.Kind == Tried && len(c.finding(a.was().Diagnosis).Blames) == 0 {
		return estimated(with, without, *out.Saves, *out.Attributed)
	}
	sums, order := compared(with, without, share)
	var best *result.WhatIfReason
	most, more := unit.Duration(0), *out.Saves > *out.Attributed
	for _, at := range order {
		x := sums[at]
		gave := x.before - x.after - x.part
		if !more {
			gave = -gave
		}
		if gave > most {
			most = gave
			best = &result.WhatIfReason{Reason: reasonOf(at, x.part > 0, more), Cause: at.kind, Port: at.port, Before: x.before,
				After: x.after}
		}
	}
	return best
}

// estimated says why a formula's time, which is no cause's, is not what was saved. Where less was saved and a cause grew by half
// of what is missing or more, it is that cause; else what was saved is told by the cause that moved most its way.
func estimated(with, without *diagnose.Diagnosis, saves, attributed unit.Duration) *result.WhatIfReason {
	none := func(*diagnose.Blame) unit.Duration { return 0 }
	sums, order := compared(with, without, none)
	var grew, moved *result.WhatIfReason
	var most, far unit.Duration
	for _, at := range order {
		x := sums[at]
		by := x.after - x.before
		if by > most {
			most = by
			grew = &result.WhatIfReason{Reason: reasonOf(at, false, false), Cause: at.kind, Port: at.port, Before: x.before,
				After: x.after}
		}
		if saves < 0 {
			by = -by
		}
		if -by > far {
			far = -by
			moved = &result.WhatIfReason{Reason: result.ReasonEstimate, Cause: at.kind, Port: at.port, Before: x.before,
				After: x.after}
		}
	}
	if grew != nil && saves < attributed && 2*most >= attributed-saves {
		return grew
	}
	return moved
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

// change of a cause: its time in the run as it is and in the one with a change, and the part that is attributed to that.
type moved struct{ before, after, part unit.Duration }

// compared sums the causes of two runs, in order of the first.
func compared(with, without *diagnose.Diagnosis, share func(*diagnose.Blame) unit.Duration) (map[place]*moved, []place) {
	sums, order := map[place]*moved{}, []place(nil)
	at := func(b *diagnose.Blame) *moved {
		k := place{b.Kind, b.Port}
		if sums[k] == nil {
			sums[k], order = &moved{}, append(order, k)
		}
		return sums[k]
	}
	for i := range with.Blames {
		b := &with.Blames[i]
		x := at(b)
		x.before, x.part = x.before+b.Time, x.part+share(b)
	}
	for i := range without.Blames {
		at(&without.Blames[i]).after += without.Blames[i].Time
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
