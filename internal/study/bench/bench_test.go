package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/run/run"
)

// Each host sends to one and receives from one, under another leaf, and no spine takes two flows of a
// leaf or to a leaf.
func TestPermutationHasNoCollisions(t *testing.T) {
	for _, c := range [][2]int{{2, 1}, {2, 2}, {3, 7}, {8, 16}, {32, 32}, {64, 128}} {
		leaves, per := c[0], c[1]
		taken := map[string]bool{}
		for _, w := range Permutation(leaves, per) {
			if w.FromLeaf != w.From/per || w.ToLeaf != w.To/per || w.FromLeaf == w.ToLeaf || w.Spine >= per ||
				w.To >= leaves*per {
				t.Fatalf("%d x %d: %+v", leaves, per, w)
			}
			for _, k := range []string{
				fmt.Sprint("to", w.To), fmt.Sprint("up", w.FromLeaf, w.Spine), fmt.Sprint("down", w.Spine, w.ToLeaf),
			} {
				if taken[k] {
					t.Fatalf("%d x %d: %+v is not alone: %s", leaves, per, w, k)
				}
				taken[k] = true
			}
		}
	}
}

// The scenario of each case plans: as many hosts as it says, at its rate, and no link that carries two
// flows of a permutation.
func TestCasesPlan(t *testing.T) {
	dir := t.TempDir()
	for _, c := range Cases() {
		if c.apart() || c.Hosts > 1024 && testing.Short() {
			continue
		}
		sc, err := c.Scenario(dir)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		p, err := run.NewPlan(sc)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		rate := 100 * unit.GigabitPerSec
		if strings.HasSuffix(c.Name, "-400g") {
			rate = 400 * unit.GigabitPerSec
		}
		scheduled := p.Scenario.Fabric.AsScheduled()
		if len(p.Graph.Hosts) != c.Hosts || p.Graph.Ports[0].Rate != rate || scheduled {
			t.Errorf("%s: %d hosts at %v, as scheduled: %t", c.Name, len(p.Graph.Hosts), p.Graph.Ports[0].Rate, scheduled)
		}
		if strings.HasPrefix(c.Name, "perm") {
			collisions(t, p)
		}
	}
}

// collisions reports a link that carries data of two flows, or acknowledgements of two, in one direction.
func collisions(t *testing.T, p *plan.Plan) {
	t.Helper()
	for _, of := range []func(*plan.Pair) []topo.PortID{
		func(q *plan.Pair) []topo.PortID { return q.Path }, func(q *plan.Pair) []topo.PortID { return q.Back },
	} {
		used := map[topo.PortID]int{}
		for i := range p.Pairs {
			for _, port := range of(&p.Pairs[i]) {
				if other, twice := used[port]; twice {
					t.Fatalf("%s: %s and %s share %s", p.Scenario.Name, p.Pairs[other].Name, p.Pairs[i].Name,
						p.Graph.Ports[port].Name)
				}
				used[port] = i
			}
		}
	}
}

// A case does the same work each time, and says what it took.
func TestRunCase(t *testing.T) {
	c, err := Match([]string{"ring16-400g"})
	if err != nil || len(c) != 1 {
		t.Fatal(c, err)
	}
	row, err := c[0].Run(context.Background(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	// 16 MB are 3,907 packets, an acknowledgement for each 16, over two links.
	const packets = 3907
	if want := int64(16 * 2 * (packets + (packets+15)/16)); row.PacketHops != want || row.Events < want {
		t.Errorf("%d packet-hops and %d events, want %d and more", row.PacketHops, row.Events, want)
	}
	if row.Case != "ring16-400g" || row.Hosts != 16 || row.CPU <= 0 || row.Setup <= 0 || row.Peak <= 0 ||
		row.Rate != float64(row.PacketHops)/row.CPU {
		t.Errorf("%+v", row)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c[0].Run(ctx, Options{Workers: 1}); err == nil {
		t.Error("a run that was interrupted gave a row")
	}
}

func TestMatch(t *testing.T) {
	for patterns, want := range map[string]string{
		"":                       "incast16-100g incast16-400g ring16-100g",
		"incast16":               "incast16-100g incast16-400g",
		"perm*-400g ring16-100g": "ring16-100g perm128-400g perm1024-400g perm8192-400g",
		"perm128 perm128-100g":   "perm128-100g perm128-400g",
		"train64-?00g":           "train64-100g train64-400g",
		"ring512":                "ring512-1m-400g ring512-64m-400g",
		"nvlink8-1m tree512-64m": "tree512-64m-400g nvlink8-1m-400g",
	} {
		got, err := Match(strings.Fields(patterns))
		var names []string
		for _, c := range got {
			names = append(names, c.Name)
		}
		if patterns == "" && len(names) == 17 {
			names = names[:3]
		}
		if err != nil || !slices.Equal(names, strings.Fields(want)) {
			t.Errorf("%q: %v, %v, want %s", patterns, names, err, want)
		}
	}
	for pattern, want := range map[string]string{
		"perm64": `"perm64": no such case, want incast16, ring16, `, "[": `"[": not a pattern`, "": `"": no such case`,
	} {
		if _, err := Match([]string{pattern}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
}
