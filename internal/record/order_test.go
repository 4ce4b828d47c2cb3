package record

import (
	"slices"
	"testing"

	"railyard/internal/sim"
	"railyard/internal/unit"
)

// Rows that come out of order by less than the lookahead leave in order of time, key and arrival.
func TestRowsLeaveInOrder(t *testing.T) {
	type row struct {
		at  unit.Time
		key int32
		n   int
	}
	for _, lookahead := range []unit.Duration{0, 10, 1000} {
		s := sim.NewStream(1, "rows", uint64(lookahead))
		var in, out []row
		o := ordered[row]{lookahead: lookahead, emit: func(r row) { out = append(out, r) }}
		for window := unit.Time(0); window < unit.Time(50*max(lookahead, 1)); window = window.Add(max(lookahead, 1)) {
			for range s.Below(6) { // islands, in each of which time goes on
				at := window
				for n := s.Below(5); n > 0 && at < window.Add(max(lookahead, 1)); n-- {
					r := row{at, int32(s.Below(3)), len(in)}
					in = append(in, r)
					o.add(r.at, r.key, r)
					at = at.Add(unit.Duration(s.Below(uint64(lookahead/4 + 1))))
				}
			}
			if len(in)-len(out) > 200 {
				t.Fatalf("lookahead %v: %d rows wait", lookahead, len(in)-len(out))
			}
		}
		o.flush(unit.Never)
		slices.SortStableFunc(in, func(a, b row) int {
			return place{a.at, a.key, int32(a.n)}.compare(place{b.at, b.key, int32(b.n)})
		})
		if len(in) < 100 || !slices.Equal(in, out) {
			t.Errorf("lookahead %v: %d rows out of %d, in order: %t", lookahead, len(out), len(in),
				slices.Equal(in, out))
		}
	}
}
