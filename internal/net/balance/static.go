package balance

import "slices"

// modulo takes the remainder of the hash by the number of links (RFC 2992, section 2).
type modulo uint64

func newModulo(_ *Params, g *Group) Chooser { return modulo(len(g.Links)) }

func (n modulo) Pick(f *Frame, _ Links) int { return int(f.Hash % uint64(n)) }

// weighted gives links entries of a table in proportion to their weights, as WCMP (Zhou et al., EuroSys 2014)
// replicates entries of an ECMP table. Here the table is as long as exact proportions need.
type weighted []int64 // sums of the weights up to and with a link

func newWeighted(_ *Params, g *Group) Chooser {
	w, all := make(weighted, len(g.Links)), int64(0)
	by := int64(0)
	for _, l := range g.Links {
		by = divisor(by, l.Weight)
	}
	for i, l := range g.Links {
		all += l.Weight / max(by, 1)
		w[i] = all
	}
	if all == 0 { // nothing is known of the ways: they are alike
		return newModulo(nil, g)
	}
	return w
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (w weighted) Pick(f *Frame, _ Links) int {
	at := int64(f.Hash % uint64(w[len(w)-1]))
	i, found := slices.BinarySearch(w, at)
	if found {
		return i + 1
	}
	return i
}

// resilient hashes to buckets. Each has a home among the links of the whole group; only the buckets of links
// that are gone are dealt to the others, in turn, and come back with them. It is what vendors call resilient
// hashing: a modulo by the number of links moves three flows of four when one of four links is gone.
type resilient []int32 // bucket -> link

func newResilient(p *Params, g *Group) Chooser {
	at := slices.Repeat([]int32{-1}, max(g.Whole, 1)) // by home
	for i, l := range g.Links {
		if l.Home < g.Whole {
			at[l.Home] = int32(i)
		}
	}
	r, dealt := make(resilient, max(p.Buckets, g.Whole)), 0
	for b := range r {
		if r[b] = at[b%len(at)]; r[b] < 0 {
			r[b] = int32(dealt % len(g.Links))
			dealt++
		}
	}
	return r
}

func (r resilient) Pick(f *Frame, _ Links) int { return int(r[f.Hash%uint64(len(r))]) }
