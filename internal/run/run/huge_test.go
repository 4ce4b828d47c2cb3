package run

import (
	"context"
	"errors"
	"testing"

	"railyard/internal/out/result"
)

// huge is a training on so many hosts of 8 GPUs.
func huge(hosts string) string {
	return "cluster: {hosts: " + hosts + `, host: {gpus: 8}}
fabric: {design: rail-optimized, qos: {pfc: {enabled: false}}, switch: {reserve: 0B}}
job: {train: {layers: [784, 1024, 10], data: {digits: {dir: nowhere}}, batch: 1, lr: 0.1}}
`
}

// A run that is interrupted while it is planned or built goes no further.
func TestPlanningCanBeInterrupted(t *testing.T) {
	for _, phase := range []string{"planning", "building"} {
		ctx, interrupt := context.WithCancel(context.Background())
		defer interrupt()
		w := &watcher{ctx: ctx, progress: func(p result.Progress) {
			if p.Phase == phase {
				interrupt()
			}
		}}
		if err := w.step("reading", 0, 0); err != nil {
			t.Fatal(err)
		}
		p, _, err := newPlan(read(t, huge("1024")), w)
		if phase == "building" {
			if err != nil {
				t.Fatal(err)
			}
			r := &runner{plan: p, ctx: ctx, watcher: w}
			err = r.build()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", phase, err)
		}
	}
}
