package layers

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/job/decoder"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Recompute is what a backward makes again.
type Recompute uint8

// What it may be.
const (
	Nothing   Recompute = iota
	Selective           // maps of attention, and what comes of them
	Full                // a block's forward
)

// Options say how frameworks run the layers.
type Options struct {
	Plain     bool // as job.train does; the others are of no use then
	Flash     bool // maps of attention stay on the chip
	Recompute Recompute
	Kept      int64 // bytes of a value that is kept
	// Routed is what goes where, of experts that are spread: there is room for that, and no more. nil: for the worst case.
	Routed *workload.Routed
}

// Of returns the layers of a decoder: tokens, positions that are learned, two halves for each block, a norm and a head.
func Of(s *decoder.Shape, o Options) ([]workload.Layer, error) {
	norm := nn.RMSNorm
	if s.LayerNorm {
		norm = nn.LayerNorm
	}
	half := nn.Half{Positions: s.Sequence, Size: s.Hidden, Norm: norm, NoBias: !s.Bias}
	heads := nn.Heads{Count: s.Heads, Size: s.HeadElems(), KeyValues: s.KVHeads, Sized: true}
	if !s.Learned {
		heads.Rotary = 10000 // the base is of no account: nothing is turned
	}
	attention, err := nn.AttentionOf(half, heads)
	if err != nil {
		return nil, err
	}
	activation := nn.GELU
	if s.Gated {
		activation = nn.SiLU
	}
	feed, err := nn.FeedForward(half, s.FFN, activation, s.Gated)
	if err != nil {
		return nil, err
	}
	all := []workload.Layer{train.Lowered("tokens", nn.Embedding(s.Sequence, s.Vocabulary, s.Hidden, false))}
	if s.Learned {
		all = append(all, train.Lowered("positions", nn.LearnedPositions(s.Sequence, s.Hidden)))
	}
	first, second, third := train.Lowered("", attention), train.Lowered("", feed), workload.Layer{}
	if s.HeadNorm {
		headNorm(s, &first)
	}
	if !o.Plain {
		first, second = o.attention(s, first), o.feedForward(s, second)
	}
	if s.Experts.Count > 0 {
		if third, err = o.experts(s, half, activation); err != nil {
			return nil, err
		}
	}
	share(&first)
	share(&second)
	share(&third)
	for b := range s.Blocks {
		last, name := second, "feed_forward"
		if s.Experts.Count > 0 && b >= s.Experts.Dense {
			last, name = third, "experts"
		}
		first.Name, last.Name = fmt.Sprintf("blocks.%d.attention", b+1), fmt.Sprintf("blocks.%d.%s", b+1, name)
		all = append(all, first, last)
	}
	return append(all, train.Lowered("norm", nn.Normalised(norm, s.Sequence, s.Hidden)),
		train.Lowered("head", nn.Everywhere(s.Sequence, s.Hidden, s.Vocabulary, false))), nil
}

// Before is how many layers stand before the blocks.
func Before(s *decoder.Shape) int {
	if s.Learned {
		return 2
	}
	return 1
}

// Ties are those of a head that is the embedding, where so many ranks share layers.
func Ties(s *decoder.Shape, layers, parts int) []workload.Tie {
	if !s.Tied {
		return nil
	}
	places := (s.Vocabulary + parts - 1) / parts
	return []workload.Tie{{Lower: workload.TiedPart{}, Upper: workload.TiedPart{Layer: layers - 1},
		Elems: int64(places) * int64(s.Hidden)}}
}

// LossPart is cross entropy over the vocabulary in parts.
func LossPart(s *decoder.Shape) func(parts int) []workload.Phase {
	return train.LossParts(s.Sequence, s.Vocabulary)
}

// share has each split of a layer made once for each number of parts.
func share(l *workload.Layer) {
	for way := range l.Ways {
		split := l.Ways[way]
		if split == nil {
			continue
		}
		known := map[int]workload.Part{}
		of := split.Of
		l.Ways[way] = &workload.Split{Widths: split.Widths, Of: func(parts int) workload.Part {
			p, made := known[parts]
			if !made {
				p = of(parts)
				known[parts] = p
			}
			return p
		}}
	}
}

// keeps is what a row's forward leaves, in bytes as Korthikanti and others count them: values of two bytes, masks of
// dropout of one. Small things are not counted: scales of norms, sums of a softmax's row.
type keeps struct {
	whole int64 // that ranks which share the layer have alike, or with Sequence in parts
	parts int64 // that they have in parts
	maps  int64 // likewise: maps of attention, and what dropout makes of them
}

// elems is how many values of a size that is, of one of so many parts.
func (k keeps) elems(parts int64, spread bool, maps bool, size int64) int {
	whole, own := k.whole, k.parts
	if maps {
		own += k.maps
	}
	if spread {
		whole /= parts
	}
	return int((whole + own/parts + size - 1) / size)
}

func (o Options) attentionKeeps(s *decoder.Shape) (k keeps) {
	n, h := int64(s.Sequence), int64(s.Hidden)
	inner := int64(s.Heads) * int64(s.HeadElems())
	k.whole = o.Kept * n * h // what the first product takes
	k.parts = o.Kept * n * (2*inner + 2*int64(s.KVHeads)*int64(s.HeadElems()))
	area := int64(s.Heads) * n * n
	k.maps = o.Kept * area
	if s.Dropout {
		k.whole += n * h // its mask
		k.maps += (1 + o.Kept) * area
	}
	return k
}

func (o Options) feedKeeps(s *decoder.Shape) (k keeps) {
	n, h, inside := int64(s.Sequence), int64(s.Hidden), int64(s.FFN)
	k.whole, k.parts = o.Kept*n*h, 2*o.Kept*n*inside // what both products take, and the activation
	if s.Gated {
		k.parts += o.Kept * n * inside
	}
	if s.Dropout {
		k.whole += n * h
	}
	return k
}

// attention is that half of a block as frameworks run it.
func (o Options) attention(s *decoder.Shape, l workload.Layer) workload.Layer {
	return o.fused(l, o.attentionKeeps(s), !o.Flash && o.Recompute == Nothing, func(k []workload.Kernel, back bool) []workload.Kernel {
		return o.cores(k, s.Dropout, back)
	})
}

func (o Options) feedForward(s *decoder.Shape, l workload.Layer) workload.Layer {
	l = o.fused(l, o.feedKeeps(s), false, func(k []workload.Kernel, _ bool) []workload.Kernel { return k })
	l.Forgets = o.Recompute == Full
	return l
}

// fused changes the kernels of a layer and its parts, and what they keep.
func (o Options) fused(l workload.Layer, k keeps, maps bool, cores func([]workload.Kernel, bool) []workload.Kernel) workload.Layer {
	forward := cores(l.Forward, false)
	l.Input = slices.Concat(o.repeated(forward), cores(l.Input, true))
	l.Forward, l.Saved = forward, k.elems(1, false, maps, o.Kept)
	if o.Recompute == Full {
		l.Saved, l.Again = 0, l.Saved
	}
	for way, split := range l.Ways {
		if split == nil {
			continue
		}
		l.Ways[way] = &workload.Split{Widths: split.Widths, Of: func(parts int) workload.Part {
			p := split.Of(parts)
			for i := range p.Forward {
				p.Forward[i].Kernels = cores(p.Forward[i].Kernels, false)
			}
			for i := range p.Backward {
				p.Backward[i].Kernels = cores(p.Backward[i].Kernels, true)
			}
			p.Saved = k.elems(int64(parts), workload.Way(way) == workload.Sequence, maps, o.Kept)
			return o.again(p)
		}}
	}
	return l
}

// repeated is what of a forward's kernels a backward that is one phase runs again.
func (o Options) repeated(forward []workload.Kernel) []workload.Kernel {
	switch o.Recompute {
	case Selective:
		return ofMaps(forward)
	case Full:
		return forward
	}
	return nil
}

// again has a part's backward make what its forward did not keep: maps before the phase that takes them back, or all
// phases of the forward, with what ranks exchange.
func (o Options) again(p workload.Part) workload.Part {
	switch o.Recompute {
	case Selective:
		var maps []workload.Kernel
		for i := range p.Forward {
			maps = append(maps, ofMaps(p.Forward[i].Kernels)...)
		}
		at := slices.IndexFunc(p.Backward, func(ph workload.Phase) bool { return len(ofMaps(ph.Kernels)) > 0 })
		if at >= 0 {
			p.Backward[at].Kernels = slices.Concat(maps, p.Backward[at].Kernels)
		}
	case Full:
		first := slices.Clone(p.Forward)
		for i := range first {
			ph := &first[i]
			ph.Name = workload.Again + strings.TrimPrefix("-"+ph.Name, "-"+workload.Forward)
			if ph.Inputs, ph.Params = false, false; ph.Then != workload.Keep {
				ph.What = workload.Again + "-" + ph.What
			}
			if ph.InPlace {
				ph.InPlace, ph.Elems = false, p.Out
			}
		}
		p.Backward = append(first, p.Backward...)
		p.Saved, p.Again = 0, p.Saved
	}
	return p
}

// ofMaps returns the kernels that make maps of attention or take them.
func ofMaps(all []workload.Kernel) (of []workload.Kernel) {
	for i := range all {
		if all[i].Masked > 0 || all[i].Each > 1 {
			of = append(of, all[i])
		}
	}
	return of
}

// cores changes the kernels that are of maps. Flash attention reads queries, keys and values and writes what comes of
// them; on its way back it makes the scores again, a fifth product beside four. In memory a map is written by the scores'
// product, read and written by the softmax, and by dropout, and read by the values' product; its gradient likewise.
func (o Options) cores(all []workload.Kernel, dropout, back bool) []workload.Kernel {
	var of []workload.Kernel
	for _, k := range all {
		if k.Masked == 0 {
			of = append(of, k)
			continue
		}
		maps := k.Each * k.M * k.N
		products := k.Product / (2 * maps * k.K)
		if o.Flash {
			k.Words -= products * maps
			if back {
				k.FLOP, k.Product, k.Masked = k.FLOP/4*5, k.Product/4*5, k.Masked/4*5
			}
			k.By = workload.BySeen
			of = append(of, k)
			continue
		}
		between := workload.Kernel{FLOP: 5 * maps, Words: 2 * maps, Each: k.Each}
		if back {
			between.Words = 3 * maps
		}
		if dropout { // read and written, and a mask of a byte
			between.Words += 2*maps + maps/2
		}
		k.FLOP = k.Product
		of = append(of, k, between)
	}
	return of
}
