package nn

// A stream is the SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014,
// figure 14): one 64-bit counter and a mixing function, integers only.
type stream uint64

const golden = 0x9e3779b97f4a7c15

// newStream names a stream "nn/init", layer n, of a seed: the label keeps it
// apart from everybody else's streams of the same seed.
func newStream(seed, n uint64) stream {
	const label = 0x6e6e2f696e697400 // "nn/init\0"
	return stream(mix(mix(mix(label)^seed) + n*golden))
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

// symmetric is uniform in [-1, 1): 25 random bits in steps of 2^-24, exact.
func (s *stream) symmetric() float32 {
	return float32(float32(int64(s.next()>>39)-1<<24) / (1 << 24))
}
