package layers

import (
	"railyard/internal/job/decoder"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// experts is the second half of a block that has them: nn's layer, gated as the shape is, of which each rank's part has room
// for what goes to it.
func (o Options) experts(s *decoder.Shape, half nn.Half, activation nn.Activation) (workload.Layer, error) {
	e := &s.Experts
	of, err := nn.Experts(half, s.ExpertElems(), activation, s.Gated, nn.Routing{Count: e.Count, Top: e.TopK, Shared: e.Shared})
	if err != nil {
		return workload.Layer{}, err
	}
	l := train.Lowered("", of)
	spread := l.Ways[workload.Spread]
	if !o.Plain {
		k := keeps{whole: o.router(s) + o.common(s) + o.copies(s, int64(s.Sequence*e.TopK), true)}
		l = o.fused(l, k, false, func(k []workload.Kernel, _ bool) []workload.Kernel { return k })
		l.Forgets = o.Recompute == Full
	}
	l.Ways[workload.Spread] = &workload.Split{Widths: spread.Widths, Of: func(parts int) workload.Part {
		p, n := spread.Of(parts), int64(s.Sequence*e.TopK)
		most := int64(p.Block / p.Row)
		if o.Routed != nil {
			most = o.Routed.Most(n, parts, e.Count)
			p.Block, p.Rooms[1] = int(most)*p.Row, parts*int(most)*p.Row
		}
		if !o.Plain {
			// What comes back is kept where it is weighed, what experts take and have between where they are.
			bytes := o.router(s) + o.common(s) + o.Kept*n*int64(s.Hidden) + o.copies(s, int64(parts)*most, false)
			p.Saved = int((bytes + o.Kept - 1) / o.Kept)
		}
		return p
	}}
	return l, nil
}

// router is what the choice leaves of a row, in bytes: what the router takes, and each position's probabilities as float32.
func (o Options) router(s *decoder.Shape) int64 {
	return int64(s.Sequence) * (o.Kept*int64(s.Hidden) + 4*int64(s.Experts.Count))
}

// between is how many values stand between the products of an expert: what the activation takes and gives, and with a gate
// what it multiplies.
func between(s *decoder.Shape) int64 {
	if s.Gated {
		return 3 * int64(s.ExpertElems())
	}
	return 2 * int64(s.ExpertElems())
}

// common is what shared experts leave of a row: they take what the router does.
func (o Options) common(s *decoder.Shape) int64 {
	return o.Kept * int64(s.Sequence) * int64(s.Experts.Shared) * between(s)
}

// copies is what experts leave of so many copies of positions: what they take and have between, and given: what they give.
func (o Options) copies(s *decoder.Shape, n int64, given bool) int64 {
	each := int64(s.Hidden) + between(s)
	if given {
		each += int64(s.Hidden)
	}
	return o.Kept * n * each
}

// headNorm gives attention the norms of queries and keys, head by head: a scale for the elements of one head each, which all
// parts have, and a pass over both, forward and back (Qwen Team, arXiv 2505.09388, section 2). Each part's gradients of the
// scales are of its own heads: those are summed as a norm's over positions in parts are.
func headNorm(s *decoder.Shape, l *workload.Layer) {
	d := int64(s.HeadElems())
	pass := func(parts int64) workload.Kernel {
		elems := int64(s.Sequence) * int64(s.Heads+s.KVHeads) * d / parts
		return workload.Kernel{FLOP: 4 * elems, Words: 2 * elems, Fixed: 2 * d}
	}
	l.Params += 2 * d
	l.Forward = append(l.Forward, pass(1))
	l.Input = append(l.Input, pass(1))
	for way, split := range l.Ways {
		if split == nil {
			continue
		}
		l.Ways[way] = &workload.Split{Widths: split.Widths, Of: func(parts int) workload.Part {
			p := split.Of(parts)
			if p.Partial.Elems == 0 {
				p.Partial.Offset = p.Params
			}
			p.Params += 2 * d
			p.Partial.Elems += 2 * d
			heads := func(all []workload.Phase) {
				for i := range all {
					for _, k := range all[i].Kernels {
						if k.Masked > 0 { // the phase with maps
							all[i].Kernels = append(all[i].Kernels, pass(int64(parts)))
							return
						}
					}
				}
			}
			heads(p.Forward)
			heads(p.Backward)
			return p
		}}
	}
}
