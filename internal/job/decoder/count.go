package decoder

// Part is some parameters of a model.
type Part struct {
	Name   string // "attention", "feed-forward"
	Params int64
}

// Count is the parameters of a model.
type Count struct {
	Embedding int64  // of tokens
	Positions int64  // that are learned
	Block     []Part // of one block: the last, where the first have no experts
	Blocks    int64  // of all of them
	Norm      int64  // behind the last block
	Head      int64  // 0: tied to the embedding
	// Active is those that a token meets: of experts those that it goes to.
	Active int64
}

// Total is all of them.
func (c *Count) Total() int64 { return c.Embedding + c.Positions + c.Blocks + c.Norm + c.Head }

// PerBlock is the parameters of one block.
func (c *Count) PerBlock() (sum int64) {
	for _, p := range c.Block {
		sum += p.Params
	}
	return sum
}

// Count counts the parameters of a shape that is a model.
func (s *Shape) Count() (c Count) {
	h, v := int64(s.Hidden), int64(s.Vocabulary)
	c.Embedding = v * h
	if s.Learned {
		c.Positions = int64(s.Sequence) * h
	}
	if !s.Tied {
		c.Head = v * h
	}
	c.Norm = s.norm(h)
	attention, norms := s.attention(), 2*s.norm(h)
	whole, active := s.feedForward()
	c.Block = []Part{{"attention", attention}, {"feed-forward", whole}, {"norms", norms}}
	all, dense := int64(s.Blocks), int64(0)
	if s.Experts.Count > 0 {
		c.Block[1].Name = "experts and router"
		dense = int64(s.Experts.Dense)
	}
	plain := s.products(s.FFN)
	c.Blocks = all*(attention+norms) + (all-dense)*whole + dense*plain
	c.Active = c.Total() - (all-dense)*(whole-active)
	return c
}

// norm is the parameters of a norm of so many elements.
func (s *Shape) norm(elems int64) int64 {
	if s.LayerNorm {
		return 2 * elems
	}
	return elems
}

// product is the parameters of a matrix product.
func (s *Shape) product(in, out int) int64 {
	n := int64(in) * int64(out)
	if s.Bias {
		n += int64(out)
	}
	return n
}

func (s *Shape) attention() int64 {
	d := s.headSize()
	if l := &s.Latent; l.KeyValue > 0 {
		// Queries from a vector of their own; keys and values from another; of each key a part for all heads is turned.
		return s.product(s.Hidden, l.Query) + s.norm(int64(l.Query)) + s.product(l.Query, s.Heads*(d+l.Rotary)) +
			s.product(s.Hidden, l.KeyValue+l.Rotary) + s.norm(int64(l.KeyValue)) + s.product(l.KeyValue, s.Heads*(d+l.Value)) +
			s.product(s.Heads*l.Value, s.Hidden)
	}
	n := s.product(s.Hidden, (s.Heads+2*s.KVHeads)*d) + s.product(s.Heads*d, s.Hidden)
	if s.HeadNorm {
		n += 2 * int64(d)
	}
	return n
}

// products is the parameters of a feed-forward with so many elements inside.
func (s *Shape) products(inside int) int64 {
	n := s.product(s.Hidden, inside) + s.product(inside, s.Hidden)
	if s.Gated {
		n += s.product(s.Hidden, inside)
	}
	return n
}

// feedForward is the parameters of that half of a block, and those of them that a token meets.
func (s *Shape) feedForward() (whole, active int64) {
	e := &s.Experts
	if e.Count == 0 {
		n := s.products(s.FFN)
		return n, n
	}
	inside := s.ExpertElems()
	one, rest := s.products(inside), int64(s.Hidden)*int64(e.Count)+int64(e.Shared)*s.products(inside)
	if e.RouterBias {
		rest += int64(e.Count)
	}
	return int64(e.Count)*one + rest, int64(e.TopK)*one + rest
}

// FLOP is the arithmetic of one token, forward and backward, by what is counted.
type FLOP struct {
	Dense  int64 // 6 for each parameter of a product that it meets, and each whole map of attention
	Causal int64 // of each map the half that it may see
}

// TokenFLOP counts it by the convention of NVIDIA's tables of Llama training: 6 (N - V h) + 6 L h s with half a map, where
// N is all parameters that a token meets and V h those of the embedding, which is looked up; 12 L h s with whole maps
// (Chowdhery and others, "PaLM", arXiv 2204.02311, appendix B). For h stands what heads have together. Of a model whose
// head is tied the embedding's parameters are the head's, and count.
func (s *Shape) TokenFLOP() FLOP {
	c := s.Count()
	n := c.Active - c.Positions
	if !s.Tied {
		n -= c.Embedding
	}
	keys, values := int64(s.Heads)*int64(s.headSize()), int64(s.Heads)*int64(s.headSize())
	if l := &s.Latent; l.KeyValue > 0 {
		keys, values = int64(s.Heads)*int64(s.headSize()+l.Rotary), int64(s.Heads)*int64(l.Value)
	}
	maps := 6 * int64(s.Blocks) * int64(s.Sequence) * (keys + values) // 2 products, each 2 FLOP, three times
	return FLOP{Dense: 6*n + maps, Causal: 6*n + maps/2}
}
