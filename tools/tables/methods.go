package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

// A method is keys that say how links are chosen.
type method struct {
	name  string
	set   []string
	pairs int  // queue pairs of a connection
	drawn bool // paths are written, and nothing is left to chance
}

// methods is every method once.
var methods = []method{
	{name: "`ecmp`"},
	{name: "`ecmp`, four queue pairs", pairs: 4},
	{name: "`wcmp`", set: []string{"fabric.balance=wcmp"}},
	{name: "`resilient`", set: []string{"fabric.balance=resilient"}},
	{name: "`pinned`", set: []string{"fabric.balance=pinned"}},
	{name: "`flowlet`", set: []string{"fabric.balance=flowlet"}},
	{name: "`dlb`", set: []string{"fabric.balance=dlb"}},
	{name: "`dlb`, each packet", set: []string{"fabric.balance=dlb", "fabric.dlb.mode=packet", direct}},
	{name: "`glb`", set: []string{"fabric.balance=glb"}},
	{name: "`conweave`", set: []string{"fabric.balance=conweave"}},
	{name: "`ecmp`, recycled entropies (REPS)", set: []string{recycled, direct}},
	{name: "`spray`", set: []string{spray, direct}},
}

// methodSeeds is the seeds over which figures of methods are means.
const methodSeeds = 20

// run has the means of a scenario's figures with a method.
func (m method) run(ctx context.Context, file string, figures func(*ran) []float64, set ...string) ([]float64, error) {
	seeds := methodSeeds
	if m.drawn {
		seeds = 1
	}
	return experiment{file: file, set: slices.Concat(m.set, set), seeds: seeds, pairs: m.pairs}.means(ctx, figures)
}

// figure is figure 12-4, three flows to one port, and a permutation, with each method.
var figure = table{
	name: "figure", doc: "docs/balancing.md",
	head: []string{"method", "three flows to one port: uplinks used of 2", "queue at uplinks", "at the port", "last done",
		"permutation: uplinks used", "queue at uplinks", "last done"},
	rows: 1 + len(methods),
	row: func(ctx context.Context, i int) ([]string, error) {
		const file = "tools/tables/figure-12-4.yaml"
		m, three, four := method{name: "as drawn: one uplink", drawn: true}, []string{onOne(file)}, []string{onOne(file, permutation)}
		if i > 0 {
			m, three, four = methods[i-1], nil, []string{permutation}
		}
		figures := func(r *ran) []float64 {
			return []float64{r.used("leaf", "spine"), r.deepest("rail1/spine1", "rail1/spine2"), r.deepest("rail2/host4"), r.last()}
		}
		t, err := m.run(ctx, file, figures, three...)
		if err != nil {
			return nil, err
		}
		p, err := m.run(ctx, file, figures, four...)
		if err != nil {
			return nil, err
		}
		return []string{m.name, one(t[0]), kilo(t[1]), kilo(t[2]), micros(t[3]), one(p[0]), kilo(p[1]), micros(p[3])}, nil
	},
}

// permutation has each of the figure's GPUs send to another port.
const permutation = "job={flows: [{from: host1/gpu0, to: host2/gpu1, bytes: 2MB}, {from: host2/gpu0, to: host3/gpu1, bytes: 2MB}, " +
	"{from: host3/gpu0, to: host4/gpu1, bytes: 2MB}, {from: host4/gpu0, to: host1/gpu1, bytes: 2MB}]}"

// onOne is a change that puts all flows of the figure on its first spine.
func onOne(file string, set ...string) string {
	sc, err := load(file, set...)
	if err != nil {
		panic(err) // it is part of this program
	}
	var flows []string
	for _, f := range sc.Jobs[0].Flows {
		flows = append(flows, fmt.Sprintf("{from: %s, to: %s, bytes: %dB, path: [%s, rail1, spine1, rail2, %s]}", f.From, f.To, f.Bytes,
			host(f.From), host(f.To)))
	}
	return "job={flows: [" + strings.Join(flows, ", ") + "]}"
}

// host is the host of an endpoint.
func host(e scenario.Endpoint) string {
	name, _, _ := strings.Cut(e.String(), "/")
	return name
}

// elephants is eight flows over four spines that carry two each.
var elephants = table{
	name: "elephants", doc: "docs/balancing.md",
	head: []string{"method", "spines idle", "fullest over mean", "used capacity", "slowest flow"},
	rows: 1 + len(methods),
	row: func(ctx context.Context, i int) ([]string, error) {
		m, set := method{name: "as drawn: 6/2/0/0", drawn: true}, []string{drawn()}
		if i > 0 {
			m, set = methods[i-1], nil
		}
		v, err := m.run(ctx, "tools/tables/elephants.yaml", func(r *ran) []float64 {
			idle, fullest := r.over("leaf1/spine")
			used, slowest := r.shares(100 * unit.GigabitPerSec)
			return []float64{idle, fullest, used, slowest}
		}, set...)
		if err != nil {
			return nil, err
		}
		return []string{m.name, one(v[0]), fmt.Sprintf("%.2f", v[1]), percent(v[2]), percent(v[3])}, nil
	},
}

// drawn gives six of the eight flows the first spine and two the second.
func drawn() string {
	var flows []string
	for i := 1; i <= 8; i++ {
		spine := 1
		if i > 6 {
			spine = 2
		}
		flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: 4MB, path: [host%d, leaf1, spine%d, "+
			"leaf2, host%d]}", i, i+8, i, spine, i+8))
	}
	return "job={flows: [" + strings.Join(flows, ", ") + "]}"
}
