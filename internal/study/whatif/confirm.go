package whatif

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// mostConfirmed is how many changes' reasons are tried by more runs: of those that save most.
const mostConfirmed = 4

// A claim is what a reason says of a cause: that with the change it takes another time than in the run as it is. One more run tells,
// with the change and without that cause: what it saves beyond the change is what the cause takes there.
type claim struct {
	change *result.WhatIfChange
	reason *result.WhatIfReason
	name   string
	cause  []scenario.Change // take it away
	part   float64           // of its time
	both   *scenario.Scenario
	ran    *result.Summary
}

// confirm tries the first reason of the changes that save most that one more run can tell of, as far as packet-hops are left.
func (a *asking) confirm(ctx context.Context, w *result.WhatIf) error {
	claims := a.claims(w)
	var variants []sweep.Variant
	for i := range claims {
		variants = append(variants, sweep.Variant{Scenario: claims[i].both})
	}
	if len(variants) == 0 {
		return nil
	}
	_, err := sweep.Run(ctx, variants, sweep.Options{Limits: a.opt.Limits, Force: a.opt.Force, Inputs: a.run.Summary.Inputs,
		Progress: a.opt.Progress, Sources: a.sources, Each: func(i int, s *result.Summary) { claims[i].ran = s },
		Refused: func(int, error) bool { return true }})
	for i := range claims {
		a.judge(&claims[i])
	}
	if ctx.Err() != nil {
		w.State = result.Interrupted
		return err
	}
	return nil // what cannot run confirms nothing
}

// claims lists what may be tried.
func (a *asking) claims(w *result.WhatIf) (all []claim) {
	room := int64(mostConfirmed)
	if !a.opt.Full {
		room = min(room, a.left/max(1, a.hops))
	}
	for i := range w.Changes {
		c := &w.Changes[i]
		if c.Saves == nil || c.Kind == Ideal || c.Kind == Set {
			continue
		}
		for k := range c.Differs {
			x, ok := a.claim(c, &c.Differs[k])
			if !ok {
				continue
			}
			if int64(len(all)) == room {
				return all
			}
			all = append(all, x)
			break
		}
	}
	return all
}

// claim is a reason with the run that tells whether it holds; false: there is none.
func (a *asking) claim(c *result.WhatIfChange, r *result.WhatIfReason) (x claim, ok bool) {
	if r.Reason != result.ReasonOverlap && r.Reason != result.ReasonMoved && r.Reason != result.ReasonPhase {
		return x, false
	}
	changes := changesOf(c.Set)
	x = counter(a.plan, r, added(changes, len(a.base.Fabric.Links.Named)))
	if len(x.cause) == 0 {
		return x, false
	}
	x.change, x.reason = c, r
	var err error
	x.both, err = a.base.With(inOrder(slices.Concat(changes, x.cause))...)
	return x, err == nil
}

// judge says what the run of a claim came to. The reason holds if what the cause takes there is nearer to what the run with the
// change gives to it than to what the run as it is does.
func (a *asking) judge(x *claim) {
	if x.ran == nil {
		return
	}
	time, _, why := a.measured(x.ran, leftOut(x.change))
	if why != "" {
		return
	}
	more := *x.change.Time - time
	takes, r := unit.Duration(float64(more)/x.part), x.reason
	r.Told = &result.WhatIfTold{Name: x.name, Set: values(x.cause), Time: time, More: more,
		Holds: apart(takes, r.After) < apart(takes, r.Before)}
}

func apart(a, b unit.Duration) unit.Duration { return max(a, b) - min(a, b) }

// leftOut are the flows without which the others are compared.
func leftOut(c *result.WhatIfChange) map[string]bool {
	but := map[string]bool{}
	if c.Kind == OneFlow || c.Kind == Flows {
		for _, name := range c.Subject {
			but[name] = true
		}
	}
	return but
}

// changesOf reads changes back.
func changesOf(all []result.WhatIfValue) (changes []scenario.Change) {
	for _, v := range all {
		changes = append(changes, scenario.Change{Path: v.Path, Text: v.Value, Remove: v.Gone})
	}
	return changes
}

// added is how many entries changes add to the n named links that there are.
func added(changes []scenario.Change, n int) (more int) {
	for _, c := range changes {
		if c.Path == fmt.Sprintf("fabric.links.named[%d]", n+more) && !c.Remove {
			more++
		}
	}
	return more
}

// counter takes the cause of a reason away, or most of its time, and nothing else: behind so many links that are named beside those
// that there are. Without a cause: nothing does.
func counter(p *plan.Plan, r *result.WhatIfReason, more int) claim {
	sc := p.Scenario
	named := fmt.Sprintf("fabric.links.named[%d]", len(sc.Fabric.Links.Named)+more)
	const most = 1 - 1.0/faster
	takes := func(name string, part float64, changes ...scenario.Change) claim {
		return claim{name: name, cause: changes, part: part}
	}
	switch r.Cause {
	case diagnose.SharedPort, diagnose.UnevenChoice, diagnose.SlowPort:
		if c, ok := portCut(p, r.Port); ok {
			c.Changes[0].Path = named
			return takes(c.Name, 1, c.Changes...)
		}
	case diagnose.Controller:
		if sc.Congestion.Algorithm.Reacts() {
			return takes("without congestion control", 1, uncontrolled)
		}
	case diagnose.Window:
		return takes("with an infinite window", 1, set("transport.window", "none"), set("transport.window_scale", "false"))
	case diagnose.Pauses:
		return takes("without PFC", 1, withoutPFC(sc)...)
	case diagnose.Launch:
		return takes("with launches that take no time", 1, set("cluster.host.launch", "0ns"))
	case diagnose.SwitchDelay:
		return takes("with switches without latency", 1, set("fabric.switch.latency", "0ns"))
	case diagnose.Cable:
		return takes("with cables that take no time", 1, timeless(sc, more))
	case diagnose.LinkSpeed:
		rate := unit.Bitrate(0)
		for i := range p.Graph.Links {
			rate = max(rate, p.Graph.Links[i].Rate)
		}
		text := fmt.Sprintf("{link: \"*/*\", rate: %s}", min(faster*rate, faster*fastest))
		return takes("with all links ten times as fast", most, set(named, text))
	case diagnose.PCIe:
		if !sc.Cluster.Host.Graph.Set {
			return takes("with PCIe ten times as fast", most, set("cluster.host.pcie", (faster*sc.Cluster.Host.PCIe).String()))
		}
	case diagnose.NVLink:
		return takes("with NVLink ten times as fast", most, set("cluster.host.nvlink", (faster*sc.Cluster.Host.NVLink).String()))
	}
	return claim{}
}
