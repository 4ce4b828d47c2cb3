package bench

import "railyard/internal/base/unit"

// A Way is one flow of a permutation; hosts are numbered leaf by leaf, all from 0.
type Way struct {
	From, FromLeaf int
	Spine          int
	To, ToLeaf     int
}

// Permutation returns a flow from each host of a leaf-spine network with so many leaves, at least 2,
// and per hosts on each and spines, to one under another leaf: to each host one. No two flows, and no
// two flows' acknowledgements on the way back, cross a link in one direction.
//
//	host l*per+i: spine i, to the host in place i of another leaf, which i chooses
func Permutation(leaves, per int) []Way {
	all := make([]Way, leaves*per)
	for from := range all {
		leaf, i := from/per, from%per
		to := (leaf + 1 + i) % leaves
		if to == leaf {
			to = (to + 1) % leaves
		}
		all[from] = Way{From: from, FromLeaf: leaf, Spine: i, To: to*per + i, ToLeaf: to}
	}
	return all
}

// Start is when a flow begins: starts are spread over the time that a packet takes.
func Start(flow int, packet unit.Duration) unit.Duration {
	const stride = 7919 // picoseconds; a prime
	return unit.Duration(flow) * stride % packet
}
