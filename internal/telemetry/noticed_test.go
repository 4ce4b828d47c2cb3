package telemetry

import (
	"testing"

	"railyard/internal/unit"
)

func TestSpanOfASeries(t *testing.T) {
	s := Series{}
	if got := s.Span(); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	s.At = []unit.Time{unit.Time(5 * unit.Second), unit.Time(9 * unit.Second)}
	if got := s.Span(); got != 4*unit.Second {
		t.Errorf("%v, want 4 s", got)
	}
}
