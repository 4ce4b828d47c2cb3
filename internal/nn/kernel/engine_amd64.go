package kernel

import "golang.org/x/sys/cpu"

//go:generate go run railyard/internal/nn/kernel/gen

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

// assembly is the signature of a tile in assembly.
type assembly func(c *float32, ldc int, a *float32, arow, acol int, b *float32, brow, m, k int, add bool)

func avx2(t assembly) engine {
	return engine{name: "AVX2", width: 16, tile: tileIn(t), rows: rowsIn(copyPanelAVX2), columns: transpose}
}

func avx512(t assembly) engine {
	return engine{name: "AVX-512", width: 32, tile: tileIn(t), rows: rowsIn(copyPanelAVX512), columns: transpose}
}

func tileIn(t assembly) func(c []float32, ldc int, a, b matrix, m, k int, add bool) {
	return func(c []float32, ldc int, a, b matrix, m, k int, add bool) {
		t(&c[0], ldc, &a.data[0], a.row, a.col, &b.data[0], b.row, m, k, add)
	}
}

func rowsIn(f func(to, from *float32, row, rows int)) func(panel []float32, b matrix, k, width int) {
	return func(panel []float32, b matrix, k, _ int) { f(&panel[0], &b.data[0], b.row, k) }
}

// transpose packs columns, eight by eight as far as that goes.
func transpose(panel []float32, b matrix, k, cols, width int) {
	whole := k &^ 7
	i := 0
	for ; i+8 <= cols && whole > 0; i += 8 {
		transpose8(&panel[i], width, &b.data[i*b.col], b.col, whole/8)
		if whole < k {
			packColumns(panel[whole*width+i:], b.from(whole, i), k-whole, 8, width)
		}
	}
	if i < cols {
		packColumns(panel[i:], b.from(0, i), k, cols-i, width)
	}
}
