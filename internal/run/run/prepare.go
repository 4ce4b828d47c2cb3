package run

import (
	"context"

	"railyard/internal/job/checkpoint"
	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// prepared is what a run is built from.
type prepared struct {
	plan     *plan.Plan
	estimate foresight.Estimate
	files    []result.Input // that the scenario names
	data     []*source      // by job, nil but of trainings

	about []checkpoint.Training // by job: what the weights of a training belong to
	from  *Resume               // what it goes on from; nil: its beginning
	start *train.State          // from which the only job goes on; nil: from its beginning
}

// prepare plans a run and reads what it needs; shared keeps what trainings learn from, from is what a
// training goes on from. allow may refuse the run before its images are drawn.
func prepare(w *watcher, sc *scenario.Scenario, shared *Sources, from *Resume,
	allow func(foresight.Estimate) error) (*prepared, error) {
	in := &prepared{}
	var err error
	if in.plan, in.files, err = newPlan(sc, w); err != nil {
		return nil, err
	}
	if shared == nil {
		shared = &Sources{}
	}
	sizes := make([]dataset.Size, len(sc.Jobs))
	for i := range sc.Jobs {
		if sizes[i], _, err = shared.measure(w.ctx, &sc.Jobs[i]); err != nil {
			return nil, err
		}
		if err := fitsBatch(&sc.Jobs[i], sizes[i].Train); err != nil {
			return nil, err
		}
		if err := small(&sc.Jobs[i], in.plan.Jobs[i].Model); err != nil {
			return nil, err
		}
	}
	if in.from, in.start, err = from.settle(w.ctx, in.plan, sizes[0]); err != nil {
		return nil, err
	}
	if in.start != nil {
		in.plan.Jobs[0].Done = in.start.Step
	}
	in.estimate = foresight.EstimateOf(in.plan, sizes)
	if err := allow(in.estimate); err != nil {
		return nil, err
	}
	in.about = make([]checkpoint.Training, len(sc.Jobs))
	for i := range sc.Jobs {
		src, err := loadData(w.ctx, &sc.Jobs[i], in.plan.Jobs[i].Model, shared, w.progress)
		if err != nil {
			return nil, err
		}
		in.data = append(in.data, src)
		if src != nil {
			in.about[i] = about(sc, &in.plan.Jobs[i], sizes[i])
			learned(&in.about[i], src)
		}
	}
	return in, in.from.sameData(sc, in.data[0])
}

// digests lists what the run reads beside its scenario.
func (in *prepared) digests() (all []result.InputDigest) {
	for _, f := range in.files {
		all = append(all, f.Digest())
	}
	for i, src := range in.data {
		if src != nil {
			all = append(all, result.InputDigest{Name: inputName(in.plan.Scenario, i, src.name), SHA256: src.digest})
		}
	}
	return all
}

// images is the digest of the images of a training; "": it learns from none.
func (in *prepared) images() string {
	if src := in.data[0]; src != nil && src.text == nil {
		return src.digest
	}
	return ""
}

// Forecast is what a run would cost, and what it would read beside its scenario.
type Forecast struct {
	foresight.Estimate
	Inputs []result.InputDigest
}

// NewForecast makes the plan of a run and reads its data, which shared keeps for the run itself.
// The error is the one that Run would end with before it begins; the limits of memory and
// packet-hops are the caller's to apply.
func NewForecast(ctx context.Context, sc *scenario.Scenario, shared *Sources,
	progress func(result.Progress)) (Forecast, error) {
	w := &watcher{ctx: ctx, progress: progress}
	in, err := prepare(w, sc, shared, nil, func(foresight.Estimate) error { return nil })
	if err != nil {
		return Forecast{}, err
	}
	return Forecast{in.estimate, in.digests()}, nil
}
