package nn

import "math"

const (
	halfPi  = 1.57079632679489661923132169163975144
	rootPi  = 1.77245385090551602729816748334114518
	rootTwo = 1.41421356237309504880168872420969808
)

// tanh is the hyperbolic tangent, within 1e-13 of the value. Near 0, where 1 - e would cancel, it is
// its series.
func tanh(x float64) float64 {
	a := math.Abs(x)
	if a < 0x1p-10 {
		q := float64(x * x)
		s := float64(q*(2./15)) - 1./3
		return x + float64(float64(q*s)*x)
	}
	e := exp(float64(-2 * a))
	return math.Copysign((1-e)/(1+e), x)
}

// The error function between two nodes is its Taylor polynomial about the nearer one. With nodes
// every 1/8, |h| <= 1/16, the first term left out is below 1e-15.
const (
	erfNodes = 6 * 8 // from here on 1 - erf(x) < 3e-17
	erfTerms = 11
)

// erfTable[j] are the coefficients of erf(j/8 + h), the highest power of h first.
//
// The derivative is 2/sqrt(pi) e^-x². Its own coefficients about a are c0 = e^-a², and from
// f' = -2x f: (n+1) c[n+1] = -2 (a c[n] + c[n-1]). Integrated term by term they are those of erf,
// which begins at erf(a): the polynomial about the node before, with more terms, at h = 1/8.
var erfTable = func() (table [erfNodes + 1][erfTerms]float64) {
	const long = 26
	value := 0.0
	for j := range table {
		a := float64(float64(j) / 8)
		var c [long]float64 // of erf, the lowest power first
		c[0] = value
		prev, cur := 0.0, float64(2/rootPi*exp(-float64(a*a)))
		for n := 1; n < long; n++ {
			c[n] = cur / float64(n)
			prev, cur = cur, float64(-2*(float64(a*cur)+prev))/float64(n)
		}
		for n := range erfTerms {
			table[j][n] = c[erfTerms-1-n]
		}
		value = 0
		for n := long - 1; n >= 0; n-- {
			value = float64(value/8) + c[n]
		}
	}
	return table
}()

// erf is the error function, within 1e-15.
func erf(x float64) float64 {
	a := math.Abs(x)
	if !(a < erfNodes/8) {
		if x != x {
			return x
		}
		return math.Copysign(1, x)
	}
	j := int(float64(a*8) + 0.5)
	h := a - float64(float64(j)/8)
	c := &erfTable[j]
	y := c[0]
	for _, v := range c[1:] {
		y = float64(y*h) + v
	}
	return math.Copysign(y, x)
}

// sin and cos are within 1e-12 of the value for |x| up to 2^20: a multiple of pi/2 in two parts is
// taken off, the rest is at most pi/4 and goes into the Taylor series.
func sin(x float64) float64 { return quarter(x, 0) }
func cos(x float64) float64 { return quarter(x, 1) }

// quarter is sin(x + k pi/2).
func quarter(x float64, k int64) float64 {
	const (
		halfPiHi = 0x1.921fb544p+0 // 33 significant bits: n*halfPiHi is exact for n below 2^20
		halfPiLo = halfPi - halfPiHi
	)
	n := math.Floor(float64(x*(1/halfPi)) + 0.5)
	r := x - float64(n*halfPiHi) - float64(n*halfPiLo)
	q := float64(r * r)
	k += int64(n)
	y, term := 0.0, 1.0
	if k&1 == 0 {
		for i := 17.0; i >= 3; i -= 2 { // r - r³/3! + ...
			y = -float64(float64(q*(1+y)) / float64(i*(i-1)))
		}
		term = r
	} else {
		for i := 16.0; i >= 2; i -= 2 { // 1 - r²/2! + ...
			y = -float64(float64(q*(1+y)) / float64(i*(i-1)))
		}
	}
	y = term + float64(term*y)
	if k&2 != 0 {
		return -y
	}
	return y
}

// gelu is x Phi(x), Phi the normal distribution (Hendrycks, Gimpel, 2016).
func gelu(x float64) float64 { return float64(x * normal(x)) }

// geluSlope is Phi(x) + x phi(x).
func geluSlope(x float64) float64 {
	density := float64(exp(-float64(float64(x*x)/2)) * (1 / (rootTwo * rootPi)))
	return normal(x) + float64(x*density)
}

// normal is the probability that a normal variable is below x.
func normal(x float64) float64 { return float64((1 + erf(float64(x*(1/rootTwo)))) / 2) }

// geluTanh is the same paper's approximation: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x³))).
func geluTanh(x float64) float64 {
	return float64(float64(x/2) * (1 + tanh(geluArgument(x))))
}

func geluTanhSlope(x float64) float64 {
	t := tanh(geluArgument(x))
	inner := float64(geluScale * (1 + float64(float64(3*geluCubic)*float64(x*x))))
	return float64((1+t)/2) + float64(float64(float64(x/2)*(1-float64(t*t)))*inner)
}

const (
	geluScale = rootTwo / rootPi
	geluCubic = 0.044715
)

func geluArgument(x float64) float64 {
	return float64(geluScale * (x + float64(geluCubic*float64(float64(x*x)*x))))
}

// silu is x sigmoid(x), which SwiGLU takes of its gate (Shazeer, 2020).
func silu(x float64) float64 { return float64(x * sigmoid(x)) }

func siluSlope(x float64) float64 {
	s := sigmoid(x)
	return float64(s * (1 + float64(x*(1-s))))
}
