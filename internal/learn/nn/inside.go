package nn

import "math"

// Inside is layer l and what it kept of the loaded rows: for those that look into it. Gates are there
// after Forward until Backward, attention maps and norms by step until the next pass.
func (r *Replica) Inside(l int) (Layer, Saved) { return r.layers[l], r.saved[l] }

// NewProbe is a replica with room for one example that is looked at, not trained on: nothing is dropped
// out.
func (m *Model) NewProbe(params []float32, k Kernel) *Replica {
	r := m.NewReplica(params, 1, k)
	r.pass.Train = false
	return r
}

// ImageOf is the shape of the image that a convolution or a pooling makes; ok is false of other layers.
func ImageOf(l Layer) (v Volume, ok bool) {
	switch of := l.(type) {
	case conv2d:
		return of.out, true
	case pool:
		return of.out, true
	}
	return Volume{}, false
}

// Output is what layer l gave for the loaded rows, rows x its Out, until the next Forward.
func (r *Replica) Output(l int) []float32 { return r.activations(l + 1) }

// GradientNorms are the lengths of the layers' gradients, 0 of a layer without parameters.
func (m *Model) GradientNorms(g []float32) []float64 {
	norms := make([]float64, m.Layers())
	for l := range norms {
		lo, hi := m.LayerRange(l)
		norms[l] = length(g[lo:hi])
	}
	return norms
}

// length is the root of the sum of squares, summed in doubles, ascending.
func length(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	return math.Sqrt(sum)
}

// StepNorms are the lengths, over the examples of the last Backward, of the gradient with respect to a
// recurrent layer's state after each step, through all later steps: whether it vanishes on the way
// back. nil of other layers.
func StepNorms(saved Saved) []float64 {
	switch s := saved.(type) {
	case *rnnSaved:
		return s.norms
	case *lstmSaved:
		return s.norms
	case *gruSaved:
		return s.norms
	}
	return nil
}

// Gates is what a Forward of an LSTM left at one position of an example, before its Backward: the
// gates and the candidate, the cell, the state.
type Gates struct {
	Input, Forget, Candidate, Output []float32
	Cell, State                      []float32
}

// GatesAt looks into an LSTM; ok is false of other layers.
func GatesAt(l Layer, saved Saved, row, step int) (g Gates, ok bool) {
	of, ok := l.(lstm)
	if !ok {
		return Gates{}, false
	}
	s, n := saved.(*lstmSaved), of.size
	at := row*of.steps + step
	gate := func(i int) []float32 { return s.gates[(at*lstmGates+i)*n : (at*lstmGates+i+1)*n] }
	return Gates{gate(inputGate), gate(forgetGate), gate(candidate), gate(outputGate),
		s.c[at*n : (at+1)*n], s.h[at*n : (at+1)*n]}, true
}

// AttentionMap is what a Forward left of one head of an example, positions x positions: a query in a
// row, the keys that it sees in the columns. ok is false of other layers, and where there is no
// such head.
func AttentionMap(l Layer, saved Saved, row, head int) (m []float32, ok bool) {
	of, ok := l.(attention)
	if !ok || head < 0 || head >= of.heads.count {
		return nil, false
	}
	area := of.heads.area()
	return saved.(*attentionSaved).maps[(row*of.heads.count+head)*area:][:area], true
}

// Projected is what a Forward of attention made at one position of an example: queries, keys (turned, where positions are
// rotary) and values of all heads, one head after the other, and Context, the heads' weighted sums of values.
type Projected struct{ Query, Key, Value, Context []float32 }

// ProjectedAt looks into attention; ok is false of other layers.
func ProjectedAt(l Layer, saved Saved, row, position int) (p Projected, ok bool) {
	of, ok := l.(attention)
	if !ok {
		return Projected{}, false
	}
	s, n, at := saved.(*attentionSaved), of.heads.inner(), row*of.positions+position
	all, shared := s.qkv[at*of.heads.wide():][:of.heads.wide()], of.heads.kv*of.heads.size
	return Projected{all[:n], all[n : n+shared], all[n+shared:], s.o[at*n : (at+1)*n]}, true
}

// Routed is what a mixture of experts made of the positions of a Forward, of one of the experts between which its router
// chooses.
type Routed struct {
	Came, Dropped int     // positions whose choice it was, and those of them for which it had no room
	Share         float64 // mean of its probability over all positions
	Balance       float64 // its part of the balancing loss
}

// RoutedExperts is how many experts a layer's router chooses between: 0 where it has none.
func RoutedExperts(l Layer) int {
	if of, ok := l.(experts); ok {
		return of.routing.Count
	}
	return 0
}

// routed is what choices left, of any way to have experts.
func (s *expertsSaved) routed() *expertsSaved { return s }

// RoutedTo visits what a Forward of a mixture of experts did, by expert.
func RoutedTo(l Layer, saved Saved, visit func(expert int, r Routed)) {
	of, ok := l.(experts)
	if !ok {
		return
	}
	s, from, count := saved.(interface{ routed() *expertsSaved }).routed(), 0, of.routing.Count
	for e := range count {
		r := Routed{Came: s.came[e], Dropped: s.came[e] - (s.ends[e] - from)}
		for i := range s.n {
			r.Share += float64(s.p[i*count+e])
		}
		r.Share /= float64(s.n)
		falls := float64(r.Came) / float64(s.n*of.routing.Top)
		r.Balance = float64(float64(of.routing.Balance*float64(count)) * float64(r.Share*falls))
		from = s.ends[e]
		visit(e, r)
	}
}

// Filters are a convolution's kernels, filter after filter, each Channels x Size x Size: those of
// parameters p, or its fixed ones. ok is false of other layers.
func Filters(l Layer, p []float32) (w []float32, filters int, of Volume, ok bool) {
	c, ok := l.(conv2d)
	if !ok {
		return nil, 0, Volume{}, false
	}
	return c.filters(p), c.out.Channels, Volume{c.in.Channels, c.window.Size, c.window.Size}, true
}
