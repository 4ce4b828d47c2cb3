package dataset

// A stream is the SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014): each
// image has its own, derived from (seed, split, index).
type stream uint64

const golden = 0x9e3779b97f4a7c15

func newStream(seed, split, index uint64) stream {
	const label = 0x6469676974730000 // "digits\0\0": apart from other users of the seed
	return stream(mix(mix(mix(mix(label)^seed)+split*golden) + index*golden))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *stream) next() uint64 {
	*s += golden
	return mix(uint64(*s))
}

// below is uniform in 0..n-1 for small n (its bias is n/2^32).
func (s *stream) below(n int) int {
	return int((s.next() >> 32) * uint64(n) >> 32)
}

// between is uniform in [lo, hi).
func (s *stream) between(lo, hi float64) float64 {
	u := float64(float64(s.next()>>11) / (1 << 53))
	return lo + float64(u*(hi-lo))
}

// normal has mean 0, the given standard deviation, and is bell-shaped and
// bounded: the sum of four 16-bit uniforms (Irwin-Hall), at most 3.5 deviations.
func (s *stream) normal(deviation float64) float64 {
	v := s.next()
	sum := int64(v&0xffff) + int64(v>>16&0xffff) + int64(v>>32&0xffff) + int64(v>>48) - 2*0xffff
	const unit = 1.7320508075688772 / 65536 // sqrt(3)/2^16: variance 4/12 becomes 1
	return float64(float64(float64(sum)*unit) * deviation)
}
