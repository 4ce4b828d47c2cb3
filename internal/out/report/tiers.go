package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/out/result"
)

// tiers is the tier of each node: 0 hosts, then the switches from the hosts up. Every
// node has a port of its own, so the links name them all.
type tiers map[string]int

// tierNames are the tiers from the hosts up.
var tierNames = [...]string{result.TierHost, result.TierLeaf, result.TierSpine, result.TierSuperSpine}

const (
	tierHost = iota
	tierLeaf
)

// tiersOf returns nil where a tier is unknown: in tables written before they had tiers.
func tiersOf(links []result.LinkRow) tiers {
	t := tiers{}
	for _, l := range links {
		tier := slices.Index(tierNames[:], l.Tier)
		if tier < 0 {
			return nil
		}
		t[l.From] = tier
	}
	return t
}

// numberOf returns the number at the end of a name, 0 if there is none.
func numberOf(node string) int {
	n, _ := strconv.Atoi(node[len(wordOf(node)):])
	return n
}

// wordOf returns a name without the number at its end.
func wordOf(node string) string { return strings.TrimRight(node, "0123456789") }

// byName orders nodes as people count: rail2 before rail10.
func byName(a, b string) int {
	return cmp.Or(cmp.Compare(wordOf(a), wordOf(b)), cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b))
}

// words are what the nodes of each tier are called: what their names begin with, if
// that is the same for all, such as rail; else the name of the tier.
func (t tiers) words() [len(tierNames)]string {
	var words [len(tierNames)]string
	for n, tier := range t {
		switch w := cmp.Or(wordOf(n), tierNames[tier]); words[tier] {
		case "", w:
			words[tier] = w
		default:
			words[tier] = tierNames[tier] // and stays so, whatever comes in which order
		}
	}
	return words
}

// LinkGroup is the ports of one direction between two tiers, at one node.
type LinkGroup struct {
	Tier      string // "host to rail"
	Node      string // at an end of the cables
	Ports     int
	Mean, Max float64
	Busiest   string // port

	from, to int // tiers
}

// GroupLinks returns the groups of each direction, from the hosts up. Ports between
// switches go by the end at which they differ more: uplinks that ECMP fills unevenly
// are equal at each leaf and differ at the spines. Those of hosts go by their switch or,
// where there is one switch only, by host. What was named by is "host", what the lowest
// switches are called, or "switch".
func GroupLinks(links []result.LinkRow) (all []LinkGroup, by string) {
	t := tiersOf(links)
	if t == nil {
		return nil, ""
	}
	switches := 0
	for _, tier := range t {
		if tier != tierHost {
			switches++
		}
	}
	low, high := t.groups(links, false), t.groups(links, true)
	if switches == 1 {
		return low, "host"
	}
	by = t.words()[tierLeaf]
	for len(low) > 0 {
		var a, b []LinkGroup
		a, low = cutDirection(low)
		b, high = cutDirection(high)
		switch {
		case a[0].from == tierHost || a[0].to == tierHost:
			a = b
		case spread(b) > spread(a):
			a, by = b, "switch"
		}
		all = append(all, a...)
	}
	return all, by
}

// cutDirection splits off the groups of the first direction.
func cutDirection(all []LinkGroup) (first, rest []LinkGroup) {
	n := slices.IndexFunc(all, func(g LinkGroup) bool { return g.from != all[0].from || g.to != all[0].to })
	if n < 0 {
		n = len(all)
	}
	return all[:n], all[n:]
}

// spread is how far the means of groups are apart.
func spread(all []LinkGroup) float64 {
	low, high := all[0].Mean, all[0].Mean
	for _, g := range all {
		low, high = min(low, g.Mean), max(high, g.Mean)
	}
	return high - low
}

// groups sums the ports by direction and by the node at the upper or the lower end of
// their cables: directions from the hosts up, nodes in order of their names.
func (t tiers) groups(links []result.LinkRow, upper bool) []LinkGroup {
	type key struct {
		from, to int
		node     string
	}
	index := map[key]int{}
	words := t.words()
	var out []LinkGroup
	for _, l := range links {
		node := l.From
		if (t[l.From] < t[l.To]) == upper {
			node = l.To
		}
		k := key{t[l.From], t[l.To], node}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, LinkGroup{Tier: words[k.from] + " to " + words[k.to],
				Node: k.node, from: k.from, to: k.to})
		}
		g := &out[i]
		g.Ports++
		g.Mean += l.Utilisation
		if l.Utilisation > g.Max || g.Busiest == "" {
			g.Max, g.Busiest = l.Utilisation, l.Port
		}
	}
	for i := range out {
		out[i].Mean /= float64(out[i].Ports)
	}
	slices.SortFunc(out, func(a, b LinkGroup) int {
		return cmp.Or(cmp.Compare(directionRank(a.from, a.to), directionRank(b.from, b.to)), byName(a.Node, b.Node))
	})
	return out
}

// directionRank orders directions between tiers from the hosts up, each way up before
// the way down.
func directionRank(from, to int) int {
	return (min(from, to)*len(tierNames)+from)*len(tierNames) + to
}

// byPort orders ports by node, then by the node at the other end.
func byPort(a, b string) int {
	a1, a2, _ := strings.Cut(a, "/")
	b1, b2, _ := strings.Cut(b, "/")
	return cmp.Or(byName(a1, b1), byName(a2, b2))
}

// busiest returns the port with the highest utilisation, nil without links.
func (d *Data) busiest() *result.LinkRow {
	return d.most(func(l *result.LinkRow) float64 { return l.Utilisation })
}

// most returns the port with the highest figure, nil if that is nowhere above 0.
func (d *Data) most(of func(*result.LinkRow) float64) *result.LinkRow {
	var best *result.LinkRow
	for i := range d.Links {
		if l := &d.Links[i]; of(l) > 0 && (best == nil || of(l) > of(best)) {
			best = l
		}
	}
	return best
}
