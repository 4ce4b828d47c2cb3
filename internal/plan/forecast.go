package plan

import (
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// Forecast returns when each rank of a job is expected to run each operation of a step: computing as
// the device model says, collectives as jobTime takes them. Nil of a job that sends flows.
func (p *Plan) Forecast(j *Job) [][]workload.Times {
	if j.Work == nil {
		return nil
	}
	times := p.collectiveTimes(j)
	return j.Work.Forecast(func(c int32) unit.Duration { return times[c] })
}
