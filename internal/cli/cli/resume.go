package cli

import (
	"context"
	"errors"
	"os"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/whatif"
)

// resumed is what a run goes on from.
type resumed struct {
	run   *result.Run // nil: a file of weights alone
	files []string    // newest first, at least one
}

// runResumed is `railyard run --resume`.
func (c *runCall) runResumed(ctx context.Context, args []string, many bool) error {
	if many {
		return call.Misuse("run: --resume %s: it goes on with one run, want no --seeds and no --set with several values",
			c.f.resume)
	}
	file := ""
	if len(args) > 0 {
		file = args[0]
	}
	from, err := findWeights(c.f.resume)
	if err != nil {
		return err
	}
	if from.run == nil && file == "" {
		return call.Misuse("run: --resume %s: is a file, which has no scenario: want FILE after it, or a run directory",
			c.f.resume)
	}
	return c.runFile(ctx, file, from)
}

// findWeights finds the newest weights of a run directory; a file of weights is itself.
func findWeights(path string) (*resumed, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return &resumed{files: []string{path}}, nil
	}
	r, err := result.OpenIncomplete(path)
	if err != nil {
		return nil, call.Misuse("%w", err)
	}
	from := &resumed{run: r}
	if from.files, err = r.Weights(""); err != nil {
		return nil, call.Misuse("%w", err)
	}
	return from, nil
}

// read reads the weights; nil from nothing.
func (from *resumed) read(ctx context.Context) (*run.Resume, error) {
	if from == nil {
		return nil, nil
	}
	w, err := run.ReadResume(ctx, from.files[0], from.files[1:]...)
	switch {
	case ctx.Err() != nil:
		return nil, &call.Exit{Code: call.Interrupted,
			Err: errors.New("interrupted before the run began; nothing was kept")}
	case err != nil:
		return nil, call.Misuse("%w", err)
	}
	w.Killed = from.run != nil && from.run.Summary.State != result.Complete
	return w, nil
}

// loadAgain is load for the scenario that a run directory keeps.
func (c *runCall) loadAgain(p *call.Progress, r *result.Run) (*scenario.Scenario, error) {
	sc, err := whatif.Scenario(r)
	if err != nil {
		return nil, err
	}
	return c.changed(p, r.InputPath(result.ScenarioInput), sc.Source(), sc, c.f)
}
