package hostboard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/net/board"
)

// Seats are the first GPUs of a board and for each the nearest NIC that is free, as runs take them; fewer NICs where there are
// not as many.
func Seats(b *board.Board, gpus, nics int) (g, n []int) {
	g, free := b.Of(board.GPU), b.Of(board.NIC)
	slices.SortStableFunc(g, func(x, y int) int { return gpuNumber(b, x) - gpuNumber(b, y) })
	g = g[:min(gpus, len(g))]
	for k := 0; k < len(g) && len(n) < nics; k++ {
		best, links := -1, 0
		for _, x := range free {
			if way := b.Way(g[k], x); way != nil && (best < 0 || len(way) < links) {
				best, links = x, len(way)
			}
		}
		if best >= 0 {
			n = append(n, best)
			free = slices.DeleteFunc(free, func(x int) bool { return x == best })
		}
	}
	return g, n
}

// Matrix is what nvidia-smi topo -m would say of GPUs and NICs of a board, with its heading: NV and a number for GPUs that NVLink
// joins, else by the bridges and CPUs between two.
func Matrix(b *board.Board, gpus, nics []int) [][]string {
	ends := slices.Concat(gpus, nics)
	head := []string{""}
	for k := range gpus {
		head = append(head, "GPU"+strconv.Itoa(k))
	}
	for k := range nics {
		head = append(head, "NIC"+strconv.Itoa(k))
	}
	rows := [][]string{head}
	for i, from := range ends {
		row := []string{head[i+1]}
		for _, to := range ends {
			row = append(row, between(b, from, to))
		}
		rows = append(rows, row)
	}
	return rows
}

// between is how the driver calls what is between two parts.
func between(b *board.Board, x, y int) string {
	if x == y {
		return "X"
	}
	if n := nvlinks(b, x, y); n > 0 {
		return fmt.Sprintf("NV%d", n)
	}
	a, c := standing(b, x), standing(b, y)
	switch {
	case a.cpu != c.cpu:
		return "SYS"
	case len(a.switches) == 0 || len(c.switches) == 0 || a.top() != c.top():
		return "NODE"
	case len(a.switches) == 1 && len(c.switches) == 1:
		return "PIX"
	}
	return "PXB"
}

// top is the switch right below the CPU.
func (p *place) top() int { return p.parts[len(p.parts)-1] }

// nvlinks is how many NVLinks join two GPUs: those between them, or by NVSwitches all that the one with fewer has.
func nvlinks(b *board.Board, x, y int) int {
	if b.Parts[x].Kind != board.GPU || b.Parts[y].Kind != board.GPU {
		return 0
	}
	direct, own := 0, map[int]int{}
	for _, l := range b.Links {
		switch {
		case l.A == x && l.B == y || l.A == y && l.B == x:
			if strings.HasPrefix(l.Kind, "NVLink") {
				direct += l.Count
			}
		case b.Parts[l.B].Kind == board.NVSwitch:
			own[l.A] += l.Count
		case b.Parts[l.A].Kind == board.NVSwitch:
			own[l.B] += l.Count
		}
	}
	return direct + min(own[x], own[y])
}
