package foresight

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

const measuredModel = `
cluster: {hosts: 1, host: {gpus: 8, preset: hgx-h100}}
run: {network: formula}
job:
  model: {layers: 2, hidden: 512, ffn: 2048, heads: 8, vocabulary: 4096, sequence: 256, batch: 8%s}
  parallel: {tp: 2, micro_batches: 2%s}
`

func measuredPlan(t *testing.T, text, times string) *plan.Plan {
	t.Helper()
	sc, err := scenario.Parse("large.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Files{Jobs: []plan.JobFiles{{Times: []byte(times)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// computed is what the first rank of a plan's job computes.
func computed(p *plan.Plan) (sum unit.Duration, kernels int64) {
	w := p.Jobs[0].Work
	for i := range w.Program(0).Ops {
		if op := &w.Program(0).Ops[i]; op.Kind == workload.Compute {
			sum += op.Duration
			kernels += int64(op.Launch / w.Program(0).Device.LaunchTime())
		}
	}
	return sum, kernels
}

// With a file of nothing that a step does, all is as without one, and all operators are listed. With what is listed in the
// file nothing is missing, and a step takes what the file says and its launches: as by the device model where the file
// has its times, twice that where it has twice those.
func TestMeasuredOperatorsTakeTheTimesOfTheirFile(t *testing.T) {
	for _, c := range []struct{ model, parallel string }{
		{"", ""}, {", attention: maps, dropout: true", ""}, {", recompute: full", ", sequence: true"},
		{", recompute: selective", ", zero: 3"}, {", tied: true, optimiser: sgd, gated: false, bias: true", ", pp: 2"},
	} {
		without := measuredPlan(t, fmt.Sprintf(measuredModel, c.model, c.parallel), "")
		text := fmt.Sprintf(measuredModel, c.model+", times: t.csv", c.parallel)
		const head = "operator,shape,microseconds\n"
		empty := measuredPlan(t, text, head+"matmul,1x1x1,1\n")
		want, kernels := computed(without)
		if got, _ := computed(empty); got != want {
			t.Errorf("%v: %v with a file of nothing, %v without", c, got, want)
		}
		all := empty.Jobs[0].Measured.Missing()
		said := unmeasured(empty)
		if len(said) != 2 || !strings.Contains(said[0].Message, fmt.Sprintf("t.csv lacks %d of a step's %d operators", len(all),
			len(all))) || !strings.HasSuffix(said[1].Message, "t.csv has times of 1 operator that no step has: matmul,1x1x1") {
			t.Fatalf("%v: said %v", c, said)
		}
		for n := range unit.Duration(3) {
			file := head
			for _, l := range all {
				if !strings.Contains(said[0].Message, l.Operator.String()+" (") {
					t.Errorf("%v: %v is not listed", c, l.Operator)
				}
				file += fmt.Sprintf("%v,%.6f\n", l.Operator, float64(l.Modelled*(n+1))/float64(unit.Microsecond))
			}
			p := measuredPlan(t, text, file)
			if left := unmeasured(p); len(left) > 0 {
				t.Fatalf("%v: left %v", c, left)
			}
			launches := unit.Duration(kernels) * without.Scenario.Cluster.Host.Launch
			got, _ := computed(p)
			if d := got - launches - (n+1)*(want-launches); d < -unit.Duration(8*kernels) || d > unit.Duration(8*kernels) {
				t.Errorf("%v: %v with %d times the times, by the model %v, launches %v", c, got, n+1, want, launches)
			}
			work, by := p.Jobs[0].Work, without.Jobs[0].Work
			for i := range by.Programs {
				b, flop := work.Programs[i].Computing()
				if _, w := by.Programs[i].Computing(); flop != w || b.Sum() < b.Products {
					t.Errorf("%v: %d FLOP and %+v, want %d", c, flop, b, w)
				}
			}
		}
	}
}

// What is wrong with the file is said with its place.
func TestMeasuredFileThatIsWrong(t *testing.T) {
	sc, err := scenario.Parse("large.yaml", []byte(fmt.Sprintf(measuredModel, ", times: t.csv", "")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.New(sc, plan.Files{Jobs: []plan.JobFiles{{Times: []byte("operator,shape,microseconds\nmatmul,1x2,3\n")}}}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "t.csv:2:8: 1x2: no shape of matmul") {
		t.Error(err)
	}
}
