package layers

import (
	"fmt"
	"math"
	"testing"

	"railyard/internal/job/decoder"
	"railyard/internal/job/workload"
)

// gpt is a model of arXiv 2205.05198, table 3.
func gpt(hidden, blocks, heads int) *decoder.Shape {
	return &decoder.Shape{Blocks: blocks, Hidden: hidden, FFN: 4 * hidden, Heads: heads, KVHeads: heads, Vocabulary: 51200,
		Sequence: 2048, Bias: true, LayerNorm: true, Learned: true, Dropout: true}
}

// blockBytes is what a block keeps of a row, of one of eight parts: its halves' inputs, and what they save.
func blockBytes(t *testing.T, s *decoder.Shape, way workload.Way, o Options) (sum int64) {
	t.Helper()
	o.Kept = 2
	all, err := Of(s, o)
	if err != nil {
		t.Fatal(err)
	}
	before := Before(s)
	for i := range 2 {
		l := &all[before+i]
		p := l.Ways[way].Of(8)
		if !l.Forgets {
			sum += 2 * int64(p.In)
		}
		sum += 2 * int64(p.Saved)
	}
	return sum
}

// What GPUs keep of activations, in GiB, as arXiv 2205.05198 publishes it: with tensor parallelism of 8 alone, and with
// positions in parts and maps made again. Stages that interleave keep more: 1 + (p-1)/(pm) times a model's blocks.
func TestActivationsAsPublished(t *testing.T) {
	for _, m := range []struct {
		hidden, blocks, heads int
		batch                 int64
		more                  float64
		alone, both           string
	}{
		{6144, 48, 64, 4, 1, "59.25", "9.56"},
		{12288, 96, 96, 1, 1 + 7.0/24, "66.84", "12.35"},
		{20480, 105, 128, 1, 1 + 34.0/105, "114.02", "23.08"},
		{25600, 128, 160, 1, 1, "131.25", "26.56"},
	} {
		s := gpt(m.hidden, m.blocks, m.heads)
		gib := func(way workload.Way, o Options) string {
			n := float64(blockBytes(t, s, way, o)*int64(m.blocks)*m.batch) * m.more
			return fmt.Sprintf("%.2f", n/(1<<30))
		}
		if got := gib(workload.Inside, Options{}); got != m.alone {
			t.Errorf("%d: %s GiB, want %s", m.hidden, got, m.alone)
		}
		if got := gib(workload.Sequence, Options{Recompute: Selective}); got != m.both {
			t.Errorf("%d: sequence and selective: %s GiB, want %s", m.hidden, got, m.both)
		}
	}
}

// The same as parts of what tensor parallelism alone keeps: figure 7. Its sixteen numbers are no sums but readings: each is
// a whole number of 1/562.5 of the whole bar, to both decimals, and no formula has that. Twelve of ours round to the reading
// itself, the other four to the one beside it.
func TestActivationPartsAsPublished(t *testing.T) {
	const bar = 562.5
	exact := 0
	for _, m := range []struct {
		hidden, blocks, heads           int
		sequence, selective, both, full float64
	}{
		{6144, 48, 64, 66.84, 49.42, 16.18, 7.64},
		{12288, 96, 96, 62.04, 56.53, 18.49, 8.71},
		{20480, 105, 128, 58.31, 62.04, 20.27, 9.42},
		{25600, 128, 160, 58.31, 62.04, 20.27, 9.42},
	} {
		s := gpt(m.hidden, m.blocks, m.heads)
		alone := float64(blockBytes(t, s, workload.Inside, Options{}))
		for _, c := range []struct {
			name string
			way  workload.Way
			o    Options
			want float64
		}{
			{"sequence", workload.Sequence, Options{}, m.sequence},
			{"selective", workload.Inside, Options{Recompute: Selective}, m.selective},
			{"both", workload.Sequence, Options{Recompute: Selective}, m.both},
			{"full", workload.Inside, Options{Recompute: Full}, m.full},
		} {
			read := math.Round(c.want / 100 * bar)
			if fmt.Sprintf("%.2f", 100*read/bar) != fmt.Sprintf("%.2f", c.want) {
				t.Errorf("%d, %s: %.2f %% is no reading", m.hidden, c.name, c.want)
			}
			got := float64(blockBytes(t, s, c.way, c.o)) / alone * bar
			if math.Round(got) == read {
				exact++
			}
			if math.Abs(got-read) >= 1 {
				t.Errorf("%d, %s: %.2f %%, read as %.2f", m.hidden, c.name, 100*got/bar, c.want)
			}
		}
	}
	if exact != 12 {
		t.Errorf("%d of 16 round to what was read, want 12", exact)
	}
}

// Parameters that are lowered are those that are counted.
func TestParametersAreThoseCounted(t *testing.T) {
	for _, name := range []string{"gpt3-125m", "gpt3-175b", "llama2-7b", "llama3-70b", "llama3-405b", "mixtral-8x7b",
		"qwen3-30b-a3b", "qwen3-235b-a22b"} {
		p, _ := decoder.Named(name)
		for _, o := range []Options{{Plain: true}, {Flash: true, Kept: 2}, {Recompute: Full, Kept: 2}} {
			all, err := Of(&p.Shape, o)
			if err != nil {
				t.Fatal(err)
			}
			sum, c := int64(0), p.Count()
			for i := range all {
				sum += all[i].Params
			}
			if p.Tied {
				sum -= c.Embedding
			}
			if sum != c.Total() {
				t.Errorf("%s: %d parameters are lowered, %d counted", name, sum, c.Total())
			}
		}
	}
}

// Products are those that are counted for a token: 6 for each parameter of a product, and maps of attention. Norms and
// biases, which the count has too, multiply no matrix.
func TestProductsAreThoseCounted(t *testing.T) {
	p, _ := decoder.Named("llama3-8b")
	all, err := Of(&p.Shape, Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	dense, causal := workload.Products(all)
	f, s := p.TokenFLOP(), int64(p.Sequence)
	norms := int64(p.Hidden) * int64(2*p.Blocks+1)
	if f.Dense-dense/s != 6*norms || f.Causal-causal/s != 6*norms {
		t.Errorf("%d and %d FLOP a token in products, counted %d and %d", dense/s, causal/s, f.Dense, f.Causal)
	}
}

// What stands before the blocks, what a tied head shares with the embedding, and the parts of the loss.
func TestEndsOfAModel(t *testing.T) {
	s := gpt(64, 2, 4)
	if Before(s) != 2 || Ties(s, 7, 2) != nil {
		t.Errorf("%d layers before the blocks, ties %+v", Before(s), Ties(s, 7, 2))
	}
	s.Learned, s.Tied, s.Vocabulary = false, true, 101
	all, err := Of(s, Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	ties := Ties(s, len(all), 2)
	if Before(s) != 1 || all[1].Name != "blocks.1.attention" || len(ties) != 1 || ties[0].Lower.Layer != 0 ||
		ties[0].Upper.Layer != len(all)-1 || ties[0].Elems != 51*64 { // of 101 words one of two ranks has 51
		t.Errorf("%d before %s; %+v", Before(s), all[1].Name, ties)
	}
	if phases := LossPart(s)(2); len(phases) == 0 {
		t.Error("a loss over half a vocabulary has no phases")
	}
}

// Norms of heads: each part has the scales of one head, which all have, and the pass over its own heads.
func TestNormsOfHeadsInParts(t *testing.T) {
	with, without := gpt(64, 1, 4), gpt(64, 1, 4)
	with.Learned, without.Learned, with.HeadNorm = false, false, true
	of := func(s *decoder.Shape) workload.Layer {
		all, err := Of(s, Options{Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		return all[1]
	}
	a, b := of(with), of(without)
	if a.Params-b.Params != 2*16 || len(a.Forward) != len(b.Forward)+1 || len(a.Input) != len(b.Input)+1 {
		t.Errorf("%d parameters more, %d kernels beside %d", a.Params-b.Params, len(a.Forward), len(b.Forward))
	}
	for _, parts := range []int{1, 2, 4} {
		p, q := a.Ways[workload.Inside].Of(parts), b.Ways[workload.Inside].Of(parts)
		flop := func(all []workload.Phase) (sum int64) {
			for _, ph := range all {
				for _, k := range ph.Kernels {
					sum += k.FLOP
				}
			}
			return sum
		}
		pass := int64(4*2048*8*16) / int64(parts)
		if p.Params-q.Params != 2*16 || p.Partial.Elems-q.Partial.Elems != 2*16 || flop(p.Forward)-flop(q.Forward) != pass ||
			flop(p.Backward)-flop(q.Backward) != pass {
			t.Errorf("%d parts: %d parameters, %d to sum, %d FLOP more forward, %d back, want %d", parts, p.Params-q.Params,
				p.Partial.Elems-q.Partial.Elems, flop(p.Forward)-flop(q.Forward), flop(p.Backward)-flop(q.Backward), pass)
		}
	}
}
