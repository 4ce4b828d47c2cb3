package headline

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// simulatedHops is how much of a run was simulated, where steps of it were told again.
func simulatedHops(s *result.Summary) found {
	u := s.Reuse
	if u == nil || u.Steps+u.Parts+u.Images == 0 {
		return found{}
	}
	var told []string
	if u.Steps > 0 {
		told = append(told, unit.CountOf(u.Steps, "step"))
	}
	if u.Parts > 0 {
		told = append(told, unit.CountOf(u.Parts, "part")+" of steps")
	}
	if u.Images > 0 {
		told = append(told, unit.CountOf(u.Images, "part")+" of the network")
	}
	return have(float64(u.Simulated), fmt.Sprintf("of these; %s did what others had done, and were told again (run.reuse)",
		strings.Join(told, " and ")))
}
