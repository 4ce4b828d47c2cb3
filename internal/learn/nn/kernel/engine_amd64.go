package kernel

import "golang.org/x/sys/cpu"

// engines are those that this processor has, the best one last.
func engines(family [3]engine) []engine {
	list := family[:1]
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = family[:2]
		if cpu.X86.HasAVX512F {
			list = family[:3]
		}
	}
	return list
}

func portables() []engine {
	return engines([...]engine{portableGo(), avx2(portableTileAVX2), avx512(portableTileAVX512)})
}

func fuseds() []engine {
	return engines([...]engine{fusedGo(), avx2(fusedTileAVX2), avx512(fusedTileAVX512)})
}

func avx2(t assembly) engine {
	return engine{name: "AVX2", width: 16, tile: tileIn(t), rows: rowsIn(copyPanelAVX2), columns: transpose}
}

func avx512(t assembly) engine {
	return engine{name: "AVX-512", width: 32, tile: tileIn(t), rows: rowsIn(copyPanelAVX512), columns: transpose}
}

// elementLoops are those that this processor has, the best one last.
func elementLoops() []loops {
	list := []loops{goLoops()}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append(list, vectorLoops("AVX2", largestVectors))
	}
	return list
}

func largestVectors(y []float32, at []int32, upper, lower []float32, first, width int32) {
	if len(y) > 0 {
		vectorLargest(&y[0], &at[0], &upper[0], &lower[0], first, width, len(y))
	}
}
