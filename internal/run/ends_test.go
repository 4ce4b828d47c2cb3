package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/result"
	"railyard/internal/train"
)

// The estimate is within a factor of two of what the run does, whatever the fabric does.
func TestTheEstimateIsNear(t *testing.T) {
	flows := cluster8(3) + `
transport: {mtu: 1024B}
job:
  flows:
    - {from: host1/gpu0, to: host3/gpu0, bytes: 3MB, count: 4, every: 1us}
    - {from: host1/gpu1, to: host2/gpu2, bytes: 100B, count: 500, every: 1us}
`
	scenarios := map[string]string{"flows": flows}
	for _, w := range weather {
		scenarios[w.name] = cluster8(5) + w.fabric + w.background + training(t, 20, 3)
	}
	for name, yaml := range scenarios {
		plan, err := NewPlan(read(t, yaml))
		if err != nil {
			t.Fatal(err)
		}
		e, r := plan.Estimate(trainImages), run(t, yaml, Options{})
		if e.PacketHops > 2*r.PacketHops || 2*e.PacketHops < r.PacketHops {
			t.Errorf("%s: %d packet-hops estimated, %d taken", name, e.PacketHops, r.PacketHops)
		}
		if e.Steps != r.Summary.Steps {
			t.Errorf("%s: %d steps estimated, %d taken", name, e.Steps, r.Summary.Steps)
		}
	}
}

// A run over a limit does not start, and says what it would take; forced, it does.
func TestTooLargeARunIsRefused(t *testing.T) {
	large := "cluster: {hosts: 2}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1TB, count: 40, every: 1s}]}"
	wide := strings.Replace(cluster8(2)+training(t, 1, 1), "[784, 32, 10]", "[784, 300000, 10]", 1)
	for yaml, want := range map[string]string{
		large: "about 20,751,953,280 packet-hops",
		wide:  "of memory, the limit is 8 GB",
	} {
		r, err := tryRun(t, context.Background(), yaml, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--force") {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if r.Run != nil {
			t.Error("a refused run left a summary")
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	r, err := tryRun(t, ctx, large, Options{Force: true, Progress: func(p result.Progress) {
		if p.PacketHops > 0 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.State != result.Interrupted || r.PacketHops == 0 {
		t.Errorf("forced: %v", err)
	}
}

// An interrupted training ends the step it is in: tables can be read, and every rank has the same weights, those of so many steps.
func TestAnInterruptedTrainingKeepsWholeSteps(t *testing.T) {
	for _, steps := range []int64{1, 5, 20} {
		yaml := cluster8(2) + training(t, 100, 2)
		ctx, stop := context.WithCancel(context.Background())
		r, err := tryRun(t, ctx, yaml, Options{Workers: 2, Progress: func(p result.Progress) {
			if p.Phase == "training" && p.Done >= steps {
				stop()
			}
		}})
		stop()
		if !errors.Is(err, context.Canceled) || r.State != result.Interrupted {
			t.Fatalf("%v, state %s", err, r.State)
		}
		if r.Summary.Steps < steps || r.Summary.Steps >= 100 || r.StepsPlanned != 100 {
			t.Errorf("%d of %d steps, interrupted after %d", r.Summary.Steps, r.StepsPlanned, steps)
		}
		if n := len(rows(t, r.Run.Steps())); int64(n) != 8*r.Summary.Steps {
			t.Errorf("%d rows of steps, want 8 for each of %d", n, r.Summary.Steps)
		}
		cfg := reference(t, yaml)
		cfg.Steps = r.Summary.Steps
		want, err := train.Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
			t.Errorf("the weights after %d steps are not the oracle's", cfg.Steps)
		}
		for _, f := range rows(t, r.Run.Flows()) {
			if f.Status == result.StatusFailed {
				t.Fatalf("flow %s failed", f.Name)
			}
		}
	}
}

// A context that has ended already: nothing is run, and that is no failure of the run.
func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, err := tryRun(t, ctx, cluster8(2)+training(t, 100, 2), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if r.Run != nil && (r.State != result.Interrupted || r.Summary.Steps > 20) {
		t.Errorf("state %s after %d steps", r.State, r.Summary.Steps)
	}
}

// A queue pair that gives up ends the run with its name; what was done is kept.
func TestAQueuePairThatGivesUpEndsTheRun(t *testing.T) {
	// Three senders without flow control into 16 kB of shared buffer, and one retry.
	choke := "fabric: {switch: {buffer: 100kB}, qos: {ecn: {enabled: false}, pfc: {enabled: false}}}\ncongestion: {algorithm: none}\ntransport: {timeout: 10us, retries: 1}\n"
	yaml := cluster8(5) + choke + bursts("3MB", "100us", 50) + training(t, 50, 1)
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || r.State != result.Failed || r.Error != err.Error() {
		t.Fatalf("%v, state %s, error %q in run.json", err, r.State, r.Error)
	}
	named := false
	for _, f := range rows(t, r.Run.Flows()) {
		named = named || f.Status == result.StatusFailed && strings.Contains(err.Error(), "queue pair "+f.Name+" failed at")
	}
	if !named || !strings.Contains(err.Error(), "no acknowledgement within 10 us, nor after a retry") {
		t.Errorf("error %v names no flow that failed, or not what it waited for", err)
	}
	if len(rows(t, r.Run.Links())) == 0 || r.Drops == 0 {
		t.Error("no links or drops are kept")
	}
	for _, islands := range []int{2, 5} {
		again, _ := tryRun(t, context.Background(), yaml, Options{Islands: islands})
		if digestOf(t, again.path) != digestOf(t, r.path) {
			t.Errorf("%d islands: %s", islands, firstDifference(t, r.path, again.path))
		}
	}
}

// Digits that are missing are drawn, with progress; a folder drawn with other numbers is refused.
func TestDigitsAreDrawnWhenMissing(t *testing.T) {
	dir := t.TempDir() + "/new"
	yaml := func(images int) string {
		return strings.Replace(cluster8(2)+training(t, 1, 1), fmt.Sprintf("data: %q", digits(t)),
			fmt.Sprintf("data: {digits: {dir: %q, train: %d, test: 10}}", dir, images), 1)
	}
	phases := map[string]bool{}
	r := run(t, yaml(64), Options{Progress: func(p result.Progress) { phases[p.Phase] = true }})
	if !phases["making data"] || !phases["reading data"] || r.TestAccuracy == nil {
		t.Errorf("phases %v", phases)
	}
	if _, err := tryRun(t, context.Background(), yaml(65), Options{}); err == nil || !strings.Contains(err.Error(), "was made with") {
		t.Errorf("error %v", err)
	}
}
