package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/result"
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
	Node      string // the lower switch of the cables, or the host
	Ports     int
	Mean, Max float64
	Busiest   string // port

	from, to int // tiers
}

// GroupLinks returns the groups by switch, of a cable between switches the lower one;
// where there is one switch only, by host.
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
	if switches == 1 {
		return t.groups(links, true), "host"
	}
	return t.groups(links, false), t.words()[tierLeaf]
}

// groups sums the ports by direction and node: directions from the hosts up, nodes in
// order of their names.
func (t tiers) groups(links []result.LinkRow, byHost bool) []LinkGroup {
	type key struct {
		from, to int
		node     string
	}
	index := map[key]int{}
	words := t.words()
	var out []LinkGroup
	for _, l := range links {
		k := key{t[l.From], t[l.To], t.groupNode(&l, byHost)}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, LinkGroup{Tier: words[k.from] + " to " + words[k.to], Node: k.node, from: k.from, to: k.to})
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
		return cmp.Or(cmp.Compare(min(a.from, a.to), min(b.from, b.to)), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), byName(a.Node, b.Node))
	})
	return out
}

// groupNode is the node whose group a port belongs to.
func (t tiers) groupNode(l *result.LinkRow, byHost bool) string {
	low, high := l.From, l.To
	if t[low] > t[high] {
		low, high = high, low
	}
	if t[low] == tierHost && !byHost {
		return high
	}
	return low
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
