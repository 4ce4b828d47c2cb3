package foresight

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
)

// ClosedNotes say how many collectives of a replay or of rows take what a formula says, and which rows do not though
// cluster.nvlink_collectives asks for it.
func ClosedNotes(p *plan.Plan, j *plan.Job) []string {
	if !p.Scenario.InsideByFormula(j.Spec) || j.Spec.Model != nil {
		return nil
	}
	const key = "cluster.nvlink_collectives is formula: "
	if plan.HostsOf(j.Placement) > 1 {
		return []string{key + "it is for ranks that are all on one host, and these are not, so that all of them send messages"}
	}
	var sent []string
	for i := range j.Rows {
		if r := &j.Rows[i]; j.Ranks() > 1 && !j.Work.Collectives[r.First].Formula {
			sent = append(sent, fmt.Sprintf("collectives[%d]", i))
		}
	}
	text := key + "each collective took what NCCL's model says of its group alone, whatever else went over NVLink"
	switch closed := len(j.Rows) - len(sent); {
	case len(sent) > 0 && closed == 0:
		text = key + "NCCL's model has none of these algorithms with equal parts, so that all rows sent messages"
	case len(sent) > 0:
		text += fmt.Sprintf("; of %s, which NCCL's model has not, messages were sent: %s", unit.CountOf(int64(len(sent)), "row"),
			strings.Join(sent, ", "))
	}
	return []string{text}
}
