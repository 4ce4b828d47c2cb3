package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// A Job is a variant that is to be run.
type Job struct {
	Key      string  // names its row
	Set      []Value // what was changed, for people
	Scenario *scenario.Scenario
	Inputs   []result.InputDigest // what it reads
	Memory   unit.Bytes           // that it will take, by the forecast
	Seconds  float64              // of a core of the reference machine, likewise: see foresight.Costs
}

// An Engine runs jobs, in this process or elsewhere.
type Engine interface {
	// Run runs all jobs, in whatever order, and tells of each once. It ends when all have been told of, with ctx's error when
	// that ends, or with the first error that it is told.
	Run(ctx context.Context, jobs []Job, sink Sink) error
}

// A Sink takes what comes of jobs, by their numbers. Its methods may be called at the same time.
type Sink interface {
	Done(job int, row *Row, s *result.Summary) error // s is nil where only the row is known
	Refused(job int, err error) error                // it cannot run: whether the sweep goes on
	Progress(job int, p result.Progress)
}

// local is the engine of this process.
type local struct {
	limits  Limits
	sources *run.Sources
	inputs  []result.InputDigest
	figures bool // nobody looks at more of a run
	runner  Runner
	look    func(job int) run.Observer // nil: nobody
}

// Run implements Engine.
func (l *local) Run(ctx context.Context, jobs []Job, sink Sink) error {
	need := func(k int) unit.Bytes { return jobs[k].Memory }
	return Each(ctx, len(jobs), l.limits, need, func(ctx context.Context, k int) error {
		opt := run.Options{Force: true, Sources: l.sources, Inputs: l.inputs, Figures: l.figures,
			Progress: func(p result.Progress) { sink.Progress(k, p) }}
		if l.look != nil {
			opt.Observe = l.look(k)
		}
		row, sum, err := runJob(ctx, l.runner, Here, jobs[k].Scenario, opt)
		switch {
		case ctx.Err() != nil && row == nil:
			return ctx.Err()
		case row == nil:
			return sink.Refused(k, err)
		}
		return sink.Done(k, row, sum)
	})
}

// Here is what the process of the sweep is called as a worker, where it has no queue.
const Here = "here"

// RunJob runs a scenario for a worker and returns its row without key and axes. Without a row it cannot run, or ctx has
// ended before it was through. A run that fails is a row that says so.
func RunJob(ctx context.Context, worker string, sc *scenario.Scenario, opt run.Options) (*Row, *result.Summary, error) {
	return runJob(ctx, run.Run, worker, sc, opt)
}

func runJob(ctx context.Context, runner Runner, worker string, sc *scenario.Scenario, opt run.Options) (*Row, *result.Summary, error) {
	took := run.Stopwatch()
	sum, err := runner(ctx, sc, opt)
	if ctx.Err() != nil && (sum == nil || sum.State != result.Complete) {
		return nil, nil, ctx.Err() // its figures are of a part
	}
	if sum == nil {
		return nil, nil, err
	}
	if err != nil && sum.Error == "" {
		sum.Error = err.Error()
	}
	row := &Row{Cost: Cost{worker, took()}}
	row.fill(sum)
	return row, sum, nil
}

// KeyOf names a run by all that its figures follow from: the version, the resolved scenario, what it reads.
func KeyOf(sc *scenario.Scenario, inputs []result.InputDigest) string {
	return KeyOfText(sc.YAML(), inputs)
}

// KeyOfText is KeyOf for the text of a resolved scenario.
func KeyOfText(resolved []byte, inputs []result.InputDigest) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n%s", result.Version, rowFormat, resolved)
	for _, in := range inputs {
		fmt.Fprintf(h, "%s %s\n", in.Name, in.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
