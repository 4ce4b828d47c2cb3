package switches_test

import (
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

func planned(t *testing.T, yaml string) *plan.Plan {
	t.Helper()
	return plantest.Made(t, yaml, func(sc *scenario.Scenario) (*plan.Plan, error) { return plan.New(sc, plan.Files{}, nil) })
}
