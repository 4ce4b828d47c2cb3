package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
)

const (
	patternFile  = "tools/tables/patterns.yaml"
	patternSeeds = 10
)

// spreads is every method that is compared on permutations: all of methods, and each way to spray.
var spreads = slices.Concat(methods[:len(methods)-1], []method{
	{name: "`glb`, each packet", set: []string{"fabric.balance=glb", "fabric.dlb.mode=packet", direct}},
	{name: "`spray`, `least-queue`", set: []string{spray, direct}},
	{name: "`spray`, `drill`", set: []string{spray, direct, "fabric.spray.pick=drill"}},
	{name: "`spray`, `random`", set: []string{spray, direct, "fabric.spray.pick=random"}},
	{name: "`spray`, `round-robin`", set: []string{spray, direct, "fabric.spray.pick=round-robin"}},
})

// permutations is drawn permutations, every host to a host of another leaf, with DCQCN.
var permutations = table{
	name: "permutations", doc: "docs/balancing.md",
	head: []string{"method", "4 leaves, 4 hosts each, 4 spines: mean flow", "slowest", "8 of each: mean flow", "slowest"},
	rows: len(spreads),
	row: func(ctx context.Context, i int) ([]string, error) {
		row := []string{spreads[i].name}
		for _, n := range []int{4, 8} {
			m := spreads[i]
			size := []string{fmt.Sprintf("cluster.hosts=%d", n*n), fmt.Sprintf("fabric.leaves=%d", n), fmt.Sprintf("fabric.spines=%d", n)}
			v, err := experiment{file: patternFile, set: slices.Concat(m.set, size), seeds: patternSeeds, pairs: m.pairs,
				drawn: func(seed int) string { return across(seed, n, n) }}.means(ctx, func(r *ran) []float64 {
				mean, least := r.shares(100 * unit.GigabitPerSec)
				return []float64{mean, least}
			})
			if err != nil {
				return nil, err
			}
			row = append(row, percent(v[0]), percent(v[1]))
		}
		return row, nil
	},
}

// across draws a permutation of hosts, so many on each leaf, in which nobody sends within a leaf.
func across(seed, leaves, hosts int) string {
	to, random := make([]int, leaves*hosts), splitmix.Stream(uint64(seed))
	for i := range to {
		to[i] = i
	}
	within := func(i int) bool { return to[i]/hosts == i/hosts }
	for left := true; left; {
		left = false
		for i := range to {
			if j := int(random.Next() % uint64(len(to))); within(i) {
				to[i], to[j], left = to[j], to[i], true
			}
		}
	}
	var flows []string
	for i, j := range to {
		flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: 4MB}", i+1, j+1))
	}
	return "job={flows: [" + strings.Join(flows, ", ") + "]}"
}

// The incasts: senders to one port, speed of every port in Gb/s, and bytes of a flow.
var incastSizes = []struct {
	senders, speed int
	bytes          unit.Bytes
}{{8, 100, 64 * unit.Kilobyte}, {2, 25, large}, {8, 25, large}, {16, 25, large}, {2, 100, large}, {4, 100, large}, {8, 100, large},
	{16, 100, large}, {2, 400, large}, {4, 400, large}, {8, 400, large}, {16, 400, large}, {2, 100, 5 * large}, {2, 400, 5 * large},
	{8, 400, 5 * large}}

const (
	large       = 8 * unit.Megabyte
	incastSeeds = 20
)

// incasts is how much of its time a port is used until the last flow is complete, by presets of DCQCN, what that takes of
// the queue and of pauses, and how long the first flow took of the time of the last.
var incasts = table{
	name: "incasts", doc: "docs/accuracy.md",
	head: []string{"incast", "ports", "`connectx-default`, floor: port used", "deepest queue", "pauses", "first of last",
		"`default`: port used", "deepest queue", "pauses", "first of last"},
	rows: len(incastSizes),
	row: func(ctx context.Context, i int) ([]string, error) {
		c := incastSizes[i]
		row := []string{fmt.Sprintf("%d:1 of %s", c.senders, c.bytes), fmt.Sprintf("%d Gb/s", c.speed)}
		var flows []string
		for i := range c.senders {
			flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: %s}", i+1, c.senders+1, c.bytes))
		}
		for _, constants := range []string{"{preset: connectx-default, min_rate: 1Gb/s}", "{preset: default}"} {
			set := []string{"fabric={design: single-switch}", fmt.Sprintf("cluster.hosts=%d", c.senders+1),
				fmt.Sprintf("cluster.nic.speed=%dGb/s", c.speed), "congestion=" + constants,
				"job={flows: [" + strings.Join(flows, ", ") + "]}"}
			v, err := experiment{file: patternFile, set: set, seeds: incastSeeds}.means(ctx, func(r *ran) []float64 {
				const payload, wire = 4096, 4178 + 20
				port := unit.Bitrate(c.speed) * unit.GigabitPerSec
				all := float64(port.TransmitTime(unit.Bytes(c.senders) * c.bytes * wire / payload))
				last := fmt.Sprintf("rail1/host%d", c.senders+1)
				return []float64{all / r.last(), r.deepest(last), float64(r.Pauses), r.first() / r.last()}
			})
			if err != nil {
				return nil, err
			}
			row = append(row, percent(v[0]), kilo(v[1]), fmt.Sprintf("%.0f", v[2]), percent(v[3]))
		}
		return row, nil
	},
}
