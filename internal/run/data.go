package run

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/dataset"
	"railyard/internal/result"
	"railyard/internal/scenario"
)

// loadData reads the images of a training job, making them first if the scenario says how.
func loadData(ctx context.Context, sc *scenario.Scenario, progress func(result.Progress)) (*dataset.Set, error) {
	t := sc.Job.Train
	if t == nil {
		return nil, nil
	}
	if d := t.Data.Digits; d != nil {
		g := dataset.Digits{Dir: d.Dir, Train: d.Train, Test: d.Test, Seed: d.Seed}
		err := g.Ensure(ctx, func(done, total int) {
			progress(result.Progress{Phase: "making data", Done: int64(done), Total: int64(total)})
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &FieldError{"job.train.data.digits.dir", err}
		}
	}
	progress(result.Progress{Phase: "reading data"})
	set, err := dataset.Load(t.Data.Dir())
	if err != nil {
		return nil, &FieldError{"job.train.data", err}
	}
	if err := fitsLayers(t, set); err != nil {
		return nil, &FieldError{"job.train.layers", err}
	}
	return set, nil
}

// fitsLayers reports images or labels that the network has no inputs or outputs for.
func fitsLayers(t *scenario.Train, set *dataset.Set) error {
	if got, want := set.Train.Rows*set.Train.Cols, t.Layers[0]; got != want {
		return fmt.Errorf("first layer has %d inputs, the images in %s have %dx%d = %d pixels: want %d",
			want, t.Data.Dir(), set.Train.Rows, set.Train.Cols, got, got)
	}
	highest := int(max(slices.Max(set.Train.Labels), slices.Max(set.Test.Labels)))
	if out := t.Layers[len(t.Layers)-1]; highest >= out {
		return fmt.Errorf("last layer has %d outputs, the labels in %s go up to %d: want at least %d", out, t.Data.Dir(), highest, highest+1)
	}
	return nil
}

// fitsBatch reports a training set that is smaller than what one step takes.
func fitsBatch(sc *scenario.Scenario, images int) error {
	t, ranks := sc.Job.Train, sc.RankCount()
	if t == nil || t.Batch <= images/ranks {
		return nil
	}
	if images < ranks {
		return &FieldError{"job.train.data", fmt.Errorf("%s: %d training images for %d ranks, want at least one for each", t.Data.Dir(), images, ranks)}
	}
	return &FieldError{"job.train.batch", fmt.Errorf("%d on each of %d ranks: one step takes more than the %d training images, want at most %d",
		t.Batch, ranks, images, images/ranks)}
}
