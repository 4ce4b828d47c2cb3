package report

import (
	"fmt"
	"testing"

	"railyard/internal/out/result"
)

// duplex is the two ports of a cable.
func duplex(a, tierA, b, tierB string, up, down float64) []result.LinkRow {
	return []result.LinkRow{{Port: a + "/" + b, From: a, To: b, Tier: tierA, Utilisation: up},
		{Port: b + "/" + a, From: b, To: a, Tier: tierB, Utilisation: down}}
}

// What a node is follows from its tier; its name may be anything.
func TestTiersOfAnyNames(t *testing.T) {
	var links []result.LinkRow
	for _, cable := range [][]result.LinkRow{
		duplex("spine-box", result.TierHost, "tor1", result.TierLeaf, 0.1, 0.2),
		duplex("gpu7", result.TierHost, "tor1", result.TierLeaf, 0.3, 0.4),
		duplex("tor1", result.TierLeaf, "agg1", result.TierSpine, 0.5, 0.6),
		duplex("agg1", result.TierSpine, "hostess", result.TierSuperSpine, 0.7, 0.8),
		duplex("agg1", result.TierSpine, "core2", result.TierSuperSpine, 0.9, 0.1),
	} {
		links = append(links, cable...)
	}
	groups, by := GroupLinks(links)
	got := "by " + by + "\n"
	for _, g := range groups {
		got += fmt.Sprintf("%s at %s: %d, %.2f, %s\n", g.Tier, g.Node, g.Ports, g.Mean, g.Busiest)
	}
	if want := `by switch
host to tor at tor1: 2, 0.20, gpu7/tor1
tor to host at tor1: 2, 0.30, tor1/gpu7
tor to agg at tor1: 1, 0.50, tor1/agg1
agg to tor at tor1: 1, 0.60, agg1/tor1
agg to superspine at core2: 1, 0.90, agg1/core2
agg to superspine at hostess: 1, 0.70, agg1/hostess
superspine to agg at core2: 1, 0.10, core2/agg1
superspine to agg at hostess: 1, 0.80, hostess/agg1
`; got != want {
		t.Errorf("groups %s\nwant %s", got, want)
	}
}

// A table without tiers has no groups and no drawing, rather than wrong ones.
func TestNoTiers(t *testing.T) {
	links := duplex("host1", "", "rail1", "", 0.1, 0.2)
	if groups, _ := GroupLinks(links); len(groups) > 0 {
		t.Errorf("groups: %+v", groups)
	}
	if got := fabricChart(&Data{Links: links}); len(got) > 0 {
		t.Errorf("figure %q", got[0].Title)
	}
}
