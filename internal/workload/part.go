package workload

import (
	"fmt"
	"strings"

	"railyard/internal/coll"
)

// Cut says which part of a layer a tensor-parallel rank has.
type Cut uint8

// The cuts.
const (
	Whole   Cut = iota // all of it, as the others do
	Columns            // what makes a part of the outputs
	Rows               // what makes a share of all outputs from a part of the inputs
)

// Exchange is what the ranks then do together.
type Exchange uint8

// The exchanges.
const (
	Keep   Exchange = iota // nothing: each goes on with what it has
	Sum                    // an all-reduce
	Gather                 // an all-gather of parts, which are put side by side
)

// Sharing is how tensor-parallel ranks share a layer.
type Sharing struct {
	Cut     Cut
	Outputs Exchange // of a Sum the outputs are finished after it
	Inputs  Exchange // of the gradients of the inputs: Keep or Sum
}

// The sharings. A pair of layers by columns, then by rows, takes the part of the first one's outputs
// as it is.
var (
	firstOfPair  = Sharing{Cut: Columns, Inputs: Sum}
	secondOfPair = Sharing{Cut: Rows, Outputs: Sum}
	gathered     = Sharing{Cut: Columns, Outputs: Gather, Inputs: Sum}
)

// part is a layer as a rank has it.
type part struct {
	Layer
	sharing Sharing
	through []Kernel // back through what follows the layer, on its outputs as the next layer takes them
}

// split decides how the tensor-parallel ranks share the layers.
func (b *lowering) split() error {
	b.parts = make([]part, len(b.Layers))
	for i, l := range b.Layers {
		b.parts[i] = part{Layer: l, through: l.Through}
	}
	if b.l.TP == 1 {
		return nil
	}
	var wrong Misfits
	say := func(format string, args ...any) { wrong = append(wrong, Misfit{"tp", fmt.Sprintf(format, args...)}) }
	fits := 0 // what tp must divide
	take := func(i int, sharing Sharing, s *Split) {
		what := "outputs"
		if sharing.Cut == Rows {
			what = "inputs"
		}
		switch {
		case s == nil:
			say("layer %d cannot be split by its %s", i+1, what)
			return
		case s.Width%b.l.TP != 0:
			say("tp %d does not divide the %d %s of layer %d", b.l.TP, s.Width, what, i+1)
		default:
			b.parts[i] = part{s.Of(b.l.TP), sharing, b.Layers[i].Through}
		}
		fits = gcd(s.Width, fits)
		if sharing == firstOfPair {
			b.parts[i].through = b.parts[i].Through
		}
	}
	for q := range b.l.Chunks() {
		lo, hi := b.l.Run(len(b.Layers), q)
		for i := lo; i < hi; i++ {
			if b.Layers[i].Params == 0 {
				continue
			}
			if b.l.TPStyle == BookStyle || i+1 == hi || b.Layers[i+1].Rows == nil {
				take(i, gathered, b.Layers[i].Columns)
				continue
			}
			take(i, firstOfPair, b.Layers[i].Columns)
			take(i+1, secondOfPair, b.Layers[i+1].Rows)
			i++
		}
	}
	if len(wrong) > 0 && fits > 0 {
		say("tp would do as %s", divisors(fits))
	}
	return wrong.err()
}

// gcd is the greatest common divisor; of 0 and n it is n.
func gcd(n, m int) int {
	for m != 0 {
		n, m = m, n%m
	}
	return n
}

// divisors lists those of n: 1, 2 or 4.
func divisors(n int) string {
	var all []string
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			all = append(all, fmt.Sprint(d))
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// exchange is a layer's collective of tensor-parallel ranks for a micro-batch.
type exchange struct {
	data, stage int
	layer       int
	backward    bool
	micro       int
}

// parted joins the ranks that share the layers of a stage of a replica.
func (b *lowering) parted(data, stage int) error {
	if b.l.TP == 1 {
		return nil
	}
	var ranks []int32
	for t := range b.l.TP {
		ranks = append(ranks, int32(b.l.Rank(Coord{data, t, stage})))
	}
	where := ""
	if b.l.PP > 1 {
		where = fmt.Sprintf(".stage%d", stage+1)
	}
	if b.l.DP > 1 {
		where += fmt.Sprintf(".replica%d", data+1)
	}
	g, id := b.group("tensor-parallel"+where, GroupKindTensor, ranks...)
	sum, err := b.Schedules(g, coll.AllReduce)
	if err != nil {
		return err
	}
	gather, err := b.Schedules(g, coll.AllGather)
	if err != nil {
		return err
	}
	if owned(gather, coll.AllGather) == nil {
		return fmt.Errorf("group %q: %s is no all-gather whose owners are known", g.Name, gather.Name())
	}
	st := &b.stages[stage]
	for v := range st.chunks {
		c := &st.chunks[v]
		for l := c.first; l <= c.last; l++ {
			for m := range b.l.MicroBatches {
				forward, backward := exchange{data, stage, l, false, m}, exchange{data, stage, l, true, m}
				x, d := c.x[l-c.first+1].at(m), c.d[l-c.first].at(m)
				sharing := b.parts[l].sharing
				switch sharing.Outputs {
				case Sum:
					b.exchange(forward, id, fmt.Sprintf("allreduce.outputs.%d%s%s", l+1, b.ofMicro(m), where), x, sum)
				case Gather:
					b.exchange(forward, id, fmt.Sprintf("allgather.outputs.%d%s%s", l+1, b.ofMicro(m), where),
						b.together(l, gather), gather)
				}
				if sharing.Inputs == Sum && l > b.trained {
					b.exchange(backward, id, fmt.Sprintf("allreduce.input-deltas.%d%s%s", l+1, b.ofMicro(m), where), d, sum)
				}
			}
		}
	}
	return nil
}

// exchange adds a collective over a range.
func (b *lowering) exchange(at exchange, group int32, name string, on Range, s coll.Schedule) {
	b.exchanges[at] = b.collective(name, group, on, s)
}

// together is where the parts of a layer's outputs come together: part after part as the schedule
// has it, each with as many elements, so that its chunks are equal.
func (b *lowering) together(layer int, s coll.Schedule) Range {
	cut := s.Channels() * coll.Slices(s)
	each := (b.rows*b.parts[layer].Out + cut - 1) / cut * cut
	elems := int64(each * b.l.TP)
	buffer, there := b.gathers[layer]
	if !there {
		buffer = b.buffer(WorkspaceTerm, fmt.Sprintf("gathered.%d", layer+1), elems)
		b.gathers[layer] = buffer
	}
	b.j.Buffers[buffer].Elems = max(b.j.Buffers[buffer].Elems, elems)
	return Range{Buffer: buffer, Elems: elems}
}
