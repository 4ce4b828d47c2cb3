package coll

import "math/bits"

// term is a symbolic value: a contribution, or a sum of two terms. Two values
// are the same term if they are the same additions on the same contributions;
// a+b and b+a are one, since float addition commutes.
type term int32

// nothing is the term of a chunk that holds no contribution.
const nothing term = 0

// leaf is rank's own contribution.
func leaf(rank int) term { return term(rank + 1) }

// terms interns sums and knows the contributions in each.
type terms struct {
	sum map[[2]term]term
	set [][]uint64 // [term] bit set of ranks
}

func newTerms(n int) terms {
	t := terms{sum: map[[2]term]term{}, set: make([][]uint64, n+1)}
	words := (n + 63) / 64
	for i := range t.set {
		t.set[i] = make([]uint64, words)
		if i > 0 {
			t.set[i][(i-1)/64] = 1 << ((i - 1) % 64)
		}
	}
	return t
}

func (t *terms) has(a term, rank int) bool { return t.set[a][rank/64]>>(rank%64)&1 == 1 }

// common returns the ranks that contribute to both a and b.
func (t *terms) common(a, b term) []int {
	var both []int
	for w, x := range t.set[a] {
		for x &= t.set[b][w]; x != 0; x &= x - 1 {
			both = append(both, w*64+bits.TrailingZeros64(x))
		}
	}
	return both
}

// add returns the sum of a and b.
func (t *terms) add(a, b term) term {
	key := [2]term{min(a, b), max(a, b)}
	if s, ok := t.sum[key]; ok {
		return s
	}
	set := append([]uint64(nil), t.set[a]...)
	for w := range set {
		set[w] |= t.set[b][w]
	}
	s := term(len(t.set))
	t.set = append(t.set, set)
	t.sum[key] = s
	return s
}
