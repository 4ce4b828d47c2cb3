package dataset

import "railyard/internal/base/splitmix"

// A stream draws one image: each has its own, derived from
// (label, seed, split, index).
type stream struct{ splitmix.Stream }

func newStream(label, seed, split, index uint64) stream {
	state := splitmix.Mix(splitmix.Mix(label) ^ seed)
	state = splitmix.Mix(state + split*splitmix.Gamma)
	return stream{splitmix.Stream(splitmix.Mix(state + index*splitmix.Gamma))}
}

// below is uniform in 0..n-1 for small n (its bias is n/2^32).
func (s *stream) below(n int) int {
	return int((s.Next() >> 32) * uint64(n) >> 32)
}

// between is uniform in [lo, hi).
func (s *stream) between(lo, hi float64) float64 {
	u := float64(float64(s.Next()>>11) / (1 << 53))
	return lo + float64(u*(hi-lo))
}

// normal has mean 0, the given standard deviation, and is bell-shaped and
// bounded: the sum of four 16-bit uniforms (Irwin-Hall), at most 3.5 deviations.
func (s *stream) normal(deviation float64) float64 {
	v := s.Next()
	sum := int64(v&0xffff) + int64(v>>16&0xffff) + int64(v>>32&0xffff) + int64(v>>48) - 2*0xffff
	const unit = 1.7320508075688772 / 65536 // sqrt(3)/2^16: variance 4/12 becomes 1
	return float64(float64(float64(sum)*unit) * deviation)
}
