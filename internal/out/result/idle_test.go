package result

import (
	"testing"

	"railyard/internal/out/parquet"
)

// Two readers of the newest part are kept for the next who asks, none of an older one, whose file it has no more.
func TestIdleReadersOfTheNewestPart(t *testing.T) {
	g := &Groups[EventRow]{parts: make([]part, 2)}
	for _, c := range []struct{ part, want int }{{0, 0}, {1, 1}, {0, 1}, {1, 2}, {1, 2}} {
		g.put(c.part, nil, &parquet.Reader[EventRow]{})
		if n := len(g.idle[nil]); n != c.want {
			t.Errorf("part %d: %d idle, want %d", c.part, n, c.want)
		}
	}
}
