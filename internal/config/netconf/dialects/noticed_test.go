package dialects

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesAreSorted(t *testing.T) {
	if got := Names(); !slices.Equal(got, []string{"eos", "frr", "junos", "nvue", "nxos", "sonic"}) {
		t.Errorf("%v", got)
	}
}

// Hints count as lines, up to a bound: what comes after it tells nothing.
func TestHintsAreLookedForInTheFirstLines(t *testing.T) {
	for blank, found := range map[int]bool{0: true, mostHints - 1: true, mostHints + 1: false} {
		votes := map[string]int{}
		marked([]byte(strings.Repeat("\n", blank)+"interface Ethernet1/1\n"), votes)
		if (len(votes) > 0) != found {
			t.Errorf("after %d lines: %v", blank, votes)
		}
	}
}
