package plan

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
)

// drawnFlows are flows between hosts of different leaves: of a permutation, or of any two.
func drawnFlows(random *splitmix.Stream, hosts, perLeaf int, permutation bool) string {
	to := make([]int, hosts)
	for i := range to {
		to[i] = i
	}
	for i := range to {
		j := i + int(random.Next()%uint64(hosts-i))
		to[i], to[j] = to[j], to[i]
	}
	text := "job:\n  flows:\n"
	for i, j := range to {
		if !permutation {
			j = int(random.Next() % uint64(hosts))
		}
		if i/perLeaf != j/perLeaf {
			text += fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: 1MB}\n", i+1, j+1)
		}
	}
	return text + fmt.Sprintf("    - {from: host1/nic0, to: host%d/nic0, bytes: 1MB}\n", hosts)
}

// In two tiers nothing collides that need not: no link has more queue pairs than its part, rounded up, of what a leaf
// sends or receives. It is counted here from the paths, and by leaf from the flows.
func TestPinnedIsAnEdgeColouring(t *testing.T) {
	random := splitmix.Stream(31)
	for range 60 {
		leaves, perLeaf := int(2+random.Next()%6), int(1+random.Next()%8)
		spines, parallel := int(1+random.Next()%6), int(1+random.Next()%2)
		yaml := fmt.Sprintf("name: pinned\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
			"fabric: {design: leaf-spine, leaves: %d, spines: %d, links: {parallel: %d}, balance: pinned}\n", leaves*perLeaf,
			leaves, spines, parallel) + drawnFlows(&random, leaves*perLeaf, perLeaf, random.Next()%2 == 0)
		p := planned(t, yaml)
		sends, gets := map[topo.NodeID]int{}, map[topo.NodeID]int{}
		for i := range p.Pairs {
			if path := p.Pairs[i].Path; len(path) == 4 {
				sends[p.Graph.Ports[path[1]].Node]++
				gets[p.Graph.Ports[path[2]].To]++
			}
		}
		least := 0
		for _, n := range []map[topo.NodeID]int{sends, gets} {
			for _, k := range n {
				least = max(least, (k+spines*parallel-1)/(spines*parallel))
			}
		}
		checkPinning(t, p, yaml, least)
	}
}

// checkPinning holds that the fullest link is as it is said, that each path leads where it should, and, unless it is 0,
// the most that there may be.
func checkPinning(t *testing.T, p *Plan, yaml string, most int) Pinning {
	t.Helper()
	used, fullest := map[topo.PortID]int{}, 0
	for i := range p.Pairs {
		q := &p.Pairs[i]
		for hop, port := range q.Path {
			if hop > 0 && p.Graph.Ports[port].Node != p.Graph.Ports[q.Path[hop-1]].To {
				t.Fatalf("%s: %s is no path", yaml, p.PathText(q.Path))
			}
			if hop > 0 && hop < len(q.Path)-1 {
				used[port]++
				fullest = max(fullest, used[port])
			}
		}
		last, back := q.Path[len(q.Path)-1], q.Back
		if p.Graph.Ports[last].NIC != q.To || p.Graph.Ports[back[len(back)-1]].NIC != q.From {
			t.Fatalf("%s: %s does not lead to its NIC", yaml, p.PathText(q.Path))
		}
	}
	all := p.Pinned()
	if len(all) != 1 || int(all[0].Most+0.5) != fullest || all[0].Bound > all[0].Most*(1+Rounding) {
		t.Fatalf("%s: %+v, and the fullest link has %d", yaml, all, fullest)
	}
	if most > 0 && (fullest != most || all[0].Bound != float64(most)) {
		t.Fatalf("%s: the fullest link has %d queue pairs, want %d, bound %v", yaml, fullest, most, all[0].Bound)
	}
	return all[0]
}

// In three tiers what is said is what there is, never less than the bound, and moving paths gets to it in most
// drawings.
func TestPinnedSaysItsBound(t *testing.T) {
	random := splitmix.Stream(32)
	met, all := 0, 40
	for range all {
		yaml := "name: pinned\ncluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
			"fabric: {design: custom, topology: tiers.txt, balance: pinned}\n" + drawnFlows(&random, 8, 2, true)
		p, err := New(plantest.Read(t, yaml), Files{Topology: []byte(plantest.ThreeTiers(2, false))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := checkPinning(t, p, yaml, 0)
		text := x.Text(p)
		if x.Most == x.Bound {
			met++
		}
		if !strings.Contains(text, fmt.Sprintf("has %g queue pairs", x.Most)) || !strings.Contains(text, fmt.Sprintf("%g", x.Bound)) {
			t.Errorf("%s: %s", yaml, text)
		}
	}
	if met < all*3/4 {
		t.Errorf("the bound is met in %d drawings of %d", met, all)
	}
}
