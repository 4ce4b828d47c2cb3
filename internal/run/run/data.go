package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"railyard/internal/base/located"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Sources keeps what the trainings of one process learn from: it is read once. The zero value is
// ready.
type Sources struct {
	mu  sync.Mutex
	all map[string]*source // by what the scenario says of them
	// known is the digest of the only images, which another process has held against what they must be; "": nobody has.
	known string
}

// A source is what a training learns from. Runs only read it.
type source struct {
	train, test nn.Examples
	are         string // what examples are called: images, windows
	name        string // what input it is: see package result
	digest      string
	size        dataset.Size
	text        *corpus.Corpus // nil: images
	entropy     *float64       // of the test windows, of text that a grammar gives
}

func imageSource(set *dataset.Set, digest string) *source {
	size := set.Train.Shape()
	size.Train, size.Test = set.Train.N, set.Test.N
	return &source{train: &set.Train, test: &set.Test, are: "images", name: result.ImagesInput, digest: digest,
		size: size}
}

// measure says how much a training learns from before any image is drawn or read, and whether what
// it takes is there already; nothing for other jobs. Text is read for it: shared keeps it.
func (s *Sources) measure(ctx context.Context, j *scenario.Job) (size dataset.Size, there bool, err error) {
	if j.Train == nil {
		return size, false, nil
	}
	d := &j.Train.Data
	switch of, _ := d.Drawn(); {
	case of != nil && s.known != "":
		return drawnOf(j).Size(), true, nil
	case of != nil:
		return measureDrawn(ctx, j)
	case d.Text != nil:
		src, err := s.load(ctx, j, func(result.Progress) {})
		if err != nil {
			return size, false, err
		}
		return src.size, true, nil
	case d.Images != nil:
		size, err = picturesOf(d.Images).Measure(ctx)
	default:
		size, err = dataset.Measure(d.Path)
	}
	return size, err == nil, atKey(ctx, dataKey(j), err)
}

// imageIn is the size of the images in a folder that is there; zero: it cannot be known, which whoever reads them
// finds out, or the scenario says it.
func imageIn(ctx context.Context, d *scenario.Data) (v nn.Volume) {
	var size dataset.Size
	var err error
	switch of, _ := d.Drawn(); {
	case of != nil || d.Text != nil:
		return v
	case d.Images != nil:
		size, err = picturesOf(d.Images).Measure(ctx)
	default:
		size, err = dataset.Measure(d.Path)
	}
	if err != nil {
		return v
	}
	return nn.Volume{Channels: max(size.Channels, dataset.Grey), Height: size.Rows, Width: size.Cols}
}

// atKey says which key of the scenario an error is about, unless the run was ended or a file that
// it names has lines of its own to point at.
func atKey(ctx context.Context, path string, err error) error {
	var lines located.Problems
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &lines):
		return lines
	}
	return &plan.FieldError{Path: path, Err: err}
}

// dataKey is the key that names what a training learns from.
func dataKey(j *scenario.Job) string {
	at, d := j.Path()+".train.data", &j.Train.Data
	switch of, name := d.Drawn(); {
	case of != nil:
		return at + "." + name + ".dir"
	case d.Images != nil:
		return at + ".images.dir"
	case d.Text != nil && d.Text.Grammar != nil:
		return at + ".text.grammar.file"
	case d.Text != nil:
		return at + ".text.path"
	}
	return at
}

// measureDrawn says whether images that are drawn are there, and whether they can be.
func measureDrawn(ctx context.Context, j *scenario.Job) (size dataset.Size, there bool, err error) {
	d, name := j.Train.Data.Drawn()
	of := drawnOf(j)
	if err := of.Check(); err != nil {
		return size, false, atKey(ctx, j.Path()+".train.data."+name, err)
	}
	there, err = of.Present(ctx)
	if err == nil && !there && !filepath.IsLocal(d.Dir) {
		err = fmt.Errorf("%s: outside the folder in which railyard runs, and a run makes no folders there: want a "+
			"path below, or make it first: railyard data %s --dir %q --train %d --test %d --seed %d --side %d",
			d.Dir, name, d.Dir, d.Train, d.Test, d.Seed, d.Side)
	}
	return of.Size(), there, atKey(ctx, dataKey(j), err)
}

// drawnOf is the set that a training has drawn where it is missing.
func drawnOf(j *scenario.Job) dataset.Drawn {
	d, name := j.Train.Data.Drawn()
	return DrawnOf(name, d)
}

// DrawnOf is a set to be drawn, of the kind with a name.
func DrawnOf(name string, d *scenario.Drawn) dataset.Drawn {
	return dataset.Drawn{Kind: dataset.KindNamed(name), Dir: d.Dir, Train: d.Train, Test: d.Test, Seed: d.Seed,
		Side: d.Side}
}

func picturesOf(p *scenario.Pictures) dataset.Pictures {
	channels := dataset.Grey
	if p.Colour {
		channels = dataset.Colour
	}
	return dataset.Pictures{Dir: p.Dir, Channels: channels, Rows: p.Side.Or(0), Cols: p.Side.Or(0)}
}

// loadData reads what a training learns from, nil for other jobs, and checks that it fits the
// network.
func loadData(ctx context.Context, j *scenario.Job, m *nn.Model, shared *Sources,
	progress func(result.Progress)) (*source, error) {
	if j.Train == nil {
		return nil, nil
	}
	src, err := shared.load(ctx, j, progress)
	if err != nil {
		return nil, err
	}
	return src, fits(j, m, src)
}

// load reads what a training learns from. It draws images first if the scenario says how and they
// are not there.
func (s *Sources) load(ctx context.Context, j *scenario.Job, progress func(result.Progress)) (*source, error) {
	d := &j.Train.Data
	s.mu.Lock()
	defer s.mu.Unlock()
	if src := s.all[d.Key()]; src != nil {
		return src, nil
	}
	src, err := readSource(ctx, j, s.known, progress)
	if err != nil {
		return nil, atKey(ctx, dataKey(j), err)
	}
	if s.all == nil {
		s.all = map[string]*source{}
	}
	s.all[d.Key()] = src
	return src, nil
}

func readSource(ctx context.Context, j *scenario.Job, known string, progress func(result.Progress)) (src *source, err error) {
	t := j.Train
	reads := result.Progress{Phase: "reading data"}
	if t.Data.Text != nil {
		progress(reads)
		return readText(ctx, t.Data.Text)
	}
	dir := t.Data.Path
	if d, _ := t.Data.Drawn(); d != nil {
		dir = d.Dir
	}
	if d, _ := t.Data.Drawn(); d != nil && known == "" {
		if err := drawnOf(j).Ensure(ctx, func(done, total int) {
			progress(result.Progress{Phase: "making data", Done: int64(done), Total: int64(total)})
		}); err != nil {
			return nil, err
		}
		runtime.GC() // images that were drawn are on disk now: free their memory for reading
	}
	progress(reads)
	var set *dataset.Set
	if t.Data.Images != nil {
		set, err = picturesOf(t.Data.Images).Load(ctx, func(done, total int) {
			progress(result.Progress{Phase: reads.Phase, Done: int64(done), Total: int64(total)})
		})
	} else {
		set, err = dataset.Load(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	if known == "" {
		known = set.Digest()
	}
	return imageSource(set, known), nil
}

// fits reports examples that do not fit the network's inputs or outputs.
func fits(j *scenario.Job, m *nn.Model, src *source) error {
	t := j.Train
	wrong := func(format string, args ...any) error { return misfit(j, format, args...) }
	highest := max(src.train.Classes(), src.test.Classes()) - 1
	switch in, out := m.Inputs(), m.Classes(); {
	case src.text != nil && m.Targets() == 1:
		return wrong("the network has one label for an example, text has one for each token: want a network of text, " +
			"or images")
	case src.text == nil && m.Targets() != 1:
		return wrong("the network takes text, %s are images: want job.train.data.text", t.Data.Name())
	case src.text != nil && in != src.train.Width():
		return wrong("the network takes %d tokens, windows of the text have %d: want %d", in, src.train.Width(),
			src.train.Width())
	case src.text == nil && in != src.train.Width():
		return fitsPixels(j, m, src.size)
	case highest >= out:
		return wrong("last layer has %d outputs, the labels in %s go up to %d: want at least %d", out, t.Data.Name(),
			highest, highest+1)
	}
	return nil
}

// misfit is an error of a network that does not fit what it is to learn from.
func misfit(j *scenario.Job, format string, args ...any) error {
	key := ".train.model"
	switch j.Train.Model {
	case "mlp":
		key = ".train.layers"
	case "file":
		key = ".train.network"
	}
	return &plan.FieldError{Path: j.Path() + key, Err: fmt.Errorf(format, args...)}
}

// fitsPixels reports a network of images with another number of inputs than images of a size have pixels.
func fitsPixels(j *scenario.Job, m *nn.Model, size dataset.Size) error {
	if pixels := max(size.Channels, dataset.Grey) * size.Rows * size.Cols; m.Inputs() != pixels {
		return misfit(j, "first layer has %d inputs, the images in %s have %s = %d pixels: want %d", m.Inputs(), j.Train.Data.Name(),
			size.Pixels(), pixels, pixels)
	}
	return nil
}

// fitsBatch reports a training set that is smaller than what one step takes.
func fitsBatch(j *scenario.Job, examples int) error {
	t, replicas := j.Train, j.Parallel.DP
	if t == nil || t.Batch <= examples/replicas {
		return nil
	}
	are := "images"
	if t.Data.Text != nil {
		are = "windows"
	}
	if examples < replicas {
		return &plan.FieldError{
			Path: j.Path() + ".train.data",
			Err: fmt.Errorf("%s: %d training %s for %d replicas, want "+
				"at least one for each", t.Data.Name(), examples, are, replicas),
		}
	}
	return &plan.FieldError{
		Path: j.Path() + ".train.batch",
		Err: fmt.Errorf("%d on each of %d replicas: one step takes more "+
			"than the %d training %s, want at most %d",
			t.Batch, replicas, examples, are, examples/replicas),
	}
}
