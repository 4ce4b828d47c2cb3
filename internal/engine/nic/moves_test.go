package nic

import "testing"

// Queue pairs that have gone over to another port are counted on all islands.
func TestMovesAreAdded(t *testing.T) {
	n := &Net{islands: []island{{moves: 3}, {moves: 4}}}
	if got := n.Moves(); got != 7 {
		t.Errorf("%d, want 7", got)
	}
}
