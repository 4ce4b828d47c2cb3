package nn

import "railyard/internal/splitmix"

// A stream gives the first weights of a layer.
type stream struct{ splitmix.Stream }

// newStream names a stream "nn/init", layer n, of a seed: the label keeps it
// apart from everybody else's streams of the same seed.
func newStream(seed, n uint64) stream {
	const label = 0x6e6e2f696e697400 // "nn/init\0"
	first := splitmix.Mix(splitmix.Mix(splitmix.Mix(label)^seed) + n*splitmix.Gamma)
	return stream{splitmix.Stream(first)}
}

// symmetric is uniform in [-1, 1): 25 random bits in steps of 2^-24, exact.
func (s *stream) symmetric() float32 {
	return float32(float32(int64(s.Next()>>39)-1<<24) / (1 << 24))
}
