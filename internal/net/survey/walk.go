package survey

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"

	"railyard/internal/net/topo"
)

// Pairs is ordered pairs of NICs on different hosts that are alike: as many switches and as many ways.
type Pairs struct {
	Switches int   `json:"switches"` // on the shortest ways; 0: cabled to each other; -1: no way
	Ways     int64 `json:"ways"`     // shortest ones, by parallel links too; at most math.MaxInt64
	Count    int64 `json:"pairs"`
}

// A way is what is known of the shortest ways from a switch to an edge.
type way struct {
	edge     int32 // for which it holds, from 1
	switches int32 // the most on one of them, both ends included; -1: none
	ways     int64
	kinds    uint8 // of the nodes that come next, a bit each
}

// kinds is how many kinds of nodes there are.
const kinds = int(topo.SuperSpine) + 1

// A walker goes over the routes from each edge, the switch or switches of some NICs, to each other. Switches
// with the same neighbours are as far from any other: of such a class one is looked at.
type walker struct {
	g      *topo.Graph
	r      *topo.Routes
	ends   []topo.NICID // between which ways are counted; one may stand for several ranks
	edgeOf []int32      // by NIC: its edge, by switches and ports to each; -1: of no end
	nics   []topo.NICID // by edge: one on it
	class  []int32      // by node
	alike  []int32      // by edge: class of those as far from any other
	like   [][]int32    // by such a class: edges
	at     []way        // by class of nodes
	moves  [kinds][kinds][kinds]bool
	count  map[[2]int64]int64 // pairs by switches and ways
}

// walk finds all of it between some NICs.
func walk(g *topo.Graph, r *topo.Routes, ends []topo.NICID) *walker {
	w := &walker{g: g, r: r, ends: ends, count: map[[2]int64]int64{}}
	w.classes()
	w.findEdges()
	on := w.census()
	for e := range w.nics {
		to := int32(e)
		own := on.pairs(place{edge: to}, to)
		w.note(w.between(e, e), own)
		for class, like := range w.like {
			i := slices.IndexFunc(like, func(from int32) bool { return int(from) != e })
			if i < 0 {
				continue // none, or the edge alone
			}
			n := on.pairs(place{class: int32(class) + 1}, to)
			if w.alike[to] == int32(class) {
				n -= own
			}
			w.note(w.between(int(like[i]), e), n)
		}
	}
	w.cabled()
	return w
}

// note counts pairs of some ways.
func (w *walker) note(found way, pairs int64) {
	if found.switches > 0 {
		w.count[[2]int64{int64(found.switches), found.ways}] += pairs
	}
}

// findEdges numbers the edges of the ends, and puts those into a class that are as far from any other: switches of
// a class each, or sets of them in which no other edge has a part.
func (w *walker) findEdges() {
	w.edgeOf = slices.Repeat([]int32{-1}, len(w.g.NICs))
	owners := make([]int32, len(w.g.Nodes)) // by node: edges that have a part in it
	known := map[string]int32{}
	for _, n := range w.ends {
		if w.r.Segment(n) < 0 {
			continue
		}
		key := w.key(n, func(at topo.NodeID) int32 { return int32(at) })
		e, there := known[key]
		if !there {
			e = int32(len(w.nics))
			known[key] = e
			w.nics = append(w.nics, n)
			for i, at := range w.switches(n) {
				if i == 0 || at != w.switches(n)[i-1] {
					owners[at]++
				}
			}
		}
		w.edgeOf[n] = e
	}
	clear(known)
	w.alike = make([]int32, len(w.nics))
	for e, n := range w.nics {
		key := w.key(n, func(at topo.NodeID) int32 { return w.class[at] })
		if slices.ContainsFunc(w.switches(n), func(at topo.NodeID) bool { return owners[at] > 1 }) {
			key += "alone" + strconv.Itoa(e)
		}
		class, there := known[key]
		if !there {
			class = int32(len(w.like))
			known[key] = class
			w.like = append(w.like, nil)
		}
		w.alike[e] = class
		w.like[class] = append(w.like[class], int32(e))
	}
}

// switches lists those that a NIC's ports lead to, one with several ports there as often, ascending.
func (w *walker) switches(n topo.NICID) (all []topo.NodeID) {
	for _, p := range w.r.Live(n) {
		all = append(all, w.g.Ports[p].To)
	}
	slices.Sort(all)
	return all
}

// key tells NICs apart by a number of each of their switches.
func (w *walker) key(n topo.NICID, number func(at topo.NodeID) int32) string {
	var all []int32
	for _, p := range w.r.Live(n) {
		all = append(all, number(w.g.Ports[p].To))
	}
	slices.Sort(all)
	var key []byte
	for _, k := range all {
		key = binary.LittleEndian.AppendUint32(key, uint32(k))
	}
	return string(key)
}

// between returns the ways from the NICs of an edge to those of another, or to others of it: by each of their
// ports.
func (w *walker) between(from, to int) way {
	all := way{switches: -1}
	for _, p := range w.r.Live(w.nics[from]) {
		on := w.to(w.g.Ports[p].To, to)
		all.switches = max(all.switches, on.switches)
		all.ways = sum(all.ways, on.ways)
	}
	return all
}

// sum adds counts, at most math.MaxInt64.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
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
	w.at = make([]way, len(known))
}

// to returns the shortest ways from a switch to an edge. Of each class on them one is looked at.
func (w *walker) to(at topo.NodeID, edge int) way {
	if w.r.Home(at, w.nics[edge]) {
		return way{switches: 1, ways: int64(len(w.r.NextHops(at, w.nics[edge])))}
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
		found.ways = sum(found.ways, on.ways)
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
