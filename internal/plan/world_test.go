package plan

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/dataset"
	"railyard/internal/scenario"
)

// incast is n hosts that send 10 MB each to one more host over a 100 Gb/s switch.
func incast(n int, more string) string {
	t := fmt.Sprintf("preset: hpcc-ns3\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n%s"+
		"job:\n  flows:\n", n+1, more)
	for i := range n {
		t += fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: 10MB}\n", i+1, n+1)
	}
	return t
}

const star = "fabric: {design: single-switch}\n"

// training is a training on hosts of 8 GPUs; more are keys of the job beside it.
func training(hosts int, more string) string {
	return fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 8}}", hosts) + `
fabric: {design: rail-optimized, qos: {pfc: {enabled: false}}, switch: {reserve: 0B}}
job:
  train: {layers: [784, 1024, 10], data: {digits: {dir: nowhere}}, batch: 1, lr: 0.1}
` + more
}

// images is a training set of as many as a scenario has without being told.
var images = dataset.Size{Train: 60_000, Test: 10_000, Rows: 28, Cols: 28}

// read resolves a scenario.
func read(t *testing.T, yaml string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return sc
}

// planned plans a scenario that names no files.
func planned(t *testing.T, yaml string) *Plan {
	t.Helper()
	p, err := New(read(t, yaml), Files{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return p
}

func inspected(t *testing.T, yaml string) *Inspection {
	t.Helper()
	return planned(t, yaml).Inspect([]dataset.Size{images}, nil, 0)
}

// withoutPreset is a scenario as it is without the preset of incast.
func withoutPreset(yaml string) string { return strings.Replace(yaml, "preset: hpcc-ns3\n", "", 1) }
