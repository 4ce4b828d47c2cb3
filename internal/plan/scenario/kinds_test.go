package scenario

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
)

// The units of the kinds are those that the decoder knows.
func TestUnitNames(t *testing.T) {
	parse := map[Kind]func(string) error{
		Rate:        func(s string) error { _, err := unit.ParseBitrate(s); return err },
		ByteRate:    func(s string) error { _, err := unit.ParseBitrate(s); return err },
		ComputeRate: func(s string) error { _, err := ParseFLOPS(s); return err },
		ByteCount:   func(s string) error { _, err := unit.ParseBytes(s); return err },
		Time:        func(s string) error { _, err := unit.ParseDuration(s); return err },
		Distance:    func(s string) error { _, err := unit.ParseLength(s); return err },
	}
	known := map[string]bool{}
	kinds := []anyKind{rate, byteRate, computeRate, byteCount, duration, length}
	for _, k := range kinds {
		for _, u := range k.facts().units {
			known[u] = true
		}
	}
	for _, k := range kinds {
		for u := range known {
			name, units := k.facts().name, k.facts().units
			if err := parse[name]("1" + u); (err == nil) != slices.Contains(units, u) {
				t.Errorf("%s in %s: %v", name, u, err)
			}
		}
	}
}
