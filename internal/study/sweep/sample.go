package sweep

import (
	"fmt"

	"railyard/internal/base/splitmix"
	"railyard/internal/plan/scenario"
)

// sampler returns the points of a design in [0, 1) for so many axes: the n-th, false where there are no more.
func sampler(s *scenario.Sample, axes int) (func(n int) ([]float64, bool), error) {
	switch s.Design {
	case scenario.SampleSobol:
		return sobol(s.Seed, axes)
	case scenario.SampleLatinHypercube:
		return latin(s.Seed, axes, s.Points), nil
	}
	draws := splitmix.Stream(splitmix.Mix(s.Seed))
	return func(int) ([]float64, bool) {
		u := make([]float64, axes)
		for i := range u {
			u[i] = part(draws.Next())
		}
		return u, true
	}, nil
}

// part is a draw as a number in [0, 1), in steps of 2^-53.
func part(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// latin draws a Latin hypercube (McKay, Beckman and Conover 1979): each axis is cut into as many parts as there are points,
// and each part has one.
func latin(seed uint64, axes, points int) func(n int) ([]float64, bool) {
	draws := splitmix.Stream(splitmix.Mix(seed))
	order := make([][]int, axes)
	for i := range order {
		order[i] = make([]int, points)
		for k := range order[i] {
			j := int(draws.Next() % uint64(k+1)) // Fisher and Yates, inside out
			order[i][k], order[i][j] = order[i][j], k
		}
	}
	return func(n int) ([]float64, bool) {
		if n >= points {
			return nil, false
		}
		u := make([]float64, axes)
		for i := range u {
			u[i] = (float64(order[i][n]) + part(draws.Next())) / float64(points)
		}
		return u, true
	}
}

// joeKuo has for each axis behind the first the degree of its primitive polynomial, the coefficients between the first and
// the last, and the first direction numbers (Joe and Kuo 2008, new-joe-kuo-6).
var joeKuo = []struct {
	degree, a int
	m         []uint64
}{
	{1, 0, []uint64{1}},
	{2, 1, []uint64{1, 3}},
	{3, 1, []uint64{1, 3, 1}},
	{3, 2, []uint64{1, 1, 1}},
	{4, 1, []uint64{1, 1, 3, 3}},
	{4, 4, []uint64{1, 3, 5, 13}},
	{5, 2, []uint64{1, 1, 5, 5, 17}},
	{5, 4, []uint64{1, 1, 5, 5, 5}},
	{5, 7, []uint64{1, 1, 7, 11, 19}},
	{5, 11, []uint64{1, 1, 5, 1, 1}},
	{5, 13, []uint64{1, 1, 1, 3, 11}},
	{5, 14, []uint64{1, 3, 5, 5, 31}},
	{6, 1, []uint64{1, 3, 3, 9, 7, 49}},
	{6, 13, []uint64{1, 1, 1, 15, 21, 21}},
	{6, 16, []uint64{1, 3, 1, 13, 27, 49}},
}

// sobolBits is how many bits points have.
const sobolBits = 32

// sobol is the sequence of Sobol, in Gray code order (Antonov and Saleev 1979), with a digital shift that follows from the
// seed: any 2^k points that follow each other from a multiple of 2^k on have one in each of 2^k equal parts of every axis.
func sobol(seed uint64, axes int) (func(n int) ([]float64, bool), error) {
	if axes > len(joeKuo)+1 {
		return nil, fmt.Errorf("%d axes: sobol has directions for %d, want latin-hypercube or random", axes, len(joeKuo)+1)
	}
	directions := make([][]uint64, axes)
	shift := make([]uint64, axes)
	draws := splitmix.Stream(splitmix.Mix(seed))
	for i := range directions {
		directions[i] = directionsOf(i)
		shift[i] = draws.Next() >> (64 - sobolBits)
	}
	return func(n int) ([]float64, bool) {
		gray := uint64(n) ^ uint64(n)>>1
		u := make([]float64, axes)
		for i := range u {
			x := shift[i]
			for b := 0; gray>>b != 0; b++ {
				if gray>>b&1 == 1 {
					x ^= directions[i][b]
				}
			}
			u[i] = float64(x) / (1 << sobolBits)
		}
		return u, n < 1<<sobolBits
	}, nil
}

// directionsOf are the direction numbers of an axis: those of the first are the van der Corput sequence's.
func directionsOf(axis int) []uint64 {
	v := make([]uint64, sobolBits)
	if axis == 0 {
		for b := range v {
			v[b] = 1 << (sobolBits - 1 - b)
		}
		return v
	}
	p := joeKuo[axis-1]
	for b := range v {
		if b < p.degree {
			v[b] = p.m[b] << (sobolBits - 1 - b)
			continue
		}
		v[b] = v[b-p.degree] ^ v[b-p.degree]>>p.degree
		for k := 1; k < p.degree; k++ {
			if p.a>>(p.degree-1-k)&1 == 1 {
				v[b] ^= v[b-k]
			}
		}
	}
	return v
}
