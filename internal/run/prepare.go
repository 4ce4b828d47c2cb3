package run

import (
	"context"

	"railyard/internal/dataset"
	"railyard/internal/plan"
	"railyard/internal/result"
	"railyard/internal/scenario"
)

// prepared is what a run is built from.
type prepared struct {
	plan     *plan.Plan
	estimate plan.Estimate
	files    []result.Input // that the scenario names
	images   *imageSet      // of a training
}

// prepare plans a run and reads what it needs; shared keeps the images. allow may refuse the run
// before its images are drawn or read.
func prepare(w *watcher, sc *scenario.Scenario, shared *Images, allow func(plan.Estimate) error) (*prepared, error) {
	in := &prepared{}
	var err error
	if in.plan, in.files, err = newPlan(sc, w); err != nil {
		return nil, err
	}
	size, _, err := measureData(w.ctx, sc)
	if err != nil {
		return nil, err
	}
	if err := fitsBatch(sc, size.Train); err != nil {
		return nil, err
	}
	in.estimate = in.plan.Estimate([]dataset.Size{size})
	if err := allow(in.estimate); err != nil {
		return nil, err
	}
	in.images, err = loadData(w.ctx, sc, shared, w.progress)
	return in, err
}

// digests lists what the run reads beside its scenario.
func (in *prepared) digests() (all []result.InputDigest) {
	for _, f := range in.files {
		all = append(all, f.Digest())
	}
	if in.images != nil {
		all = append(all, result.InputDigest{Name: result.ImagesInput, SHA256: in.images.digest})
	}
	return all
}

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
	w := &watcher{ctx: ctx, progress: progress}
	in, err := prepare(w, sc, shared, func(plan.Estimate) error { return nil })
	if err != nil {
		return Forecast{}, err
	}
	return Forecast{in.estimate, in.digests()}, nil
}
