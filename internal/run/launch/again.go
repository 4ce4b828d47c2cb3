package launch

import (
	"context"
	"fmt"

	"railyard/internal/out/result"
	"railyard/internal/run/run"
)

// Again is Run that starts again, at most so many times, when a rank ends the job or holds it up: from the newest whole
// checkpoint, with processes of its own, into a directory of its own. Of several nodes those that are left come again, and spares
// take the places of the others. newDir makes that of each try, from 0. It returns the last
// try's; what is of the others says that they failed.
func Again(ctx context.Context, cfg Config, restarts int, newDir func(try int) (*result.Dir, error)) (dir *result.Dir,
	sum *result.Summary, err error) {
	if cfg.Nodes > 1 {
		cfg.door = newDoor()
		defer func() { cfg.door.close(err) }()
	}
	for try := 0; ; try++ {
		if dir, err = newDir(try); err != nil {
			return nil, nil, err
		}
		cfg.Run.Dir, cfg.left = dir, restarts-try
		sum, err = Run(ctx, cfg)
		if err == nil || ctx.Err() != nil || try == restarts || sum == nil || len(sum.Aborts) == 0 {
			return dir, sum, err
		}
		sum.State, sum.Error = result.Failed, err.Error()
		if written := dir.Finish(sum); written != nil {
			return dir, sum, fmt.Errorf("%w; and it cannot start again: %w", err, written)
		}
		if newer := newest(ctx, dir.Path()); newer != nil {
			cfg.Run.Resume = newer
		}
		from := "its beginning"
		if w := cfg.Run.Resume; w != nil {
			from = fmt.Sprintf("%s, after step %d of the whole job", w.Path, w.Step)
		}
		cfg.Say(fmt.Sprintf("%v; it starts again from %s (restart %d of %d)", err, from, try+1, restarts))
	}
}

// newest is the newest whole checkpoint in a run directory; nil: there is none.
func newest(ctx context.Context, dir string) *run.Resume {
	r, err := result.OpenIncomplete(dir)
	if err != nil {
		return nil
	}
	files, err := r.Weights("")
	if err != nil {
		return nil
	}
	for i, f := range files {
		if w, err := run.ReadResume(ctx, f, files[i+1:]...); err == nil {
			w.Killed = true
			return w
		}
	}
	return nil
}
