package coll

import (
	"slices"
	"testing"
)

// A placement's rooted collectives are those in which one rank is not as the others.
func TestRootedCollectives(t *testing.T) {
	var rooted []string
	for c := range collectives {
		if c.Rooted() {
			rooted = append(rooted, c.String())
		}
	}
	if want := []string{"broadcast", "reduce", "gather", "scatter"}; !slices.Equal(rooted, want) {
		t.Errorf("rooted are %v, want %v", rooted, want)
	}
}

func TestContributorsAreCounted(t *testing.T) {
	for n, c := range []Contributors{0, 4, 5, 1<<31 | 3} {
		if c.Count() != n {
			t.Errorf("%s: %d, want %d", c, c.Count(), n)
		}
	}
}
