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

// Alpha 1/8 is for ports of 40 Gb/s; the HPCC authors' model halves a faster port's rate until it is not above that, and stops at alpha 1.
func TestAlphaGrowsWithTheRate(t *testing.T) {
	c := PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, AlphaRate: 40 * unit.GigabitPerSec}
	for rate, want := range map[unit.Bitrate]uint8{25: 0, 40: 0, 50: 1, 80: 1, 100: 2, 160: 2, 200: 3, 400: 3} {
		if got := c.doublings(rate * unit.GigabitPerSec); got != want {
			t.Errorf("port of %d Gb/s: alpha doubles %d times, want %d", rate, got, want)
		}
	}
	if got := (&PFC{Alpha: c.Alpha}).doublings(400 * unit.GigabitPerSec); got != 0 {
		t.Errorf("without a rate alpha doubles %d times, want 0", got)
	}
}
