package host

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

// The span of a mark is the one that a look at all of them, from the last on, finds.
func TestSpanOfAMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newShare(100*unit.GigabitPerSec, unit.Millisecond)
		now := unit.Time(0)
		for range rapid.IntRange(0, 40).Draw(t, "flows") {
			now = now.Add(unit.Duration(rapid.Int64Range(0, 50_000).Draw(t, "gap")))
			s.add(now, s.flow(), unit.Bytes(rapid.Int64Range(1, 2000).Draw(t, "bytes")))
		}
		s.advance(now.Add(unit.Duration(rapid.Int64Range(0, int64(unit.Microsecond)).Draw(t, "then"))))
		m := mark(rapid.Int64Range(0, int64(s.now().served)+markByte).Draw(t, "mark"))
		if rapid.Bool().Draw(t, "of a beginning") {
			m = s.spans[rapid.IntRange(0, len(s.spans)-1).Draw(t, "span")].served
		}
		want := len(s.spans) - 1
		for want > 0 && s.spans[want].served >= m {
			want--
		}
		if got := s.spanOf(m); got != want {
			t.Fatalf("mark %d lies in span %d of %d, want %d", m, got, len(s.spans), want)
		}
	})
}
