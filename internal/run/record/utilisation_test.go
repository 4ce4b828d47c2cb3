package record

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

func TestUtilisation(t *testing.T) {
	got := utilisation([]unit.Duration{50, 20, 80, 20}, 100)
	want := result.Utilisation{Mean: 0.425, Least: 0.2, LeastRank: 1, Most: 0.8, MostRank: 2}
	if got == nil || *got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := utilisation(make([]unit.Duration, 4), 100); got != nil {
		t.Errorf("nobody computes: %+v", got)
	}
}
