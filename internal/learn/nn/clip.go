package nn

import (
	"math"
	"math/bits"
)

// Squares is an exact sum of squares of float32, so that it does not depend on the order of its terms,
// nor on who has which of them. A square is an integer of 48 bits times a power of two; those of one
// exponent are summed as integers of 128 bits. In all a sum of as many as 2^64 squares has 640 bits:
//
//	sum of squares = sum over i of digit i x 2^(8i - 298)    digits of 8 bits, lowest first
//
// As float32 the digits of up to 65,536 ranks are added without rounding, in any order: an all-reduce
// makes them the digits of the sum. One more element counts ranks with something that is no number.
type Squares struct {
	low, high [255]uint64 // by exponent as float32 has it
	wrong     bool        // something is infinite or no number
}

// squareDigits are the digits of a sum, SquareElems what ranks sum.
const (
	squareWords  = 10
	squareDigits = 8 * squareWords
	SquareElems  = squareDigits + 1
)

// Clear begins a sum.
func (s *Squares) Clear() { *s = Squares{} }

// Add adds the squares of v.
func (s *Squares) Add(v []float32) {
	for _, x := range v {
		b := math.Float32bits(x)
		exponent, m := b>>23&255, uint64(b&(1<<23-1))
		switch exponent {
		case 255:
			s.wrong = true
			continue
		case 0: // has the scale of exponent 1
		default:
			m |= 1 << 23
		}
		_, square := bits.Mul64(m, m)
		var carry uint64
		s.low[exponent], carry = bits.Add64(s.low[exponent], square, 0)
		s.high[exponent] += carry
	}
}

// Digits writes the sum for others: SquareElems elements.
func (s *Squares) Digits(to []float32) {
	var words [squareWords + 1]uint64
	for e := range s.low {
		at := 2 * max(0, e-1) // bits above the lowest
		add(words[:], s.low[e], at)
		add(words[:], s.high[e], at+64)
	}
	for i := range squareDigits {
		to[i] = float32(words[i/8] >> (8 * (i % 8)) & 255)
	}
	to[squareDigits] = 0
	if s.wrong {
		to[squareDigits] = 1
	}
}

// add adds v times 2^at.
func add(words []uint64, v uint64, at int) {
	if v == 0 {
		return
	}
	i, shift := at/64, at%64
	var carry uint64
	words[i], carry = bits.Add64(words[i], v<<shift, 0)
	next := v >> (64 - shift) // 0 of a shift of 0
	for i++; carry|next != 0; i++ {
		words[i], carry = bits.Add64(words[i], next, carry)
		next = 0
	}
}

// SquareRoot is the root of a sum whose digits ranks have added up; NaN if something is no number.
func SquareRoot(digits []float32) float64 {
	if digits[squareDigits] != 0 {
		return math.NaN()
	}
	var words [squareWords + 1]uint64
	for i, d := range digits[:squareDigits] {
		add(words[:], uint64(d), 8*i)
	}
	sum := 0.0
	for i := squareWords; i >= 0; i-- {
		sum += math.Ldexp(float64(words[i]), 64*i-298)
	}
	return math.Sqrt(sum)
}

// clipEpsilon is what torch.nn.utils.clip_grad_norm_ adds to the norm.
const clipEpsilon = 1e-6

// Clipped is a move whose gradient, as Scale makes it, is shortened to a norm of at most Clip; digits
// are those of the squares of all elements before that, summed over all who have some.
func (o *Optimiser) Clipped(at Move, digits []float32) Move {
	if o.Clip == 0 {
		return at
	}
	norm := float64(SquareRoot(digits) * float64(at.Scale))
	if by := o.Clip / (norm + clipEpsilon); !(by >= 1) {
		at.Mean = at.Scale
		at.Scale = float32(by * float64(at.Scale))
	}
	return at
}

// ClippedAll is Clipped of gradients that are all there: those of a whole model, but for what Model.Uncounted names.
func (o *Optimiser) ClippedAll(at Move, grads []float32, uncounted []Span) Move {
	if o.Clip == 0 {
		return at
	}
	var s Squares
	var digits [SquareElems]float32
	from := 0
	for _, t := range uncounted {
		s.Add(grads[from:t.At])
		from = t.At + t.Elems
	}
	s.Add(grads[from:])
	s.Digits(digits[:])
	return o.Clipped(at, digits[:])
}
