package report

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// proved says what a rerun without the reason saved, and one with infinitely fast links, if railyard
// whatif has made them: attributed is not saved. "": nobody has asked. f is nil without findings.
func (d diagnosed) proved(f *diagnose.Finding, b *diagnose.Blame) string {
	if d.WhatIf == nil {
		return ""
	}
	var best *result.WhatIfChange
	ideal := ""
	for i := range d.WhatIf.Changes {
		c := &d.WhatIf.Changes[i]
		if c.Brings != "" && removes(c, b) {
			return fmt.Sprintf("; a rerun %s comes to its end, after %s", c.Name, (*c.Time).Human())
		}
		saves, known := c.Worth()
		if !known {
			continue
		}
		if c.Kind == result.ChangeIdeal {
			ideal = saved(saves, c.WorthPart())
		}
		if (removes(c, b) || f != nil && saves > 0 && c.IsFor(&f.Finding)) && d.WhatIf.Better(c, best) {
			best = c
		}
	}
	switch {
	case best == nil && ideal == "":
		return ""
	case best == nil:
		return "; infinitely fast links would save " + ideal
	}
	t := fmt.Sprintf("; a rerun %s saves %s", best.Name, saved(worth(best), best.WorthPart()))
	if before := best.Held(); worth(best) > 0 && before > 0 {
		t += fmt.Sprintf(": %s instead of %s", (before - worth(best)).Human(), before.Human())
		if n := len(best.Seeds); n > 0 {
			t += fmt.Sprintf(" in the mean of %s", unit.CountOf(int64(n), "seed"))
		}
	}
	if ideal != "" {
		t += "; infinitely fast links would save " + ideal
	}
	return t
}

func worth(c *result.WhatIfChange) unit.Duration {
	saves, _ := c.Worth()
	return saves
}

// saved prints what a change saves, as a part of the time before it.
func saved(time unit.Duration, part float64) string {
	if time <= 0 {
		return "nothing"
	}
	return unit.Percent(part)
}

// takenBy are the kinds of change that take a kind of blame away, wherever it is.
var takenBy = map[diagnose.Kind]string{
	diagnose.Controller: result.ChangeCongestion, diagnose.Window: result.ChangeWindow,
	diagnose.FullBuffer: result.ChangeBuffer,
	diagnose.Launch:     result.ChangeLaunch, diagnose.LossyLink: result.ChangeFault,
	diagnose.Storm: result.ChangeFault, diagnose.Watchdog: result.ChangeFault, diagnose.NoRoute: result.ChangeFault,
	diagnose.Deadlock: result.ChangeFault,
}

// removes reports whether a change takes a blame away.
func removes(c *result.WhatIfChange, b *diagnose.Blame) bool {
	if c.Kind == result.ChangeFault && len(b.Faults) > 0 {
		return len(c.Subject) == 0 || slices.ContainsFunc(c.Subject, func(s string) bool { return slices.Contains(b.Faults, s) })
	}
	onLink := b.Port != "" && slices.ContainsFunc(c.Subject, func(l string) bool { return diagnose.OnLink(b.Port, l) })
	switch b.Kind {
	case diagnose.SharedPort:
		culprit := func(flow string) bool {
			return slices.ContainsFunc(b.Culprits, func(x diagnose.Culprit) bool { return x.Name == flow })
		}
		flows := c.Kind == result.ChangeFlow || c.Kind == result.ChangeFlows || c.Kind == result.ChangeJob
		return flows && slices.ContainsFunc(c.Subject, culprit) || c.Kind == result.ChangePort && onLink
	case diagnose.SlowPort, diagnose.LinkSpeed, diagnose.Cable:
		return (c.Kind == result.ChangePort || c.Kind == result.ChangeLink) && onLink
	case diagnose.PCIe:
		return c.Kind == result.ChangePCIe && slices.ContainsFunc(c.Subject, func(l string) bool { return diagnose.InHost(b.Port, l) })
	case diagnose.SlowRank:
		return c.Kind == result.ChangeRank && b.Rank != nil &&
			slices.Contains(c.Subject, fmt.Sprintf("rank %d", *b.Rank))
	case diagnose.LossyLink, diagnose.Storm:
		return c.Kind == result.ChangeFault && (len(c.Subject) == 0 || c.Subject[0] == "all" || onLink)
	}
	return takenBy[b.Kind] != "" && takenBy[b.Kind] == c.Kind
}
