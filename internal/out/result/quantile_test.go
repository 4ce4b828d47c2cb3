package result

import (
	"testing"

	"railyard/internal/base/unit"
)

// A quantile is a time that was taken: of an even number the median is the lower of the two in the
// middle.
func TestQuantileIsOneOfThose(t *testing.T) {
	for _, c := range []struct {
		q    float64
		of   []unit.Duration
		want unit.Duration
	}{
		{0.5, nil, 0}, {0.5, []unit.Duration{7}, 7}, {0.5, []unit.Duration{3, 9}, 3},
		{0.5, []unit.Duration{1, 5, 9}, 5}, {0.5, []unit.Duration{2, 4, 6, 8}, 4},
		{0, []unit.Duration{2, 4}, 2}, {1, []unit.Duration{2, 4}, 4}, {0.99, []unit.Duration{1, 2, 3, 4}, 4},
		{0.25, []unit.Duration{1, 2, 3, 4}, 1},
	} {
		if got := Quantile(c.of, c.q); got != c.want {
			t.Errorf("quantile %v of %v: %v, want %v", c.q, c.of, got, c.want)
		}
	}
}
