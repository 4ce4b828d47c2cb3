package sim

import "math/bits"

// Stream is a named random stream: it belongs to one owner and depends on the run's seed and its own name only.
// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
type Stream struct{ state uint64 }

const golden = 0x9e3779b97f4a7c15

// NewStream derives the stream named name and numbered n from a seed.
func NewStream(seed uint64, name string, n uint64) Stream {
	h := Mix(seed + golden)
	for i := range len(name) {
		h = Mix(h ^ uint64(name[i])*golden)
	}
	return Stream{Mix(h ^ Mix(n+golden))}
}

// Mix is SplitMix64's finaliser: a bijection whose every output bit depends on every input bit.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 returns the next 64 random bits.
func (s *Stream) Uint64() uint64 {
	s.state += golden
	return Mix(s.state)
}

// Uint32 returns the next 32 random bits.
func (s *Stream) Uint32() uint32 { return uint32(s.Uint64() >> 32) }

// Below returns a number in [0, n), n > 0: multiply-shift, whose bias is below n/2^64.
func (s *Stream) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Uint64(), n)
	return hi
}
