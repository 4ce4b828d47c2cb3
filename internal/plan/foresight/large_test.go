package foresight

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

func largePlan(t *testing.T, text string) *plan.Plan {
	t.Helper()
	sc, err := scenario.Parse("large.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// A GPT as job.train has it and as job.model has it, with plain kernels, do the same: operation by operation the name, the
// duration, the FLOP, the bytes, the order, and what groups send, on layouts that are drawn.
func TestLargeModelDoesWhatATrainingDoes(t *testing.T) {
	draw := splitmix.Stream(1)
	pick := func(of ...int) int { return of[draw.Next()%uint64(len(of))] }
	for n := range 200 {
		tp, pp, dp := pick(1, 2, 4), pick(1, 2, 4), pick(1, 2, 3)
		micro := pick(1, 2, 4)
		parallel := fmt.Sprintf("tp: %d, pp: %d, dp: %d, micro_batches: %d", tp, pp, dp, micro)
		mixed := pick(0, 0, 1) == 1 // in every block experts, which other layers in parts are beside
		trainedExperts, shapedExperts := "", ""
		if mixed {
			top, shared := pick(1, 2, 3), pick(0, 1)
			trainedExperts = fmt.Sprintf(", experts: {count: 6, top: %d, shared: %d}", top, shared)
			shapedExperts = fmt.Sprintf(", experts: 6, top_k: %d, shared_experts: %d", top, shared)
			parallel += fmt.Sprintf(", ep: %d", dp)
		}
		if dp > 1 && mixed {
			parallel += fmt.Sprintf(", zero: %d", pick(0, 1))
		} else if dp > 1 {
			parallel += fmt.Sprintf(", zero: %d", pick(0, 1, 2, 3))
		}
		if tp > 1 && !mixed && pick(0, 1) == 1 {
			parallel += ", sequence: true"
		}
		if pp > 1 {
			switch pick(0, 1, 2) {
			case 1:
				parallel += ", schedule: gpipe"
			case 2:
				if micro%pp == 0 {
					parallel += ", schedule: interleaved"
				}
			}
		}
		if tp*pp > 1 {
			parallel += ", order: " + []string{"tp-dp-pp", "pp-tp-dp", "dp-tp-pp"}[pick(0, 1, 2)]
		}
		gated, bias := pick(0, 1) == 1, pick(0, 1) == 1
		norm := []string{"layer-norm", "rms-norm"}[pick(0, 1)]
		rows := 4
		cluster := "cluster: {hosts: 6, host: {gpus: 8, preset: hgx-h100}}\n"
		trained := largePlan(t, cluster+fmt.Sprintf(`job:
  train: {model: gpt,
    gpt: {size: 32, blocks: 8, heads: 4, norm: %s, gated: %v, bias: %v, tied: false, head_bias: false, activation: %s%s},
    data: {text: {window: 16, vocabulary: 48, grammar: {file: english, train: 400, test: 10}}}, batch: %d, lr: 0.1,
    optimiser: adam, start: equal, bucket: layer}
  parallel: {%s}
`, norm, gated, bias, map[bool]string{false: "gelu", true: "silu"}[gated], trainedExperts, rows, parallel))
		shaped := largePlan(t, strings.Replace(cluster, "{", "{nvlink_collectives: messages, ", 1)+fmt.Sprintf(`job:
  model: {layers: 8, hidden: 32, ffn: 128, heads: 4, vocabulary: 48, sequence: 16, norm: %s, positions: learned, gated: %v,
    bias: %v, kernels: plain, precision: tf32, batch: %d%s}
  collective: {protocol: none}
  parallel: {%s}
`, norm, gated, bias, rows*dp, shapedExperts, parallel))
		compareJobs(t, fmt.Sprintf("%d: %s", n, parallel), trained.Jobs[0].Work, shaped.Jobs[0].Work)
		if t.Failed() {
			return
		}
	}
}

func compareJobs(t *testing.T, what string, a, b *workload.Job) {
	t.Helper()
	if len(a.Of) != len(b.Of) || len(a.Groups) != len(b.Groups) || len(a.Collectives) != len(b.Collectives) {
		t.Errorf("%s: %d and %d ranks, %d and %d groups, %d and %d collectives", what, len(a.Of), len(b.Of), len(a.Groups),
			len(b.Groups), len(a.Collectives), len(b.Collectives))
		return
	}
	for i := range a.Collectives {
		if x, y := &a.Collectives[i], &b.Collectives[i]; x.Name != y.Name || x.Bytes() != y.Bytes() || x.Group != y.Group {
			t.Errorf("%s: collective %d: %s of %v and %s of %v", what, i, x.Name, x.Bytes(), y.Name, y.Bytes())
			return
		}
	}
	if !reflect.DeepEqual(a.Buffers, b.Buffers) {
		t.Errorf("%s: buffers %v and %v", what, a.Buffers, b.Buffers)
	}
	for r := range a.Of {
		x, y := a.Program(int32(r)).Ops, b.Program(int32(r)).Ops
		if len(x) != len(y) {
			t.Errorf("%s: rank %d: %d and %d operations", what, r, len(x), len(y))
			return
		}
		for i := range x {
			p, q := x[i], y[i]
			if !reflect.DeepEqual(p, q) {
				t.Errorf("%s: rank %d: operation %d: %+v and %+v", what, r, i, p, q)
				return
			}
		}
	}
}

const formulaModel = `
cluster: {hosts: 4, host: {gpus: 8, preset: hgx-h100}}
run: {network: formula}
job:
  model: {layers: 8, hidden: 1024, ffn: 4096, heads: 16, vocabulary: 32000, sequence: 2048, batch: 32%s}
  parallel: {tp: %d, pp: %d, micro_batches: %d%s}
`

// Ranks that stand for others take the time that all of them take.
func TestFoldedRanksTakeTheTimeOfAll(t *testing.T) {
	for _, c := range []struct {
		tp, pp, micro int
		more          string
	}{{1, 1, 1, ""}, {8, 1, 1, ""}, {8, 4, 8, ""}, {2, 4, 4, ", sequence: true"}, {4, 2, 2, ", zero: 1"}, {4, 1, 2, ", zero: 3"}} {
		text := fmt.Sprintf(formulaModel, "", c.tp, c.pp, c.micro, c.more)
		folded := largePlan(t, text)
		whole := largePlan(t, strings.Replace(text, "cluster: {", "cluster: {slow: [{rank: 0, factor: 1.000001}], ", 1))
		if n := folded.Jobs[0].Ranks(); n != c.pp || whole.Jobs[0].Ranks() != 32 {
			t.Fatalf("%d ranks stand for 32, and %d", n, whole.Jobs[0].Ranks())
		}
		_, one := phaseTimes(folded, &folded.Jobs[0])
		_, all := phaseTimes(whole, &whole.Jobs[0])
		if d := float64(all-one) / float64(one); d < 0 || d > 1e-5 {
			t.Errorf("tp %d pp %d%s: folded %v, all %v", c.tp, c.pp, c.more, one, all)
		}
	}
}

// Twice the peaks and rates, and half of every latency and launch, halve a step.
func TestTwiceAsFastHalvesAStep(t *testing.T) {
	text := fmt.Sprintf(formulaModel, "", 4, 2, 4, "")
	slow := largePlan(t, text)
	fast := largePlan(t, strings.Replace(text, "preset: hgx-h100", "preset: hgx-h100, flops_bf16: 1978TFLOP/s, nvlink: 900GB/s, "+
		"memory_bandwidth: 6700GB/s, launch: 1.5us", 1))
	for i := range slow.Jobs[0].Work.Programs {
		for k := range slow.Jobs[0].Work.Programs[i].Ops {
			a, b := &slow.Jobs[0].Work.Programs[i].Ops[k], &fast.Jobs[0].Work.Programs[i].Ops[k]
			if d := a.Duration - 2*b.Duration; d < -200 || d > 200 { // some kernels, each rounded up to a picosecond
				t.Fatalf("%s: %v and %v", a.Name, a.Duration, b.Duration)
			}
		}
	}
}

// With one micro-batch of p equal stages, each computes 1/p of the time.
func TestOneMicroBatchShowsTheBubble(t *testing.T) {
	p := largePlan(t, fmt.Sprintf(formulaModel, ", recompute: none", 1, 4, 1, ""))
	j := &p.Jobs[0]
	busy := 0.0
	_, step := phaseTimes(p, j)
	for r := range j.Ranks() {
		for i := range j.Work.Program(int32(r)).Ops {
			if op := &j.Work.Program(int32(r)).Ops[i]; op.Kind == workload.Compute && !strings.HasPrefix(op.Name, "update") {
				busy += op.Duration.Seconds()
			}
		}
	}
	waits := 1 - busy/(4*step.Seconds())
	if waits < 0.74 || waits > 0.80 { // sends and updates come to the (p-1)/p
		t.Errorf("stages wait %.3f of the step, want 3/4 and what sends take", waits)
	}
}

func TestLargeModelsThatCannotRun(t *testing.T) {
	for _, c := range []struct{ job, want string }{
		{"model: {preset: deepseek-v3, batch: 64}", "job.model.preset: deepseek-v3: latent attention is not lowered yet"},
		{"model: {preset: llama3-8b, batch: 64}\n  parallel: {ep: 2}", "job.parallel.ep: ep 2: no layer has experts, want ep 1"},
		{"model: {preset: mixtral-8x7b, batch: 64}\n  parallel: {ep: 16}", "ep 16 does not divide the 8 experts of layer 3"},
		{"model: {preset: mixtral-8x7b, batch: 64}\n  parallel: {ep: 8, zero: 2}", "job.parallel.zero: zero 2 with ep 8"},
		{"model: {preset: mixtral-8x7b, batch: 64, recompute: full}\n  parallel: {ep: 8}",
			"job.model.recompute: full: with job.parallel.ep 8 rows are not sent to experts again"},
		{"model: {preset: mixtral-8x7b, batch: 64}\n  parallel: {ep: 8}\nrun: {network: formula}",
			"run.network: formula: dispatch and combine of experts have no closed form"},
		{"model: {preset: llama3-8b, batch: 64}\n  parallel: {pp: 64, dp: 1}",
			"job.parallel.pp: 64 stages, virtual ones counted, of 32 blocks"},
	} {
		sc, err := scenario.Parse("large.yaml", []byte("cluster: {hosts: 8}\njob:\n  "+c.job+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = plan.New(sc, plan.Files{}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.job, err, c.want)
		}
	}
}

// Without overlap no collective of replicas, or of stages, runs beside computing, whatever the layout; with it a step is no
// longer, and what is computed and sent is the same.
func TestOverlapIsAChoice(t *testing.T) {
	for _, c := range []struct {
		tp, pp, micro int
		more          string
	}{{8, 1, 2, ""}, {4, 1, 2, ", zero: 1"}, {4, 1, 2, ", zero: 2"}, {4, 1, 2, ", zero: 3"}, {2, 4, 8, ""}, {2, 4, 4, ", schedule: gpipe"},
		{4, 2, 4, ", schedule: interleaved"}, {2, 2, 2, ", zero: 1"}, {2, 4, 4, ", zero: 3"}} {
		steps := map[string]float64{}
		sent := map[string]string{}
		for _, overlap := range []string{"all", "data", "sends", "none"} {
			p := largePlan(t, fmt.Sprintf(formulaModel, ", overlap: "+overlap, c.tp, c.pp, c.micro, c.more))
			j := &p.Jobs[0]
			_, step := phaseTimes(p, j)
			steps[overlap] = step.Seconds()
			all, between := StepBytes(p, j)
			sent[overlap] = fmt.Sprint(all, between)
			beside(t, p, overlap)
		}
		for _, overlap := range []string{"data", "sends", "none"} {
			if steps[overlap] < steps["all"] || steps["none"] < steps[overlap] || sent[overlap] != sent["all"] {
				t.Errorf("tp %d pp %d%s: overlap %s: %v s of %v, sent %v of %v", c.tp, c.pp, c.more, overlap, steps[overlap], steps,
					sent[overlap], sent["all"])
			}
		}
		if c.pp == 1 && steps["none"] == steps["all"] {
			t.Errorf("tp %d%s: a step of %v s with overlap and without", c.tp, c.more, steps["all"])
		}
	}
}

// beside fails where a collective that computing should wait for runs beside it.
func beside(t *testing.T, p *plan.Plan, overlap string) {
	t.Helper()
	j := &p.Jobs[0]
	blocks := map[string]bool{workload.GroupKindData: overlap == "sends" || overlap == "none",
		workload.GroupKindPipeline: overlap == "data" || overlap == "none"}
	for r, spans := range Forecast(p, j) {
		ops := j.Work.Program(int32(r)).Ops
		for i := range ops {
			if ops[i].Kind != workload.Communication || !blocks[j.Work.Groups[j.Work.Collectives[ops[i].Coll].Group].Kind] {
				continue
			}
			for k := range ops {
				if ops[k].Kind == workload.Compute && spans[k].Start < spans[i].End && spans[i].Start < spans[k].End {
					t.Errorf("overlap %s: rank %d: %s beside %s", overlap, r, ops[i].Name, ops[k].Name)
					return
				}
			}
		}
	}
}
