package fabric

import (
	"testing"

	"railyard/internal/unit"
)

// SIGCOMM'15 (DCQCN), section 4: a switch with 12 MB, 32 ports and 8 priorities, headroom 22.4 KB for each, at 40 Gb/s.
func TestBufferBoundsOfTheDCQCNPaper(t *testing.T) {
	const ports, classes, headroom = 32, 8, 22_400
	shared := 12*unit.Megabyte - ports*classes*headroom
	if got := StaticBound(shared, ports, classes); got != 24_475 { // the paper prints 24.47 KB
		t.Errorf("static xOFF of at most %v, want 24.475 kB", got)
	}
	if got := MarkingBound(shared, ports, classes, unit.Ratio{Num: 1, Den: 1}); got != 21_755 { // beta 8: the paper prints 21.75 KB
		t.Errorf("ECN threshold below %v, want 21.755 kB", got)
	}
}
