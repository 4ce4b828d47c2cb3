package headline

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// simulatedHops is how much of a run was simulated, where steps of it were told again.
func simulatedHops(s *result.Summary) found {
	if s.Reuse == nil || s.Reuse.Steps == 0 {
		return found{}
	}
	return have(float64(s.Reuse.Simulated), fmt.Sprintf("of these; %s did what others had done, and were told again (run.reuse)",
		unit.CountOf(s.Reuse.Steps, "step")))
}
