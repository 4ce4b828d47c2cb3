package plan_test

import (
	"reflect"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// A plan of other jobs on the same network is what a plan made anew is, as far as jobs go; and the first is as it was.
func TestWithJobs(t *testing.T) {
	p := plantest.Made(t, `cluster: {hosts: 4, host: {preset: hgx-h100, gpus: 8}}
job:
  model: {preset: gpt3-1.3b, batch: 64}
  parallel: {tp: 2, pp: 2, dp: 8}
run: {network: formula}
`, func(sc *scenario.Scenario) (*plan.Plan, error) { return plan.New(sc, plan.Files{}, nil) })
	for _, c := range [][]scenario.Change{
		{{Path: "job.parallel.micro_batches", Text: "8"}},
		{{Path: "job.parallel.pp", Text: "4"}, {Path: "job.parallel.dp", Text: "4"}},
		{{Path: "job.model.recompute", Text: "full"}},
	} {
		sc, err := p.Scenario.With(c...)
		if err != nil {
			t.Fatal(c, err)
		}
		was := p.Jobs[0].Work
		got, err := p.WithJobs(sc)
		if err != nil {
			t.Fatal(c, err)
		}
		want, err := plan.New(sc, p.Files, nil)
		if err != nil {
			t.Fatal(c, err)
		}
		g, w := &got.Jobs[0], &want.Jobs[0]
		if !reflect.DeepEqual(g.Work.Groups, w.Work.Groups) || !reflect.DeepEqual(g.Placement, w.Placement) ||
			!reflect.DeepEqual(g.Work.Programs[1].Ops, w.Work.Programs[1].Ops) {
			t.Errorf("%v: another job than planned anew", c)
		}
		for r := range int32(g.Ranks()) {
			if g.Work.Memory(r) != w.Work.Memory(r) {
				t.Errorf("%v: rank %d has another memory than planned anew", c, r)
			}
		}
		if p.Jobs[0].Work != was || p.Scenario == sc || g.Work.Memory(0) == was.Memory(0) {
			t.Errorf("%v: the plan that it came from has changed, or the new one has not", c)
		}
	}
	sc, err := p.Scenario.With(scenario.Change{Path: "job.parallel.dp", Text: "16"})
	if err == nil {
		if _, err = p.WithJobs(sc); err == nil {
			t.Error("64 ranks on 32 GPUs")
		}
	}
}
