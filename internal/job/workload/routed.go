package workload

import (
	"math"

	"railyard/internal/base/splitmix"
)

// Routed says what goes to which of the ranks over which experts are spread, where no router decides it: in each layer one
// rank, drawn from the seed, gets Skew times as many positions as each other, step after step.
type Routed struct {
	Skew     int64   // 1: all get alike
	Capacity float64 // an expert takes at most so many times its even share of what one rank has; 0: all that comes
	Seed     uint64
}

// Most is how many of n copies of positions that a rank has go to one of the ranks at most, of so many with so many experts
// between them. Of rows that have n copies each it is at most as many times that.
func (r *Routed) Most(n int64, ranks, experts int) int64 {
	whole := int64(ranks) - 1 + r.Skew
	return min((n*r.Skew+whole-1)/whole, r.room(n, ranks, experts))
}

// room is how many of them the experts of one rank take.
func (r *Routed) room(n int64, ranks, experts int) int64 {
	if r.Capacity == 0 {
		return n
	}
	each := math.Ceil(float64(r.Capacity * float64(float64(n)/float64(experts))))
	return min(n, int64(experts/ranks)*int64(min(each, float64(n))))
}

// declared is what the dispatches of a layer carry, or its combines: back.
func (b *lowering) declared(l int, back bool) Declared {
	p := &b.parts[l]
	copies := b.rows * p.Rooms[0] / p.Row
	if b.Routed == nil {
		even := min(copies/b.l.EP, b.rows*p.Block/p.Row) * p.Row // or as many as experts take
		return func(int64, int, int) int { return even }
	}
	r, draw := b.Routed, splitmix.Stream(splitmix.Mix(b.Routed.Seed)+uint64(l))
	hot, room := int(draw.Next()%uint64(b.l.EP)), r.room(int64(copies), b.l.EP, p.Sorts)
	return func(_ int64, member, block int) int {
		if back {
			block = member
		}
		return min(skewed(int64(copies), b.l.EP, r.Skew, hot, block), int(room)) * p.Row
	}
}
