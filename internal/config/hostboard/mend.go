package hostboard

import (
	"slices"
	"strconv"
	"strings"

	"railyard/internal/net/board"
)

// Mend moves NICs that are on another CPU than the GPU that takes them: beside it, below what it is below. GPUs take NICs one
// after the other, each the nearest that is free, as runs have it. Nil: none is.
func Mend(of *board.Board) (mended *board.Board, moved []string) {
	b := *of
	b.Links = slices.Clone(of.Links)
	gpus, free := b.Of(board.GPU), b.Of(board.NIC)
	slices.SortStableFunc(gpus, func(x, y int) int { return gpuNumber(&b, x) - gpuNumber(&b, y) })
	type seat struct{ gpu, nic int }
	var far []seat
	for _, g := range gpus {
		best, links := -1, 0
		for _, n := range free {
			if way := b.Way(g, n); way != nil && (best < 0 || len(way) < links) {
				best, links = n, len(way)
			}
		}
		if best < 0 {
			continue
		}
		free = slices.DeleteFunc(free, func(n int) bool { return n == best })
		if a, c := standing(of, g).cpu, standing(of, best).cpu; a != c && a != "" && c != "" {
			far = append(far, seat{g, best})
		}
	}
	for _, s := range far {
		up, down := parentLink(&b, s.gpu), parentLink(&b, s.nic)
		if up < 0 || down < 0 {
			continue
		}
		b.Links[down].A = b.Links[up].A
		moved = append(moved, b.Parts[s.nic].Name)
	}
	if moved == nil {
		return nil, nil
	}
	return &b, moved
}

func gpuNumber(b *board.Board, gpu int) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(b.Parts[gpu].Name, "GPU"))
	return n
}

// parentLink is the PCIe link of a part to what is above it; -1: none.
func parentLink(b *board.Board, part int) int {
	return slices.IndexFunc(b.Links, func(l board.Link) bool {
		return l.B == part && (b.Parts[l.A].Kind == board.PCIeSwitch || b.Parts[l.A].Kind == board.CPU)
	})
}
