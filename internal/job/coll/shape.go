package coll

// node is a position's place in a tree: positions, -1 for none.
type node struct {
	parent   int
	children [3]int
	depth    int // hops to the root
	outer    int // of those, between hosts, where the shape knows them
}

var alone = node{parent: -1, children: [3]int{-1, -1, -1}}

// add appends a child.
func (v *node) add(child int) {
	for i, c := range v.children {
		if c < 0 {
			v.children[i] = child
			return
		}
	}
	panic("coll: a fourth child")
}

// fan is the number of children.
func (v node) fan() int {
	n := 0
	for _, c := range v.children {
		if c >= 0 {
			n++
		}
	}
	return n
}

// shape finds the place of position p of n in a tree whose root has depth 0.
type shape func(n, p int) node

// chain is a tree without branches.
//
//	0 - 1 - 2 - 3 - 4
func chain(n, p int) node {
	v := alone
	v.parent, v.depth = p-1, p
	if p+1 < n {
		v.add(p + 1)
	}
	return v
}

// halves is a binary tree of which every subtree is a run of positions: ranks
// that are neighbours in the order (one host) are neighbours in the tree. A
// subtree [lo, hi) has its root at lo and the rest in two halves, the first the
// smaller.
//
//	    0
//	 1     4
//	2 3   5 6
func halves(n, p int) node {
	v := alone
	lo, hi := 0, n
	for lo != p {
		v.parent = lo
		v.depth++
		if mid := half(lo, hi); p < mid {
			lo, hi = lo+1, mid
		} else {
			lo = mid
		}
	}
	if hi-lo >= 2 {
		v.add(lo + 1)
	}
	if hi-lo > 2 {
		v.add(half(lo, hi))
	}
	return v
}

// half is where the second child's subtree of [lo, hi) begins.
func half(lo, hi int) int { return lo + 1 + (hi-lo-1)/2 }

// btree is NCCL's binary tree (src/graph/trees.cc, ncclGetBtree): a position's
// lowest set bit is its height, so that every odd position is a leaf, and a tree
// over the other positions' neighbours has the leaves elsewhere.
//
//	0---------------8
//	         ______/ \______
//	        4               12
//	      /   \            /  \
//	    2       6       10     13
//	   / \     / \     /  \
//	  1   3   5   7   9   11
func btree(n, p int) node {
	v := alone
	if p == 0 {
		if n > 1 {
			v.add(topBit(n - 1))
		}
		return v
	}
	v.parent = btreeParent(n, p)
	for q := p; q != 0; q = btreeParent(n, q) {
		v.depth++
	}
	low := p & -p
	if low > 1 {
		v.add(p - low/2)
	}
	for low >>= 1; low > 0; low >>= 1 {
		if p+low < n {
			v.add(p + low)
			break
		}
	}
	return v
}

// btreeParent sets the bit above the lowest and clears that; where there is no such position it
// only clears it.
func btreeParent(n, p int) int {
	low := p & -p
	if up := (p ^ low) | low<<1; up < n {
		return up
	}
	return p ^ low
}

// topBit is the highest set bit of n > 0.
func topBit(n int) int {
	b := 1
	for b <= n/2 {
		b <<= 1
	}
	return b
}

// mirrored is the second tree of NCCL's double binary tree (ncclGetDtree): the
// first in reverse for an even number of positions, or turned by one for an odd
// one, so that who is a leaf in one tree is none in the other.
//
//	  3----------------11
//	 / \______
//	1         7
//	...
func mirrored(n, p int) node {
	turn := func(q int) int { return n - 1 - q }
	v := node{}
	if n%2 == 1 {
		turn = func(q int) int { return (q + 1) % n }
		v = btree(n, (p+n-1)%n)
	} else {
		v = btree(n, turn(p))
	}
	if v.parent >= 0 {
		v.parent = turn(v.parent)
	}
	for i, c := range v.children {
		if c >= 0 {
			v.children[i] = turn(c)
		}
	}
	return v
}

// overHosts is a tree over the first ranks of hosts of so many ranks each, and in
// each host a chain from its first rank: as NCCL's trees are.
//
//	host 0: 0 - 1 - 2 - 3
//	        |
//	host 1: 4 - 5 - 6 - 7
//
// Invariant: n is a multiple of per.
func overHosts(per int, top shape) shape {
	return func(n, p int) node {
		at := p % per
		v := top(n/per, p/per)
		v.outer = v.depth
		v.depth += at // the chain hangs below
		if at > 0 {
			v.parent, v.children = p-1, alone.children
		} else {
			if v.parent >= 0 {
				v.parent *= per
			}
			for i, c := range v.children {
				if c >= 0 {
					v.children[i] = c * per
				}
			}
		}
		if at+1 < per {
			v.add(p + 1)
		}
		return v
	}
}
