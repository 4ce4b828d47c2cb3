// Package series has the coefficients of the fused family's functions: both its definition in Go and the
// generator of its assembly take them from here.
package series

// Exp: x = n ln 2 + r, |r| <= ln 2 / 2, e^r by its Taylor polynomial, highest power first: its
// remainder is below 6e-9 of the value. ln 2 is in two parts.
const (
	Log2E  = 0x1.715476p+0
	Ln2Hi  = 0x1.62e43p-1
	Ln2Lo  = -0x1.05c61p-29
	Magic  = 3 << 22 // 1.5 2^23: added to a small number, it leaves that number's integer in the last bits
	ExpLow = -86     // below it e^x is 0, so that no result is subnormal
	// ExpHigh is the largest x: of larger ones e^x is that of it.
	ExpHigh = 88
)

// Exp are 1/7!, 1/6!, ..., 1/0!.
var Exp = [...]float32{1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1}

// Tanh below TanhSmall is x + x³ P(x²), P highest power first: least squares on Chebyshev points,
// weighted towards the least largest relative error, 5e-9.
var Tanh = [...]float32{-0.005704953, 0.020639053, -0.053739704, 0.133314416, -0.3333328}

// TanhSmall is up to where the polynomial goes. Beyond it 1 - 2/(e^2x + 1) does not cancel.
const TanhSmall = 0.625

// Normal: the probability that a normal variable is above x >= 0 is e^(-x²/2) P(t), with
// t = 1/(1 + NormalT x), P highest power first, without a constant term. Fitted likewise: the largest
// error is 2e-8, and 4e-8 of the value (of 0.02 where it is smaller). The form is that of Hastings,
// Approximations for Digital Computers, 1955.
var Normal = [...]float32{-0.107174397, 0.395522952, -0.246276885, 0.27648735, 0.06442602, 0.11701495}

const (
	NormalT = 0.28
	// Density is 1/sqrt(2 pi), the normal density at 0.
	Density = 0.3989423
)
