package nccltopo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// Path is what NCCL calls a way between two parts of a host, from near to far.
type Path uint8

// The kinds of path (NCCL 2.30.7, src/graph/topo.h and topo.cc; P2C is not in versions before 2.27).
const (
	LOC Path = iota // the same part
	NVL             // NVLink
	NVB             // NVLink by way of another GPU
	C2C             // the link between a GPU and its CPU
	PIX             // one PCIe switch
	PXB             // several PCIe switches, and no CPU
	P2C             // C2C to the CPU that has the NIC
	PXN             // NVLink to a GPU near the NIC, then that one's way
	PHB             // through a CPU
	SYS             // between CPUs
	DIS             // none
)

var pathNames = [...]string{"X", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS", "DIS"}

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
		{"P2C", "C2C to the CPU that has the NIC, then PCIe"},
		{"PXN", "NVLink to a GPU nearer to the NIC, and its way; from GPU to NIC only"},
		{"PHB", "through a CPU"},
		{"SYS", "from a CPU to another"},
		{"DIS", "no way"},
	}
}

// An edge is a link as seen from one of its ends.
type edge struct {
	to   int
	path Path // of the link alone
	rate unit.Bitrate
}

// A way is the best that is known from a part to another.
type way struct {
	path Path
	rate unit.Bitrate // of its slowest link
	hops int
}

// before reports whether a way is better: of a nearer kind, else faster, else of fewer links.
func (w way) before(o way) bool {
	return cmp.Or(cmp.Compare(w.path, o.path), cmp.Compare(o.rate, w.rate), cmp.Compare(w.hops, o.hops)) < 0
}

// Rates that NCCL takes where a file says none (topo.h, topo.cc).
const (
	local   = 5000 * 8 * unit.GigabitPerSec // LOC_BW: no limit
	gen3x16 = 96 * unit.GigabitPerSec
)

// Ends are the parts between which NCCL has ways to find: GPUs, then NICs, in the order of the board.
func Ends(b *board.Board) []int {
	return append(b.Of(board.GPU), b.Of(board.NIC)...)
}

// Paths says what NCCL calls the way between every two of a board's ends, by their order in Ends.
func Paths(b *board.Board) [][]Path {
	s := newSystem(b)
	s.acrossCPUs()
	s.coherent()
	s.byPeers()
	ends := Ends(b)
	table := make([][]Path, len(ends))
	for i, from := range ends {
		for _, to := range ends {
			table[i] = append(table[i], s.ways[from][to].path)
		}
	}
	return table
}

// system is a board with the ways from each part to each, [from][to]: ncclTopoSystem.
type system struct {
	*board.Board
	gpus, nics, cpus []int
	edges            [][]edge
	ways             [][]way
}

// newSystem finds the ways of a board as its links have them (ncclTopoSetPaths).
func newSystem(b *board.Board) *system {
	s := &system{Board: b, gpus: b.Of(board.GPU), nics: b.Of(board.NIC), cpus: b.Of(board.CPU), edges: edgesOf(b),
		ways: make([][]way, len(b.Parts))}
	for i := range b.Parts {
		s.ways[i] = make([]way, len(b.Parts))
	}
	for _, to := range slices.Concat(s.cpus, s.gpus, s.nics) {
		for from, w := range s.search(to) {
			s.ways[from][to] = w
		}
	}
	return s
}

// edgesOf lists the links of each part.
func edgesOf(b *board.Board) [][]edge {
	all := make([][]edge, len(b.Parts))
	for i := range b.Links {
		l := &b.Links[i]
		all[l.A] = append(all[l.A], edge{l.B, pathOf(b, l), rateFrom(b, l, l.A)})
		all[l.B] = append(all[l.B], edge{l.A, pathOf(b, l), rateFrom(b, l, l.B)})
	}
	return all
}

// pathOf is what a link alone is.
func pathOf(b *board.Board, l *board.Link) Path {
	kinds := [2]board.Kind{b.Parts[l.A].Kind, b.Parts[l.B].Kind}
	has := func(k board.Kind) bool { return slices.Contains(kinds[:], k) }
	switch {
	case l.Kind == board.C2C:
		return C2C
	case has(board.NVSwitch), kinds[0] == board.GPU && kinds[1] == board.GPU, strings.HasPrefix(l.Kind, "NVLink"):
		return NVL
	case kinds[0] == board.CPU && kinds[1] == board.CPU:
		return SYS
	case has(board.CPU):
		return PHB
	case kinds[0] == board.PCIeSwitch && kinds[1] == board.PCIeSwitch:
		return PXB
	}
	return PIX
}

// rateFrom is the rate that NCCL counts with from one of a link's ends: of PCIe by a table of its own, below what the
// standard's encoding leaves.
func rateFrom(b *board.Board, l *board.Link, end int) unit.Bitrate {
	if g, lanes, ok := pcieOf(l.Kind); ok {
		return g.counted * unit.Bitrate(lanes)
	}
	for i := range nvlinkKinds {
		if k := &nvlinkKinds[i]; k.name == l.Kind {
			return k.counted * unit.Bitrate(l.Count)
		}
	}
	switch {
	case l.Rate > 0:
		return l.Rate * unit.Bitrate(l.Count)
	case l.Kind == plainPCIe:
		return gen3x16
	case strings.HasPrefix(l.Kind, "NVLink"), l.Kind == infinity:
		return unit.Bitrate(l.Count) * 160 * unit.GigabitPerSec // SM80_NVLINK_BW, where the GPU is not known
	case l.Kind == between && Between(&b.Parts[end]) > 0:
		return Between(&b.Parts[end])
	}
	return local
}

// search finds the ways from all parts to one. A way may pass a GPU only from a GPU next to it to another, by NVLink.
func (s *system) search(to int) []way {
	ways := make([]way, len(s.Parts))
	for i := range ways {
		ways[i].path = DIS
	}
	ways[to] = way{path: LOC, rate: s.own(to)}
	for level := []int{to}; len(level) > 0; {
		var next []int
		for _, at := range level {
			for _, e := range s.edges[at] {
				if w, ok := s.onward(ways[at], at, to, e); ok && w.before(ways[e.to]) {
					if ways[e.to] = w; !slices.Contains(next, e.to) {
						next = append(next, e.to)
					}
				}
			}
		}
		level = next
	}
	return ways
}

// onward is a way to a part with one link more; false where NCCL takes none by there.
func (s *system) onward(here way, at, to int, e edge) (way, bool) {
	w := way{max(here.path, e.path), min(here.rate, e.rate, s.own(e.to)), here.hops + 1}
	if at == to {
		return w, true
	}
	switch s.Parts[at].Kind {
	case board.NIC:
		return w, false
	case board.GPU:
		if here.path == NVL && e.path == NVL {
			w.path = NVB
		}
		return w, here.hops <= 1 && e.path == NVL && s.Parts[e.to].Kind == board.GPU
	}
	return w, true
}

// own is the rate of a NIC towards its network, which NCCL counts as the last link of its ways.
func (s *system) own(part int) unit.Bitrate {
	if r := s.Parts[part].Rate; r > 0 {
		return r
	}
	return local
}

// locals are those of some parts that are nearest to another by NCCL's order (ncclTopoGetLocal): the fastest, of them
// the nearest kind.
func (s *system) locals(of int, parts []int) (best []int) {
	rank := func(i int) way { w := s.ways[of][i]; return way{w.path, w.rate, 0} }
	for _, i := range parts {
		w := rank(i)
		if w.path == DIS {
			continue
		}
		if len(best) > 0 {
			b := rank(best[0])
			if w == b {
				best = append(best, i)
			}
			if w.rate < b.rate || w.rate == b.rate && w.path >= b.path {
				continue
			}
		}
		best = []int{i}
	}
	return best
}

// cpuOf is the CPU of a GPU (ncclGetLocalCpu); -1: none is reached.
func (s *system) cpuOf(gpu int) int {
	all := s.locals(gpu, s.cpus)
	if len(all) == 0 {
		return -1
	}
	return slices.MinFunc(all, func(a, b int) int { return cmp.Compare(s.ways[gpu][a].hops, s.ways[gpu][b].hops) })
}

// join is a way of two, the second beginning where the first ends (addInterStep).
func join(a, b way) way {
	w := way{max(a.path, b.path), min(a.rate, b.rate), a.hops + b.hops}
	if w.path == PHB && min(a.path, b.path) == C2C {
		w.path = P2C
	}
	return w
}

// acrossCPUs has GPUs that are farther than PXB from each other copy by the second one's CPU: NCCL_P2P_LEVEL as it is
// unless set. Two GPUs under an AMD CPU reach each other directly even so, which has the same name.
func (s *system) acrossCPUs() {
	for _, to := range s.gpus {
		for _, from := range s.gpus {
			if cpu := s.cpuOf(to); s.ways[from][to].path > PXB && s.ways[from][to].path != DIS && cpu >= 0 {
				s.ways[from][to] = join(s.ways[from][cpu], s.ways[cpu][to])
			}
		}
	}
}

// coherent finds the NICs that GPUs reach by C2C and PCIe of the same CPU, where no other NIC is nearer.
func (s *system) coherent() {
	for _, gpu := range s.gpus {
		cpu := s.cpuOf(gpu)
		if cpu < 0 {
			continue
		}
		for _, nic := range s.locals(gpu, s.nics) {
			if join(s.ways[gpu][cpu], s.ways[nic][cpu]).path == P2C {
				s.ways[gpu][nic].path = min(P2C, s.ways[gpu][nic].path)
				s.ways[nic][gpu].path = min(P2C, s.ways[nic][gpu].path)
			}
		}
	}
}

// byPeers sets the ways of GPUs to NICs that another GPU is nearer to: over NVLink to that one (PXN), where it has
// more bandwidth to the NIC or the own way passes a CPU. Ways back stay as they are. What may not do GPUDirect RDMA
// goes by its CPU.
func (s *system) byPeers() {
	for _, nic := range s.nics {
		for _, gpu := range s.gpus {
			own, peer := &s.ways[gpu][nic], s.gpuOf(nic)
			if peer >= 0 && peer != gpu {
				by := s.ways[peer][nic]
				if by.path <= P2C && s.direct(peer, nic) && s.ways[peer][gpu].path <= NVL &&
					(by.rate > own.rate || own.path > PXN) {
					*own = join(s.ways[gpu][peer], by)
					own.path = PXN
					continue
				}
			}
			if cpu := s.cpuOf(gpu); own.path < PHB && !s.direct(gpu, nic) && cpu >= 0 {
				s.ways[nic][gpu] = join(s.ways[nic][cpu], s.ways[cpu][gpu])
				*own = join(s.ways[gpu][cpu], s.ways[cpu][nic])
			}
		}
	}
}

// direct reports whether a GPU and a NIC may do GPUDirect RDMA, which they may unless a file says that they cannot.
func (s *system) direct(gpu, nic int) bool {
	return !s.Parts[gpu].NoGPUDirect && !s.Parts[nic].NoGPUDirect
}

// maxChannels is NCCL's MAXCHANNELS.
const maxChannels = 64

// gpuOf is the GPU that a NIC serves first (ncclTopoGetLocalGpu); -1: none takes it.
func (s *system) gpuOf(nic int) int {
	gpus := s.locals(nic, s.gpus)
	for channel := range maxChannels {
		for _, gpu := range gpus {
			if s.nicOf(gpu, channel) == nic {
				return gpu
			}
		}
	}
	return -1
}

// nicOf is the NIC that a GPU takes on a channel (ncclTopoGetLocalNet): GPUs with the same NICs begin at different
// ones, where these are a power of two in the order of mirrored bits; -1: it reaches none.
func (s *system) nicOf(gpu, channel int) int {
	nics := s.locals(gpu, s.nics)
	if len(nics) == 0 {
		return -1
	}
	sharing := max(1, len(s.locals(nics[0], s.gpus)))
	dev, _ := strconv.Atoi(strings.TrimPrefix(s.Parts[gpu].Name, "GPU"))
	first := dev % sharing
	if n := len(nics); n&(n-1) == 0 {
		first = mirrored(first, n)
	}
	each := (len(nics) + sharing - 1) / sharing
	return nics[(first+channel%each)%len(nics)]
}

// mirrored is a number below a power of two with its bits in the opposite order; higher bits are lost.
func mirrored(value, power int) (m int) {
	for b, up := 1, power>>1; b < power; b, up = b<<1, up>>1 {
		if value&b != 0 {
			m |= up
		}
	}
	return m
}
