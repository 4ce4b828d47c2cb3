package main

import (
	"fmt"
	"math"
	"strings"

	"railyard/internal/base/splitmix"
)

// dice draws.
type dice struct{ splitmix.Stream }

// IntN is from 0 to n-1.
func (d *dice) IntN(n int) int { return int(d.Next() >> 11 % uint64(n)) }

// draw returns a scenario that no costs were fitted to unless its seed was: a collective of `railyard perf`, a replay, a model or flows,
// on a cluster, fabric and congestion control of its own, and what it is in a few words.
func draw(r *dice) (words, text string) {
	hosts, gpus := int(math.Round(math.Exp2(1+float64(r.IntN(5001))/1000))), one(r, 1, 2, 4, 8, 8)
	design := fabric(r, hosts)
	control := one(r, "dcqcn", "dcqcn", "dcqcn", "none", "hpcc", "timely", "dctcp", "swift")
	job := one(r, collective, collective, collective, collective, replay, model, flows)(r, hosts, gpus)
	text = fmt.Sprintf("cluster: {hosts: %d, host: {gpus: %d}, nic: {speed: %s}}\nfabric: {%s}\n"+
		"congestion: {algorithm: %s}\ntransport: {mtu: %s}\nseed: %d\n%s\n", hosts, gpus, one(r, "100Gb/s", "200Gb/s", "400Gb/s"),
		design, control, one(r, "1024B", "4096B", "4096B"), r.IntN(1000), job)
	job = strings.TrimPrefix(strings.TrimPrefix(job, simulated), "job: ")
	return fmt.Sprintf("%dx%d %s; %s; %s", hosts, gpus, job, design, control), text
}

func one[T any](r *dice, of ...T) T { return of[r.IntN(len(of))] }

func fabric(r *dice, hosts int) string {
	switch r.IntN(5) {
	case 0:
		return "design: single-switch"
	case 1:
		leaves := min(hosts, one(r, 2, 4, 8))
		return fmt.Sprintf("design: leaf-spine, leaves: %d, spines: %d", leaves, one(r, 2, 4, 8))
	case 2:
		return fmt.Sprintf("design: rail-optimized, spines: %d", one(r, 4, 8))
	}
	return "design: rail-optimized"
}

// size is from 1 KiB to 64 MiB, all doublings alike, in whole numbers of 4 KiB from there on.
func size(r *dice) string { return fmt.Sprintf("%dKiB", 1<<r.IntN(17)) }

// algorithms are those that a job of any size of group may name.
var algorithms = []struct{ op, names string }{
	{"all-reduce", "auto auto ring chain tree double-tree halving-doubling hierarchical nvls-tree"},
	{"all-gather", "auto ring doubling direct pairwise"},
	{"reduce-scatter", "auto ring halving direct pairwise"},
	{"broadcast", "auto chain tree"},
	{"reduce", "auto chain tree"},
	{"all-to-all", "auto direct pairwise rails two-level"},
	{"gather", "auto"},
	{"scatter", "auto"},
	{"send-receive", "auto"},
}

func collective(r *dice, _, _ int) string {
	c := algorithms[min(r.IntN(2*len(algorithms)), r.IntN(2*len(algorithms)))%len(algorithms)]
	text := fmt.Sprintf("op: %s, algorithm: %s, protocol: %s, bytes: %s, iterations: %d, warmup: 0", c.op,
		one(r, strings.Fields(c.names)...), one(r, "auto", "auto", "none", "ll", "ll128", "simple"), size(r),
		one(r, 1, 1, 2, 5, 10, 20))
	if r.IntN(3) == 0 {
		text += fmt.Sprintf(", channels: %d", one(r, 1, 2, 4, 8))
	}
	return "job: {collectives: [{" + text + "}]}"
}

// simulated has all steps of a job simulated, that would else be told again.
const simulated = "run: {reuse: off}\n"

func replay(r *dice, _, _ int) string {
	var buckets []string
	for range 1 + r.IntN(4) {
		buckets = append(buckets, fmt.Sprintf("{compute: %dus, bytes: %s}", 50+r.IntN(400), size(r)))
	}
	return simulated + fmt.Sprintf("job: {replay: {steps: %d, forward: 400us, buckets: [%s], update: 100us}, "+
		"collective: {algorithm: %s, protocol: %s}}",
		one(r, 2, 4, 8, 16), strings.Join(buckets, ", "), one(r, "ring", "ring", "tree", "double-tree", "hierarchical"),
		one(r, "none", "auto", "simple", "ll"))
}

func model(r *dice, hosts, gpus int) string {
	tp := one(r, 1, min(2, gpus), gpus)
	return simulated + fmt.Sprintf("job: {model: {preset: gpt3-1.3b, layers: %d, batch: %d, steps: %d}, parallel: {tp: %d, zero: %d}}",
		one(r, 2, 4, 8), hosts*gpus/tp, one(r, 1, 2), tp, one(r, 0, 1, 3))
}

func flows(r *dice, hosts, _ int) string {
	pattern := fmt.Sprintf(one(r, "incast, from: 'host[2-%d]/gpu0', to: host1/gpu0", "all-to-all, from: 'host[1-%d]/gpu0'",
		"permutation, from: 'host[1-%d]/gpu0'"), hosts)
	return fmt.Sprintf("job: {flows: [{pattern: %s, bytes: %s, count: %d, every: 100us}]}", pattern,
		one(r, "64kB", "512kB", "4MB", "16MB"), one(r, 1, 4, 16, 64))
}
