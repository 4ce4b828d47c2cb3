package train

import (
	"sync"

	"railyard/internal/base/splitmix"
)

// order gives every epoch its permutation of the examples. The ranks of a job may
// be one step apart, hence in two epochs at once.
type order struct {
	seed     uint64
	examples int

	mu    sync.Mutex
	perms [2]struct {
		epoch int64 // + 1; 0: none yet
		rows  []int
	}
}

// epoch returns the permutation of an epoch. The caller must not change it.
func (o *order) epoch(e int64) []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &o.perms[e&1]
	if p.epoch != e+1 {
		p.epoch, p.rows = e+1, permutation(o.seed, uint64(e), o.examples)
	}
	return p.rows
}

// permutation returns 0..n-1 in random order: Fisher and Yates, as in Knuth, TAOCP
// volume 2, algorithm 3.4.2P, from a stream named "shuffle", seed and epoch.
func permutation(seed, epoch uint64, n int) []int {
	const label = 0x73687566666c6500 // "shuffle\0"
	first := splitmix.Mix(splitmix.Mix(splitmix.Mix(label)^seed) + epoch*splitmix.Gamma)
	s := stream{splitmix.Stream(first)}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := s.below(uint64(i) + 1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// stream draws the order of one epoch.
type stream struct{ splitmix.Stream }

// below returns a number in [0, n), every one equally likely: the 2^64 mod n
// lowest draws are thrown away.
func (s *stream) below(n uint64) uint64 {
	for {
		if x := s.Next(); x >= -n%n {
			return x % n
		}
	}
}
