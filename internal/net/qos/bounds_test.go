package qos

import (
	"testing"

	"railyard/internal/base/unit"
)

// SIGCOMM'15 (DCQCN), section 4: a switch with 12 MB, 32 ports and 8 priorities, headroom 22.4 KB
// for each, at 40 Gb/s.
func TestBufferBoundsOfTheDCQCNPaper(t *testing.T) {
	const ports, classes, headroom = 32, 8, 22_400
	shared := 12*unit.Megabyte - ports*classes*headroom
	if got := StaticBound(shared, ports, classes); got != 24_475 { // the paper prints 24.47 KB
		t.Errorf("static xOFF of at most %v, want 24.475 kB", got)
	}
	// Beta 8: the paper prints 21.75 KB.
	if got := MarkingBound(shared, ports, classes, unit.Ratio{Num: 1, Den: 1}); got != 21_755 {
		t.Errorf("ECN threshold below %v, want 21.755 kB", got)
	}
}

// Alpha 1/8 is for ports of 40 Gb/s; the HPCC authors' model halves a faster port's rate until it
// is not above that, and stops at alpha 1.
func TestAlphaGrowsWithTheRate(t *testing.T) {
	c := PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, AlphaRate: 40 * unit.GigabitPerSec}
	for rate, want := range map[unit.Bitrate]int{25: 0, 40: 0, 50: 1, 80: 1, 100: 2, 160: 2, 200: 3, 400: 3} {
		if got := c.Doublings(rate * unit.GigabitPerSec); got != want {
			t.Errorf("port of %d Gb/s: alpha doubles %d times, want %d", rate, got, want)
		}
	}
	if got := (&PFC{Alpha: c.Alpha}).Doublings(400 * unit.GigabitPerSec); got != 0 {
		t.Errorf("without a rate alpha doubles %d times, want 0", got)
	}
}

// TestHeadroomFormula: 100 Gb/s, 100 m, frames of 9,216 bytes: 70 KiB, as vendors' tables say.
func TestHeadroomFormula(t *testing.T) {
	const fast = 100 * unit.GigabitPerSec
	got := FormulaHeadroom(9216, 0).At(Link{Rate: fast, Delay: 500 * unit.Nanosecond})
	// 2 x 50,000 bit times of cable, 2 x 8 x 9,216, 672 of pause frame, 122,880 of interfaces,
	// 201,728 of response.
	if want := unit.Bytes((100_000 + 147_456 + 672 + 122_880 + 201_728 + 7) / 8); got < want || got > want+1 {
		t.Errorf("headroom %d, want %d", got, want)
	}
	if kib := float64(got) / 1024; kib < 69.5 || kib > 70.5 {
		t.Errorf("headroom %.1f KiB, want about 70", kib)
	}
	if _, _, assumed := Delays(fast); assumed {
		t.Error("100 Gb/s has a row, but is said to be assumed")
	}
	// Where the tables have no row, the next lower one gives the time.
	i200, r200, assumed := Delays(2 * fast)
	if i100, r100, _ := Delays(fast); !assumed || i200 != 2*i100 || r200 != 2*r100 {
		t.Errorf("200 Gb/s: %d and %d bit times, assumed: %v", i200, r200, assumed)
	}
	rule := FormulaHeadroom(1000, 0)
	if a, b := rule.At(Link{Rate: fast}), rule.At(Link{Rate: fast, Delay: unit.Microsecond}); b-a != 25_000 {
		t.Errorf("1 us of cable takes %d bytes, want 25,000", b-a)
	}
}
