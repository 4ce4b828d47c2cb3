package foresight

import (
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// What is simulated at least: the first step, of which two of a row of buckets that are alike; nothing is said where nothing is
// reused. Where critical paths are not found of all steps: two periods, the second of which is recorded, and what is left.
func TestReuseIsForecast(t *testing.T) {
	const replay = "cluster: {hosts: 2, host: {gpus: 1}}\njob: {replay: {steps: 9, buckets: [{compute: 1ms, bytes: 1MB}]}}\n"
	for _, c := range []struct {
		old, new string
		steps    float64 // 0: nothing is said
	}{
		{"", "", 1},
		{"steps: 9", "steps: 3", 1},
		{"steps: 9", "steps: 1", 0},
		{"1MB}", "1MB}, {compute: 1ms, bytes: 1MB}, {compute: 1ms, bytes: 1MB}, {compute: 1ms, bytes: 1MB}", 0.5},
		// Every tenth step has its critical path.
		{"hosts: 2, host: {gpus: 1}}\njob: {replay: {steps: 9,", "hosts: 512, host: {gpus: 1}}\njob: {replay: {steps: 99,", 29},
		{"job:", "run: {reuse: off}\njob:", 0},
		{"job:", "faults: [{link: all, at: 1ms, drop: 0.1}]\njob:", 0},
		{"job:", "faults: [{link: all, at: 1ms, drop: 0.1, for: 1ms}]\njob:", 1},
		{"job:", "output: {events: true}\njob:", 0},
		{"job:", "output: {series: true}\njob:", 0},
		{"job:", "capture: {links: [host1/rail1]}\njob:", 0},
		{"job:", "congestion: {algorithm: timely}\njob:", 1},
		{"job:", "congestion: {algorithm: hpcc}\njob:", 0},
		{"job:", "background: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\njob:", 0},
	} {
		p := plantest.Made(t, strings.Replace(replay, c.old, c.new, 1), func(sc *scenario.Scenario) (*plan.Plan, error) {
			return plan.New(sc, plan.Files{}, nil)
		})
		e := EstimateOf(p, make([]dataset.Size, 1))
		switch u := e.Reuse; {
		case c.steps == 0 && u != nil:
			t.Errorf("%s: %+v", c.new, u)
		case c.steps > 0 && (u == nil || u.PacketHops != int64(float64(e.PacketHops/e.Steps)*c.steps)):
			t.Errorf("%s: %+v of %d packet-hops in %d steps", c.new, u, e.PacketHops, e.Steps)
		}
	}
}
