package survey

import (
	"slices"

	"railyard/internal/net/topo"
)

// A port that is full waits for those by which its packets leave the next switch. With PFC the wait is
// one of buffers, and a circle of such waits may last for ever (W. Dally, C. Seitz: Deadlock-free message
// routing in multiprocessor interconnection networks, IEEE Transactions on Computers C-36, 1987: routes
// are free of deadlock where these dependencies have no cycle).

// mayWait reports whether a circle of waits is possible at all, by the kinds of nodes alone: up and then
// down has none.
func (w *walker) mayWait() bool {
	const n = kinds * kinds
	var reach [n][n]bool
	for a := range kinds {
		for b := range kinds {
			for c := range kinds {
				reach[a*kinds+b][b*kinds+c] = w.moves[a][b][c]
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range n {
		if reach[i][i] {
			return true
		}
	}
	return false
}

// waits lists, by port between switches, those that its packets go on by: to some edge, from some edge.
func (w *walker) waits() [][]topo.PortID {
	all := make([][]topo.PortID, len(w.g.Ports))
	known := map[[2]int32]bool{} // port, and the group by which its packets go on
	seen := make([]int32, len(w.g.Nodes))
	var queue []topo.NodeID
	for e, to := range w.nics {
		queue = w.edgeSwitches(queue[:0])
		for _, n := range queue {
			seen[n] = int32(e + 1)
		}
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			if w.r.Home(at, to) {
				continue
			}
			for _, p := range w.r.NextHops(at, to) {
				next := w.g.Ports[p].To
				if seen[next] != int32(e+1) {
					seen[next] = int32(e + 1)
					queue = append(queue, next)
				}
				if w.r.Home(next, to) {
					continue
				}
				if key := [2]int32{int32(p), w.r.Group(next, to)}; !known[key] {
					known[key] = true
					all[p] = append(all[p], w.r.NextHops(next, to)...)
				}
			}
		}
	}
	return all
}

// edgeSwitches appends the switches of all edges, each once.
func (w *walker) edgeSwitches(all []topo.NodeID) []topo.NodeID {
	for _, n := range w.nics {
		for _, p := range w.r.Live(n) {
			all = append(all, w.g.Ports[p].To)
		}
	}
	if !w.g.Bonded() {
		return all
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// cycle returns ports each of which waits for the next, and the last for the first: the shortest such
// circle through the first port in order that is in one; nil: there is none.
func (w *walker) cycle() []topo.PortID {
	waits := w.waits()
	first := inCircle(waits)
	if first < 0 {
		return nil
	}
	from := map[topo.PortID]topo.PortID{}
	queue := []topo.PortID{first}
	for i := 0; i < len(queue); i++ {
		for _, q := range waits[queue[i]] {
			if q == first {
				path := []topo.PortID{queue[i]}
				for at := queue[i]; at != first; {
					at = from[at]
					path = append(path, at)
				}
				slices.Reverse(path)
				return path
			}
			if _, there := from[q]; !there {
				from[q] = queue[i]
				queue = append(queue, q)
			}
		}
	}
	return nil
}

// inCircle returns a port that waits for itself in the end, -1 if none does: what a search in depth
// comes back to while it is not done with it.
func inCircle(waits [][]topo.PortID) topo.PortID {
	const open, done = 1, 2
	state := make([]uint8, len(waits))
	type step struct {
		port topo.PortID
		next int
	}
	for p := range waits {
		if state[p] != 0 {
			continue
		}
		state[p] = open
		stack := []step{{topo.PortID(p), 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(waits[top.port]) {
				state[top.port] = done
				stack = stack[:len(stack)-1]
				continue
			}
			q := waits[top.port][top.next]
			top.next++
			switch state[q] {
			case open:
				return q
			case 0:
				state[q] = open
				stack = append(stack, step{q, 0})
			}
		}
	}
	return -1
}

// Circle returns ports each of which may wait for the next by some routes, and the last for the first; nil: there are
// none.
func Circle(g *topo.Graph, r *topo.Routes) []topo.PortID {
	w := &walker{g: g, r: r}
	there := map[int32]bool{}
	for i := range g.NICs {
		n := topo.NICID(i)
		if e := r.Segment(n); e >= 0 && !there[e] {
			there[e] = true
			w.nics = append(w.nics, n)
		}
	}
	return w.cycle()
}
