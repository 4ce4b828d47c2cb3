package survey

import (
	"cmp"
	"encoding/binary"
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

// A walker goes over the routes from each edge switch to each other. Switches with the same neighbours are
// as far from any other: of such a class one is looked at.
type walker struct {
	g     *topo.Graph
	r     *topo.Routes
	ends  []topo.NICID    // between which ways are counted; one may stand for several ranks
	edges []topo.NodeID   // switches with some of them
	nics  []topo.NICID    // by edge: one on it
	class []int32         // by node
	like  [][]topo.NodeID // by class: edges
	at    []way           // by class
	moves [kinds][kinds][kinds]bool
	count map[[2]int64]int64 // pairs by switches and ways
}

// walk finds all of it between some NICs.
func walk(g *topo.Graph, r *topo.Routes, ends []topo.NICID) *walker {
	w := &walker{g: g, r: r, ends: ends, count: map[[2]int64]int64{}}
	w.classes()
	index := make([]int32, len(g.Nodes)) // by node: in edges, from 1
	for _, n := range ends {
		if e := g.Edge(n); g.Nodes[e].Kind != topo.HostKind && index[e] == 0 {
			w.edges, w.nics = append(w.edges, e), append(w.nics, n)
			w.like[w.class[e]] = append(w.like[w.class[e]], e)
			index[e] = int32(len(w.edges))
		}
	}
	on := w.census()
	for e, to := range w.edges {
		own := on.pairs(place{edge: to}, to)
		w.count[[2]int64{1, 1}] += own
		for class, like := range w.like {
			i := slices.IndexFunc(like, func(from topo.NodeID) bool { return from != to })
			if i < 0 {
				continue // none, or the edge alone
			}
			n := on.pairs(place{class: int32(class) + 1}, to)
			if w.class[to] == int32(class) {
				n -= own
			}
			if found := w.to(like[i], e); found.switches > 0 {
				w.count[[2]int64{int64(found.switches), found.ways}] += n
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

// classes puts switches into classes: of one kind, with links of the same costs to the same others.
func (w *walker) classes() {
	w.class = make([]int32, len(w.g.Nodes))
	known := map[string]int32{}
	var key []byte
	var links [][2]int32 // peer and cost
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		if n.Kind == topo.HostKind {
			continue
		}
		links = links[:0]
		for _, p := range n.Ports {
			if port := &w.g.Ports[p]; port.NIC < 0 {
				links = append(links, [2]int32{int32(port.To), int32(w.g.Links[port.Link].Cost)})
			}
		}
		slices.SortFunc(links, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		key = append(key[:0], byte(n.Kind))
		for _, l := range links {
			key = binary.LittleEndian.AppendUint32(key, uint32(l[0]))
			key = binary.LittleEndian.AppendUint32(key, uint32(l[1]))
		}
		class, there := known[string(key)]
		if !there {
			class = int32(len(known))
			known[string(key)] = class
		}
		w.class[i] = class
	}
	w.like, w.at = make([][]topo.NodeID, len(known)), make([]way, len(known))
}

// to returns the shortest ways from a switch to an edge. Of each class on them one is looked at.
func (w *walker) to(at topo.NodeID, edge int) way {
	if at == w.edges[edge] {
		return way{switches: 1, ways: 1}
	}
	class := w.class[at]
	if w.at[class].edge == int32(edge+1) {
		return w.at[class]
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
	w.at[class] = found
	return found
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
