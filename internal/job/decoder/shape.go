package decoder

import "fmt"

// Shape is the sizes of a model. The zero value of what a model may lack means that it lacks it.
type Shape struct {
	Blocks     int // attention and feed-forward each
	Hidden     int // elements of a position's vector
	Heads      int // of queries
	KVHeads    int // of keys and values; heads of queries share them
	HeadSize   int // elements of a head; 0: Hidden / Heads
	FFN        int // elements inside a feed-forward
	Vocabulary int
	Sequence   int  // tokens of a training example
	Tied       bool // the head's weights are the embedding's
	Gated      bool // a feed-forward has three products, not two
	Bias       bool // products have biases
	LayerNorm  bool // norms have a bias too; else RMSNorm
	Learned    bool // positions are parameters; else queries and keys are turned (rotary)
	HeadNorm   bool // queries and keys are normed head by head
	Dropout    bool // in training, behind each half and on the maps of attention

	Experts Experts
	Latent  Latent
}

// Experts is feed-forwards of which a router picks some for each token (Shazeer and others, 2017).
type Experts struct {
	Count, TopK int // 0: none
	Shared      int // beside those, for every token
	FFN         int // elements inside each; 0: Shape.FFN
	Dense       int // blocks at the beginning that have Shape.FFN in place of experts
	RouterBias  bool
}

// Latent is queries, keys and values made from smaller vectors (DeepSeek-AI, "DeepSeek-V2", 2024, section 2.1).
type Latent struct {
	Query, KeyValue int // elements of those vectors; 0: none
	Rotary          int // of a head's queries and of all heads' one key, that are turned
	Value           int // of a head
}

// The largest sizes: far beyond any model, and small enough that no count overflows.
const (
	MaxBlocks     = 1024
	MaxHidden     = 1 << 17
	MaxHeads      = 1 << 12
	MaxHeadSize   = 1 << 12
	MaxFFN        = 1 << 20
	MaxVocabulary = 1 << 24
	MaxSequence   = 1 << 20
	MaxExperts    = 1 << 12
)

// Misfit is one size that cannot be, by the name that a scenario has for it.
type Misfit struct{ Key, Text string }

// Size is a size with its bounds, by the name that a scenario has for it.
type Size struct {
	Key           string
	Is, Low, High int
}

// Sizes lists the sizes of a shape.
func (s *Shape) Sizes() []Size {
	e := &s.Experts
	return []Size{{"layers", s.Blocks, 1, MaxBlocks}, {"hidden", s.Hidden, 1, MaxHidden}, {"heads", s.Heads, 1, MaxHeads},
		{"kv_heads", s.KVHeads, 1, MaxHeads}, {"head_size", s.HeadSize, 0, MaxHeadSize}, {"ffn", s.FFN, 1, MaxFFN},
		{"vocabulary", s.Vocabulary, 1, MaxVocabulary}, {"sequence", s.Sequence, 1, MaxSequence},
		{"experts", e.Count, 0, MaxExperts}, {"top_k", e.TopK, 0, MaxExperts}, {"shared_experts", e.Shared, 0, MaxExperts},
		{"expert_ffn", e.FFN, 0, MaxFFN}, {"dense_layers", e.Dense, 0, MaxBlocks}}
}

// Misfits lists what of the shape is no model: all of it.
func (s *Shape) Misfits() (all []Misfit) {
	say := func(key, format string, args ...any) { all = append(all, Misfit{key, fmt.Sprintf(format, args...)}) }
	bad := map[string]bool{}
	for _, z := range s.Sizes() {
		if bad[z.Key] = z.Is < z.Low || z.Is > z.High; bad[z.Key] {
			say(z.Key, "%d, want %d to %d", z.Is, z.Low, z.High)
		}
	}
	heads := !bad["hidden"] && !bad["heads"] && !bad["head_size"]
	if heads && s.HeadSize == 0 && s.Hidden%s.Heads != 0 {
		heads = false
		say("heads", "%d do not divide a hidden size of %d: want as many as divide it, or a head_size", s.Heads, s.Hidden)
	}
	if !bad["heads"] && !bad["kv_heads"] && s.Heads%s.KVHeads != 0 {
		say("kv_heads", "%d of %d heads, want as many as divide them", s.KVHeads, s.Heads)
	}
	if heads && !s.Learned && s.Latent.KeyValue == 0 && s.headSize()%2 != 0 {
		say("head_size", "%d elements of a head, which rotary positions turn in pairs: want an even number", s.headSize())
	}
	return append(all, s.expertMisfits()...)
}

func (s *Shape) expertMisfits() (all []Misfit) {
	say := func(key, format string, args ...any) { all = append(all, Misfit{key, fmt.Sprintf(format, args...)}) }
	e := &s.Experts
	switch {
	case e.Count == 0 && (e.TopK > 0 || e.Shared > 0 || e.FFN > 0 || e.Dense > 0):
		for _, z := range s.Sizes()[9:] {
			if z.Is > 0 {
				say(z.Key, "%d without experts: want experts too, or none of it", z.Is)
			}
		}
	case e.Count > 0 && e.TopK == 0:
		say("experts", "%d without top_k: want how many of them a token goes to", e.Count)
	case e.TopK > e.Count:
		say("top_k", "%d of %d experts, want at most as many as there are", e.TopK, e.Count)
	case e.Dense > s.Blocks:
		say("dense_layers", "%d of %d layers", e.Dense, s.Blocks)
	}
	return all
}

// headSize is the elements of a head of queries.
func (s *Shape) headSize() int {
	if s.HeadSize > 0 {
		return s.HeadSize
	}
	return s.Hidden / max(s.Heads, 1)
}

// ExpertElems is the elements inside an expert.
func (s *Shape) ExpertElems() int {
	if s.Experts.FFN > 0 {
		return s.Experts.FFN
	}
	return s.FFN
}

// HeadElems is the elements of a head of queries.
func (s *Shape) HeadElems() int { return s.headSize() }
