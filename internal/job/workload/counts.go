package workload

import (
	"fmt"
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/job/coll"
)

// Counts says that the sizes of an all-to-all are decided in each step, by the compute operation
// that names the collective in Op.Decides: how many elements each member has for each other.
//
//	stream 0  route ---------------------+-----> experts
//	             |  \                    |         ^
//	stream 1     |   +-> all-to-all of counts      |
//	             +------------+-> all-to-all of rows
//
// A sender knows what it sends when that operation has ended. A receiver learns it from the
// senders, by an exchange of counts before it: of as many bytes, and as real, as any other
// collective. FastMoE exchanges counts by an all-to-all (expert_exchange), Megatron-Core's
// MoEAlltoAllTokenDispatcher by an all-gather; either will do here. DeepSpeed pads to a capacity
// instead, which is stated or, with drop_tokens off, agreed on by an all-reduce.
type Counts struct {
	Exchange int32 // index in Job.Collectives: an all-to-all or all-gather of the same group
	Capacity int64 // elements of the largest block that a member may send to another, or keep
	Through  int64 // elements behind the output, where what passes through a member has room
	// Of experts: each that is counted has so many elements, and Back: they go from where they came.
	Each int64
	Back bool
	// Declared stands for what is decided where nothing is computed: in a replay, and before a run.
	Declared Declared
}

// Declared returns how many elements a member has in a step for the member `block`.
type Declared func(step int64, member, block int) int

// SkewedCounts is a distribution in which each of n members has so many elements in each step, of
// which the hottest gets skew times as many as each other: skew 1 is even. Who is the hottest is
// drawn from the seed, anew for each step.
func SkewedCounts(n int, elems, skew int64, seed uint64) Declared {
	return func(step int64, _, block int) int {
		s := splitmix.Stream(splitmix.Mix(seed) + uint64(step))
		return skewed(elems, n, skew, int(s.Next()%uint64(n)), block)
	}
}

// skewed returns part i of so many elements in n parts, all alike but for the hot one, which is
// skew times as large. Parts that should be alike differ by at most one element.
func skewed(elems int64, n int, skew int64, hot, i int) int {
	whole := int64(n) - 1 + skew
	until := func(i int) int64 { // parts in units of a part that is not hot
		at := int64(i)
		if i > hot {
			at += skew - 1
		}
		return elems/whole*at + elems%whole*at/whole
	}
	return int(until(i+1) - until(i))
}

// AtRunTime returns c, over a schedule of an all-to-all, with an input and sizes that are decided
// in each step.
func (c Collective) AtRunTime(input Range, counts Counts) Collective {
	first := func(member, block int) int { return counts.Declared(0, member, block) }
	c = c.OutOfPlace(input, coll.Goal{Collective: coll.AllToAll}, first)
	c.Counts, c.largest, c.through = &counts, largestPiece(c.Schedule, counts.Capacity), counts.Through
	return c
}

// MemberCounts is what one member of an all-to-all exchanges in a step, in elements, by member: all
// that it has to know of the sizes, but for what passes through it, in the order of coll.Through.
type MemberCounts struct{ Send, Receive, Through []int }

// NewCounts returns counts for a member, all 0.
func (c *Collective) NewCounts(member int) MemberCounts {
	n := c.Schedule.Ranks()
	return MemberCounts{make([]int, n), make([]int, n), make([]int, len(coll.Through(c.Schedule, member)))}
}

// DeclaredOf sets n to what is declared for a member in a step.
func (c *Collective) DeclaredOf(step int64, member int, n MemberCounts) {
	for b := range n.Send {
		n.Send[b], n.Receive[b] = c.Counts.Declared(step, member, b), c.Counts.Declared(step, b, member)
	}
	for k, of := range coll.Through(c.Schedule, member) {
		n.Through[k] = c.Counts.Declared(step, int(of[0]), int(of[1]))
	}
}

// largestPiece returns the elements of the largest chunk of a block.
func largestPiece(s coll.Schedule, block int64) int64 {
	channel := (block + int64(s.Channels()) - 1) / int64(s.Channels())
	slices := int64(coll.Slices(s))
	return (channel + slices - 1) / slices
}

// CheckCounts reports counts of a member in a step that do not fit.
func (c *Collective) CheckCounts(member int, n MemberCounts) error {
	for _, side := range []struct {
		verb, peer string
		counts     []int
		most       int64
	}{{"sends", "to", n.Send, c.Input.Elems}, {"receives", "from", n.Receive, c.Range.Elems - c.through}} {
		sum := int64(0)
		for b, k := range side.counts {
			if k < 0 || int64(k) > c.Counts.Capacity {
				return fmt.Errorf("member %d %s %d elements %s member %d, want 0 to %d (the capacity)", member, side.verb, k,
					side.peer, b, c.Counts.Capacity)
			}
			sum += int64(k)
		}
		if sum > side.most {
			return fmt.Errorf("member %d %s %d elements in all, want at most %d", member, side.verb, sum, side.most)
		}
	}
	passing := int64(0)
	for k, of := range coll.Through(c.Schedule, member) {
		if passing += int64(n.Through[k]); n.Through[k] < 0 || int64(n.Through[k]) > c.Counts.Capacity {
			return fmt.Errorf("member %d passes on %d elements from member %d to member %d, want 0 to %d (the capacity)", member,
				n.Through[k], of[0], of[1], c.Counts.Capacity)
		}
	}
	if passing > c.through {
		return fmt.Errorf("member %d passes on %d elements in all, want at most %d", member, passing, c.through)
	}
	if n.Send[member] != n.Receive[member] {
		return fmt.Errorf("member %d sends itself %d elements and receives %d", member, n.Send[member], n.Receive[member])
	}
	return nil
}

// checkCounts reports counts of a collective that make no sense.
func (j *Job) checkCounts(c *Collective) error {
	n := c.Counts
	switch {
	case n == nil:
		return nil
	case !isFor(c.Schedule, coll.AllToAll):
		return fmt.Errorf("collective %q of %s has sizes that are decided in each step, want an all-to-all", c.Name,
			c.Schedule.Name())
	case n.Capacity < 1:
		return fmt.Errorf("collective %q has a capacity of %d elements, want at least 1", c.Name, n.Capacity)
	case n.Exchange < 0 || int(n.Exchange) >= len(j.Collectives):
		return fmt.Errorf("collective %q learns its sizes by collective %d, there are %d", c.Name, n.Exchange,
			len(j.Collectives))
	}
	e := &j.Collectives[n.Exchange]
	if e.Group != c.Group || e.Counts != nil || !isFor(e.Schedule, coll.AllToAll, coll.AllGather) || !e.full() {
		return fmt.Errorf("collective %q learns its sizes by %q, want an all-to-all or all-gather of the same group, of "+
			"known sizes, without an empty chunk", c.Name, e.Name)
	}
	for m := range c.Schedule.Ranks() {
		own := c.NewCounts(m)
		if len(own.Through) > 0 && !isFor(e.Schedule, coll.AllGather) {
			return fmt.Errorf("collective %q learns its sizes by %q, an all-to-all, but member %d has to know of what passes "+
				"through it: want an all-gather", c.Name, e.Name, m)
		}
		c.DeclaredOf(0, m, own)
		if err := c.CheckCounts(m, own); err != nil {
			return fmt.Errorf("collective %q, as declared: %w", c.Name, err)
		}
	}
	return nil
}

// isFor reports whether a schedule is for one of these collectives.
func isFor(s coll.Schedule, all ...coll.Collective) bool {
	goal, ok := coll.GoalOf(s)
	return ok && slices.Contains(all, goal.Collective)
}

// checkDecided reports an operation that runs a collective before its sizes are known, by the order of
// operations.
func (j *Job) checkDecided(ops []Op, order order) error {
	decided := map[int32]int{} // by collective
	for i := range ops {
		op := &ops[i]
		for _, c := range op.Decides {
			switch {
			case op.Kind != Compute:
				return fmt.Errorf("operation %q is no compute operation, and decides sizes", op.Name)
			case c < 0 || int(c) >= len(j.Collectives) || j.Collectives[c].Counts == nil:
				return fmt.Errorf("operation %q decides the sizes of collective %d: it has none to be decided", op.Name, c)
			}
			if k, twice := decided[c]; twice {
				return fmt.Errorf("operations %q and %q decide the sizes of collective %q, want one", ops[k].Name, op.Name,
					j.Collectives[c].Name)
			}
			decided[c] = i
		}
	}
	runs := map[int32]int{} // by collective
	for i := range ops {
		op := &ops[i]
		if op.Kind != Communication {
			continue
		}
		runs[op.Coll] = i
		c := &j.Collectives[op.Coll]
		if c.Counts == nil {
			continue
		}
		by, ok := decided[op.Coll]
		if !ok || !order.before(by, i) {
			return fmt.Errorf("operation %q begins before one has ended that decides the sizes of collective %q", op.Name,
				c.Name)
		}
		e := &j.Collectives[c.Counts.Exchange]
		exchange, ok := runs[c.Counts.Exchange]
		if !ok || !order.before(exchange, i) || !order.before(by, exchange) {
			return fmt.Errorf("operation %q wants %q between the operation that decides its sizes, and it", op.Name, e.Name)
		}
		for _, r := range e.touched() {
			if !slices.Contains(op.Reads, r) {
				return fmt.Errorf("operation %q has its sizes from %q, and does not read all of it: another may write it",
					op.Name, e.Name)
			}
		}
	}
	return nil
}

// touched returns the ranges of the collective.
func (c *Collective) touched() []Range {
	if c.layout != nil {
		return []Range{c.Input, c.Range}
	}
	return []Range{c.Range}
}
