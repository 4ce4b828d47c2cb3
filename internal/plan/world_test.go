package plan

import (
	"testing"

	"railyard/internal/plan/plantest"
)

// planned plans a scenario that names no files.
func planned(t *testing.T, yaml string) *Plan {
	t.Helper()
	p, err := New(plantest.Read(t, yaml), Files{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return p
}
