package nic

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
)

// Mark is what counters had counted at an instant at rest at which a period may begin: see package reuse.
type Mark struct {
	seen    []HopEvidence
	acked   []int64      // by queue pair
	tallies []roce.Tally // by queue pair
	island  island       // sums of all
}

// MarkSize is about how many bytes a mark takes.
func (n *Net) MarkSize() int64 { return 128*int64(len(n.seen)) + 48*int64(len(n.senders)) }

// Mark marks an instant, between windows.
func (n *Net) Mark() *Mark {
	m := &Mark{seen: slices.Clone(n.seen), island: n.sums()}
	for i := range m.seen {
		m.seen[i].Roots = slices.Clone(m.seen[i].Roots)
	}
	for i := range n.senders {
		m.acked, m.tallies = append(m.acked, n.senders[i].Acked()), append(m.tallies, n.receivers[i].Tally())
	}
	return m
}

// ReorderedSince reports whether receivers have counted something since a mark.
func (n *Net) ReorderedSince(m *Mark) bool {
	for i := range n.receivers {
		if n.receivers[i].Tally() != m.tallies[i] {
			return true
		}
	}
	return false
}

func (n *Net) sums() (all island) {
	for i := range n.islands {
		x := &n.islands[i]
		all.marks, all.cnps = all.marks+x.marks, all.cnps+x.cnps
		all.retransmits, all.moves, all.heard = all.retransmits+x.retransmits, all.moves+x.moves, all.heard+x.heard
	}
	return all
}

// NotifiedSince reports whether congestion control was told of congestion since a mark.
func (n *Net) NotifiedSince(m *Mark) bool { return n.sums().heard != m.island.heard }

// Repeat adds what counters counted between two marks, in so long a time, so many times more.
func (n *Net) Repeat(from, until *Mark, took unit.Duration, times int64) {
	was, now, at := &from.island, &until.island, &n.islands[0]
	at.marks += times * (now.marks - was.marks)
	at.cnps += times * (now.cnps - was.cnps)
	at.retransmits += times * (now.retransmits - was.retransmits)
	at.moves += times * (now.moves - was.moves)
	d := unit.Duration(times)
	for i := range n.senders {
		n.senders[i].CountAgain(times*(until.acked[i]-from.acked[i]), d*took)
	}
	for i := range n.seen {
		e, now, was := &n.seen[i], &until.seen[i], &from.seen[i]
		e.Frames += times * (now.Frames - was.Frames)
		e.Own += d * (now.Own - was.Own)
		e.Others += d * (now.Others - was.Others)
		e.Pause += d * (now.Pause - was.Pause)
		e.Span += d * (now.Span - was.Span)
		e.Held += d * (now.Held - was.Held)
		e.Served += unit.Bytes(times) * (now.Served - was.Served)
		e.Mine += unit.Bytes(times) * (now.Mine - was.Mine)
		for k := range e.Roots {
			t := &e.Roots[k]
			t.Time += d * (fabric.TimeOf(now.Roots, t.Root) - fabric.TimeOf(was.Roots, t.Root))
		}
	}
}
