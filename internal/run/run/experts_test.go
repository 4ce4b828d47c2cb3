package run

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/plan/plan"
)

// Each position of each rank goes to two experts in each step and layer that has them; what a capacity leaves out is dropped.
// The figures are those of the table, over the last epoch.
func TestTokensOfExperts(t *testing.T) {
	yaml := func(parallel, experts string, table bool) string {
		return cluster8(5) + fmt.Sprintf(`
job:
  train: {model: gpt, gpt: {size: 16, blocks: 2, heads: 2, factor: 2, experts: {count: 4, %s}}, batch: 4, epochs: 2, lr: 0.1,
    data: {text: {window: 12, grammar: {train: 60, test: 20}}}}
  parallel: {%s}
output: {experts: %v}
`, experts, parallel, table)
	}
	for _, c := range []struct {
		parallel, experts string
		layers, replicas  int
		most              int64 // tokens that an expert takes of a rank in a step; 0: any
	}{
		{"dp: 2, micro_batches: 2", "capacity: 0.5, balance: 0", 2, 2, 2 * 6}, // of 24 positions in a micro-batch
		{"dp: 2, pp: 2, micro_batches: 2", "capacity: 1.25, every: 2", 1, 2, 2 * 15},
		{"dp: 4", "top: 1", 2, 4, 0},
	} {
		top := int64(2)
		if c.experts == "top: 1" {
			top = 1
		}
		r := run(t, yaml(c.parallel, c.experts, true), Options{Workers: 2})
		type key struct {
			step, rank int32
			layer      string
		}
		tokens, share := map[key]int64{}, map[key]float64{}
		load := map[string][]int64{}
		balance, all, dropped := map[string]float64{}, int64(0), int64(0)
		half := int32(r.Summary.Steps / 2)
		for row, err := range r.Experts() {
			if err != nil {
				t.Fatal(err)
			}
			k := key{row.Step, row.Rank, row.Layer}
			tokens[k] += row.Tokens
			share[k] += row.Share
			if took := row.Tokens - row.Dropped; c.most > 0 && took > c.most || c.most == 0 && row.Dropped != 0 {
				t.Errorf("%+v: an expert took %d and dropped %d", k, took, row.Dropped)
			}
			if row.Step >= half {
				if load[row.Layer] == nil {
					load[row.Layer] = make([]int64, 4)
				}
				load[row.Layer][row.Expert] += row.Tokens
				balance[row.Layer] += row.Balance / float64(int64(c.replicas)*(r.Summary.Steps-int64(half)))
				all, dropped = all+row.Tokens, dropped+row.Dropped
			}
		}
		if want := int(r.Summary.Steps) * c.replicas * c.layers; len(tokens) != want || want == 0 {
			t.Errorf("%s: experts of %d steps of ranks and layers, want %d", c.parallel, len(tokens), want)
		}
		for k, n := range tokens {
			if n != 4*12*top || math.Abs(share[k]-1) > 1e-5 {
				t.Errorf("%+v: %d tokens with shares that sum to %v, want %d and 1", k, n, share[k], 4*12*top)
			}
		}
		f, worst, sum := r.Summary.Experts, 0.0, 0.0
		for layer, of := range load {
			mean := float64(of[0]+of[1]+of[2]+of[3]) / 4
			worst = max(worst, float64(slices.Max(of))/mean)
			sum += balance[layer]
		}
		if f == nil || math.Abs(f.Load-worst) > 1e-9 || math.Abs(f.Dropped-float64(dropped)/float64(all)) > 1e-9 ||
			math.Abs(float64(f.Balance)-sum) > 1e-9 || !(f.Entropy > 0 && f.Entropy <= 1) {
			t.Errorf("%s: %+v, want load %v, %d of %d dropped, balance %v", c.parallel, f, worst, dropped, all, sum)
		}
		if (f.Dropped > 0) != (c.most > 0) || (f.Balance > 0) != (c.experts != "capacity: 0.5, balance: 0") {
			t.Errorf("%s: %+v", c.experts, f)
		}
		without := run(t, yaml(c.parallel, c.experts, false), Options{})
		if without.WeightsSHA256 != r.WeightsSHA256 || without.Summary.Experts == nil || *without.Summary.Experts != *f {
			t.Errorf("%s: another training, or other figures, without the table", c.parallel)
		}
		if slices.Contains(without.Run.Tables(), "experts") || !slices.Contains(r.Run.Tables(), "experts") {
			t.Error("a table without output.experts, or none with it")
		}
	}
}

// An expert computes as long as what comes takes: of positions that all go to one, that one longer than of an even share and
// the others shorter, and the same for as many. Whatever they take, the bars are the step.
func TestExpertsComputeWhatComes(t *testing.T) {
	yaml := func(force, more string) string {
		return cluster8(5) + fmt.Sprintf(`
job:
  train: {model: gpt, gpt: {size: 64, blocks: 1, heads: 2, factor: 8, experts: {count: 4, top: 1, balance: 0, force: %s%s}},
    batch: 4, epochs: 1, steps: 2, lr: 0.01, kernel: fma, data: {text: {window: 32, grammar: {train: 300, test: 20}}}}
  parallel: {dp: 4, ep: 4}
`, force, more)
	}
	took := func(force, more string) (d [4]unit.Duration, r ran) {
		r = run(t, yaml(force, more), Options{Workers: 2})
		for _, o := range rows(t, r.Operations()) {
			if o.Step == 1 && strings.HasPrefix(o.Name, "expert.") {
				d[o.Rank] = o.End.Sub(o.Start)
			}
		}
		sumsToTheStep(t, r, force+more)
		return d, r
	}
	even, r := took("even", "")
	one, hot := took("one", "")
	planned, err := plan.New(read(t, yaml("even", "")), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, p := range planned.Jobs[0].Work.Programs {
		for _, op := range p.Ops {
			if op.Counted == nil {
				continue
			}
			counted++
			// The forecast is that of an even share.
			if at := op.Counted.On(&p.Device, op, 4*32); at.Duration != op.Duration || at.Memory != op.Memory || at.Effort != op.Effort {
				t.Errorf("%s: %v of an even share, planned %v", op.Name, at.Duration, op.Duration)
			}
			if !strings.HasPrefix(op.Name, "expert.") {
				continue
			}
			whole, none := op.Counted.On(&p.Device, op, 4*4*32).Duration, op.Counted.On(&p.Device, op, 0).Duration
			if want := [4]unit.Duration{op.Duration, op.Duration, op.Duration, op.Duration}; even != want {
				t.Errorf("of even positions experts take %v, want %v", even, want)
			}
			if want := [4]unit.Duration{whole, none, none, none}; one != want || whole <= op.Duration || none >= op.Duration {
				t.Errorf("of positions that go to one experts take %v, want %v, even ones %v", one, want, op.Duration)
			}
		}
	}
	if counted == 0 {
		t.Error("no operation is counted")
	}
	if a, b := r.Summary.Efficiency.MFU, hot.Summary.Efficiency.MFU; b >= a {
		t.Errorf("MFU %v with one expert that has all to do, %v with all of them", b, a)
	}
	if _, r := took("one", ", capacity: 1"); r.Summary.Experts.Dropped != 0.75 {
		t.Errorf("%+v, want three of four positions dropped", r.Summary.Experts)
	}
}

// Whichever way positions go, they come: weights are the same.
func TestWaysOfDispatchMoveTheSame(t *testing.T) {
	first := ""
	for _, way := range []string{"direct", "pairwise", "rails"} {
		r := run(t, cluster8(5)+fmt.Sprintf(`
job:
  train: {model: gpt, gpt: {size: 16, blocks: 1, heads: 2, factor: 2, experts: {count: 8}}, batch: 2, epochs: 1, steps: 2, lr: 0.1,
    precision: bf16, data: {text: {window: 8, grammar: {train: 300, test: 20}}}}
  parallel: {dp: 8, ep: 8}
  collective: {all_to_all: %s}
`, way), Options{Workers: 2})
		sumsToTheStep(t, r, way)
		if first == "" {
			first = r.WeightsSHA256
		}
		i := slices.IndexFunc(r.Summary.Efficiency.Communication, func(c mfu.Communication) bool { return c.Kind == mfu.Experts })
		if r.WeightsSHA256 != first || i < 0 || r.Summary.Efficiency.Communication[i].Exposed <= 0 {
			t.Errorf("%s: weights %s, want %s; %+v", way, r.WeightsSHA256, first, r.Summary.Efficiency.Communication)
		}
	}
}

// A router that sends all positions to one expert is the port of that expert's host, in the first place: an incast of all the
// others. What they wait there, and what bits take longer (the expert's own link has all that goes back), is what choices that are
// even save, within a tenth.
func TestCollapsedRouterIsThePortOfItsExpert(t *testing.T) {
	took := func(force string) ran {
		return run(t, fmt.Sprintf(`
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 25Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: none}
job:
  train: {model: gpt, gpt: {size: 64, blocks: 1, heads: 4, factor: 1, experts: {count: 8, top: 1, balance: 0, force: %s}},
    batch: 16, epochs: 1, steps: 2, lr: 0.01, kernel: fma, data: {text: {window: 32, grammar: {train: 1500, test: 20}}}}
  parallel: {ep: 8}
`, force), Options{Workers: 2})
	}
	one, even := took("one"), took("even")
	main := one.Diagnosis.Main()
	if main == nil || main.Kind != diagnose.SharedPort || main.Port != "rail1/host1" || one.Diagnosis.Finding(main).Noun != noun.Incast {
		t.Fatalf("the first blame is %+v, want an incast at rail1/host1", main)
	}
	bits := func(r ran) (sum unit.Duration) {
		for i := range r.Diagnosis.Blames {
			if b := &r.Diagnosis.Blames[i]; b.Kind == diagnose.LinkSpeed {
				sum += b.Time
			}
		}
		return sum
	}
	saved, attributed := one.Diagnosis.Whole-even.Diagnosis.Whole, main.Time+bits(one)-bits(even)
	if apart := math.Abs(float64(attributed-saved)) / float64(saved); apart > 0.1 || main.Time*3 < saved {
		t.Errorf("attributed %v, of it %v to the port; even choices save %v", attributed.Human(), main.Time.Human(), saved.Human())
	}
}
