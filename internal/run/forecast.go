package run

import (
	"context"

	"railyard/internal/plan"
	"railyard/internal/result"
	"railyard/internal/scenario"
)

// Forecast is what a run would cost, and what it would read beside its scenario.
type Forecast struct {
	plan.Estimate
	Inputs []result.InputDigest
}

// NewForecast makes the plan of a run and reads its images, which shared keeps for the run itself.
// The error is the one that Run would end with before it begins; the limits of memory and
// packet-hops are the caller's to apply.
func NewForecast(ctx context.Context, sc *scenario.Scenario, shared *Images,
	progress func(result.Progress)) (Forecast, error) {
	p, read, err := newPlan(sc, &watcher{ctx: ctx, progress: progress})
	if err != nil {
		return Forecast{}, err
	}
	size, _, err := measureData(ctx, sc)
	if err != nil {
		return Forecast{}, err
	}
	if err := fitsBatch(sc, size.Train); err != nil {
		return Forecast{}, err
	}
	set, err := loadData(ctx, sc, shared, progress)
	if err != nil {
		return Forecast{}, err
	}
	return Forecast{p.Estimate(size), digests(read, set)}, nil
}
