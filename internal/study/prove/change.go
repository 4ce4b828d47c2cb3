package prove

import (
	"context"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/run/run"
)

// A Change is what a set of configurations does to a scenario's own job, against another set.
type Change struct {
	Measure string   `json:"measure"` // of Figures the first: step, or slowest flow where a job has no steps
	Slower  float64  `json:"slower"`  // how much longer it takes: 0.1 is a tenth, less than 0 is faster
	Figures []Figure `json:"figures"` // Broken is before, Mended after
	Before  string   `json:"before_failed,omitempty"`
	After   string   `json:"after_failed,omitempty"` // why the job did not come to its end
}

// configured is a scenario with the configurations of devices.
func configured(sc *scenario.Scenario, devices []*lint.Device) (*scenario.Scenario, []switches.Configuration, error) {
	full, err := sc.With(scenario.Change{Path: "fabric.config", Text: "configurations"})
	if err != nil {
		return nil, nil, err
	}
	var all []switches.Configuration
	for _, d := range devices {
		parsed := *d.Parsed
		of := *parsed.Device
		of.Name = d.Meant()
		parsed.Device = &of
		all = append(all, switches.Configuration{Name: of.Name, Files: []netconf.File{{Name: d.File}}, Parsed: &parsed})
	}
	return full, all, nil
}

// Forecast is what one of the two runs of Changed costs.
func Forecast(ctx context.Context, sc *scenario.Scenario) (foresight.Estimate, error) {
	f, err := run.NewForecast(ctx, sc, nil, func(result.Progress) {})
	return f.Estimate, err
}

// Changed runs a scenario with configurations as they were and as they are. The error is that of a run that could not
// begin; one that does not come to its end is in the Change.
func Changed(ctx context.Context, sc *scenario.Scenario, before, after []*lint.Device, force bool) (*Change, error) {
	c := &Change{}
	var sums [2]*result.Summary
	for k, devices := range [2][]*lint.Device{before, after} {
		full, configs, err := configured(sc, devices)
		if err != nil {
			return nil, err
		}
		sum, err := run.Run(ctx, full, run.Options{Configs: configs, Force: force})
		if sum == nil || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", [2]string{"before", "after"}[k], err)
		}
		if err != nil {
			*[2]*string{&c.Before, &c.After}[k] = err.Error()
		}
		sums[k] = sum
	}
	c.Measure = "slowest flow"
	if sums[0].StepTime > 0 && sums[1].StepTime > 0 {
		c.Measure = "step"
		c.Figures = append(c.Figures, Figure{Name: "step", Unit: "ps", Broken: int64(sums[0].StepTime), Mended: int64(sums[1].StepTime)})
	}
	for _, name := range always {
		of := figures[name]
		if f := (Figure{Name: name, Unit: of.unit, Broken: of.value(sums[0]), Mended: of.value(sums[1])}); f.Broken != absent {
			c.Figures = append(c.Figures, f)
			if name == c.Measure { // first
				c.Figures[0], c.Figures[len(c.Figures)-1] = c.Figures[len(c.Figures)-1], c.Figures[0]
			}
		}
	}
	if f := &c.Figures[0]; f.Broken > 0 && f.Broken != never && f.Mended != never {
		c.Slower = float64(f.Mended)/float64(f.Broken) - 1
	}
	return c, nil
}

// String says what a change does in a sentence.
func (c *Change) String() string {
	what := map[string]string{"step": "a step"}[c.Measure]
	if what == "" {
		what = "the slowest flow"
	}
	f := &c.Figures[0]
	switch {
	case c.After != "" && c.Before == "", f.Mended == never && f.Broken != never:
		return "with this change set the job does not come to its end"
	case c.Before != "" && c.After == "", f.Broken == never && f.Mended != never:
		return "with this change set the job comes to its end, which it did not before"
	case f.Broken == f.Mended:
		return "this change set changes nothing of " + what
	case c.Slower < 0:
		return fmt.Sprintf("this change set makes %s %s faster", what, unit.Percent(-c.Slower))
	}
	return fmt.Sprintf("this change set makes %s %s slower", what, unit.Percent(c.Slower))
}
