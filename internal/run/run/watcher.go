package run

import (
	"context"

	"railyard/internal/out/result"
	"railyard/internal/plan/switches"
)

// watcher tells how far the preparation of a run is, and stops it when it is interrupted.
type watcher struct {
	ctx       context.Context
	progress  func(result.Progress)
	steps     int
	configs   []switches.Configuration // in place of the files of fabric.config; nil: they are read
	hostGraph []byte                   // in place of the file of cluster.host.graph; nil: it is read
	blocks    []int64                  // of all-to-alls; nil: as their rows say
}

// betweenLooks is how many steps, of some microseconds each, pass between two checks of the
// context.
const betweenLooks = 1 << 10

// step counts a step of a phase. It returns an error once the run is to stop.
func (w *watcher) step(phase string, done, total int) error {
	if w.steps++; w.steps%betweenLooks != 0 {
		return nil
	}
	w.progress(result.Progress{Phase: phase, Done: int64(done), Total: int64(total)})
	return w.ctx.Err()
}
