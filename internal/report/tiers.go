package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/result"
)

// The tiers of a fabric, from the hosts up.
const (
	tierHost = iota
	tierLeaf
	tierSpine
)

// tierOf returns the tier of a node by its name: host1, rail1 or leaf1, spine1.
func tierOf(node string) int {
	switch {
	case strings.HasPrefix(node, "host"):
		return tierHost
	case strings.HasPrefix(node, "spine"):
		return tierSpine
	}
	return tierLeaf
}

// numberOf returns the number at the end of a name, 0 if there is none.
func numberOf(node string) int {
	i := len(node)
	for i > 0 && node[i-1] >= '0' && node[i-1] <= '9' {
		i--
	}
	n, _ := strconv.Atoi(node[i:])
	return n
}

// byName orders nodes as people count: rail2 before rail10.
func byName(a, b string) int {
	return cmp.Or(cmp.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")), cmp.Compare(numberOf(a), numberOf(b)), cmp.Compare(a, b))
}

// LinkGroup is the ports of one direction between two tiers, at one switch.
type LinkGroup struct {
	Tier      string // "host to rail"
	Rail      string // the rail or leaf switch, or the host
	Ports     int
	Mean, Max float64
	Busiest   string // port
}

var directions = []struct {
	from, to int
	name     string
}{
	{tierHost, tierLeaf, "host to %"}, {tierLeaf, tierHost, "% to host"}, {tierLeaf, tierSpine, "% to spine"}, {tierSpine, tierLeaf, "spine to %"}, {tierHost, tierHost, "host to host"},
}

// GroupLinks returns the groups by rail; where there is one switch only, by host.
func GroupLinks(links []result.LinkRow) (all []LinkGroup, by string) {
	leaves := map[string]bool{}
	for _, l := range links {
		for _, n := range []string{l.From, l.To} {
			if tierOf(n) == tierLeaf {
				leaves[n] = true
			}
		}
	}
	if len(leaves) == 1 {
		return linkGroups(links, true), "host"
	}
	return linkGroups(links, false), "rail"
}

// linkGroups sums the ports by direction and rail, or host, in that order.
func linkGroups(links []result.LinkRow, byHost bool) []LinkGroup {
	var out []LinkGroup
	for _, dir := range directions {
		rails := map[string]int{}
		first := len(out)
		for _, l := range links {
			if tierOf(l.From) != dir.from || tierOf(l.To) != dir.to {
				continue
			}
			leaf, other := l.To, l.From
			if dir.from == tierLeaf {
				leaf, other = l.From, l.To
			}
			rail := leaf
			if byHost {
				rail = other
			}
			i, ok := rails[rail]
			if !ok {
				i = len(out)
				rails[rail] = i
				out = append(out, LinkGroup{Tier: strings.ReplaceAll(dir.name, "%", strings.TrimRight(leaf, "0123456789")), Rail: rail})
			}
			g := &out[i]
			g.Ports++
			g.Mean += l.Utilisation
			if l.Utilisation > g.Max || g.Busiest == "" {
				g.Max, g.Busiest = l.Utilisation, l.Port
			}
		}
		for i := first; i < len(out); i++ {
			out[i].Mean /= float64(out[i].Ports)
		}
		slices.SortFunc(out[first:], func(a, b LinkGroup) int { return byName(a.Rail, b.Rail) })
	}
	return out
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
