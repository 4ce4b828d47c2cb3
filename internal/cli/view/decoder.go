package view

import (
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/decoder"
)

// A Decoder is what a large model comes to, without a cluster.
type Decoder struct {
	Name       string            `json:"name"`
	Source     string            `json:"source"`
	Sizes      map[string]int    `json:"sizes"`
	Block      []decoderPartJSON `json:"block"`
	Blocks     int64             `json:"blocks_parameters"`
	Embedding  int64             `json:"embedding_parameters"`
	Positions  int64             `json:"position_parameters,omitempty"`
	Norm       int64             `json:"norm_parameters"`
	Head       int64             `json:"head_parameters"` // 0: tied to the embedding
	Parameters int64             `json:"parameters"`
	Active     int64             `json:"active_parameters"` // that a token meets
	Causal     int64             `json:"token_flop_causal"` // forward and backward, half of each map of attention
	Dense      int64             `json:"token_flop_dense"`  // whole maps
	Convention string            `json:"convention"`
	Gradients  unit.Bytes        `json:"gradient_bytes"` // of a step, as float32
	Weights    unit.Bytes        `json:"weight_bytes"`   // as BF16

	shown []string // sizes
}

type decoderPartJSON struct {
	Name       string `json:"name"`
	Parameters int64  `json:"parameters"`
}

// flopConvention says how the arithmetic of a token is counted.
const flopConvention = "6 x the parameters of products that a token meets + 6 L h s: each map of attention counted half, as " +
	"NVIDIA's tables count; dense: whole, as PaLM's"

// DecoderOf is a large model by its name; nil: there is none of that name.
func DecoderOf(name string) *Decoder {
	p, ok := decoder.Named(name)
	if !ok {
		return nil
	}
	c, f := p.Count(), p.TokenFLOP()
	d := &Decoder{Name: name, Source: p.Source, Blocks: c.Blocks, Embedding: c.Embedding, Positions: c.Positions,
		Norm: c.Norm, Head: c.Head, Parameters: c.Total(), Active: c.Active, Causal: f.Causal, Dense: f.Dense,
		Convention: flopConvention, Gradients: 4 * unit.Bytes(c.Total()), Weights: 2 * unit.Bytes(c.Total()),
		Sizes: map[string]int{}}
	for _, part := range c.Block {
		d.Block = append(d.Block, decoderPartJSON{part.Name, part.Params})
	}
	for _, size := range p.Sizes() {
		if size.Is > 0 {
			d.Sizes[size.Key] = size.Is
			d.shown = append(d.shown, fmt.Sprintf("%s %d", size.Key, size.Is))
		}
	}
	return d
}

// DecoderText prints what a large model comes to.
func DecoderText(s *sheet.Sheet, d *Decoder) {
	s.Wrap("", fmt.Sprintf("%s: %s parameters (%s as BF16), %s of them in each of %d blocks; %s", d.Name,
		unit.Count(d.Parameters), d.Weights.Human(), unit.Count(d.perBlock()), d.Sizes["layers"], strings.Join(d.shown, ", ")))
	s.Blank()
	exact := func(n int64) string { return fmt.Sprint(n) }
	rows := [][]string{{"part", "parameters"}, {"embedding", exact(d.Embedding)}}
	if d.Positions > 0 {
		rows = append(rows, []string{"positions", exact(d.Positions)})
	}
	for _, part := range d.Block {
		rows = append(rows, []string{"a block's " + part.Name, exact(part.Parameters)})
	}
	head := exact(d.Head)
	if d.Head == 0 {
		head = "tied"
	}
	rows = append(rows, []string{"all blocks", exact(d.Blocks)}, []string{"last norm", exact(d.Norm)}, []string{"head", head},
		[]string{"in all", exact(d.Parameters)})
	if d.Active != d.Parameters {
		rows = append(rows, []string{"that a token meets", exact(d.Active)})
	}
	s.Grid("lr", rows)
	s.Blank()
	s.Wrap("", fmt.Sprintf("A token takes %s forward and backward (%s with whole maps): %s.", gigaFLOP(d.Causal),
		gigaFLOP(d.Dense), d.Convention))
	s.Wrap("", fmt.Sprintf("Gradients of a step: %s as float32, %s as BF16, for each replica.", d.Gradients.Human(),
		d.Weights.Human()))
	s.Wrap("", "Source: "+d.Source+".")
}

func (d *Decoder) perBlock() (sum int64) {
	for _, p := range d.Block {
		sum += p.Parameters
	}
	return sum
}

func gigaFLOP(n int64) string { return fmt.Sprintf("%.1f GFLOP", float64(n)/1e9) }
