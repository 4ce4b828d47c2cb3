package run

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"railyard/internal/dataset"
	"railyard/internal/plan"
	"railyard/internal/result"
	"railyard/internal/scenario"
)

// measureData says how many images a training has, before any is drawn or read; nothing for a job
// of flows.
func measureData(ctx context.Context, j *scenario.Job) (size dataset.Size, drawn bool, err error) {
	t := j.Train
	if t == nil {
		return size, false, nil
	}
	d := t.Data.Digits
	if d == nil {
		if size, err = dataset.Measure(t.Data.Path); err != nil {
			return size, false, &plan.FieldError{Path: j.Path() + ".train.data", Err: err}
		}
		return size, true, nil
	}
	there, err := digitsOf(d).Present(ctx)
	switch {
	case ctx.Err() != nil:
		return size, false, ctx.Err()
	case err == nil && !there && !filepath.IsLocal(d.Dir):
		err = fmt.Errorf("%s: outside the folder in which railyard runs, and a run makes no folders there: want a "+
			"path below, or make it first: railyard data digits --dir %q --train %d --test %d --seed %d --side %d",
			d.Dir, d.Dir, d.Train, d.Test, d.Seed, d.Side)
	}
	if err != nil {
		return size, false, &plan.FieldError{Path: j.Path() + ".train.data.digits.dir", Err: err}
	}
	return dataset.Size{Train: d.Train, Test: d.Test, Rows: d.Side, Cols: d.Side}, there, nil
}

func digitsOf(d *scenario.Digits) dataset.Drawn {
	return dataset.Drawn{Dir: d.Dir, Train: d.Train, Test: d.Test, Seed: d.Seed, Side: d.Side}
}

// Images keeps the images that the runs of one process read: a folder is read once. The zero value
// is ready.
type Images struct {
	mu   sync.Mutex
	sets map[string]*imageSet // by what the scenario says of them
}

// imageSet is the images of a folder. Runs only read them.
type imageSet struct {
	*dataset.Set
	digest string
}

// loadData reads the images of a training, nil for other jobs, and checks that they fit the
// network.
func loadData(ctx context.Context, j *scenario.Job, shared *Images, progress func(result.Progress)) (*imageSet, error) {
	if j.Train == nil {
		return nil, nil
	}
	set, err := shared.load(ctx, j, progress)
	if err != nil {
		return nil, err
	}
	if err := fitsLayers(j.Train, set.Set); err != nil {
		return nil, &plan.FieldError{Path: j.Path() + ".train.layers", Err: err}
	}
	return set, nil
}

// load reads the images. It draws them first if the scenario says how and they are not there.
func (im *Images) load(ctx context.Context, j *scenario.Job, progress func(result.Progress)) (*imageSet, error) {
	t := j.Train
	key := t.Data.Path
	if d := t.Data.Digits; d != nil {
		key = fmt.Sprintf("digits %+v", *d)
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if set := im.sets[key]; set != nil {
		return set, nil
	}
	if d := t.Data.Digits; d != nil {
		err := digitsOf(d).Ensure(ctx, func(done, total int) {
			progress(result.Progress{Phase: "making data", Done: int64(done), Total: int64(total)})
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &plan.FieldError{Path: j.Path() + ".train.data.digits.dir", Err: err}
		}
	}
	runtime.GC() // images that were drawn are on disk now: free their memory for reading
	progress(result.Progress{Phase: "reading data"})
	set, err := dataset.Load(ctx, t.Data.Dir())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &plan.FieldError{Path: j.Path() + ".train.data", Err: err}
	}
	if im.sets == nil {
		im.sets = map[string]*imageSet{}
	}
	im.sets[key] = &imageSet{set, set.Digest()}
	return im.sets[key], nil
}

// inputKeys are the keys that name what a run reads: of a job below its own path.
var inputKeys = map[string]string{
	result.ScheduleInput: "collective.schedule",
	result.FlowsInput:    "flows_csv",
	result.ImagesInput:   "train.data",
}

// inputName is the name of an input of a job: its own, or that of the kind and the job of several.
func inputName(sc *scenario.Scenario, job int, kind string) string {
	if len(sc.Jobs) == 1 {
		return kind
	}
	return sc.Jobs[job].Name + "-" + kind
}

// InputKey returns the key of the scenario that names an input, "" if there is none.
func InputKey(sc *scenario.Scenario, name string) string {
	if name == result.TopologyInput {
		return "fabric.topology"
	}
	for i := range sc.Jobs {
		for kind, key := range inputKeys {
			if inputName(sc, i, kind) == name {
				return sc.Jobs[i].Path() + "." + key
			}
		}
	}
	return ""
}

// sameInputs reports an input that has changed since the run that is repeated.
func sameInputs(sc *scenario.Scenario, want, got []result.InputDigest) error {
	for _, w := range want {
		for _, g := range got {
			if g.Name == w.Name && g != w {
				return &plan.FieldError{
					Path: InputKey(sc, w.Name),
					Err: fmt.Errorf("what it names has changed since "+
						"the run that is repeated: its SHA-256 is %s, want %s", g.SHA256, w.SHA256),
				}
			}
		}
	}
	return nil
}

// fitsLayers reports images or labels that do not fit the network's inputs or outputs.
func fitsLayers(t *scenario.Train, set *dataset.Set) error {
	if got, want := set.Train.Rows*set.Train.Cols, t.Layers[0]; got != want {
		return fmt.Errorf("first layer has %d inputs, the images in %s have %dx%d = %d pixels: want %d",
			want, t.Data.Dir(), set.Train.Rows, set.Train.Cols, got, got)
	}
	highest := int(max(slices.Max(set.Train.Labels), slices.Max(set.Test.Labels)))
	if out := t.Layers[len(t.Layers)-1]; highest >= out {
		return fmt.Errorf("last layer has %d outputs, the labels in %s go up to %d: want at least %d", out,
			t.Data.Dir(), highest, highest+1)
	}
	return nil
}

// fitsBatch reports a training set that is smaller than what one step takes.
func fitsBatch(j *scenario.Job, images int) error {
	t, replicas := j.Train, j.Parallel.DP
	if t == nil || t.Batch <= images/replicas {
		return nil
	}
	if images < replicas {
		return &plan.FieldError{
			Path: j.Path() + ".train.data",
			Err: fmt.Errorf("%s: %d training images for %d replicas, want "+
				"at least one for each", t.Data.Dir(), images, replicas),
		}
	}
	return &plan.FieldError{
		Path: j.Path() + ".train.batch",
		Err: fmt.Errorf("%d on each of %d replicas: one step takes more "+
			"than the %d training images, want at most %d",
			t.Batch, replicas, images, images/replicas),
	}
}
