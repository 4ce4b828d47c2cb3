package foresight

import (
	"strings"
	"testing"

	"railyard/internal/plan/plan/plantest"
)

// A dragonfly has a circle of waits in one class, and check says so where pauses make them.
func TestADragonflyMayStandStill(t *testing.T) {
	const flow = "from: host1/gpu0, to: host2/gpu0, bytes: 1kB"
	for fabric, want := range map[string]int{
		"design: dragonfly": 1,
		"design: dragonfly, qos: {pfc: {enabled: false}}":   0,
		"segment: 2, pods: 3":                               0,
		"design: leaf-spine, leaves: 6, spines_per_leaf: 2": 0,
	} {
		found := 0
		for _, f := range inspected(t, plantest.GPUs("hosts: 6", fabric, flow)).Findings {
			if strings.Contains(f.Message, "wait for each other in a circle") {
				found++
				if !strings.HasPrefix(f.Message, "dragonfly: with PFC 6 buffers may wait") || f.Path != "fabric.design" {
					t.Errorf("%s: %s", f.Path, f.Message)
				}
			}
		}
		if found != want {
			t.Errorf("%s: %d warnings, want %d", fabric, found, want)
		}
	}
}
