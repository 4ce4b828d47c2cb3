package trial

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/study/sweep"
)

// How far a batch is counts as its part of the whole; what is forecast has run nothing yet.
func TestProgressOfABatch(t *testing.T) {
	var got sweep.Progress
	tu := &tuning{done: 4, total: 10, opt: Options{Progress: func(p sweep.Progress) { got = p }}}
	tell := tu.progress(2)
	tell(sweep.Progress{Phase: "forecast", Done: 2, Total: 2})
	if got.Phase != "runs" || got.Done != 4 || got.Total != 10 || got.Part != 0.4 {
		t.Errorf("%+v", got)
	}
	tell(sweep.Progress{Phase: "runs", Done: 1, Total: 2, Part: 0.5})
	if got.Phase != "runs" || got.Done != 5 || got.Part != 0.5 {
		t.Errorf("%+v", got)
	}
}

// How far means may be off: the distance between the seeds, through their number; of one seed nothing is known.
func TestNoiseOfSeeds(t *testing.T) {
	rows := []sweep.Row{{QueueDelay: 10, StepTime: 100}, {QueueDelay: 30, StepTime: 140}}
	n := noiseOf(rows, 2, []unit.Duration{120})
	if n.Delay != 10 || n.Speed < 0.16 || n.Speed > 0.17 {
		t.Errorf("%+v", n)
	}
	if n := noiseOf(rows[:1], 1, []unit.Duration{100}); n.Delay != 0 || n.Speed != 0 {
		t.Errorf("of one seed %+v", n)
	}
}

// The page of a tuning says so where only some hosts took part.
func TestThePageSaysHowManyHostsTookPart(t *testing.T) {
	for _, c := range []struct {
		slice Slice
		told  bool
	}{{Slice{Hosts: 4, Of: 16}, true}, {Slice{Hosts: 16, Of: 16}, false}} {
		notes := strings.Join((&Found{Slice: c.slice}).Page().Notes, "; ")
		if strings.Contains(notes, "4 of 16 hosts take part") != c.told {
			t.Errorf("%+v: %q", c.slice, notes)
		}
	}
}
