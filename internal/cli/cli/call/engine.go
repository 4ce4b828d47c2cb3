package call

import (
	"context"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// Engine is what the commands call: the packages that do the work. Tests put a
// small fake in its place.
type Engine struct {
	// Run runs a scenario into a directory. It calls Begin of that once the run is certain to
	// start, fills the tables, and leaves Finish to the caller. When ctx ends it
	// stops at the next safe point and returns what it has, state interrupted.
	// With an error, a summary may come too: what was done before the failure.
	Run func(ctx context.Context, sc *scenario.Scenario, opt RunOptions) (*result.Summary, error)

	// Launch runs a scenario whose ranks are processes, Again does so as often as it may when one dies, and Join runs those of
	// a host that is not the first.
	Launch func(ctx context.Context, cfg launch.Config) (*result.Summary, error)
	Again  func(ctx context.Context, cfg launch.Config, restarts int, newDir func(try int) (*result.Dir, error)) (*result.Dir,
		*result.Summary, error)
	Join func(ctx context.Context, cfg launch.Config) error

	// Draw draws the images of o, digits or shapes as kind says, into o.Dir, unless they
	// are there already; made tells which. progress counts images.
	Draw func(ctx context.Context, kind string, o scenario.Drawn, progress func(done, total int64)) (made bool,
		err error)
}

// RunOptions is what the command line adds to a scenario.
type RunOptions struct {
	Dir      *result.Dir
	Force    bool // run although the estimate is over the limits
	Progress func(result.Progress)
	Workers  int         // cores; -1: as many as there are
	Resume   *run.Resume // weights from which a training goes on; nil: from the beginning
	Observe  run.Observer
	Blocks   []int64 // what each rank has for each in all-to-alls of job.collectives; nil: as rows say
}
