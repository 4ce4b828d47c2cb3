package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// A training of one bucket, and the replay of its durations and bytes, take the same time step for
// step, in an empty network and beside bursts that congest it.
func TestAReplayTakesTheTimeOfItsTraining(t *testing.T) {
	train := strings.Replace(training(t, 4, 2), "[784, 32, 10]", "[784, 10]", 1)
	train = strings.Replace(train, "bucket: layer", "start: equal", 1)
	for name, beside := range map[string]string{"alone": "", "beside bursts": bursts("1MB", "100us", 20)} {
		p, err := NewPlan(read(t, cluster8(5)+train))
		if err != nil {
			t.Fatal(err)
		}
		took := map[string]unit.Duration{}
		for _, op := range p.Jobs[0].Work.Program(0).Ops {
			kind, _, _ := strings.Cut(op.Name, ".")
			took[kind] += op.Duration
		}
		replay := fmt.Sprintf("job:\n  replay: {steps: 4, forward: %v, buckets: [{compute: %v, bytes: %v}], update: %v}\n"+
			"  hosts: [host1, host2]\n  collective: {channels: 2}\n",
			took["forward"]+took["loss"], took["backward"], p.Jobs[0].Work.Collectives[0].Bytes(), took["update"])
		want, got := run(t, cluster8(5)+train+beside, Options{}), run(t, cluster8(5)+replay+beside, Options{})
		if got.StepTime != want.StepTime || got.StepP99 != want.StepP99 || got.Summary.Steps != 4 || got.StepTime == 0 {
			t.Errorf("%s: %d steps of %v, slowest %v; the training took %v, slowest %v", name, got.Summary.Steps, got.StepTime,
				got.StepP99, want.StepTime, want.StepP99)
		}
		if a, b := got.CriticalPath, want.CriticalPath; a == nil || *a != *b {
			t.Errorf("%s: critical path %+v, of the training %+v", name, a, b)
		}
	}
}

// replayed is a replay on 8 GPUs of two hosts.
const replayed = `
job:
  replay: {steps: 30, forward: 100us, buckets: [{compute: 50us, bytes: 1MB}, {compute: 20us, bytes: 400kB}], update: 10us}
`

// Where computing takes longer than summing, a step is what is computed and what the last sum takes
// after it; partitions change nothing, and causes sum.
func TestReplaySteps(t *testing.T) {
	one := run(t, cluster8(2)+replayed, Options{Islands: 1})
	sum := unit.Duration(0)
	for _, s := range rows(t, one.Run.Steps()) {
		sum += s.End.Sub(s.Start)
		if got := s.Causes.Split(); got.Sum() != s.End.Sub(s.Start) || got[cause.Compute] < 180*unit.Microsecond {
			t.Fatalf("step %d of rank %d takes %v: %v", s.Step, s.Rank, s.End.Sub(s.Start), s.Causes)
		}
	}
	if one.Summary.Steps != 30 || sum == 0 || one.Overlap == nil || *one.Overlap == 0 || one.PacketHops == 0 {
		t.Errorf("%d steps, overlap %v, %d hops", one.Summary.Steps, one.Overlap, one.PacketHops)
	}
	for _, islands := range []int{2, 3} {
		if other := run(t, cluster8(2)+replayed, Options{Islands: islands}); digestOf(t, other.path) != digestOf(t, one.path) {
			t.Errorf("%d islands: another directory", islands)
		}
	}
	e, err := Inspect(read(t, cluster8(2)+replayed))
	if err != nil || e.Estimate.Steps != 30 || e.Estimate.PacketHops != one.PacketHops {
		t.Errorf("%v, %d steps and %d hops estimated, want 30 and %d", err, e.Estimate.Steps, e.Estimate.PacketHops,
			one.PacketHops)
	}
}

// A replay tells its steps, and an interrupted one keeps those that all ranks have ended.
func TestAnInterruptedReplay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	yaml := cluster8(2) + strings.Replace(replayed, "steps: 30", "steps: 100000", 1)
	r, err := tryRun(t, ctx, yaml, Options{Progress: func(p result.Progress) {
		if p.Phase == "steps" && p.Done > 3 && p.Total == 100_000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.State != result.Interrupted || r.Summary.Steps < 4 || r.Summary.Steps > 99_999 {
		t.Errorf("state %s, %d steps, %v: want an interrupted run with some", r.State, r.Summary.Steps, err)
	}
}
