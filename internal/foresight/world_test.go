package foresight

import (
	"testing"

	"railyard/internal/dataset"
	"railyard/internal/plan"
	"railyard/internal/plan/plantest"
)

// planned plans a scenario that names no files.
func planned(t *testing.T, yaml string) *plan.Plan {
	t.Helper()
	p, err := plan.New(plantest.Read(t, yaml), plan.Files{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return p
}

func inspected(t *testing.T, yaml string) *Inspection {
	t.Helper()
	return Inspect(planned(t, yaml), []dataset.Size{plantest.Images}, nil, 0)
}
