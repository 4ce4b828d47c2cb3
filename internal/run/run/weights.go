package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/job/checkpoint"
	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Resume is what a training goes on from.
type Resume struct {
	*checkpoint.Checkpoint
	File, SHA256 string // of the file, for run.json
	Path         string // where it was read
	Killed       bool   // the run that they are of never came to its end
	before       []string
}

// ReadResume reads what a training goes on from. before names the weights of the same run before them, newest first.
func ReadResume(ctx context.Context, file string, before ...string) (*Resume, error) {
	var c *checkpoint.Checkpoint
	var b []byte
	err := weightsFit(file)
	if err == nil {
		if b, err = input.Read(ctx, file, result.MaxWeights); err != nil {
			return nil, fmt.Errorf("weights %s: %w", file, err)
		}
		c, err = checkpoint.Read(b)
	}
	if err != nil {
		older := ""
		if len(before) > 0 {
			older = "; there are older ones: " + before[0]
		}
		return nil, fmt.Errorf("weights %s: %w%s", file, err, older)
	}
	sum := sha256.Sum256(b)
	return &Resume{Checkpoint: c, File: filepath.Base(file), SHA256: hex.EncodeToString(sum[:]), Path: file,
		before: before}, nil
}

// weightsFit holds a header against the length of its file, before all of it is read: it may be of
// gigabytes. A file that cannot be opened is for who reads it.
func weightsFit(file string) error {
	f, length, err := input.Open(file)
	if err != nil || length > result.MaxWeights {
		return nil
	}
	defer f.Close()
	return checkpoint.Fits(f, length)
}

// folder is the name of the folder of a job's weights: none where there is one job.
func (j *job) folder() string {
	if len(j.run.jobs) == 1 {
		return ""
	}
	return j.plan.Spec.Name
}

// about says what the weights of a training belong to. The digest of its images is not known before
// they are read.
func about(sc *scenario.Scenario, j *plan.Job, size dataset.Size) checkpoint.Training {
	t := j.Spec.Train
	global := t.Batch * j.Replicas()
	of := checkpoint.Training{
		Name:        sc.Name,
		Seed:        sc.Seed,
		Loss:        j.Model.LossOf().String(),
		Kernel:      t.Kernel,
		Rows:        size.Rows,
		Cols:        size.Cols,
		Channels:    channels(size),
		GlobalBatch: global,
		EpochSteps:  int64(size.Train / global),
		Layout:      layoutOf(sc, j),
		Vectors:     j.Optimiser.State(),
	}
	if t.Model == "mlp" {
		of.Layers, of.Activation = t.Layers, t.Activation
	} else {
		of.Model = j.Network
	}
	return of
}

// layoutOf says how many replicas share a step, and what that follows from.
func layoutOf(sc *scenario.Scenario, j *plan.Job) checkpoint.Layout {
	l := checkpoint.Layout{Replicas: j.Replicas(), Parts: j.Spec.Parallel.TP, Stages: j.Spec.Parallel.PP, Hosts: sc.Cluster.Hosts}
	path := j.Spec.Path() + ".parallel.dp"
	for _, f := range sc.Fields() {
		l.Stated = l.Stated || f.Path == path && f.Origin != "default"
	}
	return l
}

// channels are those of an image in colour, else 0.
func channels(size dataset.Size) int {
	if size.Channels == dataset.Colour {
		return size.Channels
	}
	return 0
}

// learned says what the weights are learned from.
func learned(t *checkpoint.Training, src *source) {
	t.Images = src.digest
	if src.text != nil {
		t.Text, t.Sentences = src.text.Vocabulary, src.text.Sentences
	}
}

// fields are the keys of a scenario that say what a Mismatch of a job names.
func fields(job string, t *scenario.Train) map[string]string {
	optimiser := ".train.optimiser"
	if t.Optimiser == "sgd" {
		optimiser = ".train.momentum" // that decides what it keeps
	}
	return map[string]string{
		"Layers":      job + ".train.layers",
		"Model":       job + ".train.model",
		"Activation":  job + ".train.activation",
		"Loss":        job + ".train.loss",
		"Optimiser":   job + optimiser,
		"Seed":        "seed",
		"GlobalBatch": job + ".train.batch",
		"Examples":    job + ".train.data",
		"Replicas":    job + ".parallel.dp",
		"Parts":       job + ".parallel.tp",
		"Stages":      job + ".parallel.pp",
		"Hosts":       "cluster.hosts",
		"GPUs":        "cluster.host.gpus",
	}
}

// settle is goOn for a run that may have been killed after its last step, before it said what came of it: then nothing
// is left to go on with, and its end is had from earlier weights, which lead to the same ones, or from the beginning.
func (from *Resume) settle(ctx context.Context, p *plan.Plan, size dataset.Size) (of *Resume, start *train.State, err error) {
	for {
		start, err = from.goOn(p, size)
		if !errors.As(err, new(*noStep)) || !from.Killed {
			return from, start, err
		}
		if len(from.before) == 0 {
			return nil, nil, nil
		}
		if from, err = ReadResume(ctx, from.before[0], from.before[1:]...); err != nil {
			return nil, nil, err
		}
		from.Killed = true
	}
}

// noStep says that weights are those after the last step.
type noStep struct{ error }

func (e *noStep) Unwrap() error { return e.error }

// goOn returns the state from which the training goes on, nil for its beginning.
func (from *Resume) goOn(p *plan.Plan, size dataset.Size) (*train.State, error) {
	if from == nil {
		return nil, nil
	}
	sc := p.Scenario
	if n := len(sc.Jobs); n > 1 {
		return nil, fmt.Errorf("%s has %d jobs: want one to go on from weights", sc.Name, n)
	}
	t, job := sc.Jobs[0].Train, sc.Jobs[0].Path()
	if t == nil {
		return nil, fmt.Errorf("%s of %s has no weights to go on from: want %s.train", job, sc.Name, job)
	}
	state, mismatches := from.Continue(about(sc, &p.Jobs[0], size))
	var problems located.Problems
	for _, m := range mismatches {
		problems = append(problems, sc.Located(scenario.Finding{
			Severity: scenario.Error,
			Path:     fields(job, t)[m.Field],
			Message:  m.Text,
		}))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if last := p.Jobs[0].Steps(size.Train); state.Step >= last {
		key, raise := job+".train.epochs", fmt.Sprintf("%d epochs", t.Epochs)
		if t.Steps.Set && int64(t.Steps.Value) == last {
			key = job + ".train.steps"
			raise = fmt.Sprintf("%s %d", key, t.Steps.Value)
		}
		over := &plan.FieldError{Path: key, Err: fmt.Errorf("%s end after step %d, and the weights are those after step %d: want more",
			raise, last, state.Step)}
		if state.Step == last {
			return nil, &noStep{over}
		}
		return nil, over
	}
	return &state, nil
}

// sameData reports weights that were trained on other images or text.
func (from *Resume) sameData(sc *scenario.Scenario, src *source) error {
	if from == nil || from.Images == src.digest {
		return nil
	}
	return &plan.FieldError{Path: sc.Jobs[0].Path() + ".train.data", Err: fmt.Errorf("the %s are not those that the weights were "+
		"trained on: their SHA-256 is %s, want %s", src.are, src.digest, from.Images)}
}

// resumed is what the summary says of it.
func (from *Resume) resumed(start *train.State) *result.Resumed {
	if from == nil {
		return nil
	}
	return &result.Resumed{Name: from.Name, Step: start.Step, File: from.File, SHA256: from.SHA256}
}

// note is a sentence for the summary.
func (from *Resume) note(start *train.State) string {
	if from == nil {
		return "the training was killed after its last step, and left no weights of a step before: it was done again from " +
			"the beginning"
	}
	here := ""
	if start.Step != from.Step {
		here = fmt.Sprintf(", which is %d with this global batch", start.Step)
	}
	return fmt.Sprintf("the training went on from %s of %s, after step %d%s. Steps and times are counted from there: the "+
		"network and the ranks began idle", from.File, from.Name, from.Step, here)
}

// ended takes a step of a job's life that all its ranks have ended.
func (r *runner) ended(job int, step int64, at unit.Time, loss float64) {
	j := r.jobs[job]
	if j.train != nil {
		r.diverge(job, j.first+step, at, loss)
		j.keep(step)
	}
	j.saved(step, at)
	r.reuse.ended(step, at)
}

// keep keeps the state after a step of this life, and writes it now and then.
func (j *job) keep(step int64) {
	switch {
	case !j.keeps():
		return
	case j.nan:
		j.train.LetGo(step)
		return
	}
	j.keepState(step)
}

// keepState makes what ranks hold after a step the state that is kept, and writes it now and then.
func (j *job) keepState(step int64) {
	j.train.Keep(&j.kept.State, step)
	if j.fresh = false; j.run.opt.Dir == nil {
		return
	}
	if every := j.keptEvery(); every > 0 && j.kept.Step%every == 0 {
		j.train.Gather(&j.kept.State)
		// An error stops the run: the directory remembers it.
		_ = j.run.opt.Dir.KeepCheckpoint(j.folder(), j.kept.Step, j.plan.Spec.Train.Checkpoint.Keep, j.kept.Write)
	}
}

// keptEvery is after how many steps weights are written; 0: only after the last.
func (j *job) keptEvery() int64 {
	switch c := j.plan.Spec.Train.Checkpoint; c.Every.Word {
	case "none":
		return 0
	case "epoch":
		return j.kept.EpochSteps
	default:
		return int64(c.Every.Value)
	}
}

// keepWeights writes those after the last step that all ranks ended, unless they are no numbers.
func (j *job) keepWeights() {
	if j.kept.Step > 0 && !j.nan {
		if !j.fresh {
			j.train.Gather(&j.kept.State)
		}
		_ = j.run.opt.Dir.KeepWeights(j.folder(), j.kept.Write)
	}
}
