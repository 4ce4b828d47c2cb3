package kernel

// Every arm64 processor has NEON.

func portables() []engine { return []engine{portableGo(), neon(portableTileNEON)} }
func fuseds() []engine    { return []engine{fusedGo(), neon(fusedTileNEON)} }

func neon(t assembly) engine {
	return engine{name: "NEON", width: 16, tile: tileIn(t), rows: rowsIn(copyPanelNEON), columns: transpose}
}

func elementLoops() []loops { return []loops{goLoops(), vectorLoops("NEON", largestVectors)} }

// largestVectors takes four windows at a time.
func largestVectors(y []float32, at []int32, upper, lower []float32, first, width int32) {
	whole := len(y) &^ 3
	if whole > 0 {
		vectorLargest(&y[0], &at[0], &upper[0], &lower[0], first, width, whole)
	}
	largest(y[whole:], at[whole:], upper[2*whole:], lower[2*whole:], first+int32(2*whole), width)
}
