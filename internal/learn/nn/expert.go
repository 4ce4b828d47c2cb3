package nn

// expert is a feed-forward network that works on any positions. With a gate the activation takes the gate's product, and what
// it gives multiplies that of up.
type expert struct {
	up, down, gate linear
	gated          bool
}

// newExpert is one with parameters from a place on: those of up, of down, of the gate.
func newExpert(name string, size, hidden int, biased, gated bool, at int) expert {
	e := expert{up: linear{name + "linear1.", size, hidden, biased, 0}, down: linear{name + "linear2.", hidden, size, biased, 0},
		gate: linear{name + "gate.", size, hidden, biased, 0}, gated: gated}
	return e.at(at)
}

// at is the same with its parameters from another place on.
func (e expert) at(at int) expert {
	e.up.at = at
	e.down.at = e.up.end()
	e.gate.at = e.down.end()
	return e
}

func (e expert) end() int {
	if e.gated {
		return e.gate.end()
	}
	return e.down.end()
}

func (e expert) params() int { return e.end() - e.up.at }

func (e expert) tensors() []Tensor {
	t := append(e.up.tensors(), e.down.tensors()...)
	if e.gated {
		t = append(t, e.gate.tensors()...)
	}
	return t
}

func (e expert) init(p []float32, draw *Stream) {
	e.up.init(p, draw)
	e.down.init(p, draw)
	if e.gated {
		e.gate.init(p, draw)
	}
}

// kept is how many elements stand between a position's forward and its backward.
func (e expert) kept() int {
	if e.gated {
		return 4 * e.up.out
	}
	return 2 * e.up.out
}

// forwardWork is that on so many positions, as of a feed-forward network.
func (e expert) forwardWork(n int) []Work {
	all := []Work{e.up.work(n), e.elements(n), e.down.work(n)}
	if e.gated {
		all = append(all, e.gate.work(n))
	}
	return all
}

// elements is the activation, forward or back.
func (e expert) elements(n int) Work {
	hidden := int64(n * e.up.out)
	return Work{FLOP: 2 * hidden, Words: 2 * hidden}
}

// inputWork is that of the gradients of what it takes.
func (e expert) inputWork(n int) []Work {
	all := []Work{e.down.work(n).turned(), e.elements(n), e.up.work(n).turned()}
	if e.gated {
		all = append(all, e.gate.work(n).turned())
	}
	return all
}

func (e expert) gradientWork(n int) []Work {
	all := []Work{e.down.gradientWork(n), e.up.gradientWork(n)}
	if e.gated {
		all = append(all, e.gate.gradientWork(n))
	}
	return all
}

// between is what experts keep of positions, of all of them side by side.
type between struct {
	z, a []float32 // positions x hidden: what the activation takes, and gives
	u, m []float32 // likewise, with a gate: the product beside it, and both multiplied
	room []float32 // likewise, x size: a second gradient of what an expert takes
}

// between is room for so many positions.
func (e expert) between(positions int) (b between) {
	n := positions * e.up.out
	b.z, b.a = make([]float32, n), make([]float32, n)
	if e.gated {
		b.u, b.m, b.room = make([]float32, n), make([]float32, n), make([]float32, positions*e.up.in)
	}
	return b
}

// notes is what of that is no part of what a GPU would keep, in bytes for each position.
func (e expert) notes() int {
	if e.gated {
		return 4 * e.up.in
	}
	return 0
}

// of is that of the positions from one to another.
func (b between) of(e *expert, from, end int) between {
	h, s := e.up.out, e.up.in
	b.z, b.a = b.z[from*h:end*h], b.a[from*h:end*h]
	if e.gated {
		b.u, b.m, b.room = b.u[from*h:end*h], b.m[from*h:end*h], b.room[from*s:end*s]
	}
	return b
}

// forward makes y of x, n positions, and leaves in b what backward takes.
func (e *expert) forward(k Kernel, f Activation, y, x, p []float32, b between, n int) {
	hidden, first := b.a, e.up
	if e.gated {
		first = e.gate
	}
	first.forward(k, b.z, x, p, n)
	copy(b.a, b.z)
	f.apply(b.a, k)
	if e.gated {
		e.up.forward(k, b.u, x, p, n)
		hidden = b.m
		for i, v := range b.a {
			hidden[i] = float32(v * b.u[i])
		}
	}
	e.down.forward(k, y, hidden, p, n)
}

// backward makes its gradients, and turns d, that of y, into that of x.
func (e *expert) backward(k Kernel, f Activation, g, d, x, p []float32, b between, n int) {
	hidden, to := b.a, b.a
	switch {
	case e.gated:
		hidden, to = b.m, b.m
	case f.ByOutput(): // a is needed until its slope is taken: the gradient goes to z
		to = b.z
	}
	e.down.gradients(k, g, d, hidden, n)
	e.down.back(k, to, d, p, n)
	if e.gated {
		for i, v := range to { // to becomes the gradient of the activation, u that of the product beside it
			to[i], b.u[i] = float32(v*b.u[i]), float32(v*b.a[i])
		}
	}
	if f.ByOutput() {
		f.backward(to, b.a)
	} else {
		f.backwardInput(to, b.z, k)
	}
	if !e.gated {
		e.up.backward(k, d, g, to, x, p, n)
		return
	}
	e.up.backward(k, d, g, b.u, x, p, n)
	e.gate.backward(k, b.room, g, to, x, p, n)
	Add(d, b.room)
}
