package splitmix

// Gamma is what the counter grows by: the odd number nearest to 2^64 divided by the golden ratio.
const Gamma = 0x9e3779b97f4a7c15

// Mix is the mixing function: a bijection whose every output bit depends on every input bit.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A Stream is the state of a generator.
type Stream uint64

// Next returns the next 64 random bits.
func (s *Stream) Next() uint64 {
	*s += Gamma
	return Mix(uint64(*s))
}
