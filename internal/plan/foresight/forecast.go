package foresight

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
)

// Forecast returns when each rank of a job is expected to run each operation of a step: computing as
// the device model says, collectives as jobTime takes them, a copy its bytes alone on PCIe. Nil of a job
// that sends flows.
func Forecast(p *plan.Plan, j *plan.Job) [][]workload.Times {
	if j.Work == nil {
		return nil
	}
	return j.Work.Forecast(assumed(p, j, collectiveTimes(p, j)))
}

// assumed is what a forecast with these times of collectives takes for granted.
func assumed(p *plan.Plan, j *plan.Job, collectives []unit.Duration) workload.Assumed {
	return workload.Assumed{
		Took: func(c int32) unit.Duration { return collectives[c] },
		Copy: func(rank int32, b unit.Bytes) unit.Duration {
			return transmit(copyRate(p, j.Placement.Ranks[rank].GPU), b)
		},
	}
}
