package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// untraced says, where ranks waited for each other and no critical path tells for what, what the
// messages between them took, and which queue pair's took longest.
func (d diagnosed) untraced() string {
	all := d.Flows.Of(result.KindCollective)
	if d.g.Main().Kind != diagnose.Dependency || d.Summary.CriticalPath != nil || all.Done == 0 {
		return ""
	}
	mean, split := all.Mean()
	var parts []string
	for _, c := range largest(&split)[:min(len(largest(&split)), 3)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", c, unit.Percent(unit.Share(split[c], mean))))
	}
	said := fmt.Sprintf("No critical path was traced. A message that ranks waited for took %s on average: %s.",
		mean.Human(), strings.Join(parts, ", "))
	if p := d.Flows.Pairs.slowest(); p != nil && p.mean() > mean+mean/5 {
		top := largest(&p.Split)[0]
		said += fmt.Sprintf(" Those of %s (%s) took %s, mostly %s (%s)%s.", p.Name, p.Path, p.mean().Human(), top,
			unit.Percent(unit.Share(p.Split[top], p.Time)), d.Flows.heldAt(p.Name, top))
	}
	return said
}

// slowest is the queue pair whose messages took longest on average, nil if none has any.
func (p *pairs) slowest() *Pair {
	all := p.slowestFirst()
	all = slices.DeleteFunc(all, func(q *Pair) bool { return q.Done == 0 })
	if len(all) == 0 {
		return nil
	}
	return slices.MaxFunc(all, func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(a.mean(), b.mean()), cmp.Compare(b.Name, a.Name))
	})
}

func (q *Pair) mean() unit.Duration { return q.Time / unit.Duration(q.Done) }

// heldAt says at which port the slowest message of a name lost most to a cause: " at rail1/host1";
// "" where that is not known.
func (f *FlowStats) heldAt(name string, why cause.Cause) string {
	i := slices.IndexFunc(f.Slowest, func(r result.FlowRow) bool { return r.Name == name })
	if i < 0 {
		return ""
	}
	port, most := "", unit.Duration(0)
	for _, h := range f.SlowHops[f.Slowest[i].ID] {
		if t := h.Split[why]; t > most {
			port, most = " at "+h.Port, t
		}
	}
	return port
}
