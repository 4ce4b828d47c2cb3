package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// The axes of the design space.
var (
	patterns = []struct{ name, collective string }{
		{"incast", "{op: gather, algorithm: direct, bytes: 8MB, iterations: 1, warmup: 0}"},
		{"permutation", "{op: send-receive, bytes: 2MB, iterations: 1, warmup: 0}"},
		{"ring", "{op: all-reduce, algorithm: ring, bytes: 4MB, iterations: 1, warmup: 0}"},
		{"all-to-all", "{op: all-to-all, algorithm: direct, bytes: 8MB, iterations: 1, warmup: 0}"},
	}
	controllers = []string{"none", "DCQCN", "HPCC", "TIMELY", "DCTCP", "Swift", "admission"}
	recoveries  = []struct{ name, key string }{
		{"go-back-N", "go-back-n"},
		{"selective repeat", "selective-repeat"},
	}
	balancers = []string{"ecmp", "flowlet", "dlb", "glb", "spray"}
)

// spaceSeeds is the seeds over which times are means: hashes follow from the seed.
const spaceSeeds = 3

// space is how long one collective takes at each point of the design space, on a network that loses nothing.
var space = spaceOf("space")

// lossy is the same where nothing is paused and buffers are small.
var lossy = spaceOf("lossy", "fabric.qos.pfc.enabled=false", "fabric.switch.buffer=1MB")

func spaceOf(name string, set ...string) table {
	return table{
		name: name, doc: "docs/design-space.md",
		head: slices.Concat([]string{"pattern", "controller", "recovery"}, balancers),
		rows: len(patterns) * len(controllers) * len(recoveries),
		row: func(ctx context.Context, i int) ([]string, error) {
			return spaceRow(ctx, i, set)
		},
	}
}

// spaceRow is one pattern with a controller and a recovery, with every balancer.
func spaceRow(ctx context.Context, i int, set []string) ([]string, error) {
	recovery := recoveries[i%len(recoveries)]
	controller := controllers[i/len(recoveries)%len(controllers)]
	pattern := patterns[i/len(recoveries)/len(controllers)]
	job, algorithm := "collectives: ["+pattern.collective+"]", controller
	if controller == "admission" {
		job, algorithm = job+", collective: {admission: {slots: 2, bytes: 128KiB}}", "none"
	}
	row := []string{pattern.name, controller, recovery.name}
	for _, b := range balancers {
		keys := []string{"job={" + job + "}", "congestion.algorithm=" + strings.ToLower(algorithm),
			"transport.recovery=" + recovery.key, "fabric.balance=" + b}
		e := experiment{file: "tools/tables/space.yaml", set: slices.Concat(set, keys), seeds: spaceSeeds}
		v, err := e.means(ctx, func(r *ran) []float64 { return []float64{float64(r.StepTime)} })
		if err != nil {
			return nil, err
		}
		row = append(row, fmt.Sprintf("%.0f", v[0]/float64(unit.Microsecond)))
	}
	return row, nil
}
