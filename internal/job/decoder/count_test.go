package decoder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Parameters as the models' authors publish them, or their published weights have them.
func TestPresetsHaveTheParametersThatWerePublished(t *testing.T) {
	for name, want := range map[string]int64{
		"llama2-7b": 6_738_415_616, "llama2-13b": 13_015_864_320, "llama2-70b": 68_976_648_192,
		"llama3-8b": 8_030_261_248, "llama3-70b": 70_553_706_496, "llama3-405b": 405_853_388_800,
		"mixtral-8x7b": 46_702_792_704, "qwen3-30b-a3b": 30_532_122_624, "qwen3-235b-a22b": 235_093_634_560,
		"deepseek-v3": 671_026_419_200,
	} {
		p, ok := Named(name)
		c := p.Count()
		if got := c.Total(); !ok || got != want {
			t.Errorf("%s: %d parameters, want %d", name, got, want)
		}
		if name == "llama3-405b" { // BF16 weights alone: 80 GB of each GPU
			if gpus := (2*c.Total() + 80e9 - 1) / 80e9; gpus != 11 {
				t.Errorf("%s: %d GPUs of 80 GB for its weights, want 11", name, gpus)
			}
		}
	}
}

// GPT-3: 604 M parameters of attention and 1,208 M of a feed-forward in each of 96 blocks, and embeddings.
func TestGPT3(t *testing.T) {
	p, _ := Named("gpt3-175b")
	p.Bias = false // the products alone
	c := p.Count()
	h := int64(12288)
	if c.Block[0].Params != 4*h*h || c.Block[1].Params != 8*h*h || 4*h*h/1e6 != 603 || 8*h*h/1e6 != 1207 {
		t.Errorf("a block has %v, want %d and %d", c.Block, 4*h*h, 8*h*h)
	}
	if c.Embedding != 50257*h || c.Positions != 2048*h || c.Head != 0 {
		t.Errorf("embeddings %d and %d, head %d", c.Embedding, c.Positions, c.Head)
	}
	if got := c.Total(); got/1e8 != 1745 { // 174.6 billion
		t.Errorf("%d parameters", got)
	}
}

// What a token takes, at 8,192 tokens: job-model.md, NVIDIA's convention.
func TestTokenFLOPOfLlama3(t *testing.T) {
	for name, want := range map[string]string{"llama3-8b": "51.5", "llama3-70b": "449.2", "llama3-405b": "2524.0"} {
		p, _ := Named(name)
		if got := fmt.Sprintf("%.1f", float64(p.TokenFLOP().Causal)/1e9); got != want {
			t.Errorf("%s: %s GFLOP a token, want %s", name, got, want)
		}
	}
}

// P = 12 L h^2 (1 + 13/12h + (V+s)/12Lh) of Megatron's table 1 is what a GPT has without its last norm.
func TestMegatronsFormula(t *testing.T) {
	for _, m := range []struct{ heads, hidden, blocks int64 }{{24, 2304, 24}, {64, 8192, 48}, {160, 25600, 128}} {
		p := gpt3(int(m.blocks), int(m.hidden), int(m.heads))
		p.Vocabulary = 51200
		c := p.Count()
		l, h := m.blocks, m.hidden
		if want := 12*l*h*h + 13*l*h + (51200+2048)*h; c.Total()-c.Norm != want {
			t.Errorf("%d x %d: %d parameters, want %d", l, h, c.Total()-c.Norm, want)
		}
	}
}

func TestActiveParameters(t *testing.T) {
	for name, want := range map[string]int64{"qwen3-30b-a3b": 3, "qwen3-235b-a22b": 22, "deepseek-v3": 37, "mixtral-8x7b": 12} {
		p, _ := Named(name)
		c := p.Count()
		if got := c.Active / 1e9; got != want {
			t.Errorf("%s: %d billion active, want %d", name, got, want)
		}
	}
}

func TestPresetsAreModels(t *testing.T) {
	for _, name := range Names() {
		if p, _ := Named(name); len(p.Misfits()) > 0 || p.Source == "" {
			t.Errorf("%s: %v", name, p.Misfits())
		}
	}
}

// Shapes that are no model: each wrong size is named, and only those.
func TestMisfits(t *testing.T) {
	base, _ := Named("llama3-8b")
	for _, c := range []struct {
		change func(*Shape)
		keys   string
	}{
		{func(s *Shape) {}, "[]"},
		{func(s *Shape) { s.Heads, s.KVHeads = 33, 33 }, "[heads]"},
		{func(s *Shape) { s.KVHeads = 5 }, "[kv_heads]"},
		{func(s *Shape) { s.Vocabulary = 0 }, "[vocabulary]"},
		{func(s *Shape) { s.Blocks, s.FFN = 1_000_000, 0 }, "[layers ffn]"},
		{func(s *Shape) { s.Experts.Count = 8 }, "[experts]"},
		{func(s *Shape) { s.Experts.TopK = 2 }, "[top_k]"},
		{func(s *Shape) { s.Experts = Experts{Count: 4, TopK: 5} }, "[top_k]"},
		{func(s *Shape) { s.HeadSize = 127 }, "[head_size]"},
	} {
		s, keys := base.Shape, []string{}
		c.change(&s)
		for _, m := range s.Misfits() {
			keys = append(keys, m.Key)
		}
		if got := fmt.Sprint(slices.Compact(keys)); got != c.keys {
			t.Errorf("%s, want %s", got, c.keys)
		}
	}
}

// What a block is made of, by its parts: a model with experts has a router among them.
func TestPartsOfABlock(t *testing.T) {
	for name, want := range map[string]string{"llama3-8b": "attention, feed-forward, norms",
		"mixtral-8x7b": "attention, experts and router, norms"} {
		p, ok := Named(name)
		if !ok {
			t.Fatal(name)
		}
		var parts []string
		for _, b := range p.Shape.Count().Block {
			parts = append(parts, b.Name)
		}
		if got := strings.Join(parts, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A small model with experts, each number by hand: three blocks, the first without experts, of 8 elements; four experts of
// which a token goes to two, and a shared one, gated, of 16 elements.
func TestASmallModelByHand(t *testing.T) {
	s := Shape{Blocks: 3, Hidden: 8, Heads: 2, KVHeads: 1, FFN: 32, Vocabulary: 100, Sequence: 10, Gated: true, HeadNorm: true,
		Experts: Experts{Count: 4, TopK: 2, Shared: 1, FFN: 16, Dense: 1, RouterBias: true}}
	c := s.Count()
	attention := int64(8*(2+2)*4 + 8*8 + 2*4) // queries, one key and one value; what they give; norms of heads
	expert := int64(3 * 8 * 16)
	block := attention + 4*expert + expert + 8*4 + 4 + 2*8
	if c.PerBlock() != block || c.Blocks != 2*block+attention+3*8*32+2*8 || c.Total() != c.Blocks+2*100*8+8 {
		t.Errorf("%+v, want %d in a block", c, block)
	}
	if c.Total()-c.Active != 2*2*expert {
		t.Errorf("%d of %d active", c.Active, c.Total())
	}
	maps := int64(6 * 3 * 10 * 16)
	if f := s.TokenFLOP(); f.Dense != 6*(c.Active-800)+maps || f.Causal != f.Dense-maps/2 || s.HeadElems() != 4 || s.ExpertElems() != 16 {
		t.Errorf("%+v", f)
	}
}
