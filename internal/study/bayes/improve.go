package bayes

import (
	"math"

	"railyard/internal/learn/nn"
)

var logRootTwoPi = float64(nn.Log(float64(2*math.Pi)) / 2)

// improvement is the logarithm of by how much a value is expected to be below the best, 0 where it is above: of a value with a normal
// distribution (Jones, Schonlau and Welch 1998, equation 15). Logarithms tell points apart that are all unlikely to be better.
func improvement(best, mean, deviation float64) float64 {
	z := (best - mean) / deviation
	return nn.Log(deviation) + logHinge(z)
}

// logHinge is log(density(z) + z distribution(z)) of the standard normal distribution.
func logHinge(z float64) float64 {
	switch {
	case z < -1e5:
		return logDensity(z) - float64(2*nn.Log(-z))
	case z < -3:
		more := mills(-z)
		return logDensity(z) + nn.Log(more/(more-z))
	case z > 8:
		return nn.Log(z)
	}
	return nn.Log(nn.Exp(logDensity(z)) + float64(z*distribution(z)))
}

// logDistribution is the logarithm of the standard normal distribution.
func logDistribution(z float64) float64 {
	switch {
	case z < -1e5:
		return logDensity(z) - nn.Log(-z)
	case z < -3:
		return logDensity(z) - nn.Log(mills(-z)-z)
	case z > 8:
		return 0
	}
	return nn.Log(distribution(z))
}

func logDensity(z float64) float64 { return -float64(float64(z*z)/2) - logRootTwoPi }

// distribution is the standard normal distribution from -3 to 8: 1/2 + density(z) (z + z^3/3 + z^5/15 + ...).
func distribution(z float64) float64 {
	term, sum := z, z
	for k := 3; k < 300; k += 2 {
		term = float64(term*float64(z*z)) / float64(k)
		sum += term
	}
	return 0.5 + float64(nn.Exp(logDensity(z))*sum)
}

// mills is 1/(x + 2/(x + 3/(x + ...))): beyond x > 0 lies density(x) / (x + mills(x)) of the distribution (Laplace).
func mills(x float64) (more float64) {
	for k := 60; k >= 1; k-- {
		more = float64(k) / (x + more)
	}
	return more
}
