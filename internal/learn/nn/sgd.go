package nn

import (
	"fmt"

	"railyard/internal/learn/nn/kernel"
)

// SGD is stochastic gradient descent with momentum, as in torch.optim.SGD
// (dampening 0, no weight decay, not Nesterov).
type SGD struct {
	LR       float32 // learning rate, per step
	Momentum float32 // 0: plain gradient descent
}

// Step updates params in place. The gradient is scale*grads (1/ranks, when
// grads are a sum over ranks).
//
//	velocity = momentum*velocity + scale*grads
//	params   = params - lr*velocity
//
// velocity starts at zero and is the caller's to keep; without momentum it is
// not used and may be nil. All three have one length.
func (o *SGD) Step(params, grads, velocity []float32, scale float32) {
	if len(params) != len(grads) || (o.Momentum != 0 && len(velocity) != len(params)) {
		panic(fmt.Sprintf("nn: %d parameters, %d gradients, %d velocities", len(params), len(grads), len(velocity)))
	}
	if o.Momentum == 0 {
		kernel.Descend(params, grads, scale, o.LR)
		return
	}
	lr, mu := o.LR, o.Momentum
	grads, velocity = grads[:len(params)], velocity[:len(params)]
	for i, p := range params {
		v := float32(mu*velocity[i]) + float32(scale*grads[i])
		velocity[i] = v
		params[i] = p - float32(lr*v)
	}
}
