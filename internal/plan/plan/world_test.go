package plan

import (
	"testing"

	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// planned plans a scenario that names no files.
func planned(t *testing.T, yaml string) *Plan {
	t.Helper()
	return plantest.Made(t, yaml, func(sc *scenario.Scenario) (*Plan, error) { return New(sc, Files{}, nil) })
}
