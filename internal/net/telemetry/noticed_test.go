package telemetry

import (
	"testing"

	"railyard/internal/base/unit"
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

// The total of a counter begins with the first read.
func TestTotalOfASeries(t *testing.T) {
	s := Series{At: []unit.Time{0, 10, 20}}
	s.Values[TxBytes] = []int64{100, 130, 135}
	if sum, known := s.Total(TxBytes); sum != 35 || !known {
		t.Errorf("%d, %v", sum, known)
	}
	if sum, known := (&Series{}).Total(TxBytes); sum != 0 || known {
		t.Errorf("of nothing: %d, %v", sum, known)
	}
}
