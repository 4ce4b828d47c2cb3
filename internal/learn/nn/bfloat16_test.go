package nn

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Ties go to the even neighbour, what is too large to infinity, and a NaN stays one.
func TestBFloat16RoundsToNearestEven(t *testing.T) {
	for from, want := range map[uint32]uint16{
		0x3f800000: 0x3f80, 0x3f808000: 0x3f80, 0x3f808001: 0x3f81, 0x3f818000: 0x3f82, 0x3f817fff: 0x3f81,
		0xbf818000: 0xbf82, 0x7f7fffff: 0x7f80, 0x7f800000: 0x7f80, 0x80000000: 0x8000, 0x00000001: 0, 0x00008001: 1,
	} {
		if got := bfloat16(math.Float32frombits(from)); got != want {
			t.Errorf("%08x: %04x, want %04x", from, got, want)
		}
	}
	if v := fromBFloat16(bfloat16(math.Float32frombits(0x7f800001))); v == v {
		t.Errorf("a NaN became %v", v)
	}
}

// No bfloat16 is nearer than the one that is taken.
func TestBFloat16IsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float32Range(-1e30, 1e30).Draw(t, "v")
		h := bfloat16(v)
		off := func(h uint16) float64 { return math.Abs(float64(fromBFloat16(h)) - float64(v)) }
		if off(h+1) < off(h) || h&0x7fff > 0 && off(h-1) < off(h) {
			t.Fatalf("%v became %v", v, fromBFloat16(h))
		}
	})
}
