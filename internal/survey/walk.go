package survey

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"railyard/internal/topo"
)

// Pairs is ordered pairs of NICs on different hosts that are alike: as many switches and as many ways.
type Pairs struct {
	Switches int   `json:"switches"` // on the shortest ways; 0: cabled to each other; -1: no way
	Ways     int64 `json:"ways"`     // shortest ones, by parallel links too; at most math.MaxInt64
	Count    int64 `json:"pairs"`
}

// A way is what is known of the shortest ways from a switch to an edge switch.
type way struct {
	edge     int32 // for which it holds, from 1
	switches int32 // the most on one of them, both ends included; -1: none
	ways     int64
	kinds    uint8 // of the nodes that come next, a bit each
}

// kinds is how many kinds of nodes there are.
const kinds = int(topo.SuperSpine) + 1

// A walker goes over the routes from each edge switch to each other.
type walker struct {
	g     *topo.Graph
	r     *topo.Routes
	ends  []topo.NICID  // between which ways are counted; one may stand for several ranks
	edges []topo.NodeID // switches with some of them
	nics  []topo.NICID  // by edge: one on it
	at    []way         // by node
	moves [kinds][kinds][kinds]bool
	count map[[2]int64]int64 // pairs by switches and ways
}

// walk finds all of it between some NICs.
func walk(g *topo.Graph, r *topo.Routes, ends []topo.NICID) *walker {
	w := &walker{g: g, r: r, ends: ends, at: make([]way, len(g.Nodes)), count: map[[2]int64]int64{}}
	index := make([]int32, len(g.Nodes)) // by node: in edges, from 1
	for _, n := range ends {
		if e := g.Edge(n); g.Nodes[e].Kind != topo.HostKind && index[e] == 0 {
			w.edges, w.nics = append(w.edges, e), append(w.nics, n)
			index[e] = int32(len(w.edges))
		}
	}
	on := w.census(index)
	for e, to := range w.edges {
		w.at[to] = way{edge: int32(e + 1), switches: 1, ways: 1}
		for from, node := range w.edges {
			if found := w.to(node, e); found.switches > 0 {
				w.count[[2]int64{int64(found.switches), found.ways}] += on.pairs(int32(from+1), int32(e+1))
			}
		}
	}
	w.cabled()
	return w
}

// cabled counts pairs of NICs that are cabled to each other.
func (w *walker) cabled() {
	n := map[topo.NICID]int64{}
	for _, a := range w.ends {
		n[a]++
	}
	for _, a := range w.ends {
		if far := w.g.Ports[w.g.Peer(w.g.NICs[a].Port)].NIC; far != a {
			w.count[[2]int64{0, 1}] += n[far]
		}
	}
}

// to returns the shortest ways from a switch to an edge. Each switch on them is looked at once.
func (w *walker) to(at topo.NodeID, edge int) way {
	if w.at[at].edge == int32(edge+1) {
		return w.at[at]
	}
	found := way{edge: int32(edge + 1), switches: -1}
	a := w.g.Nodes[at].Kind
	for _, p := range w.r.NextHops(at, w.nics[edge]) {
		next := w.g.Ports[p].To
		on, b := w.to(next, edge), w.g.Nodes[next].Kind
		found.switches = max(found.switches, on.switches+1)
		if found.ways > math.MaxInt64-on.ways {
			found.ways = math.MaxInt64
		} else {
			found.ways += on.ways
		}
		found.kinds |= 1 << b
		for c := range kinds {
			if on.kinds>>c&1 != 0 {
				w.moves[a][b][c] = true
			}
		}
	}
	w.at[at] = found
	return found
}

// A census is how many NICs there are on edge switches, in all or, where rails are VLANs, of each rail.
type census struct {
	on   map[int32]map[int32]int64 // by edge from 1, by rail, or of rail 0
	same map[[2]int32]int64        // pairs of NICs of one host, of one rail or of any, by their edges
}

func (w *walker) census(index []int32) *census {
	g, c := w.g, &census{map[int32]map[int32]int64{}, map[[2]int32]int64{}}
	rail := func(n topo.NICID) int32 {
		if g.Isolated {
			return g.NICs[n].Rail
		}
		return 0
	}
	for _, of := range w.byHost() {
		for _, n := range of {
			e := index[g.Edge(n)]
			if c.on[e] == nil {
				c.on[e] = map[int32]int64{}
			}
			c.on[e][rail(n)]++
			for _, m := range of {
				if rail(m) == rail(n) {
					c.same[[2]int32{e, index[g.Edge(m)]}]++
				}
			}
		}
	}
	return c
}

// byHost splits the ends by their hosts.
func (w *walker) byHost() [][]topo.NICID {
	all := make([][]topo.NICID, len(w.g.Hosts))
	for _, n := range w.ends {
		h := w.g.NICs[n].Host
		all[h] = append(all[h], n)
	}
	return all
}

// pairs is how many ordered pairs of NICs of different hosts two edges have.
func (c *census) pairs(from, to int32) (n int64) {
	for rail, a := range c.on[from] {
		n += a * c.on[to][rail]
	}
	return n - c.same[[2]int32{from, to}]
}

// pairs lists what was counted, nearest first.
func (w *walker) pairs() (all []Pairs) {
	left := int64(len(w.ends)) * int64(len(w.ends))
	for _, of := range w.byHost() {
		left -= int64(len(of)) * int64(len(of))
	}
	order := func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	for _, key := range slices.SortedFunc(maps.Keys(w.count), order) {
		if n := w.count[key]; n > 0 {
			all = append(all, Pairs{int(key[0]), key[1], n})
			left -= n
		}
	}
	if left > 0 {
		all = append(all, Pairs{-1, 0, left})
	}
	return all
}
