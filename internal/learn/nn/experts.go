package nn

import (
	"fmt"
	"math"
	"slices"
)

// Routing says which experts a position goes to.
type Routing struct {
	Count, Top int     // of experts, and how many of them a position takes
	Capacity   float64 // an expert takes at most so many times its even share of the micro-batch; 0: all that come
	Shared     int     // experts beside them that take every position, with weight 1
	Balance    float64 // weight of the balancing loss; 0: there is none
	Force      Force   `json:",omitempty"` // "": the router chooses
}

// Force is who chooses in place of the router, which still weighs: to measure what choices cost, as Megatron-Core's
// moe_router_force_load_balancing does.
type Force string

// The ways.
const (
	ForceEven Force = "even" // each expert in turn
	ForceOne  Force = "one"  // the first experts take every position: the worst that can be
)

// Bounds of a mixture of experts.
const (
	maxExperts = 1024
	maxShared  = 64
)

// experts is the half of a block with a mixture of experts in place of one feed-forward network:
//
//	f(x) = sum over the taken experts e of w[e] (W2[e] a(W1[e] x + b1[e]) + b2[e]), and the shared ones
//
// p is softmax of the router's logits. With top 1 the weight is p of the chosen (Fedus and others, 2021), with more
// each one's share of all chosen (Lepikhin and others, 2020; Jiang and others, "Mixtral of Experts", 2024). Of equal ones
// the first is chosen. What does not fit in an expert is dropped: it adds nothing, and the residual goes on without it.
//
// A balancing loss pulls the router towards even use (Fedus and others, 2021, equations 4 to 6): to a micro-batch's mean
// loss comes Balance x Count x sum over e of f[e] P[e], with f the share of all choices that fall on e, before any is
// dropped, and P the mean of p[e]. It has its own mean over the micro-batch, so no count of labels scales it; f has no
// gradient. It is not in what Model.Loss returns.
//
// Orders are fixed: an expert's positions ascend, a position's sum goes by expert, the shared ones last.
type experts struct {
	half
	routing    Routing
	activation Activation
	router     linear
	nets       []expert // the shared ones last
	kernel     Kernel
}

// Experts is a mixture of experts as half a transformer block, each a feed-forward network with so many hidden elements, and
// gated as one.
func Experts(c Half, hidden int, a Activation, gated bool, r Routing) (Layer, error) {
	h, err := newHalf(c, "norm.")
	switch {
	case err != nil:
	case hidden < 1:
		err = fmt.Errorf("hidden: %d elements, want at least 1", hidden)
	case r.Count < 2 || r.Count > maxExperts:
		err = fmt.Errorf("count: %d experts, want 2 to %d", r.Count, maxExperts)
	case r.Top < 1 || r.Top > r.Count:
		err = fmt.Errorf("top: %d experts of a position, want 1 to %d", r.Top, r.Count)
	case !(r.Capacity >= 0):
		err = fmt.Errorf("capacity: %v, want 0 or more", r.Capacity)
	case !(r.Balance >= 0):
		err = fmt.Errorf("balance: %v, want 0 or more", r.Balance)
	case r.Force != "" && r.Force != ForceEven && r.Force != ForceOne:
		err = fmt.Errorf("force: %q, want %s or %s, or nothing", r.Force, ForceEven, ForceOne)
	case r.Shared < 0 || r.Shared > maxShared:
		err = fmt.Errorf("shared: %d experts, want 0 to %d", r.Shared, maxShared)
	}
	l := experts{half: h, routing: r, activation: a, kernel: Portable}
	if err != nil {
		return l, err
	}
	l.router = linear{"router.", c.Size, r.Count, false, h.norm.end()}
	at := l.router.end()
	for e := range r.Count + r.Shared {
		name := fmt.Sprintf("experts.%d.", e)
		if e >= r.Count {
			name = fmt.Sprintf("shared.%d.", e-r.Count)
		}
		l.nets = append(l.nets, newExpert(name, c.Size, hidden, !c.NoBias, gated, at))
		at = l.nets[e].end()
	}
	return l, nil
}

func (l experts) of() half { return l.half }

// last has no bias: each expert adds its own before it is weighed.
func (l experts) last() linear { return linear{} }
func (l experts) Params() int  { return l.nets[len(l.nets)-1].end() }

// Undivided says why tp ranks cannot share it; replicas can.
func (l experts) Undivided() string { return "a mixture of experts is whole on each rank" }

func (l experts) Tensors() []Tensor {
	t := append(l.norm.tensors(), l.router.tensors()...)
	for _, e := range l.nets {
		t = append(t, e.tensors()...)
	}
	return t
}

// Init is that of each part.
func (l experts) Init(p []float32, draw *Stream) {
	l.norm.init(p)
	l.router.init(p, draw)
	for _, e := range l.nets {
		e.init(p, draw)
	}
}

func (l experts) With(k Kernel) Layer {
	l.kernel = k
	return l
}

// taken is how many experts a position takes at most.
func (l experts) taken() int { return l.routing.Top + l.routing.Shared }

// Cost is that of the positions that experts take where none is dropped.
func (l experts) Cost() Cost {
	c, n, one := l.cost(), l.all*l.taken(), l.nets[0]
	c.Forward = append(append(c.Forward, l.router.work(l.all)), one.forwardWork(n)...)
	c.Gradient = append(one.gradientWork(n), l.router.gradientWork(l.all))
	c.Input = append(append(c.Input, one.inputWork(n)...), l.router.work(l.all).turned())
	c.Saved += l.all*l.routing.Count + n*(one.kept()+2*l.norm.size)
	c.Notes += 4*(l.all*(l.routing.Count+2*l.taken())+3*n) + n*one.notes()
	return c
}

type expertsSaved struct {
	halved
	p, dp        []float32 // positions x count: softmax, and the gradient of the logits
	mid          between   // of slots
	in, out      []float32 // slots x size: what experts take, and give
	chosen       []int32   // positions x taken: experts, ascending
	weight       []float32 // likewise
	position, of []int32   // by slot: whose it is, and its place in chosen
	dw           []float32 // likewise: the gradient of its weight
	came         []int     // by expert: positions that chose it
	ends, next   []int     // likewise: where its slots end, and the next that is free
	even         []float32 // likewise: the gradient of the balancing loss by each p
	n            int       // positions of the last Forward
}

func (l experts) NewSaved(rows int) Saved {
	n := rows * l.all
	slots, floats := n*l.taken(), func(n int) []float32 { return make([]float32, n) }
	return &expertsSaved{l.newHalved(rows), floats(n * l.routing.Count), floats(n * l.routing.Count), l.nets[0].between(slots),
		floats(slots * l.norm.size), floats(slots * l.norm.size), make([]int32, slots), floats(slots), make([]int32, slots),
		make([]int32, slots), floats(slots), make([]int, len(l.nets)), make([]int, len(l.nets)), make([]int, len(l.nets)),
		floats(l.routing.Count), 0}
}

func (l experts) Forward(y, x, p []float32, rows int, saved Saved, pass *Pass) {
	forwardHalf(l, y, x, p, rows, saved, pass)
}

func (l experts) Backward(dx, g, d, x, p []float32, rows int, saved Saved) {
	backwardHalf(l, dx, g, d, x, p, rows, saved)
}

// choose finds the experts of each of n positions and their weights.
func (l experts) choose(s *expertsSaved, n int) {
	count, taken := l.routing.Count, l.taken()
	for i := range n {
		p := s.p[i*count:][:count]
		by := 1 / l.kernel.ExpSum(p, p, p[argmax(p)])
		for e, v := range p {
			p[e] = float32(float64(v) * by)
		}
		chosen, weight := s.chosen[i*taken:][:taken], s.weight[i*taken:][:taken]
		l.routing.pick(chosen[:l.routing.Top], p, i)
		l.routing.weigh(weight, p, chosen[:l.routing.Top])
		for k := l.routing.Top; k < taken; k++ {
			chosen[k], weight[k] = int32(count+k-l.routing.Top), 1
		}
	}
}

// weigh finds the weights of chosen experts: the probability of one, each one's share of several.
func (r *Routing) weigh(weight, p []float32, chosen []int32) {
	if r.Top == 1 {
		weight[0] = p[chosen[0]]
		return
	}
	sum := float32(0)
	for _, e := range chosen {
		sum += p[e]
	}
	for k, e := range chosen {
		weight[k] = 1 / float32(r.Top)
		if sum > 0 { // it always is where the largest are chosen
			weight[k] = p[e] / sum
		}
	}
}

// pick chooses the experts of a position by their probabilities, and leaves them ascending.
func (r *Routing) pick(chosen []int32, p []float32, position int) {
	for k := range chosen {
		switch r.Force {
		case ForceOne:
			chosen[k] = int32(k)
		case ForceEven:
			chosen[k] = int32((position*r.Top + k) % r.Count)
		default:
			chosen[k] = nextLargest(p, chosen[:k])
		}
	}
	slices.Sort(chosen)
}

// nextLargest is the first of the largest that are not there yet.
func nextLargest(p []float32, there []int32) int32 {
	best := int32(-1)
	for e, v := range p {
		if (best < 0 || v > p[best]) && !slices.Contains(there, int32(e)) {
			best = int32(e)
		}
	}
	return best
}

// room is how many of n positions an expert takes. Outside training it is all: what a model says of a text must not
// hang on what else is asked with it.
func (l experts) room(e, n int, pass *Pass) int {
	if e >= l.routing.Count || l.routing.Capacity == 0 || !pass.Train {
		return n
	}
	even := float64(n*l.routing.Top) / float64(l.routing.Count)
	return min(n, int(math.Ceil(float64(l.routing.Capacity*even))))
}

// place gives slots to what experts take.
func (l experts) place(s *expertsSaved, n int, pass *Pass) {
	taken := l.taken()
	chosen := s.chosen[:n*taken]
	clear(s.came)
	for _, e := range chosen {
		s.came[e]++
	}
	end := 0
	for e, came := range s.came {
		s.next[e] = end
		end += min(came, l.room(e, n, pass))
		s.ends[e] = end
	}
	for at, e := range chosen {
		if slot := s.next[e]; slot < s.ends[e] {
			s.position[slot], s.of[slot] = int32(at/taken), int32(at)
			s.next[e]++
		}
	}
}

func (l experts) product(y, in, p []float32, rows int, saved Saved, pass *Pass) {
	s, n, size := saved.(*expertsSaved), rows*l.all, l.norm.size
	s.n = n
	l.router.forward(l.kernel, s.p, in, p, n)
	l.choose(s, n)
	l.place(s, n, pass)
	clear(y[:n*size])
	from := 0
	for e, end := range s.ends {
		for slot := from; slot < end; slot++ {
			copy(s.in[slot*size:][:size], in[int(s.position[slot])*size:])
		}
		if end > from {
			x := &l.nets[e]
			x.forward(l.kernel, l.activation, s.out[from*size:end*size], s.in[from*size:end*size], p, s.mid.of(x, from, end), end-from)
		}
		for slot := from; slot < end; slot++ {
			to, w := y[int(s.position[slot])*size:][:size], s.weight[s.of[slot]]
			for i, v := range s.out[slot*size:][:size] {
				to[i] += float32(w * v)
			}
		}
		from = end
	}
}

func (l experts) back(g, of, in, p []float32, rows int, saved Saved) {
	s, n, size := saved.(*expertsSaved), rows*l.all, l.norm.size
	clear(s.dw[:n*l.taken()])
	clear(g[l.router.end():l.Params()]) // of experts that nothing came to
	from := 0
	for e, end := range s.ends {
		for slot := from; slot < end; slot++ { // out becomes its gradient
			d, out, w, sum := of[int(s.position[slot])*size:][:size], s.out[slot*size:][:size], s.weight[s.of[slot]], float32(0)
			for i, v := range d {
				sum += float32(v * out[i])
				out[i] = float32(v * w)
			}
			s.dw[s.of[slot]] = sum
		}
		if end > from {
			x := &l.nets[e]
			x.backward(l.kernel, l.activation, g, s.out[from*size:end*size], s.in[from*size:end*size], p, s.mid.of(x, from, end), end-from)
		}
		from = end
	}
	l.routerBack(s, n)
	l.router.backward(l.kernel, of, g, s.dp, in, p, n)
	for slot := range from {
		Add(of[int(s.position[slot])*size:][:size], s.out[slot*size:][:size])
	}
}

// routerBack makes the gradient of the logits from that of the weights.
func (l experts) routerBack(s *expertsSaved, n int) {
	count, taken := l.routing.Count, l.taken()
	clear(s.dp[:n*count])
	for i := range n {
		chosen, weight, dw := s.chosen[i*taken:], s.weight[i*taken:], s.dw[i*taken:]
		d := s.dp[i*count:][:count]
		if l.routing.Top == 1 {
			along := float32(dw[0] * weight[0])
			for e, v := range s.p[i*count:][:count] {
				d[e] = -float32(along * v)
			}
			d[chosen[0]] += along
			continue
		}
		mean := float32(weight[0] * dw[0])
		for k := 1; k < l.routing.Top; k++ {
			mean += float32(weight[k] * dw[k])
		}
		for k := range l.routing.Top {
			d[chosen[k]] = float32(weight[k] * (dw[k] - mean))
		}
	}
	if l.routing.Balance > 0 {
		l.balanceBack(s, n)
	}
}

// balanceBack adds the gradient of the balancing loss by the logits: p[e] (b[e] - sum of p b), where b is that by p.
func (l experts) balanceBack(s *expertsSaved, n int) {
	count, all := l.routing.Count, float64(n)
	each := float64(l.routing.Balance*float64(count)) / float64(all*float64(n*l.routing.Top))
	for e := range s.even {
		s.even[e] = float32(each * float64(s.came[e]))
	}
	for i := range n {
		p, along := s.p[i*count:][:count], float32(0)
		for e, v := range p {
			along += float32(v * s.even[e])
		}
		for e, v := range p {
			s.dp[i*count+e] += float32(v * (s.even[e] - along))
		}
	}
}
