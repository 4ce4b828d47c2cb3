package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// surviving is a training of 4 ranks on two of three hosts of a leaf, which keeps checkpoints and starts again.
func surviving(t *testing.T, survival, more string) string {
	return fmt.Sprintf(`
cluster: {hosts: 3, host: {gpus: 2}, nic: {shared: true, speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 1, spines: 1}
transport: {timeout: 20us, retries: 2}
job:
  train: {layers: [784, 32, 10], data: %q, batch: 4, epochs: 9, steps: 24, lr: 0.01, optimiser: adam}
%s
%s
`, digits(t), survival, more)
}

// A training that starts again from its last checkpoint ends with the weights, the loss and the steps of one to which
// nothing happened: after a host that comes back, a spare host, a hang; and whatever the partition.
func TestAJobThatStartsAgainHasTheSameWeights(t *testing.T) {
	const every = "  checkpoint: {steps: 5, storage: 10GB/s}\n  restart: 2ms\n"
	well := run(t, surviving(t, every+"  spares: 1", ""), Options{})
	if v := well.Survival; v == nil || v.Checkpoints != 4 || v.CheckpointBytes != 3*4*25450 || v.LostSteps != 0 || v.Goodput >= 1 {
		t.Fatalf("without a fault: %+v", v)
	}
	for _, c := range []struct{ name, survival, fault, why string }{
		{"back", every, "{host: host2, at: 500us, down: 1ms}", result.AbortRetries},
		{"spare", every + "  spares: 1", "{host: host2, at: 500us, down: 1h}", result.AbortRetries},
		{"hang", every + "  spares: 1\n  watchdog: 300us", "{gpu: host1/gpu1, at: 500us, hang: 1h}", result.AbortWatchdog},
		{"no checkpoint", "  restart: 2ms", "{host: host2, at: 500us, down: 1ms}", result.AbortRetries},
		{"interval", "  checkpoint: {interval: 150us}\n  restart: 0s", "{host: host2, at: 500us, down: 300us}", result.AbortRetries},
	} {
		t.Run(c.name, func(t *testing.T) {
			dp := ""
			if !strings.Contains(c.survival, "spares") {
				dp = "  parallel: {dp: 4}\n" // the third host has nothing to do
			}
			yaml := surviving(t, dp+c.survival, "faults: ["+c.fault+"]")
			r := run(t, yaml, Options{})
			v := r.Survival
			if r.WeightsSHA256 != well.WeightsSHA256 || r.WeightsSHA256 == "" || *r.FinalLoss != *well.FinalLoss ||
				*r.TestAccuracy != *well.TestAccuracy || r.Summary.Steps != 24 {
				t.Errorf("%d steps, loss %v, weights %s; want 24, %v, %s", r.Summary.Steps, *r.FinalLoss, r.WeightsSHA256,
					*well.FinalLoss, well.WeightsSHA256)
			}
			if len(r.Aborts) != 1 || r.Aborts[0].Why != c.why || len(v.Restarts) != 1 {
				t.Fatalf("aborted %+v, %+v", r.Aborts, v)
			}
			again := v.Restarts[0]
			spare := []result.Replaced{{Host: strings.Split(strings.Fields(c.fault)[1], "/")[0], By: "host3"}}
			spare[0].Host = strings.TrimSuffix(spare[0].Host, ",")
			if got := again.Replaced; strings.Contains(c.survival, "spares") != slices.Equal(got, spare) {
				t.Errorf("replaced %+v", got)
			}
			if c.name != "interval" && again.Step%5 != 0 || (c.name == "no checkpoint") != (again.Step == 0) ||
				again.LostTime <= 0 || again.At != r.Aborts[0].At.Add(again.Down) {
				t.Errorf("%+v", again)
			}
			first, more := starting(r)
			if kept := again.Step > 0; kept != (first == r.Start.Time) || !kept && first != 0 || more < 10*unit.Microsecond {
				t.Errorf("%v of the first start phase and %v of the second in the job's time; the first took %v", first, more,
					r.Start.Time)
			}
			if r.GPU.Most >= well.GPU.Most || r.GPU.Least <= 0 {
				t.Errorf("GPUs are used as %+v, without a fault as %+v", r.GPU, well.GPU)
			}
			if got := rowsOfSteps(t, r); got != 4*(24+v.LostSteps) {
				t.Errorf("%d rows of steps that all ranks ended, %d steps were lost", got, v.LostSteps)
			}
			for _, opt := range []Options{{Islands: 3}, {Islands: 4, Workers: 3}} {
				if other := run(t, yaml, opt); digestOf(t, other.path) != digestOf(t, r.path) {
					t.Errorf("in %d islands: %s", opt.Islands, firstDifference(t, r.path, other.path))
				}
			}
		})
	}
}

// starting is what start phases took of a job's time: the first, beside the steps; others, which are the abort's.
func starting(r ran) (first, others unit.Duration) {
	for _, b := range r.Lifetime.Blames {
		for _, f := range b.Felt {
			switch {
			case f.Cause != diagnose.Starting:
			case b.Kind == diagnose.Steps:
				first += f.Time
			default:
				others += f.Time
			}
		}
	}
	return first, others
}

// rowsOfSteps counts the rows of steps that all ranks have ended.
func rowsOfSteps(t *testing.T, r ran) (n int64) {
	t.Helper()
	of := map[string]int64{}
	for _, s := range rows(t, r.Run.Steps()) {
		life := 0
		for _, x := range r.Survival.Restarts {
			if s.Start >= x.At {
				life++
			}
		}
		if s.Step >= 0 {
			of[fmt.Sprint(life, " ", s.Step)]++
		}
	}
	for _, k := range of {
		if k == 4 {
			n += k
		}
	}
	return n
}

// A replay starts again, too; where nothing helps it ends, and says why.
func TestAJobThatCannotStartAgainEnds(t *testing.T) {
	for _, c := range []struct{ fault, survival, want string }{
		{"{host: host2, at: 100us, down: 20h}", "restart: 1ms, watchdog: none", ""},
		{"{host: host2, at: 100us, count: 9, every: 3ms, down: 300us}", "restart: 1ms, restarts: 2", "it started again 2 times before"},
		{"{host: host2, at: 100us, down: 10ms}", "", "(down of host host2)"},
		{"{host: host2, at: 100us, down: 10ms}", "restart: 1ms, checkpoint: {steps: 7}", ""},
	} {
		job := strings.TrimSuffix(replaying("a", "[host1, host2]", 90), "}") + ", " + c.survival + "}"
		r, err := tryRun(t, context.Background(), fourHosts(job)+"transport: {timeout: 20us, retries: 2}\nfaults: ["+c.fault+"]\n",
			Options{})
		if c.want == "" {
			if err != nil || r.State != result.Complete || r.Summary.Steps != 90 || len(r.Survival.Restarts) != 1 {
				t.Errorf("%s, %s: %v after %d steps", c.fault, c.survival, err, r.Summary.Steps)
			}
			continue
		}
		if err == nil || r.State != result.Failed || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: state %s, error %v; want %q", c.fault, c.survival, r.State, err, c.want)
		}
	}
}

// What a checkpoint takes adds to the time of the job, and to no step.
func TestACheckpointTakesItsTime(t *testing.T) {
	took := func(survival string) (r ran) {
		return run(t, fourHosts(strings.TrimSuffix(replaying("a", "[host1, host2]", 30), "}")+survival+"}"), Options{})
	}
	plain, saved := took(""), took(", checkpoint: {steps: 10, storage: 1GB/s, bytes: 1MB}")
	if got := saved.VirtualTime.Sub(plain.VirtualTime); got != 2*unit.Millisecond || saved.StepTime != plain.StepTime ||
		saved.Survival.Written != got || plain.Survival != nil {
		t.Errorf("two checkpoints of 1 ms take %v, a step %v, without %v", got, saved.StepTime, plain.StepTime)
	}
}
