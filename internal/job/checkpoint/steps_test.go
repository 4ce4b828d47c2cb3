package checkpoint

import (
	"strings"
	"testing"

	"railyard/internal/learn/nn"
)

// What stands in the metadata for a layout must be one that the global batch can have.
func TestLayoutsThatCannotBe(t *testing.T) {
	for _, l := range []Layout{{5, 1, 1, 1, false}, {2, 0, 1, 1, false}, {2, 1, -1, 1, false}, {2, 1, 1, 1<<24 + 1, false}} {
		c := sample()
		c.Layout = l
		if _, err := Read(written(t, c)); err == nil || !strings.Contains(err.Error(), "metadata: layout") {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// A file without a layout, from before there was one, is read, and blames the batch alone.
func TestFilesWithoutALayout(t *testing.T) {
	c := sample()
	c.Layout = Layout{}
	got, err := Read(written(t, c))
	if err != nil || got.Layout != (Layout{}) {
		t.Fatal(err, got.Layout)
	}
}

// The vectors of every optimiser are found again.
func TestVectorsOfEveryOptimiser(t *testing.T) {
	for _, o := range []nn.Optimiser{{}, {Momentum: 1}, {Method: nn.Adam}, {Method: nn.RMSprop}, {Method: nn.RMSprop, Momentum: 1}} {
		c := sample()
		c.Vectors = o.State()
		c.Optimiser = nil
		for i := range c.Vectors {
			v := append([]float32(nil), c.Params...)
			v[0] = float32(i + 1)
			c.Optimiser = append(c.Optimiser, v)
		}
		got, err := Read(written(t, c))
		if err != nil {
			t.Errorf("%v: %v", c.Vectors, err)
			continue
		}
		for i := range c.Vectors {
			if len(got.Vectors) != len(c.Vectors) || got.Vectors[i] != c.Vectors[i] || got.Optimiser[i][0] != float32(i+1) {
				t.Errorf("%v became %v", c.Vectors, got.Vectors)
			}
		}
	}
}
