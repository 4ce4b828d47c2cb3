package main

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// cures is what each cure of polarisation does to the figure of chapter 10, two flows that one of two
// spines got, and to two pods of four leaves, where tier after tier hashes alike.
var cures = table{
	name: "cures", doc: "docs/balancing.md",
	head: []string{"what is changed", "chapter 10: spines used of 2", "slowest flow", "both done",
		"two pods: links used of 64", "slowest flow", "step of a ring"},
	rows: len(curing),
	row:  func(ctx context.Context, i int) ([]string, error) { return curing[i].row(ctx) },
}

// A cure is keys that are set.
type cure struct {
	name   string
	set    []string
	pairs  int  // queue pairs of a connection
	cables bool // where there are pods, in another order
}

const (
	mixed    = "fabric.hash.seed=per-switch"
	qp       = "fabric.hash.fields=5-tuple+qp"
	spray    = "fabric.balance=spray"
	direct   = "transport.receiver=direct"
	recycled = "transport.entropy=recycled"
	rotated  = "fabric.topology=examples/polarisation-rotated.txt"
)

var curing = []cure{
	{name: "nothing: one hash, one seed"},
	{name: "the destination queue pair is hashed too", set: []string{qp}},
	{name: "four queue pairs per connection, each message split", pairs: 4},
	{name: "a seed for each switch, `crc32`", set: []string{mixed, "fabric.hash.function=crc32"}},
	{name: "a seed for each switch, `mix`", set: []string{mixed}},
	{name: "the same, and four queue pairs", set: []string{mixed}, pairs: 4},
	{name: "`transport.entropy: recycled` (REPS)", set: []string{recycled, direct}},
	{name: "the same, and a seed for each switch", set: []string{recycled, direct, mixed}},
	{name: "cables: each switch names its links in another order", cables: true},
	{name: "`flowlet`", set: []string{"fabric.balance=flowlet"}},
	{name: "`spray`, `least-queue`", set: []string{spray, direct}},
	{name: "`spray`, `drill`", set: []string{spray, direct, "fabric.spray.pick=drill"}},
	{name: "`spray`, `random`", set: []string{spray, direct, "fabric.spray.pick=random"}},
	{name: "`spray`, `round-robin`", set: []string{spray, direct, "fabric.spray.pick=round-robin"}},
}

func (c cure) row(ctx context.Context) (row []string, err error) {
	row = []string{c.name}
	for _, part := range []func(context.Context) ([]string, error){c.chapter10, c.twoPods, c.ring} {
		cells, err := part(ctx)
		if err != nil {
			return nil, err
		}
		row = append(row, cells...)
	}
	return row, nil
}

// cureSeeds is the seeds over which figures of cures are means.
const cureSeeds = 5

// chapter10 has spines used, the slowest flow and its time.
func (c cure) chapter10(ctx context.Context) ([]string, error) {
	e := experiment{file: "tools/tables/chapter-10.yaml", set: c.set, seeds: cureSeeds, pairs: c.pairs}
	v, err := e.means(ctx, func(r *ran) []float64 {
		_, slowest := r.shares(200 * unit.GigabitPerSec)
		return []float64{r.used("leaf", "spine"), slowest, r.last()}
	})
	if err != nil {
		return nil, err
	}
	return []string{one(v[0]), percent(v[1]), micros(v[2])}, nil
}

// pods is the scenario with tiers that hash alike.
const pods = "examples/polarisation.yaml"

// twoPods has links used and the slowest flow.
func (c cure) twoPods(ctx context.Context) ([]string, error) {
	set := slices.Clone(c.set)
	if c.cables {
		set = append(set, rotated)
	}
	v, err := experiment{file: pods, set: set, seeds: cureSeeds, pairs: c.pairs}.means(ctx, func(r *ran) []float64 {
		_, slowest := r.shares(100 * unit.GigabitPerSec)
		return []float64{r.used("spine", "superspine") + r.used("superspine", "spine"), slowest}
	})
	if err != nil {
		return nil, err
	}
	return []string{one(v[0]), percent(v[1])}, nil
}

// ring has the time in which hosts sum gradients in a ring: each sends to the one that it sends to in twoPods.
func (c cure) ring(ctx context.Context) ([]string, error) {
	set := append(slices.Clone(c.set), "job={replay: {steps: 1, buckets: [{bytes: 8MB}]}, collective: {algorithm: ring}}")
	if c.cables {
		set = append(set, rotated)
	}
	if c.pairs > 1 {
		set = append(set, fmt.Sprintf("transport={qps_per_connection: %d, split_data_on_qps: true}", c.pairs))
	}
	v, err := experiment{file: pods, set: set, seeds: cureSeeds}.means(ctx,
		func(r *ran) []float64 { return []float64{float64(r.StepTime)} })
	if err != nil {
		return nil, err
	}
	return []string{micros(v[0])}, nil
}
