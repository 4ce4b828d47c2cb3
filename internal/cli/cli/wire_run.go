package cli

import (
	"context"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// wired returns the real engine.
func wired() call.Engine {
	return call.Engine{
		Run: func(ctx context.Context, sc *scenario.Scenario, opt call.RunOptions) (*result.Summary, error) {
			return run.Run(ctx, sc, run.Options{Dir: opt.Dir, Force: opt.Force, Progress: opt.Progress, Workers: opt.Workers,
				Resume: opt.Resume, Observe: opt.Observe, Blocks: opt.Blocks, Alone: true})
		},
		Launch: launch.Run,
		Again:  launch.Again,
		Join:   launch.Join,
		Draw:   drawImages,
	}
}

// drawImages makes the folder that o names, unless it is there.
func drawImages(ctx context.Context, kind string, o scenario.Drawn, progress func(done, total int64)) (made bool, err error) {
	err = run.DrawnOf(kind, &o).Ensure(ctx, func(done, total int) {
		made = true // it reports progress only if it draws
		progress(int64(done), int64(total))
	})
	return made, err
}
