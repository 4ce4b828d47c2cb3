package nccltopo

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/board"
)

// Path is what NCCL calls a way between two parts of a host, from near to far.
type Path uint8

// The kinds of path (NCCL's src/graph/topo.h).
const (
	LOC Path = iota // the same part
	NVL             // NVLink
	NVB             // NVLink by way of another GPU
	C2C             // the link between a GPU and its CPU
	PIX             // one PCIe switch
	PXB             // several PCIe switches, and no CPU
	PXN             // NVLink to a GPU near the NIC, then PIX or PXB
	PHB             // through a CPU
	SYS             // between CPUs
	DIS             // none
)

var pathNames = [...]string{"X", "NVL", "NVB", "C2C", "PIX", "PXB", "PXN", "PHB", "SYS", "DIS"}

// String returns NVL, PIX, ...; X for a part itself.
func (p Path) String() string { return pathNames[p] }

// Meanings are lines on the kinds, nearest first.
func Meanings() [][]string {
	return [][]string{
		{"NVL", "NVLink, by NVSwitches too"},
		{"NVB", "NVLink by way of another GPU"},
		{"C2C", "the link between a GPU and its CPU"},
		{"PIX", "one PCIe switch at most"},
		{"PXB", "several PCIe switches, no CPU"},
		{"PXN", "NVLink to a GPU nearer to the NIC, and its way"},
		{"PHB", "through a CPU"},
		{"SYS", "from a CPU to another"},
		{"DIS", "no way"},
	}
}

// An edge is a link as seen from one of its ends.
type edge struct {
	to   int
	path Path // of the link alone
	rate int64
}

// A way is the best that is known to a part.
type way struct {
	hops int
	rate int64
	path Path
	set  bool
}

// Ends are the parts between which NCCL has ways to find: GPUs, then NICs, in the order of the board.
func Ends(b *board.Board) (all []int) {
	for _, kind := range []board.Kind{board.GPU, board.NIC} {
		for i, p := range b.Parts {
			if p.Kind == kind {
				all = append(all, i)
			}
		}
	}
	return all
}

// Paths says what NCCL calls the way between every two of a board's ends, by their order in Ends.
func Paths(b *board.Board) [][]Path {
	ends, edges := Ends(b), edgesOf(b)
	ways := make([][]way, len(ends)) // by end and part
	for i, from := range ends {
		ways[i] = search(b, edges, from)
	}
	table := make([][]Path, len(ends))
	for i := range ends {
		table[i] = make([]Path, len(ends))
		for k, to := range ends {
			table[i][k] = ways[i][to].path
			if !ways[i][to].set {
				table[i][k] = DIS
			}
		}
	}
	byPeer(b, ends, ways, table)
	return table
}

// edgesOf lists the links of each part, NVLink first, then by rate.
func edgesOf(b *board.Board) [][]edge {
	all := make([][]edge, len(b.Parts))
	for _, l := range b.Links {
		p, rate := pathOf(b, &l), int64(l.Count)*int64(l.Rate)
		if l.Rate == 0 {
			rate = 1 // unknown: any known link is faster
		}
		all[l.A] = append(all[l.A], edge{l.B, p, rate})
		all[l.B] = append(all[l.B], edge{l.A, p, rate})
	}
	for i := range all {
		slices.SortStableFunc(all[i], func(a, b edge) int {
			return cmp.Or(cmp.Compare(min(a.path, PIX), min(b.path, PIX)), cmp.Compare(b.rate, a.rate))
		})
	}
	return all
}

// pathOf is what a link alone is.
func pathOf(b *board.Board, l *board.Link) Path {
	kinds := [2]board.Kind{b.Parts[l.A].Kind, b.Parts[l.B].Kind}
	has := func(k board.Kind) bool { return slices.Contains(kinds[:], k) }
	switch {
	case has(board.NVSwitch), kinds[0] == board.GPU && kinds[1] == board.GPU:
		return NVL
	case has(board.GPU) && has(board.CPU) && strings.HasPrefix(l.Kind, "NVLink"):
		return C2C
	case kinds[0] == board.CPU && kinds[1] == board.CPU:
		return SYS
	case has(board.CPU):
		return PHB
	case kinds[0] == board.PCIeSwitch && kinds[1] == board.PCIeSwitch:
		return PXB
	}
	return PIX
}

// search finds the ways from an end: of those with the fewest links the first that is found, NVLink and the
// fastest links being looked at first. Ways pass no GPU but one, over NVLink to another GPU.
func search(b *board.Board, edges [][]edge, from int) []way {
	ways := make([]way, len(b.Parts))
	ways[from] = way{path: LOC, rate: 1 << 62, set: true}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		here := &ways[at]
		for _, e := range edges[at] {
			if at != from && !passes(b, here, at, e) || ways[e.to].set {
				continue
			}
			next := way{here.hops + 1, min(here.rate, e.rate), max(here.path, e.path), true}
			if b.Parts[at].Kind == board.GPU && at != from {
				next.path = NVB
			}
			ways[e.to] = next
			queue = append(queue, e.to)
		}
	}
	return ways
}

// passes reports whether a way may go on from a part by a link: NICs end it, and GPUs but for one between two by
// NVLink.
func passes(b *board.Board, here *way, at int, e edge) bool {
	switch b.Parts[at].Kind {
	case board.NIC:
		return false
	case board.GPU:
		return here.hops == 1 && here.path == NVL && e.path == NVL && b.Parts[e.to].Kind == board.GPU
	}
	return true
}

// byPeer sets the ways of GPUs to NICs that another GPU is nearer to: over NVLink to that one (PXN), where it has
// more bandwidth to the NIC or the own way passes a CPU.
func byPeer(b *board.Board, ends []int, ways [][]way, table [][]Path) {
	for k, nic := range ends {
		if b.Parts[nic].Kind != board.NIC {
			continue
		}
		peer := nearest(b, ends, ways, nic)
		if peer < 0 || ways[peer][nic].path > PXB {
			continue
		}
		for i, gpu := range ends {
			if b.Parts[gpu].Kind != board.GPU || i == peer || !ways[i][nic].set || !ways[i][ends[peer]].set ||
				ways[i][ends[peer]].path > NVL {
				continue
			}
			if ways[peer][nic].rate > ways[i][nic].rate || ways[i][nic].path > PXB {
				table[i][k], table[k][i] = PXN, PXN
			}
		}
	}
}

// nearest is the GPU with the shortest way to a NIC, the first of several alike; -1: there is none.
func nearest(b *board.Board, ends []int, ways [][]way, nic int) int {
	best := -1
	for i, gpu := range ends {
		if w := &ways[i][nic]; b.Parts[gpu].Kind == board.GPU && w.set &&
			(best < 0 || w.path < ways[best][nic].path || w.path == ways[best][nic].path && w.rate > ways[best][nic].rate) {
			best = i
		}
	}
	return best
}
