package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/splitmix"
	"railyard/internal/unit"
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

// The incasts: senders to one port, and speed of every port in Gb/s.
var incastSizes = []struct{ senders, speed int }{{2, 25}, {8, 25}, {2, 100}, {4, 100}, {8, 100}, {16, 100}, {2, 400}, {4, 400},
	{8, 400}, {16, 400}}

const incastSeeds = 20

// incasts is how much of its time a port is used until the last flow is complete, by presets of DCQCN, and what that
// takes of the queue and of pauses.
var incasts = table{
	name: "incasts", doc: "docs/accuracy.md",
	head: []string{"incast of 8 MB", "ports", "`default`: port used", "deepest queue", "pauses", "`barre`: port used", "deepest queue",
		"pauses"},
	rows: len(incastSizes),
	row: func(ctx context.Context, i int) ([]string, error) {
		c := incastSizes[i]
		row := []string{fmt.Sprintf("%d:1", c.senders), fmt.Sprintf("%d Gb/s", c.speed)}
		var flows []string
		for i := range c.senders {
			flows = append(flows, fmt.Sprintf("{from: host%d/gpu0, to: host%d/gpu0, bytes: 8MB}", i+1, c.senders+1))
		}
		for _, preset := range []string{"default", "barre"} {
			set := []string{"fabric={design: single-switch}", fmt.Sprintf("cluster.hosts=%d", c.senders+1),
				fmt.Sprintf("cluster.nic.speed=%dGb/s", c.speed), "congestion.preset=" + preset,
				"job={flows: [" + strings.Join(flows, ", ") + "]}"}
			v, err := experiment{file: patternFile, set: set, seeds: incastSeeds}.means(ctx, func(r *ran) []float64 {
				const payload, wire = 4096, 4178 + 20
				port := unit.Bitrate(c.speed) * unit.GigabitPerSec
				all := float64(port.TransmitTime(unit.Bytes(c.senders) * 8 * unit.Megabyte * wire / payload))
				last := fmt.Sprintf("rail1/host%d", c.senders+1)
				return []float64{all / r.last(), r.deepest(last), float64(r.Pauses)}
			})
			if err != nil {
				return nil, err
			}
			row = append(row, percent(v[0]), kilo(v[1]), fmt.Sprintf("%.0f", v[2]))
		}
		return row, nil
	},
}
