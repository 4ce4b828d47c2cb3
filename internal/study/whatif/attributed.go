package whatif

import (
	"fmt"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// attributed returns what the diagnosis of the run gives to what a change takes away, per step or
// message; false where it does not tell.
func attributed(c *Cut, d *diagnose.Diagnosis) (unit.Duration, bool) {
	share := shareOf(c, d)
	if d != nil && d.Job() && c.Kind != Fault && c.Kind != Survival {
		return 0, false // what the other kinds cost is known of a step
	}
	if d == nil || share == nil || (c.Kind == OneFlow || c.Kind == Flows || c.Kind == Neighbour) && !named(d, c.Subject) {
		return 0, false
	}
	if c.Kind == Tried && len(c.finding(d).Blames) == 0 { // of how a job is laid out there is no blame
		return scaled(c.finding(d).Time, c.part()), true
	}
	sum := unit.Duration(0)
	for i := range d.Blames {
		sum += share(&d.Blames[i])
	}
	return sum, true
}

// part is which part of the time of what it is for a cure takes away.
func (c *Cut) part() float64 {
	if c.Part == 0 {
		return 1
	}
	return c.Part
}

func scaled(t unit.Duration, part float64) unit.Duration { return unit.Duration(float64(t) * part) }

// finding returns the largest of what was found that a cure which is tried by itself is for, nil if there is none that is worth
// a cure.
func (c *Cut) finding(d *diagnose.Diagnosis) *diagnose.Finding {
	var best *diagnose.Finding
	for i := range d.Findings {
		if f := &d.Findings[i]; slices.Contains(c.Of, f.Noun) && f.Share >= result.WorthCuring && (best == nil || f.Time > best.Time) {
			best = f
		}
	}
	return best
}

// blames are those of all findings that a cure which is tried by itself is for: it is for the noun, wherever that is.
func (c *Cut) blames(d *diagnose.Diagnosis) map[*diagnose.Blame]bool {
	all := map[*diagnose.Blame]bool{}
	for i := range d.Findings {
		f := &d.Findings[i]
		if slices.Contains(c.Of, f.Noun) && (len(c.At) == 0 || slices.Contains(c.At, f.Place.Name)) {
			for _, k := range f.Blames {
				if len(c.Only) == 0 || slices.Contains(c.Only, d.Blames[k].Kind) {
					all[&d.Blames[k]] = true
				}
			}
		}
	}
	return all
}

// shareOf returns how much of a blame of a diagnosis goes away with a change, nil if that is not known.
func shareOf(c *Cut, d *diagnose.Diagnosis) func(*diagnose.Blame) unit.Duration {
	kinds := func(all ...diagnose.Kind) func(*diagnose.Blame) unit.Duration {
		return func(b *diagnose.Blame) unit.Duration { return timeIf(b, slices.Contains(all, b.Kind)) }
	}
	switch c.Kind {
	case OneFlow, Flows, Neighbour:
		return func(b *diagnose.Blame) unit.Duration { return culpable(filledBy(d, b), b.Time, c.Subject) }
	case PFC:
		return func(b *diagnose.Blame) unit.Duration {
			if b.Kind == diagnose.SharedPort && !b.Crossed && !b.Acks { // it is there by pauses alone
				return b.Time
			}
			return felt(b, cause.Pause)
		}
	case Congestion:
		return kinds(diagnose.Controller)
	case Window:
		return kinds(diagnose.Window)
	case Port:
		return func(b *diagnose.Blame) unit.Duration { return timeIf(b, b.Port == c.Subject[0]) }
	case Link:
		return func(b *diagnose.Blame) unit.Duration { return timeIf(b, diagnose.OnLink(b.Port, c.Subject[0])) }
	case Fault:
		return func(b *diagnose.Blame) unit.Duration {
			named := slices.ContainsFunc(c.Subject, func(s string) bool { return slices.Contains(b.Faults, s) })
			return timeIf(b, named || len(c.Subject) == 0 && len(b.Faults) > 0 ||
				(b.Kind == diagnose.LossyLink || b.Kind == diagnose.Storm) &&
					(len(c.Subject) == 0 || c.Subject[0] == "all" || diagnose.OnLink(b.Port, c.Subject[0])))
		}
	case Survival:
		if c.Name != withoutCheckpoints {
			return nil
		}
		return kinds(diagnose.Checkpoints)
	case Buffer:
		return kinds(diagnose.FullBuffer)
	case Rank:
		return func(b *diagnose.Blame) unit.Duration {
			return timeIf(b, b.Kind == diagnose.SlowRank && b.Rank != nil &&
				fmt.Sprintf("rank %d", *b.Rank) == c.Subject[0])
		}
	case PCIe:
		return func(b *diagnose.Blame) unit.Duration { return timeIf(b, diagnose.InHost(b.Port, c.Subject[0])) / 2 }
	case Launch:
		return kinds(diagnose.Launch)
	case Tried:
		if d == nil || c.finding(d) == nil {
			return nil
		}
		mine := c.blames(d)
		return func(b *diagnose.Blame) unit.Duration {
			if !mine[b] {
				return 0
			}
			if c.Timers {
				return scaled(b.Timer, c.part())
			}
			return scaled(b.Time, c.part())
		}
	case Ideal:
		return func(b *diagnose.Blame) unit.Duration {
			network := []diagnose.Kind{diagnose.LinkSpeed, diagnose.Cable, diagnose.SwitchDelay, diagnose.NIC,
				diagnose.PCIe}
			return timeIf(b, b.Kind.Congestion() || slices.Contains(network, b.Kind))
		}
	}
	return nil
}

func timeIf(b *diagnose.Blame, yes bool) unit.Duration {
	if !yes {
		return 0
	}
	return b.Time
}

// named reports whether the diagnosis says what part flows have: it lists the largest culprits of a
// port alone.
func named(d *diagnose.Diagnosis, flows []string) bool {
	for i := range d.Blames {
		b := &d.Blames[i]
		for _, name := range flows {
			if b.Others > 0 && !slices.ContainsFunc(b.Culprits,
				func(c diagnose.Culprit) bool { return c.Name == name }) {
				return false
			}
		}
	}
	return true
}

// filledBy is the blame that says whose bytes waited at the port of a blame: of a congestion controller that held senders back
// there it is what else was lost there.
func filledBy(d *diagnose.Diagnosis, b *diagnose.Blame) *diagnose.Blame {
	if b.Kind != diagnose.Controller || b.Port == "" {
		return b
	}
	for _, kind := range []diagnose.Kind{diagnose.SharedPort, diagnose.UnevenChoice} {
		if o := d.Find(kind, b.Port); o != nil {
			return o
		}
	}
	return b
}

// culpable returns the part of a time that flows have by their bytes at a blame's port.
func culpable(b *diagnose.Blame, time unit.Duration, flows []string) unit.Duration {
	share := 0.0
	for _, c := range b.Culprits {
		if slices.Contains(flows, c.Name) {
			share += c.Share
		}
	}
	return scaled(time, share)
}

// felt returns how much of a blame passed in a state.
func felt(b *diagnose.Blame, in cause.Cause) (sum unit.Duration) {
	for _, f := range b.Felt {
		if f.Cause == in.String() {
			sum += f.Time
		}
	}
	return sum
}
