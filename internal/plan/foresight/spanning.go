package foresight

import (
	"fmt"
	"strings"

	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// crossing lists the findings about groups that are on links too slow for what they carry: ranks
// that share layers talk in every layer of every micro-batch.
func crossing(p *plan.Plan) (all []scenario.Finding) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if j.Work == nil {
			continue
		}
		n, first := 0, ""
		for g := range j.Work.Groups {
			group := &j.Work.Groups[g]
			if at := j.Placement.Group(group.Ranks); group.Kind == workload.GroupKindTensor && plan.HostsOf(at) > 1 {
				if n++; n == 1 {
					first = fmt.Sprintf("%s is on %d hosts", group.Name, plan.HostsOf(at))
				}
			}
		}
		if n == 0 {
			continue
		}
		if n > 1 {
			first += fmt.Sprintf(", and so are %d more", n-1)
			if n == 2 {
				first = strings.TrimSuffix(first, "so are 1 more") + "another one too"
			}
		}
		all = append(all, scenario.Finding{
			Severity: scenario.Warning,
			Path:     j.Spec.Path() + ".parallel.tp",
			Message: fmt.Sprintf("%d: %s: its sums and gathers, two for each layer or pair of layers and micro-batch, cross "+
				"the fabric instead of NVLink", j.Spec.Parallel.TP, first),
			Hint: "tp innermost in parallel.order, placement packed, and tp a divisor of a host's GPUs",
		})
	}
	return all
}
