package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// How much of a network is drawn node by node.
const (
	drawnNodes = 64 // of a network, and of these
	drawnHosts = 32 // of the lowest tier
	drawnAlike = 16 // nodes or groups of one tier of a larger network
	drawnAlone = 8  // nodes of a tier that stand out from a group
)

// fabric is the network as it is drawn: a small one node by node, a large one with
// nodes that are alike as one. Nodes are alike if they have cables to the same nodes
// above them (the hosts of a leaf, the leaves of a pod). What stands out stays alone:
// the ends of the busiest port, the nodes of a path, those far busier than their tier.
type fabric struct {
	links  []result.LinkRow
	tier   tiers
	rows   [len(tierNames)][]string // nodes by tier, by name
	as     map[string]string        // node -> ID of what it is drawn as
	groups map[string][]string      // ID -> its nodes, where there are several
	folded bool

	inside     int // ports between two nodes of one group, which graph does not draw
	insideMost float64
}

// newFabric returns nil where the tiers are not known.
func newFabric(links []result.LinkRow, keep []string) *fabric {
	f := &fabric{links: links, tier: tiersOf(links), as: map[string]string{}, groups: map[string][]string{}}
	if len(f.tier) == 0 {
		return nil
	}
	for _, n := range slices.SortedFunc(maps.Keys(f.tier), byName) {
		f.rows[f.tier[n]] = append(f.rows[f.tier[n]], n)
		f.as[n] = n
	}
	if len(f.tier) > drawnNodes || len(f.rows[tierHost]) > drawnHosts {
		f.fold(keep)
	}
	return f
}

// fold groups the nodes of every tier that is too wide, from the top: what is alike
// follows from the groups above.
func (f *fabric) fold(keep []string) {
	load, above, below := map[string]float64{}, map[string][]string{}, map[string][]string{}
	var hot *result.LinkRow
	for i := range f.links {
		l := &f.links[i]
		load[l.From], load[l.To] = max(load[l.From], l.Utilisation), max(load[l.To], l.Utilisation)
		if f.tier[l.To] > f.tier[l.From] {
			above[l.From] = append(above[l.From], l.To)
			below[l.To] = append(below[l.To], l.From)
		}
		if hot == nil || l.Utilisation > hot.Utilisation {
			hot = l
		}
	}
	keep = append([]string{hot.From, hot.To}, keep...)
	for t := len(f.rows) - 1; t >= 0; t-- {
		if len(f.rows[t]) <= drawnAlike {
			continue
		}
		alone := standOut(f.rows[t], load)
		byPeers := map[string][]string{}
		for _, n := range f.rows[t] {
			if slices.Contains(keep, n) || slices.Contains(alone, n) {
				continue
			}
			peers := above[n]
			if len(peers) == 0 {
				peers = below[n]
			}
			k := f.drawnAs(peers)
			byPeers[k] = append(byPeers[k], n)
		}
		if len(byPeers) > drawnAlike {
			byPeers = map[string][]string{"": slices.Concat(slices.Collect(maps.Values(byPeers))...)}
		}
		for _, nodes := range byPeers {
			f.group(nodes)
		}
	}
}

// standOut returns the nodes with at least half the greatest load of their tier, none if
// those are many.
func standOut(row []string, load map[string]float64) []string {
	most := 0.0
	for _, n := range row {
		most = max(most, load[n])
	}
	var out []string
	for _, n := range row {
		if load[n] >= most/2 && most > 0 {
			out = append(out, n)
		}
	}
	if len(out) > drawnAlone {
		return nil
	}
	return out
}

// drawnAs names what nodes are drawn as, each once.
func (f *fabric) drawnAs(nodes []string) string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = f.as[n]
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " ")
}

func (f *fabric) group(nodes []string) {
	if len(nodes) < 2 {
		return
	}
	slices.SortFunc(nodes, byName)
	id := fmt.Sprintf("%s and %d more", nodes[0], len(nodes)-1)
	f.groups[id], f.folded = nodes, true
	for _, n := range nodes {
		f.as[n] = id
	}
}

// way maps a path to what its nodes are drawn as; nil where one is unknown.
func (f *fabric) way(path []string) (ids []string) {
	for _, n := range path {
		id, known := f.as[n]
		if !known {
			return nil
		}
		ids = append(ids, id)
	}
	return slices.Compact(ids)
}

// graph is the plot; hot is the port to ring.
func (f *fabric) graph(hot *result.LinkRow) *chart.Graph {
	g := &chart.Graph{Load: chart.Axis{Label: "utilisation", Unit: chart.Fraction, High: 1}, Tiers: f.tiers()}
	index := map[[2]string]int{}
	var ports [][2]int64 // of each edge, up and down
	for i := range f.links {
		l := &f.links[i]
		low, high, up := f.as[l.From], f.as[l.To], true
		if low == high {
			f.inside++
			f.insideMost = max(f.insideMost, l.Utilisation)
			continue // a port between two nodes of a group
		}
		if cmp.Or(cmp.Compare(f.tier[l.From], f.tier[l.To]), byName(low, high)) > 0 {
			low, high, up = high, low, false
		}
		k, known := index[[2]string{low, high}]
		if !known {
			k = len(g.Edges)
			index[[2]string{low, high}] = k
			ports = append(ports, [2]int64{})
			g.Edges = append(g.Edges, chart.Edge{Low: low, High: high, Up: noSide, Down: noSide})
		}
		side, way := &g.Edges[k].Up, 0
		if !up {
			side, way = &g.Edges[k].Down, 1
		}
		ports[k][way]++
		addPort(side, l, l.Port == hot.Port)
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		e.Cables = int(max(ports[k][0], ports[k][1]))
		e.Up.Mean /= chart.Value(max(ports[k][0], 1))
		e.Down.Mean /= chart.Value(max(ports[k][1], 1))
	}
	return g
}

// noSide is a direction without a port.
var noSide = chart.Side{Value: chart.Nothing, Mean: chart.Nothing}

// addPort adds a port to a direction, whose Mean is a sum until all are there.
func addPort(s *chart.Side, l *result.LinkRow, ringed bool) {
	v := chart.Value(l.Utilisation)
	if s.Port == "" {
		s.Port, s.Value, s.Mean = l.Port, v, 0
	}
	if v > s.Value {
		s.Port, s.Value = l.Port, v
	}
	s.Mean += v
	s.Ringed = s.Ringed || ringed
	if l.Paused > 0 {
		s.Held = true
		if s.Note == "" {
			s.Note = fmt.Sprintf("%s held by PFC for %s", l.Port, l.Paused.Human())
		}
	}
}

// tiers lists the nodes, and what is wrong with them.
func (f *fabric) tiers() []chart.Tier {
	drops := map[string]int64{}
	for i := range f.links {
		if l := &f.links[i]; l.Drops > 0 {
			drops[f.as[l.From]] += l.Drops
		}
	}
	var out []chart.Tier
	words := f.tier.words()
	for t, row := range f.rows {
		if len(row) == 0 {
			continue
		}
		tier := chart.Tier{Name: words[t]}
		for _, n := range row {
			id := f.as[n]
			if nodes, many := f.groups[id]; many && nodes[0] != n {
				continue
			}
			tier.Nodes = append(tier.Nodes, f.node(id, drops[id], len(row)))
		}
		slices.SortStableFunc(tier.Nodes, func(a, b chart.Node) int { return cmp.Compare(f.rest(&a), f.rest(&b)) })
		out = append(out, tier)
	}
	f.gather(out)
	return out
}

// gather puts nodes below what they have cables to: ordered by the first of those.
func (f *fabric) gather(all []chart.Tier) {
	above := map[string][]string{}
	for i := range f.links {
		if l := &f.links[i]; f.tier[l.To] > f.tier[l.From] {
			above[f.as[l.From]] = append(above[f.as[l.From]], f.as[l.To])
		}
	}
	for t := len(all) - 2; t >= 0; t-- {
		place := map[string]int{}
		for i, n := range all[t+1].Nodes {
			place[n.ID] = i
		}
		first := func(n *chart.Node) int {
			least := len(place)
			for _, up := range above[n.ID] {
				if i, ok := place[up]; ok {
					least = min(least, i)
				}
			}
			return least
		}
		slices.SortStableFunc(all[t].Nodes, func(a, b chart.Node) int { return cmp.Compare(first(&a), first(&b)) })
	}
}

// rest puts a group that is no run of numbers after the nodes that have a place of their own.
func (f *fabric) rest(n *chart.Node) int {
	if nodes, many := f.groups[n.ID]; many && !isRun(nodes) {
		return 1
	}
	return 0
}

// node is one of a tier of all nodes.
func (f *fabric) node(id string, drops int64, all int) chart.Node {
	n := chart.Node{ID: id, Label: id, Count: 1}
	if nodes, many := f.groups[id]; many {
		n.Label, n.Count = nameAll(nodes, len(nodes) < all), len(nodes)
	}
	if drops > 0 {
		n.Alert = "dropped " + count(drops, "packet")
	}
	return n
}

// nameAll names nodes in few words: "host1 to host16", "62 more hosts".
func nameAll(nodes []string, more bool) string {
	first, last := nodes[0], nodes[len(nodes)-1]
	if len(nodes) == 1 {
		return first
	}
	if isRun(nodes) {
		return first + " to " + last
	}
	word := wordOf(first)
	if word == "" || slices.ContainsFunc(nodes, func(n string) bool { return wordOf(n) != word }) {
		word = "node"
	}
	if more {
		word = "more " + word
	}
	return unit.Count(int64(len(nodes))) + " " + plural(word)
}

// isRun reports whether names are one word with numbers that follow each other.
func isRun(nodes []string) bool {
	for i, n := range nodes {
		if wordOf(n) != wordOf(nodes[0]) || numberOf(n) != numberOf(nodes[0])+i {
			return false
		}
	}
	return true
}

func plural(word string) string {
	if stem, ok := strings.CutSuffix(word, "leaf"); ok {
		return stem + "leaves"
	}
	return word + "s"
}

// asBusy counts the other ports with the utilisation of the busiest, to a tenth of a percent.
func asBusy(links []result.LinkRow, hot *result.LinkRow) (n int64) {
	for i := range links {
		if l := &links[i]; l.Port != hot.Port && unit.Percent(l.Utilisation) == unit.Percent(hot.Utilisation) {
			n++
		}
	}
	return n
}

// areMore says that n more things are something: "1 more port is", "3 more ports are".
func areMore(n int64, thing string) string {
	if n == 1 {
		return "1 more " + thing + " is"
	}
	return count(n, "more "+thing) + " are"
}
