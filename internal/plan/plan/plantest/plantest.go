// Package plantest has the scenarios that tests of plans share: texts, and how they are read. It knows no plan, so that
// package plan's own tests may use it.
package plantest

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
	"railyard/internal/plan/scenario"
)

// Incast is n hosts that send 10 MB each to one more host over a 100 Gb/s switch.
func Incast(n int, more string) string {
	t := fmt.Sprintf("preset: hpcc-ns3\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n%s"+
		"job:\n  flows:\n", n+1, more)
	for i := range n {
		t += fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: 10MB}\n", i+1, n+1)
	}
	return t
}

// Star is the fabric of an incast.
const Star = "fabric: {design: single-switch}\n"

// Training is a training on hosts of 8 GPUs; more are keys of the job beside it.
func Training(hosts int, more string) string {
	return fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 8}}", hosts) + `
fabric: {design: rail-optimized, qos: {pfc: {enabled: false}}, switch: {reserve: 0B}}
job:
  train: {layers: [784, 1024, 10], data: {digits: {dir: nowhere}}, batch: 1, lr: 0.1}
` + more
}

// Images is a training set of as many as a scenario has without being told.
var Images = dataset.Size{Train: 60_000, Test: 10_000, Rows: 28, Cols: 28}

// Read resolves a scenario.
func Read(t testing.TB, yaml string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return sc
}

// Made is what a scenario comes to.
func Made[T any](t testing.TB, yaml string, build func(*scenario.Scenario) (T, error)) T {
	t.Helper()
	made, err := build(Read(t, yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return made
}

// Graphed is two hosts of four GPUs of a preset, with more keys of a host and of its NICs.
func Graphed(t testing.TB, host, nic, rest string) *scenario.Scenario {
	t.Helper()
	return Read(t, "cluster:\n  hosts: 2\n  host: {preset: hgx-a100, gpus: 4, "+host+"}\n  nic: {"+nic+
		"}\nfabric: {design: single-switch}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n"+rest)
}

// WithoutPreset is a scenario as it is without the preset of Incast.
func WithoutPreset(yaml string) string { return strings.Replace(yaml, "preset: hpcc-ns3\n", "", 1) }

// Layers is a training over four hosts of two GPUs, with its layers, its parallelism and more keys of the job.
func Layers(layers, parallel, more string) string {
	return fmt.Sprintf(`cluster: {hosts: 4, host: {gpus: 2}}
job:
  train: {layers: %s, data: {digits: {dir: d, train: 640}}, batch: 16, lr: 0.1}
  parallel: %s
%s`, layers, parallel, more)
}

// GPUs is hosts of so many GPUs, a fabric, and flows.
func GPUs(cluster, fabric string, flows ...string) string {
	return "cluster: {" + cluster + "}\nfabric: {" + fabric + "}\njob: {flows: [{" + strings.Join(flows, "}, {") + "}]}\n"
}

// Collectives is entries of job.collectives on two hosts of four GPUs.
func Collectives(entries ...string) string {
	return "cluster: {hosts: 2, host: {gpus: 4}}\njob: {collectives: [{" + strings.Join(entries, "}, {") + "}]}\n"
}

// Jobs is a cluster of four hosts of two GPUs each, between two leaves and two spines, with these jobs.
func Jobs(entries ...string) string {
	return "cluster: {hosts: 4, host: {gpus: 2}, nic: {shared: true}}\n" +
		"fabric: {design: leaf-spine, leaves: 2, spines: 2}\njobs:\n  - " + strings.Join(entries, "\n  - ")
}

// Entries of Jobs: trainings and an all-to-all of two hosts each.
const (
	Network    = "train: {layers: [784, 64, 10], data: {digits: {dir: nowhere}}, batch: 4, lr: 0.1}"
	Training13 = "{name: one, hosts: [host1, host3], " + Network + "}"
	Training24 = "{name: two, start: 5us, hosts: [host2, host4], " + Network + "}"
	AllToAll24 = "{name: two, start: 5us, hosts: [host2, host4], collectives: [{op: all-to-all, bytes: 1MB}]}"
)

// ThreeTiers is two pods of two leaves and two spines, and as many cores, all joined to every spine.
// rotated: the second leaf and the second spine of a pod have their uplinks in the other order.
func ThreeTiers(cores int, rotated bool) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "host host%d\n", i+1)
	}
	b.WriteString("switch leaf1 leaf\nswitch leaf2 leaf\nswitch leaf3 leaf\nswitch leaf4 leaf\n")
	b.WriteString("switch spine1 spine\nswitch spine2 spine\nswitch spine3 spine\nswitch spine4 spine\n")
	for c := range cores {
		fmt.Fprintf(&b, "switch core%d superspine\n", c+1)
	}
	for i := range 8 {
		fmt.Fprintf(&b, "link host%d leaf%d 100Gb/s 20m\n", i+1, i/2+1)
	}
	for leaf := range 4 {
		for k := range 2 {
			spine := leaf/2*2 + k
			if rotated && leaf%2 == 1 {
				spine ^= 1
			}
			fmt.Fprintf(&b, "link leaf%d spine%d 100Gb/s 20m\n", leaf+1, spine+1)
		}
	}
	for spine := range 4 {
		for c := range cores {
			if rotated && spine%2 == 1 {
				c = cores - 1 - c
			}
			fmt.Fprintf(&b, "link spine%d core%d 100Gb/s 20m\n", spine+1, c+1)
		}
	}
	return b.String()
}

// Errors is how many findings keep a run from starting.
func Errors(findings []scenario.Finding) (n int) {
	for i := range findings {
		if findings[i].Severity == scenario.Error {
			n++
		}
	}
	return n
}

// SomeLinks are entries of links that differ in speed, length and delay.
const SomeLinks = "{link: 'leaf?/spine*', rate: 400Gb/s, length: 50m}, " +
	"{link: 'spine2/*', rate: 200Gb/s}, {link: leaf1/spine3, delay: 9us}"

// Links is two leaves and three spines with entries of links, and more at the end.
func Links(named, more string) string {
	return "cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
		"fabric:\n  design: leaf-spine\n  leaves: 2\n  spines: 3\n  balance: wcmp\n  links: {named: [" + named + "]}\n" +
		"job: {flows: [{from: host1/gpu0, to: host5/gpu0, bytes: 1MB}]}\n" + more + "\n"
}
