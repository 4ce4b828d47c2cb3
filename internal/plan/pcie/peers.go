package pcie

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// peers finds the ways between GPUs that no NVLink joins, and the order in which rings pass them.
func (b onBoard) peers(m *linkMap, g *Graph, gpus []int) error {
	bridged := b.Bridged(gpus)
	if !slices.ContainsFunc(bridged, func(row []bool) bool { return slices.Contains(row, false) }) {
		return nil
	}
	for i, from := range gpus {
		ways := make([][]int32, len(gpus))
		for k, to := range gpus {
			if bridged[i][k] {
				continue
			}
			way := b.Way(from, to)
			if way == nil {
				return b.sc.Refused("cluster.host.graph", "%s: neither NVLink nor a path over PCIe from %s to %s",
					b.sc.Cluster.Host.Graph.Value, b.Parts[from].Name, b.Parts[to].Name)
			}
			ways[k] = m.take(g, way)
		}
		g.Peers = append(g.Peers, ways)
	}
	g.Order = b.order(gpus, g)
	return nil
}

// order is where each GPU comes in the order of the board's tree, from CPUs down, as NCCL tries that of PCIe first (NCCL 2.30.7,
// src/graph/search.cc: FORCED_ORDER_PCI). Where NVLink joins some, parts of it are turned round for as long as that makes the
// ways over PCIe shorter, all together.
func (b onBoard) order(gpus []int, g *Graph) []int32 {
	down := make([][]int32, len(gpus)) // the CPU, and the links from it
	ring := make([]int, len(gpus))
	for i, gpu := range gpus {
		cpu := nearest(b.Board, gpu, b.Of(board.CPU))
		ring[i], down[i] = i, append([]int32{int32(cpu)}, b.Way(cpu, gpu)...)
	}
	slices.SortStableFunc(ring, func(x, y int) int { return slices.Compare(down[x], down[y]) })
	n := len(ring)
	way := func(from, to int) int { return len(g.Peers[ring[from]][ring[to%n]]) }
	for shorter := true; shorter; {
		shorter = false
		for i := range n { // of the ring's steps i-1 to i and k to k+1, ends change places
			for k := i + 1; k < n && k-i < n-1; k++ {
				before := (i + n - 1) % n
				if way(before, k)+way(i, k+1) < way(before, i)+way(k, k+1) {
					slices.Reverse(ring[i : k+1])
					shorter = true
				}
			}
		}
	}
	order := make([]int32, n)
	for at, gpu := range ring {
		order[gpu] = int32(at)
	}
	return order
}

// NVLink reports whether NVLink joins two GPUs of a host: without a graph it joins all.
func (h *Hosts) NVLink(a, b int32) bool {
	return h.Graph == nil || h.Graph.Peers == nil || h.Graph.Peers[a][b] == nil
}

// Inside names what carries messages between GPUs of a host.
func (h *Hosts) Inside() string {
	switch {
	case h.Graph == nil || h.Graph.Peers == nil:
		return "NVLink"
	case h.someNVLink():
		return "NVLink, PCIe"
	}
	return "PCIe"
}

// someNVLink reports whether NVLink joins any two GPUs of a host of the graph.
func (h *Hosts) someNVLink() bool {
	for from, to := range h.Graph.Peers {
		for other, way := range to {
			if way == nil && other != from {
				return true
			}
		}
	}
	return false
}

// OrderOf is where a GPU comes in the order in which rings pass those of its host; 0 of all where NVLink joins them.
func (h *Hosts) OrderOf(gpu int32) int32 {
	if h.Graph == nil || h.Graph.Order == nil {
		return 0
	}
	return h.Graph.Order[gpu]
}

// PeerRate is what a GPU sends to another over PCIe while all of them send to the next of a ring in their order, the slowest of
// them; 0: NVLink joins all, or there is no limit.
func (h *Hosts) PeerRate() (least unit.Bitrate) {
	if h.Graph == nil || h.Graph.Peers == nil {
		return 0
	}
	g := h.Graph
	ring := make([]int, len(g.Order))
	for gpu, at := range g.Order {
		ring[at] = gpu
	}
	users := map[int32]unit.Bitrate{}
	for i, gpu := range ring {
		for _, d := range g.Peers[gpu][ring[(i+1)%len(ring)]] {
			users[d]++
		}
	}
	for d, n := range users {
		if share := g.Rates[d/2] / n; share > 0 && (least == 0 || share < least) {
			least = share
		}
	}
	return least
}
