package plan

import (
	"testing"

	"railyard/internal/plan/scenario"
)

// A double tree has half of its channels for each tree; anything has one at least.
func TestChannelsAreEvenForTwoTrees(t *testing.T) {
	for n, want := range map[int][2]int{-1: {1, 2}, 0: {1, 2}, 1: {1, 2}, 2: {2, 2}, 3: {3, 4}, 7: {7, 8}, 8: {8, 8}} {
		if a, b := EvenChannels(scenario.AlgorithmRing, n), EvenChannels(scenario.AlgorithmDoubleTree, n); a != want[0] || b != want[1] {
			t.Errorf("of %d channels a ring has %d and a double tree %d, want %v", n, a, b, want)
		}
	}
}
