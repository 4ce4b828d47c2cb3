package foresight

import (
	"testing"

	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// planned plans a scenario that names no files.
func planned(t *testing.T, yaml string) *plan.Plan {
	t.Helper()
	return plantest.Made(t, yaml, func(sc *scenario.Scenario) (*plan.Plan, error) { return plan.New(sc, plan.Files{}, nil) })
}

func inspected(t *testing.T, yaml string) *Inspection {
	t.Helper()
	return Inspect(planned(t, yaml), []dataset.Size{plantest.Images}, nil, 0)
}
