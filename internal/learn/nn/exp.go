package nn

import "math"

// The standard library's Exp and Log have assembly on some processors, so their
// last bits differ from machine to machine. These do not: Cody-Waite reduction
// and a polynomial, each product rounded on its own. Within 2 ulp of the true
// value over the range that softmax, sigmoid and cross entropy use (tested).

// ln 2 in two parts; the high one has 33 significant bits, so that k*ln2Hi is exact.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// expCoef are 1/13!, 1/12!, ..., 1/0!: the remainder after x^13 is below
// 0.35^14/14! = 5e-18.
var expCoef = [...]float64{1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880,
	1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1}

// exp is e^x. Below -708, where the result would be subnormal, it is 0.
func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < -708:
		return 0
	case x > 709:
		return math.Inf(1)
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*ln2Hi) - float64(k*ln2Lo) // |r| <= ln 2 / 2
	p := expCoef[0]
	for _, c := range expCoef[1:] {
		p = float64(p*r) + c
	}
	return float64(p * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

// log is the natural logarithm of a positive normal number.
//
// x = 2^k m with sqrt(1/2) <= m < sqrt(2); with s = (m-1)/(m+1),
// log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172.
func log(x float64) float64 {
	if x != x || x > math.MaxFloat64 {
		return x
	}
	if x < 0x1p-1022 {
		panic("nn: log of a number that is not positive and normal")
	}
	bits := math.Float64bits(x)
	k := int64(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, k = float64(m/2), k+1
	}
	s := (m - 1) / (m + 1)
	s2 := float64(s * s)
	p := 0.0
	for n := 23; n >= 3; n -= 2 {
		p = float64(p*s2) + 1/float64(n)
	}
	tail := float64(float64(p*s2)*s) + s
	return float64(float64(k)*ln2Hi) + (float64(2*tail) + float64(float64(k)*ln2Lo))
}

// sigmoid is 1/(1+e^-x), written so that exp never overflows.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + exp(-x))
	}
	e := exp(x)
	return e / (1 + e)
}
