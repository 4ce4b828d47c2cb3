package whatif

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
)

type (
	port   = topo.Port
	portID = topo.PortID
)

// portsOf lists the ports that a queue pair's data and acknowledgements leave through, each once.
func portsOf(q *plan.Pair) []portID {
	all := slices.Concat(q.Path, q.Back)
	slices.Sort(all)
	return slices.Compact(all)
}

// bottleneck returns the port on the way of the job's data that was sending for the largest part of
// the run, "" without a table of links.
func bottleneck(p *plan.Plan, r *result.Run) (string, error) {
	if !slices.Contains(r.Tables(), "links") {
		return "", nil
	}
	way := map[string]bool{}
	for i := range p.Pairs {
		if q := &p.Pairs[i]; q.Kind != result.KindBackground && q.Enabled() {
			for _, id := range q.Path {
				way[p.Graph.Ports[id].Name] = true
			}
		}
	}
	name, most := "", 0.0
	for row, err := range r.Links() {
		if err != nil {
			return "", err
		}
		if way[row.Port] && row.Utilisation > most {
			name, most = row.Port, row.Utilisation
		}
	}
	return name, nil
}

// computed returns how long each rank of a job computes in all steps, nil without a table of steps.
func computed(r *result.Run, job string, ranks int) ([]unit.Duration, error) {
	if !slices.Contains(r.Tables(), "steps") {
		return nil, nil
	}
	all := make([]unit.Duration, ranks)
	for row, err := range r.Steps() {
		if err != nil {
			return nil, err
		}
		if row.Step >= 0 && row.Job == job && int(row.Rank) < ranks {
			all[row.Rank] += row.Compute
		}
	}
	return all, nil
}
