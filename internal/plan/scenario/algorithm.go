package scenario

import "slices"

// Algorithm is how ranks do a collective, by the name that a scenario has for it.
type Algorithm string

// The algorithms: RowAlgorithms says what each is.
const (
	AlgorithmAuto            Algorithm = "auto" // of a row
	AlgorithmRing            Algorithm = "ring"
	AlgorithmChain           Algorithm = "chain"
	AlgorithmTree            Algorithm = "tree"
	AlgorithmDoubleTree      Algorithm = "double-tree"
	AlgorithmHalvingDoubling Algorithm = "halving-doubling"
	AlgorithmHierarchical    Algorithm = "hierarchical"
	AlgorithmNVLS            Algorithm = "nvls"
	AlgorithmNVLSTree        Algorithm = "nvls-tree"
	AlgorithmPAT             Algorithm = "pat"
	AlgorithmHalving         Algorithm = "halving"
	AlgorithmDoubling        Algorithm = "doubling"
	AlgorithmHypercube       Algorithm = "hypercube"
	AlgorithmDirect          Algorithm = "direct"
	AlgorithmPairwise        Algorithm = "pairwise"
	AlgorithmRails           Algorithm = "rails"
	AlgorithmTwoLevel        Algorithm = "two-level"
)

// algorithmsOf lists the algorithms that a row of job.collectives may name for its collective; the
// first is what auto means.
var algorithmsOf = map[string][]Algorithm{
	"all-reduce": {AlgorithmRing, AlgorithmChain, AlgorithmTree, AlgorithmDoubleTree, AlgorithmHalvingDoubling,
		AlgorithmHierarchical, AlgorithmNVLS, AlgorithmNVLSTree},
	"all-gather": {AlgorithmRing, AlgorithmDoubling, AlgorithmHypercube, AlgorithmDirect, AlgorithmPairwise, AlgorithmNVLS,
		AlgorithmPAT},
	"reduce-scatter": {AlgorithmRing, AlgorithmHalving, AlgorithmDirect, AlgorithmPairwise, AlgorithmNVLS, AlgorithmPAT},
	"broadcast":      {AlgorithmChain, AlgorithmTree},
	"reduce":         {AlgorithmChain, AlgorithmTree},
	"all-to-all":     {AlgorithmDirect, AlgorithmPairwise, AlgorithmRails, AlgorithmTwoLevel},
	"gather":         {AlgorithmDirect},
	"scatter":        {AlgorithmDirect},
	"send-receive":   {AlgorithmRing},
}

// does reports whether a collective can be done so.
func (a Algorithm) does(op string) bool {
	return a == AlgorithmAuto || slices.Contains(algorithmsOf[op], a)
}

// Adds reports whether a switch inside the host adds: no protocol with lines goes over it.
func (a Algorithm) Adds() bool { return a == AlgorithmNVLS || a == AlgorithmNVLSTree }

// ByRails reports whether messages leave by the NIC on the receiver's rail, whatever exit says.
func (a Algorithm) ByRails() bool { return a == AlgorithmRails || a == AlgorithmTwoLevel }

// Chosen returns the algorithm of the row: what auto means, where that stands.
func (c *CollectiveRow) Chosen() Algorithm {
	if c.Algorithm == AlgorithmAuto {
		return algorithmsOf[c.Op][0]
	}
	return c.Algorithm
}
