package trial

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// ownByDefault chooses the patterns where none were asked for. The scenario's own traffic is one of them unless it
// would take too long or cannot be played, which is then said. It is played without faults, whose losses no threshold
// cures, and of a training some steps.
func (t *tuning) ownByDefault(ctx context.Context) error {
	t.opt.Patterns = Default
	if reason := t.shorten(); reason != "" {
		return t.without(reason)
	}
	f, err := run.NewForecast(ctx, t.own.scenario, t.sources, func(result.Progress) {})
	switch runs := max(t.opt.Points, 1) * len(t.opt.Seeds); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.without(strings.ReplaceAll(err.Error(), "\n", "; "))
	case f.Seconds*float64(runs) > mostOwnSeconds:
		return t.without(fmt.Sprintf("%d runs of some %.0f s each; --patterns %s plays it all the same", runs, f.Seconds,
			strings.Join(Default, ",")))
	}
	return nil
}

// without leaves the scenario's own traffic out of the default.
func (t *tuning) without(reason string) error {
	t.opt.Patterns = Default[1:]
	t.found.LeftOut = "own traffic is left out: " + reason
	return nil
}

// shorten makes the scenario's own traffic short enough to be played often. It returns why it cannot be played.
func (t *tuning) shorten() (reason string) {
	if t.base.ByFormula() {
		return "run.network: formula has no packets"
	}
	var changes []scenario.Change
	if len(t.base.Faults) > 0 {
		t.own.What += ", without its faults"
		changes = append(changes, scenario.Change{Path: "faults", Remove: true})
	}
	some := false
	for i := range t.base.Jobs {
		j, key := &t.base.Jobs[i], ""
		switch {
		case j.Train != nil && j.Train.Steps.Or(ownSteps+1) > ownSteps:
			key = ".train.steps"
		case j.Model != nil && j.Model.Steps > ownSteps:
			key = ".model.steps"
		case j.Replay != nil && j.Replay.Steps > ownSteps:
			key = ".replay.steps"
		default:
			continue
		}
		some = true
		changes = append(changes, scenario.Change{Path: j.Path() + key, Text: strconv.Itoa(ownSteps)})
	}
	if some {
		t.own.What += fmt.Sprintf(", %d steps of a training", ownSteps)
	}
	sc, err := t.base.With(changes...)
	if err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	t.own.scenario = sc
	return ""
}
