package nn

import "math"

// bfloat16 is the upper half of a float32, to the nearest; of two as near the even one. A NaN stays one.
func bfloat16(v float32) uint16 {
	b := math.Float32bits(v)
	if v != v {
		return uint16(b>>16) | 1<<6 // quiet
	}
	return uint16((b + 1<<15 - 1 + b>>16&1) >> 16)
}

func fromBFloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBFloat16 rounds v to bfloat16, FromBFloat16 is the way back.
func ToBFloat16(to []uint16, v []float32) {
	for i, x := range v[:len(to)] {
		to[i] = bfloat16(x)
	}
}

// FromBFloat16 makes float32 of bfloat16: exactly.
func FromBFloat16(to []float32, v []uint16) {
	for i, x := range v[:len(to)] {
		to[i] = fromBFloat16(x)
	}
}

// AddBFloat16 adds v to each element of y, and rounds the sums.
func AddBFloat16(y, v []uint16) {
	for i, x := range v[:len(y)] {
		y[i] = bfloat16(fromBFloat16(y[i]) + fromBFloat16(x))
	}
}

// RoundBFloat16 makes each element what it is as bfloat16.
func RoundBFloat16(v []float32) {
	for i, x := range v {
		v[i] = fromBFloat16(bfloat16(x))
	}
}
