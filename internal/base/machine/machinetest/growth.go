package machinetest

import (
	"math"
	"testing"

	"railyard/internal/base/machine"
)

// Parts is how many pieces Whole cuts something large into.
const Parts = 24

// Whole tells that a piece of work takes about as long as its parts: one does something of which n is the
// size. One of Parts times n is held against Parts of n, by turns, so that what the machine does to one of
// them it does to the other, too. Work that grows with the square of its size takes Parts times as long; a
// quarter of that is too much. The least CPU time of some tries counts, and a single good try is enough.
func Whole(t testing.TB, what string, n int, one func(n int)) {
	t.Helper()
	whole, parts := math.Inf(1), math.Inf(1)
	for range 5 {
		begin := machine.CPU()
		for range Parts {
			one(n)
		}
		cut := machine.CPU()
		one(Parts * n)
		parts, whole = min(parts, cut-begin), min(whole, machine.CPU()-cut)
		if whole <= Parts*parts/4 {
			return
		}
	}
	t.Errorf("%s: %d of %d take %.3g CPU-s, one of %d takes %.3g", what, Parts, n, parts, Parts*n, whole)
}
