package nn

import "railyard/internal/base/splitmix"

// A Stream gives the first weights of a layer.
type Stream struct{ splitmix.Stream }

// NewStream names a stream "nn/init", layer n, of a seed: the label keeps it
// apart from everybody else's streams of the same seed.
func NewStream(seed, n uint64) *Stream {
	const label = 0x6e6e2f696e697400 // "nn/init\0"
	first := splitmix.Mix(splitmix.Mix(splitmix.Mix(label)^seed) + n*splitmix.Gamma)
	return &Stream{splitmix.Stream(first)}
}

// Symmetric is uniform in [-1, 1): 25 random bits in steps of 2^-24, exact.
func (s *Stream) Symmetric() float32 {
	return float32(float32(int64(s.Next()>>39)-1<<24) / (1 << 24))
}

// Uniform fills p with draws from [-bound, bound).
func (s *Stream) Uniform(p []float32, bound float32) {
	for i := range p {
		p[i] = float32(s.Symmetric() * bound)
	}
}
