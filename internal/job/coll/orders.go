package coll

import "fmt"

// Bounds of what a schedule may be asked for.
const (
	maxChannels = 1 << 10
	maxRanks    = 1 << 20
	maxChunks   = 1 << 24 // chunks or slots per channel
)

// orders is a rank order per channel and its inverse.
type orders struct {
	rank [][]int32 // [channel][position] -> rank
	pos  [][]int32 // [channel][rank] -> position
}

// newOrders validates and copies orders: one permutation of 0..n-1 per channel.
func newOrders(in [][]int32) (orders, error) {
	if len(in) == 0 || len(in) > maxChannels {
		return orders{}, fmt.Errorf("rank orders: %d channels, want 1 to %d", len(in), maxChannels)
	}
	n := len(in[0])
	if n == 0 || n > maxRanks {
		return orders{}, fmt.Errorf("rank order of channel 0: %d ranks, want 1 to %d", n, maxRanks)
	}
	var o orders
	for c, order := range in {
		if len(order) != n {
			return orders{}, fmt.Errorf("rank order of channel %d: %d ranks, want %d as in channel 0", c, len(order), n)
		}
		pos := make([]int32, n)
		for i := range pos {
			pos[i] = -1
		}
		for p, r := range order {
			if r < 0 || int(r) >= n {
				return orders{}, fmt.Errorf("rank order of channel %d: rank %d at position %d, want 0 to %d",
					c, r, p, n-1)
			}
			if pos[r] >= 0 {
				return orders{}, fmt.Errorf("rank order of channel %d: rank %d at positions %d and %d, want each "+
					"rank once", c, r, pos[r], p)
			}
			pos[r] = int32(p)
		}
		o.rank = append(o.rank, append([]int32(nil), order...))
		o.pos = append(o.pos, pos)
	}
	return o, nil
}

func (o *orders) Ranks() int    { return len(o.rank[0]) }
func (o *orders) Channels() int { return len(o.rank) }

// at returns the rank at position p of the channel's order, p taken modulo n.
func (o *orders) at(channel, p int) int32 {
	order := o.rank[channel]
	return order[wrap(p, len(order))]
}

// wrap returns p modulo n, quickly for a p near 0 to n: it stands on the path of every operation.
func wrap(p, n int) int {
	for p < 0 {
		p += n
	}
	for p >= n {
		p -= n
	}
	return p
}

// pieces validates a pipelining depth: n*k chunks or slots must stay countable.
func pieces(what string, n, k int) error {
	if limit := maxChunks / max(n, 1); k < 1 || k > limit {
		return fmt.Errorf("%s: %d, want 1 to %d with %d steps", what, k, limit, n)
	}
	return nil
}
