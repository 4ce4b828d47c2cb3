package coll

import "slices"

// Table is a schedule written out op by op: what ParseText returns, and what a
// printed or edited schedule is. Engines use generators; a Table costs memory.
type Table struct {
	name            string
	ranks, channels int
	chunks, slots   int
	inputs, slices  int
	ops             [][]Op // [rank*channels + channel][i]
}

// Name returns the name in the text's first line.
func (t *Table) Name() string { return t.name }

// Ranks returns the number of ranks.
func (t *Table) Ranks() int { return t.ranks }

// Channels returns the number of channels.
func (t *Table) Channels() int { return t.channels }

// Chunks returns the number of chunks per channel.
func (t *Table) Chunks() int { return t.chunks }

// Slots returns the number of staging slots per rank and channel.
func (t *Table) Slots() int { return t.slots }

// Inputs returns the number of chunks of the input per channel.
func (t *Table) Inputs() int { return t.inputs }

// Slices returns how many chunks in a row subdivide one part.
func (t *Table) Slices() int { return t.slices }

// SwitchAdds reports whether switches add up and copy some of what ranks send.
func (t *Table) SwitchAdds() bool {
	return slices.ContainsFunc(t.ops, func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(o Op) bool { return o.Switch != 0 })
	})
}

// NeedsCredit reports whether some Send has a Window.
func (t *Table) NeedsCredit() bool {
	return slices.ContainsFunc(t.ops, func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(o Op) bool { return o.Window != 0 })
	})
}

// Len returns the number of ops of rank in channel.
func (t *Table) Len(rank, channel int) int { return len(t.ops[rank*t.channels+channel]) }

// Op returns op i of rank in channel.
func (t *Table) Op(rank, channel, i int) Op { return t.ops[rank*t.channels+channel][i] }
