package nn

import (
	"fmt"
	"math"

	"railyard/internal/learn/nn/kernel"
)

// Method says how an optimiser moves parameters.
type Method uint8

// The methods.
const (
	GradientDescent Method = iota // torch.optim.SGD
	Adam                          // torch.optim.Adam (Kingma, Ba, ICLR 2015)
	AdamW                         // torch.optim.AdamW (Loshchilov, Hutter, ICLR 2019)
	RMSprop                       // torch.optim.RMSprop (Tieleman, Hinton, 2012), not centred
	methods
)

var methodNames = [methods]string{"sgd", "adam", "adamw", "rmsprop"}

// String is the name a scenario uses.
func (m Method) String() string { return methodNames[m] }

// ParseMethod reads a name as a scenario writes it.
func ParseMethod(s string) (Method, error) {
	for i, name := range methodNames {
		if s == name {
			return Method(i), nil
		}
	}
	return 0, fmt.Errorf("unknown optimiser %q, want %s", s, names(methodNames[:]))
}

// An Optimiser moves parameters by their gradients. Elements do not see each other: any part of a
// vector may be moved alone, with the same bits.
type Optimiser struct {
	Method       Method
	LR           float64 // learning rate, as Schedule changes it
	Momentum     float64 // of GradientDescent and RMSprop; 0: none
	Nesterov     bool    // of GradientDescent with Momentum
	Beta1, Beta2 float64 // of Adam and AdamW
	Alpha        float64 // of RMSprop's mean of squares, what stays of it at each update
	Epsilon      float64
	WeightDecay  float64 // AdamW takes it from the parameters, the others add it to the gradient
	Clip         float64 // the norm that all gradients together have at most, see Clipped; 0: any
	Schedule     Schedule
}

// Move is one update of a training.
type Move struct {
	Step   int64   // of the training, from 0: where Schedule is
	Update int64   // from 0: more than steps where each micro-batch has one
	Scale  float32 // the gradient is Scale x what is given: 1/ranks, when that is a sum over ranks
	Mean   float32 // with a gradient that is shortened what Scale was before; 0: it is Scale
}

// State names the vectors that the optimiser keeps, of as many elements as there are parameters.
// They start at zero.
func (o *Optimiser) State() []string {
	switch {
	case o.Method == RMSprop && o.Momentum != 0:
		return []string{"square_avg", "velocity"}
	case o.Method == RMSprop:
		return []string{"square_avg"}
	case o.Method != GradientDescent:
		return []string{"exp_avg", "exp_avg_sq"}
	case o.Momentum != 0:
		return []string{"velocity"}
	}
	return nil
}

// Step updates params, and the vectors of State, in place. All have one length.
func (o *Optimiser) Step(params, grads []float32, state [][]float32, at Move) {
	if len(params) != len(grads) || len(state) != len(o.State()) {
		panic(fmt.Sprintf("nn: %d parameters, %d gradients, %d vectors of state", len(params), len(grads), len(state)))
	}
	for _, v := range state {
		if len(v) != len(params) {
			panic(fmt.Sprintf("nn: %d parameters, a vector of state of %d", len(params), len(v)))
		}
	}
	lr := float64(o.LR * o.Schedule.factor(at.Step))
	switch {
	case o.Method == RMSprop:
		o.rmsprop(params, grads, state, float32(lr), at.Scale)
	case o.Method != GradientDescent:
		o.adam(params, grads, state[0], state[1], lr, at)
	case o.WeightDecay != 0 || o.Nesterov:
		o.decayed(params, grads, state, float32(lr), at.Scale)
	case o.Momentum != 0:
		(&SGD{LR: float32(lr), Momentum: float32(o.Momentum)}).Step(params, grads, state[0], at.Scale)
	default:
		kernel.Descend(params, grads, at.Scale, float32(lr))
	}
}

// decayed is gradient descent with weight decay, or Nesterov's momentum.
//
//	g        = scale*grads + decay*params
//	velocity = momentum*velocity + g
//	params   = params - lr*velocity, with Nesterov's lr*(g + momentum*velocity)
func (o *Optimiser) decayed(params, grads []float32, state [][]float32, lr, scale float32) {
	decay, mu := float32(o.WeightDecay), float32(o.Momentum)
	for i, p := range params {
		g := float32(scale*grads[i]) + float32(decay*p)
		if mu != 0 {
			v := float32(mu*state[0][i]) + g
			state[0][i] = v
			if o.Nesterov {
				g += float32(mu * v)
			} else {
				g = v
			}
		}
		params[i] = p - float32(lr*g)
	}
}

// rmsprop divides by the root of a mean of squares.
//
//	g        = scale*grads + decay*params
//	square   = alpha*square + (1-alpha)*g*g
//	g        = g / (sqrt(square) + epsilon)
//	velocity = momentum*velocity + g
//	params   = params - lr*velocity
func (o *Optimiser) rmsprop(params, grads []float32, state [][]float32, lr, scale float32) {
	decay, mu, eps := float32(o.WeightDecay), float32(o.Momentum), float32(o.Epsilon)
	keep, take := float32(o.Alpha), float32(1-o.Alpha)
	for i, p := range params {
		g := float32(scale*grads[i]) + float32(decay*p)
		s := float32(keep*state[0][i]) + float32(take*float32(g*g))
		state[0][i] = s
		g /= float32(math.Sqrt(float64(s))) + eps
		if mu != 0 {
			g = float32(mu*state[1][i]) + g
			state[1][i] = g
		}
		params[i] = p - float32(lr*g)
	}
}

// adam is Adam and AdamW, t the number of the update from 1.
//
//	g      = scale*grads            and + decay*params with Adam
//	params = (1 - lr*decay)*params  with AdamW
//	m      = beta1*m + (1-beta1)*g
//	v      = beta2*v + (1-beta2)*g*g
//	params = params - lr/(1-beta1^t) * m / (sqrt(v)/sqrt(1-beta2^t) + epsilon)
func (o *Optimiser) adam(params, grads, m, v []float32, lr float64, at Move) {
	b1, b2, scale := float32(o.Beta1), float32(o.Beta2), at.Scale
	c1, c2 := float32(1-o.Beta1), float32(1-o.Beta2)
	size := float32(lr / (1 - power(o.Beta1, at.Update+1)))
	root := float32(math.Sqrt(1 - power(o.Beta2, at.Update+1)))
	eps, decay, keep := float32(o.Epsilon), float32(0), float32(1)
	if o.Method == AdamW {
		keep = float32(1 - float64(lr*o.WeightDecay))
	} else {
		decay = float32(o.WeightDecay)
	}
	grads, m, v = grads[:len(params)], m[:len(params)], v[:len(params)]
	for i, p := range params {
		g := float32(scale*grads[i]) + float32(decay*p)
		mi := float32(b1*m[i]) + float32(c1*g)
		vi := float32(b2*v[i]) + float32(c2*float32(g*g))
		m[i], v[i] = mi, vi
		denom := float32(math.Sqrt(float64(vi)))/root + eps
		params[i] = float32(keep*p) - float32(size*(mi/denom))
	}
}

// power is b^n, of n at least 0, by squaring.
func power(b float64, n int64) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * b)
		}
		b = float64(b * b)
	}
	return p
}
