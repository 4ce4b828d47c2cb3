package whatif

import (
	"slices"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// byKind says which causes a kind of change takes away.
var byKind = map[string][]cause.Cause{
	PFC:        {cause.Pause},
	Congestion: {cause.RateLimit},
	Loss:       {cause.Retransmission},
	Window:     {cause.Window},
	Ideal: {cause.RateLimit, cause.Window, cause.Serialisation, cause.Propagation, cause.SwitchLatency, cause.Queueing, cause.Pause,
		cause.Retransmission},
}

// attributed returns what the causes of the run give to what a change takes away, per step or message; false where they do not tell.
func attributed(c *Cut, spent *cause.Split) (unit.Duration, bool) {
	causes := byKind[c.Kind]
	if spent == nil || causes == nil {
		return 0, false
	}
	sum := unit.Duration(0)
	for _, x := range causes {
		sum += spent[x]
	}
	return sum, true
}

// spentOf returns what time was spent in: of a training the critical path, mean over its steps; of flows the mean over the
// messages of the job. nil: the run does not tell.
func spentOf(r *result.Run) (*cause.Split, error) {
	if p := r.Summary.CriticalPath; p != nil {
		s := p.Split()
		return &s, nil
	}
	if p := r.Summary.StepSplit; p != nil {
		s := p.SlowestRank.Split()
		return &s, nil
	}
	if !slices.Contains(r.Tables(), "flows") {
		return nil, nil
	}
	sum, messages := cause.Split{}, unit.Duration(0)
	for row, err := range r.Flows() {
		if err != nil {
			return nil, err
		}
		if row.Kind != result.KindJob || row.FCT == 0 {
			continue
		}
		messages++
		for i, d := range row.Causes.Split() {
			sum[i] += d
		}
	}
	if messages == 0 {
		return nil, nil
	}
	for i := range sum {
		sum[i] /= messages
	}
	return &sum, nil
}
