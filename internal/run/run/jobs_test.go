package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// fourHosts is two leaves with two hosts each, and a spine between them.
func fourHosts(jobs ...string) string {
	return `
cluster: {hosts: 4, host: {gpus: 2}, nic: {shared: true, speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 1}
output: {operations: true, flows: true}
jobs:
  - ` + strings.Join(jobs, "\n  - ") + "\n"
}

// trainingOn is a training of 4 ranks.
func trainingOn(t *testing.T, name, hosts string, steps int, more string) string {
	return fmt.Sprintf("{name: %s, hosts: %s, %strain: {layers: [784, 32, 10], data: %q, batch: 4, epochs: 9, "+
		"steps: %d, lr: 0.2}}", name, hosts, more, digits(t), steps)
}

// jobOf returns the figures of a job by its name.
func jobOf(t *testing.T, r ran, name string) result.JobFigures {
	t.Helper()
	for _, f := range r.Summary.PerJob() {
		if f.Job == name || len(r.Summary.Jobs) == 0 {
			return *f
		}
	}
	t.Fatalf("no job %s", name)
	return result.JobFigures{}
}

// stepsOf returns the rows of a job's steps, without its start phase.
func stepsOf(t *testing.T, r ran, name string) []result.StepRow {
	return slices.DeleteFunc(rows(t, r.Run.Steps()), func(s result.StepRow) bool { return s.Job != name || s.Step < 0 })
}

// Beside a neighbour with whom it shares no link a job is what it is alone, to the picosecond;
// beside one with whom it does it takes longer, and its weights are the same.
func TestANeighbourCostsTimeAndNoWeights(t *testing.T) {
	const allToAll = "{name: b, hosts: %s, collectives: [{op: all-to-all, bytes: 16MiB, iterations: 4}]}"
	on := func(hosts string, neighbour ...string) ran {
		return run(t, fourHosts(append([]string{trainingOn(t, "a", hosts, 12, "")}, neighbour...)...), Options{})
	}
	alone, apart := on("[host1, host2]"), on("[host1, host2]", fmt.Sprintf(allToAll, "[host3, host4]"))
	if want := stepsOf(t, alone, "a"); len(want) != 48 || !slices.EqualFunc(want, stepsOf(t, apart, "a"),
		func(x, y result.StepRow) bool {
			same := *x.Loss == *y.Loss
			x.Loss, y.Loss = nil, nil
			return same && x == y
		}) {
		t.Errorf("%d steps alone, which differ from those beside a neighbour on other links", len(want))
	}
	across, shared := on("[host1, host3]"), on("[host1, host3]", fmt.Sprintf(allToAll, "[host2, host4]"))
	x, y := jobOf(t, across, "a"), jobOf(t, shared, "a")
	if y.StepTime < x.StepTime+x.StepTime/5 {
		t.Errorf("a step takes %v beside a neighbour on its links, alone %v", y.StepTime, x.StepTime)
	}
	if x.WeightsSHA256 == "" || x.WeightsSHA256 != y.WeightsSHA256 || x.WeightsSHA256 != jobOf(t, apart, "a").WeightsSHA256 {
		t.Error("the weights depend on the neighbour")
	}
	blame := y.Diagnosis.Blames[0]
	if blame.Kind != diagnose.SharedPort || !strings.HasSuffix(blame.Port, "spine1") || blame.Culprits[0].Name != "job b" {
		t.Errorf("the first blame is %+v, want job b at the port to the spine", blame)
	}
	if n := len(jobOf(t, shared, "b").Collectives); n != 1 {
		t.Errorf("%d rows of the neighbour's collectives, want 1", n)
	}
}

// The rows of each table say whose they are, and the groups of ranks.
func TestRowsNameTheirJob(t *testing.T) {
	r := run(t, fourHosts(trainingOn(t, "a", "[host1, host3]", 3, ""), trainingOn(t, "b", "[host2, host4]", 5, ""),
		"{name: c, flows: [{name: x, from: host1/gpu0, to: host4/gpu0, bytes: 1MB}]}")+
		"background: {flows: [{name: y, from: host2/gpu0, to: host3/gpu0, bytes: 1kB}]}\n", Options{})
	flows := map[string]int{}
	for _, f := range rows(t, r.Run.Flows()) {
		flows[fmt.Sprint(f.Job, " ", f.Kind, " ", f.Group)]++
	}
	want := []string{" background ", "a collective data-parallel", "b collective data-parallel", "c job "}
	if !slices.Equal(slices.Sorted(maps.Keys(flows)), want) || flows["c job "] != 1 {
		t.Errorf("flows of %v, want %q", flows, want)
	}
	steps, operations, paths := map[string]int{}, map[string]int{}, map[string]int64{}
	for _, s := range rows(t, r.Run.Steps()) {
		steps[s.Job]++
	}
	for _, o := range rows(t, r.Run.Operations()) {
		operations[o.Job+" "+o.Group]++
	}
	for _, p := range rows(t, r.Run.Paths()) {
		paths[p.Job] = max(paths[p.Job], int64(p.Step)+1)
	}
	if steps["a"] != 4+12 || steps["b"] != 4+20 || len(steps) != 2 { // with the start phase of each rank
		t.Errorf("steps of %v", steps)
	}
	if operations["a "] == 0 || operations["a data-parallel"] == 0 || operations["b data-parallel"] == 0 || len(operations) != 4 {
		t.Errorf("operations of %v", operations)
	}
	if paths["a"] != 3 || paths["b"] != 5 || len(paths) != 2 {
		t.Errorf("paths of %v", paths)
	}
	if s := r.Summary; s.Steps != 8 || s.StepsPlanned != 8 || s.WeightsSHA256 != "" || len(s.Jobs) != 3 {
		t.Errorf("%d of %d steps, %d jobs", s.Steps, s.StepsPlanned, len(s.Jobs))
	}
	if f := r.Summary.Flows; len(f) != 2 || f[0].Job != "c" || f[1].Job != "" {
		t.Errorf("flows %+v", f)
	}
	if one := r.Summary.OfJob(2); len(one.Flows) != 1 || one.Flows[0].Name != "x" {
		t.Errorf("the flows of job c are %+v", one.Flows)
	}
}

// A job begins when it is to begin, and its times count from there.
func TestAJobStartsAtItsTime(t *testing.T) {
	for _, c := range []string{"ranks", "flows"} {
		job := func(more string) string {
			if c == "ranks" {
				return trainingOn(t, "a", "[host1, host2]", 4, more)
			}
			return "{name: a, " + more + "flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}"
		}
		now, later := run(t, fourHosts(job("")), Options{}), run(t, fourHosts(job("start: 3ms, ")), Options{})
		const start = unit.Time(3 * unit.Millisecond)
		if later.VirtualTime != now.VirtualTime+start {
			t.Errorf("%s: the run ends at %v, that without a start at %v", c, later.VirtualTime, now.VirtualTime)
		}
		if later.StepTime != now.StepTime || later.From != start {
			t.Errorf("%s: a step takes %v, without a start %v", c, later.StepTime, now.StepTime)
		}
		if c == "flows" && (*later.Summary.Flows[0].Start != start || later.Summary.Flows[0].Took() != now.Summary.Flows[0].Took()) {
			t.Errorf("%+v", later.Summary.Flows[0])
		}
	}
}

// What ends a run ends every training at the end of a step, and gives up what else there is.
func TestTrainingsEndTogether(t *testing.T) {
	neighbours := []string{trainingOn(t, "b", "[host2, host4]", 100, ""),
		"{name: c, flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 1MB, every: 1ms, count: 1000}]}"}
	interrupted := fourHosts(append([]string{trainingOn(t, "a", "[host1, host3]", 90, "")}, neighbours...)...)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := tryRun(t, ctx, interrupted, Options{Workers: 2, often: true, Progress: func(p result.Progress) {
		if p.Phase == "training" && p.Done >= 10 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.State != result.Interrupted {
		t.Fatalf("%v, state %s", err, r.State)
	}
	holdWholeSteps(t, r, 90, 100)
	diverging := strings.Replace(interrupted, "lr: 0.2", "lr: 60, loss: mse", 1)
	r, err = tryRun(t, context.Background(), diverging, Options{})
	if r.State != result.Failed || err == nil || !strings.Contains(err.Error(), "the training of job a diverged: ") ||
		!strings.Contains(err.Error(), "try a smaller jobs[0].train.lr (60)") {
		t.Fatalf("%v, state %s", err, r.State)
	}
	holdWholeSteps(t, r, 90, 100)
}

// holdWholeSteps holds that two trainings, a and b, ended after a step of all their ranks, before
// the planned ones.
func holdWholeSteps(t *testing.T, r ran, planned ...int64) {
	t.Helper()
	for i, name := range []string{"a", "b"} {
		f := jobOf(t, r, name)
		if f.Steps < 1 || f.Steps >= planned[i] || f.StepsPlanned != planned[i] {
			t.Errorf("%s: %d of %d steps", name, f.Steps, f.StepsPlanned)
		}
		if n := len(stepsOf(t, r, name)); int64(n) != 4*f.Steps {
			t.Errorf("%s: %d rows of steps, want 4 for each of %d", name, n, f.Steps)
		}
		if f.WeightsSHA256 == "" && !strings.Contains(r.Summary.Error, "diverged") {
			t.Errorf("%s: its ranks hold different weights", name)
		}
	}
}

// Each job keeps the files that it names under its own name.
func TestEachJobKeepsItsFiles(t *testing.T) {
	file := write(t, "f.csv", "from,to,bytes\nhost1/gpu0,host2/gpu0,1kB\n")
	other := write(t, "g.csv", "from,to,bytes\nhost3/gpu0,host4/gpu0,1kB\nhost4/gpu0,host3/gpu0,1kB\n")
	r := run(t, fourHosts(fmt.Sprintf("{name: a, flows_csv: %q}", file), fmt.Sprintf("{name: b, flows_csv: %q}", other),
		trainingOn(t, "c", "[host1, host2]", 1, "")), Options{})
	var names []string
	for _, in := range r.Summary.Inputs {
		names = append(names, in.Name+" "+InputKey(read(t, r.Summary.ScenarioYAML), in.Name))
	}
	want := []string{"a-flows.csv jobs[0].flows_csv", "b-flows.csv jobs[1].flows_csv", "c-images jobs[2].train.data"}
	if !slices.Equal(names, want) || len(r.Summary.Flows) != 3 {
		t.Errorf("inputs %q, want %q; %d flows", names, want, len(r.Summary.Flows))
	}
}
