package coll

import (
	"fmt"
	"strings"
	"testing"
)

// depthOf counts the hops to the root, and fails if they do not end.
func depthOf(t *testing.T, s shape, n, p int) int {
	d := 0
	for v := s(n, p); v.parent >= 0; v = s(n, v.parent) {
		if d++; d > n {
			t.Fatalf("%d positions: no root above %d", n, p)
		}
	}
	return d
}

// Every shape is one tree over all positions: parents and children agree, there
// is one root, and the depth is the number of hops to it. Binary trees are at
// most log2(n) deep, NCCL's one more: its root has one child.
func TestShapesAreTrees(t *testing.T) {
	for name, c := range map[string]struct {
		s         shape
		more, fan int // levels more than log2(n); most children
	}{"chain": {chain, 1000, 1}, "halves": {halves, 0, 2}, "btree": {btree, 1, 2}, "mirrored": {mirrored, 1, 2}} {
		for n := 1; n <= 70; n++ {
			roots, deepest, levels := 0, 0, 0
			for m := n; m > 1; m /= 2 {
				levels++
			}
			for p := range n {
				v := c.s(n, p)
				if v.parent < 0 {
					roots++
				}
				for _, q := range v.children {
					if q >= 0 && c.s(n, q).parent != p {
						t.Fatalf("%s of %d: %d is a child of %d, but its parent is %d", name, n, q, p, c.s(n, q).parent)
					}
				}
				if d := depthOf(t, c.s, n, p); d != v.depth {
					t.Fatalf("%s of %d: %d is %d hops from the root, says %d", name, n, p, d, v.depth)
				}
				if v.fan() > c.fan {
					t.Fatalf("%s of %d: %d has %d children, want at most %d", name, n, p, v.fan(), c.fan)
				}
				deepest = max(deepest, v.depth)
			}
			if roots != 1 || deepest > levels+c.more {
				t.Errorf("%s of %d: %d roots, %d deep, want 1 and at most %d", name, n, roots, deepest, levels+c.more)
			}
		}
	}
}

// The two trees that NCCL's source draws (src/graph/trees.cc): 14 positions, and
// the mirror of 12.
func TestTreesOfNCCL(t *testing.T) {
	parents := func(s shape, n int) string {
		var b strings.Builder
		for p := range n {
			fmt.Fprint(&b, s(n, p).parent, " ")
		}
		return b.String()
	}
	if got, want := parents(btree, 14), "-1 2 4 2 8 6 4 6 0 10 12 10 8 12 "; got != want {
		t.Errorf("parents of 14: %s, want %s", got, want)
	}
	if got, want := parents(mirrored, 12), "1 3 1 11 5 7 5 3 9 7 9 -1 "; got != want {
		t.Errorf("parents of the mirror of 12: %s, want %s", got, want)
	}
}

// In an even number of positions nobody but one is inside both trees; each
// position is a leaf of one at least.
func TestDoubleTreeShares(t *testing.T) {
	for n := 2; n <= 64; n++ {
		both := 0
		for p := range n {
			if a, b := btree(n, p), mirrored(n, p); a.fan() > 0 && b.fan() > 0 {
				both++
			}
		}
		if want := 2; both > want {
			t.Errorf("%d positions: %d have children in both trees, want at most %d", n, both, want)
		}
	}
}

// A tree of hosts crosses between hosts once for each but the first.
func TestTreesCrossBetweenHostsOnce(t *testing.T) {
	for _, c := range []struct {
		s          shape
		hosts, per int
	}{{halves, 2, 4}, {overHosts(4, btree), 5, 4}, {overHosts(8, mirrored), 6, 8}, {overHosts(1, btree), 7, 1}} {
		n, crossings := c.hosts*c.per, 0
		for p := range n {
			v := c.s(n, p)
			if v.parent >= 0 && p/c.per != v.parent/c.per {
				crossings++
			}
			if d := depthOf(t, c.s, n, p); d != v.depth {
				t.Errorf("%d hosts of %d: %d is %d hops from the root, says %d", c.hosts, c.per, p, d, v.depth)
			}
		}
		if crossings != c.hosts-1 {
			t.Errorf("%d hosts of %d: the tree crosses between them %d times, want %d", c.hosts,
				c.per, crossings, c.hosts-1)
		}
	}
}
