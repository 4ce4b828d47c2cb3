package report

import (
	"fmt"
	"slices"

	"railyard/internal/diagnose"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// proved says what a rerun without the reason saved, if railyard whatif has made one: attributed is
// not saved. "": nobody has asked.
func (d *Data) proved(b *diagnose.Blame) string {
	if d.WhatIf == nil {
		return ""
	}
	var best *result.WhatIfChange
	for i := range d.WhatIf.Changes {
		c := &d.WhatIf.Changes[i]
		if c.Saves == nil || c.Part == nil || !removes(c, b) || best != nil && *c.Saves <= *best.Saves {
			continue
		}
		best = c
	}
	switch {
	case best == nil:
		return ""
	case *best.Saves <= 0:
		return fmt.Sprintf("; a rerun %s saves nothing", best.Name)
	}
	return fmt.Sprintf("; a rerun %s saves %s", best.Name, unit.Percent(*best.Part))
}

// takenBy are the kinds of change that take a kind of blame away, wherever it is.
var takenBy = map[diagnose.Kind]string{
	diagnose.Controller: result.ChangeCongestion, diagnose.Window: result.ChangeWindow, diagnose.FullBuffer: result.ChangeBuffer,
	diagnose.Launch: result.ChangeLaunch, diagnose.LossyLink: result.ChangeFault, diagnose.Storm: result.ChangeFault,
}

// removes reports whether a change takes a blame away.
func removes(c *result.WhatIfChange, b *diagnose.Blame) bool {
	onLink := b.Port != "" && slices.ContainsFunc(c.Subject, func(l string) bool { return diagnose.OnLink(b.Port, l) })
	switch b.Kind {
	case diagnose.SharedPort:
		culprit := func(flow string) bool {
			return slices.ContainsFunc(b.Culprits, func(x diagnose.Culprit) bool { return x.Name == flow })
		}
		flows := c.Kind == result.ChangeFlow || c.Kind == result.ChangeFlows
		return flows && slices.ContainsFunc(c.Subject, culprit) || c.Kind == result.ChangePort && onLink
	case diagnose.SlowPort, diagnose.LinkSpeed, diagnose.Cable:
		return (c.Kind == result.ChangePort || c.Kind == result.ChangeLink) && onLink
	case diagnose.SlowRank:
		return c.Kind == result.ChangeRank && b.Rank != nil && slices.Contains(c.Subject, fmt.Sprintf("rank %d", *b.Rank))
	case diagnose.LossyLink, diagnose.Storm:
		return c.Kind == result.ChangeFault && (len(c.Subject) == 0 || c.Subject[0] == "all" || onLink)
	}
	return takenBy[b.Kind] != "" && takenBy[b.Kind] == c.Kind
}
