package cc

import "railyard/internal/base/unit"

// RED is a marking curve: no packet is marked below Min, all above Max, and from
// Min to Max the part rises linearly from 0 to P.
type RED struct {
	Min, Max unit.Bytes
	P        unit.Ratio
}

// An Equilibrium is where DCQCN's fluid model rests: every flow at its fair share.
type Equilibrium struct {
	Mark    float64      // p*: part of packets marked
	Approx  float64      // p* by the closed form for small p
	Alpha   float64      // of every flow
	Rate    unit.Bitrate // of every flow: capacity / n
	Target  unit.Bitrate // of every flow
	Queue   unit.Bytes   // queue length that marks so; Max of the curve if none does
	InRange bool         // p* is on the linear part of the curve, so that the queue can rest
}

// FixedPoint computes the equilibrium of n flows of DCQCN p over one link of the given
// capacity marked by red, with packets of mtu bytes. For reports and formulas, not for runs.
//
// Derivation (fluid model of "ECN or Delay", CoNEXT 2016, section 3.1, from that
// of SIGCOMM 2015, section 5; rates R in packets/s, B in packets). In tau, the
// time between cuts, a flow gets a CNP with probability a; increases come from
// the byte counter at rate R b and from the timer at rate R d, those past F
// stages of fast recovery at R c and R e:
//
//	a = 1 - (1-p)^(tau R)           alpha = 1 - (1-p)^(tau' R)
//	b = p / ((1-p)^-B - 1)          c = (1-p)^(F B) b
//	d = p / ((1-p)^-(T R) - 1)      e = (1-p)^(F T R) d
//
//	d target/dt = -(target - R) a / tau + AI R (c + e)
//	d R/dt      = -R alpha a / (2 tau) + (target - R) R (b + d) / 2
//
// The queue rests only if the rates sum to the capacity, and p is common, so
// R = capacity / n. Both derivatives zero:
//
//	target - R = alpha a / (tau (b + d))
//	alpha a^2  = tau^2 AI R (b + d) (c + e)
//
// of which the left side grows from 0 with p and the right side falls to 0: p* is
// unique. For small p, p^3 = AI (1/B + 1/(T R))^2 / (tau' R^2). Hyper increase is
// left out, as in the papers.
func FixedPoint(p DCQCN, n int, capacity unit.Bitrate, mtu unit.Bytes, red RED) Equilibrium {
	m := newFluid(p, n, capacity, mtu)
	lo, hi := 0.0, 1-1.0/(1<<40)
	for range 200 {
		mid := (lo + hi) / 2
		if m.excess(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	f := Equilibrium{Mark: hi, Rate: capacity / unit.Bitrate(n)}
	a, alpha, b, _, d, _ := m.terms(hi)
	f.Alpha = alpha
	f.Target = f.Rate + unit.Bitrate(alpha*a/(m.tau*(b+d))*m.bits)
	inv := m.invB + 1/(m.timer*m.rate)
	f.Approx = cbrt(m.ai * inv * inv / (m.alphaTimer * m.rate * m.rate))
	f.Queue, f.InRange = red.Max, hi <= red.P.Float()
	if f.InRange {
		f.Queue = red.Min + unit.Bytes(hi/red.P.Float()*float64(red.Max-red.Min))
	}
	return f
}

// fluid is the fluid model of one flow at its fair share, in packets and seconds.
type fluid struct {
	bits                   float64 // per packet
	rate, ai               float64 // packets/s
	tau, alphaTimer, timer float64 // s
	invB                   float64 // 1 / byte counter in packets, 0: none
	f                      float64 // stages of fast recovery
}

func newFluid(p DCQCN, n int, capacity unit.Bitrate, mtu unit.Bytes) fluid {
	tau := p.DecreaseInterval
	if tau == 0 {
		tau = p.CNPInterval
	}
	if n <= 0 || capacity <= 0 || mtu <= 0 || tau <= 0 {
		panic("cc: the fixed point needs flows, a capacity, an MTU and a time between cuts")
	}
	bits := 8 * float64(mtu)
	m := fluid{
		bits: bits, rate: float64(capacity) / float64(n) / bits, ai: float64(scaled(p.AI, capacity, p.PortRate)) / bits,
		tau: tau.Seconds(), alphaTimer: p.AlphaTimer.Seconds(), timer: p.IncreaseTimer.Seconds(),
		f: float64(p.FastRecovery),
	}
	if p.ByteCounter > 0 {
		m.invB = float64(mtu) / float64(p.ByteCounter)
	}
	return m
}

// excess is alpha a^2 - tau^2 AI R (b+d)(c+e) at marking probability p.
func (m fluid) excess(p float64) float64 {
	a, alpha, b, c, d, e := m.terms(p)
	return float64(alpha*a*a) - float64(m.tau*m.tau*m.ai*m.rate*(b+d)*(c+e))
}

// terms are the probabilities and frequencies of the derivation.
func (m fluid) terms(p float64) (a, alpha, b, c, d, e float64) {
	l := log1m(p)
	a, alpha = -expm1(m.tau*m.rate*l), -expm1(m.alphaTimer*m.rate*l)
	// every is p / ((1-p)^-x - 1): increases per packet, one after each x packets in a row without
	// a cut.
	every := func(x float64) float64 {
		none := expm1(x * l) // (1-p)^x - 1
		return p * (1 + none) / -none
	}
	if m.invB > 0 {
		b = every(1 / m.invB)
		c = b * (1 + expm1(m.f/m.invB*l))
	}
	x := m.timer * m.rate
	d = every(x)
	e = d * (1 + expm1(m.f*x*l))
	return a, alpha, b, c, d, e
}

// log1m returns ln(1-p), 0 <= p < 1.
func log1m(p float64) float64 {
	const ln2 = 0.693147180559945309417232121458
	sum := 0.0
	for q := 1 - p; q < 0.5; q *= 2 {
		sum -= ln2
		p = 1 - 2*q
	}
	// ln(1-p) = -2 atanh(z), z = p / (2-p) <= 1/3
	z := p / (2 - p)
	term, s := z, 0.0
	for k := 1.0; k < 80; k += 2 {
		s += term / k
		term = float64(term * z * z)
	}
	return sum - 2*s
}

// expm1 returns e^y - 1, y <= 0.
func expm1(y float64) float64 {
	if y < -700 {
		return -1
	}
	k := 0
	for ; y < -0.5; y /= 2 {
		k++
	}
	term, s := 1.0, 0.0
	for i := 1.0; i < 20; i++ {
		term = float64(term * (y / i))
		s += term
	}
	for range k { // e^2y - 1 = s^2 + 2s
		s = float64(s*s) + 2*s
	}
	return s
}

// cbrt returns the cube root of x >= 0 by Newton's method.
func cbrt(x float64) float64 {
	if x == 0 {
		return 0
	}
	r := 1.0
	for r*r*r > 8*x {
		r /= 2
	}
	for range 60 {
		r -= (r - x/(r*r)) / 3
	}
	return r
}
