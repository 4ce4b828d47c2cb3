package hash

// MaxFlows bounds the flows and links whose chances are worked out: the work grows with the cube of
// the flows.
const MaxFlows = 256

// Fullest returns the chance that the fullest of links equal links has exactly m of flows flows, for m
// from 0 to flows, when each flow takes any link alike.
//
// Flows on the links are independent Poisson numbers, given that they sum to flows. So the chance that
// none has more than m is the coefficient of x^flows in (w0 + w1 x + ... + wm x^m)^links over the
// same with m = flows, where wi is proportional to mean^i / i!.
func Fullest(flows, links int) []float64 {
	weights := make([]float64, flows+1)
	weights[0] = 1
	sum, mean := 1.0, float64(flows)/float64(links)
	for i := 1; i <= flows; i++ {
		weights[i] = weights[i-1] * mean / float64(i)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	all := power(weights, links)[flows]
	chance := make([]float64, flows+1)
	below := 0.0
	for m := range chance {
		p := 0.0
		if m*links >= flows {
			some := append(append([]float64{}, weights[:m+1]...), make([]float64, flows-m)...)
			p = power(some, links)[flows] / all
		}
		chance[m] = max(0, p-below)
		below = p
	}
	return chance
}

// power multiplies a polynomial n times with itself, up to its own degree.
func power(p []float64, n int) []float64 {
	out := make([]float64, len(p))
	out[0] = 1
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			out = product(out, p)
		}
		p = product(p, p)
	}
	return out
}

func product(p, q []float64) []float64 {
	out := make([]float64, len(p))
	for i, a := range p {
		if a == 0 {
			continue
		}
		for j, b := range q[:len(q)-i] {
			out[i+j] += a * b
		}
	}
	return out
}

// binomial returns the chances of 0 to n successes in n trials of chance p.
func binomial(n int, p float64) []float64 {
	b := make([]float64, n+1)
	b[0] = 1
	for i := 1; i <= n; i++ {
		for k := i; k >= 0; k-- {
			b[k] *= 1 - p
			if k > 0 {
				b[k] += b[k-1] * p
			}
		}
	}
	return b
}

// Expected is what equal flows over equal links come to on average, when each takes any link alike.
type Expected struct {
	Fullest float64 `json:"fullest"` // flows on the fullest link
	Used    float64 `json:"used"`    // part of the flows' demand that the links carry
	Slowest float64 `json:"slowest"` // part of its demand that a flow of the fullest link gets
}

// Expect returns the means for links that carry room flows each.
func Expect(flows, links int, room float64) (e Expected) {
	for m, p := range Fullest(flows, links) {
		e.Fullest += p * float64(m)
		if m > 0 {
			e.Slowest += p * min(1, room/float64(m))
		}
	}
	for k, p := range binomial(flows, 1/float64(links)) {
		e.Used += p * min(float64(k), room) * float64(links) / float64(flows)
	}
	return e
}
