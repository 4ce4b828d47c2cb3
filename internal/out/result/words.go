package result

import "railyard/internal/base/unit"

// LastCollectives names the last n collectives of a step.
func LastCollectives(n int64) string {
	if n == 1 {
		return "its last collective"
	}
	return "its last " + unit.CountOf(n, "collective")
}
