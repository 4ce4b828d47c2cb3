package foresight

import (
	"fmt"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// idleQPs says that several queue pairs of a connection are nothing to flows, each of which is one queue pair.
func idleQPs(p *plan.Plan) []scenario.Finding {
	n := p.Scenario.Transport.QPs
	if n < 2 {
		return nil
	}
	for i := range p.Jobs {
		if p.Jobs[i].Work != nil {
			return nil
		}
	}
	return []scenario.Finding{{Severity: scenario.Warning, Path: "transport.qps_per_connection",
		Message: fmt.Sprintf("%d: does nothing here: each of job.flows is one queue pair, connections are of ranks", n)}}
}
