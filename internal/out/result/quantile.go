package result

import (
	"math"

	"railyard/internal/base/unit"
)

// Quantile returns the duration that the fraction q of those given, in ascending order, did not
// exceed; 0 of none.
func Quantile(ascending []unit.Duration, q float64) unit.Duration {
	if len(ascending) == 0 {
		return 0
	}
	return ascending[max(int(math.Ceil(q*float64(len(ascending)))), 1)-1]
}
