package record

import (
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// utilisation is how much of a job's time its GPUs have computed, by rank; nil where none did.
func utilisation(busy []unit.Duration, span unit.Duration) *result.Utilisation {
	least, most, sum := 0, 0, unit.Duration(0)
	for r, d := range busy {
		sum += d
		if d < busy[least] {
			least = r
		}
		if d > busy[most] {
			most = r
		}
	}
	if sum == 0 {
		return nil
	}
	share := func(d unit.Duration) float64 { return float64(d) / float64(span) }
	return &result.Utilisation{Mean: share(sum) / float64(len(busy)), Least: share(busy[least]),
		LeastRank: int32(least), Most: share(busy[most]), MostRank: int32(most)}
}
