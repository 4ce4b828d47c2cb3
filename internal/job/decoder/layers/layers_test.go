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
