package validate

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// Seeds run side by side, and stop when they are told to. The race detector watches this test, and not
// all the experiments.
func TestSeedsRunSideBySide(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var begun atomic.Int32
	s := &suite{ctx: ctx, opt: Options{Seeds: 400, Progress: func(int, int) {}}}
	s.opt.Run = func(ctx context.Context, sc *scenario.Scenario, opt run.Options) (*result.Summary, error) {
		if begun.Add(1) == 20 {
			cancel()
		}
		return run.Run(ctx, sc, opt)
	}
	_, err := s.many(experiment{senders: 2, variant: "hpccdef", bytes: 100_000})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	if n := begun.Load(); n < 20 || n > 300 {
		t.Errorf("%d of 400 had begun: want 20, and those that ran beside them", n)
	}
}
