package sim

import (
	"math/bits"

	"railyard/internal/base/splitmix"
)

// Stream is a named random stream: it belongs to one owner and depends on the run's seed and its
// own name only.
type Stream struct{ state splitmix.Stream }

// NewStream derives the stream named name and numbered n from a seed.
func NewStream(seed uint64, name string, n uint64) Stream {
	h := splitmix.Mix(seed + splitmix.Gamma)
	for i := range len(name) {
		h = splitmix.Mix(h ^ uint64(name[i])*splitmix.Gamma)
	}
	return Stream{splitmix.Stream(splitmix.Mix(h ^ splitmix.Mix(n+splitmix.Gamma)))}
}

// Uint64 returns the next 64 random bits.
func (s *Stream) Uint64() uint64 { return s.state.Next() }

// Uint32 returns the next 32 random bits.
func (s *Stream) Uint32() uint32 { return uint32(s.Uint64() >> 32) }

// Below returns a number in [0, n), n > 0: multiply-shift, whose bias is below n/2^64.
func (s *Stream) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Uint64(), n)
	return hi
}
