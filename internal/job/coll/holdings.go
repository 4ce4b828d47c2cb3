package coll

// Holdings says what of its own each rank of a schedule has at the start, and what it must have at the end.
type Holdings struct{ aim aim }

// HoldingsOf returns those of a schedule for a goal that is valid for it.
func HoldingsOf(s Schedule, g Goal) Holdings { return Holdings{newAim(g, s)} }

// Starts reports whether a rank has something of its own in a chunk at the start.
func (h *Holdings) Starts(rank int, b Buffer, channel, chunk int) bool {
	if b == In {
		return h.aim.inputs(rank, chunk)
	}
	return h.aim.starts(rank, channel, chunk)
}

// Ends returns what a rank must have in a chunk of its output at the end: chunk piece of what rank from had at the start, or,
// with from below 0, the sum of that chunk over all ranks. false: anything will do.
func (h *Holdings) Ends(rank, channel, chunk int) (piece, from int, ok bool) {
	if h.aim.Collective == Barrier {
		return 0, 0, false
	}
	p, ok := h.aim.want(rank, channel, chunk)
	return p.piece, p.from, ok
}
