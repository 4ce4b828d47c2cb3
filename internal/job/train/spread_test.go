package train

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// ofExperts is a training of a transformer with experts.
func ofExperts(t interface{ Fatal(...any) }, x nn.GPTExperts, l layout) Config {
	of := networks["gpt"]
	of.of = nn.Spec{Kind: "gpt", GPT: &nn.GPT{Vocabulary: 11, Context: 6, Size: 8, Blocks: 2, Heads: 2, Hidden: 12,
		Activation: nn.GELU, HeadBias: true, Gated: x.Top == 3, Experts: &x}}
	networks["experts of a test"] = of
	defer delete(networks, "experts of a test")
	return ofNetwork(t, "experts of a test", l)
}

// anySpread draws experts and a layout that spreads them.
func anySpread(t *rapid.T) (x nn.GPTExperts, l layout) {
	ep := rapid.SampledFrom([]int{2, 4}).Draw(t, "ep")
	l.EP, l.DP = ep, ep*rapid.IntRange(1, 2).Draw(t, "groups")
	l.PP = rapid.IntRange(1, 2).Draw(t, "stages")
	l.MicroBatches = rapid.SampledFrom([]int{1, 2}).Draw(t, "micro-batches")
	l.batch, l.steps = l.MicroBatches*rapid.IntRange(1, 2).Draw(t, "rows"), 3
	l.bucket = rapid.SampledFrom([]unit.Bytes{workload.BucketPerLayer, 2000, 0}).Draw(t, "bucket")
	l.with = rapid.SampledFrom([]nn.Optimiser{{}, momentum, adamW}).Draw(t, "optimiser")
	l.slices = rapid.IntRange(1, 2).Draw(t, "slices")
	l.perHost = rapid.SampledFrom([]int{0, 1, 2, 2}).Draw(t, "ranks on a host, in two levels")
	l.Zero = rapid.SampledFrom([]workload.Zero{workload.ZeroNone, workload.ZeroOptimiser}).Draw(t, "zero")
	l = l.anyPrecision(t)
	x = nn.GPTExperts{Every: rapid.IntRange(1, 2).Draw(t, "every"), Routing: nn.Routing{Count: 4 * rapid.IntRange(1, 2).Draw(t, "experts"),
		Top: rapid.IntRange(1, 3).Draw(t, "top"), Capacity: rapid.SampledFrom([]float64{0, 0, 0.5, 1.25}).Draw(t, "capacity"),
		Shared: rapid.IntRange(0, 1).Draw(t, "shared"), Balance: 0.1}}
	return x, l
}

// However experts are spread, and whatever the timing, each rank holds the oracle's weights; forwards are those of replicas
// that have all experts, and the weights after a step are within 1e-5 of theirs.
func TestSpreadExpertsEqualTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, l := anySpread(t)
		cfg := ofExperts(t, x, l)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		j := train(t, cfg, anyNet(t), nil)
		for d := range cfg.Replicas {
			if !equal(j.Gathered(d), oracle.Weights[d]) {
				t.Fatalf("replica %d holds other weights than the oracle's", d)
			}
		}
		for step, want := range oracle.Losses {
			if got := j.Loss(int64(step)); got != want {
				t.Fatalf("loss of step %d is %v, the oracle's %v", step, got, want)
			}
		}
		if !j.Agree() {
			t.Fatal("replicas do not agree")
		}
		if l.precision != (workload.Precision{}) {
			return // rows are rounded on their way to other ranks
		}
		l.EP, l.Zero, l.steps = 1, workload.ZeroNone, 1
		whole, err := Oracle(ofExperts(t, x, l))
		if err != nil {
			t.Fatal(err)
		}
		if whole.Losses[0] != oracle.Losses[0] {
			t.Fatalf("the first loss is %v, of replicas with all experts %v", oracle.Losses[0], whole.Losses[0])
		}
		l.EP = 2
		one, err := Oracle(ofExperts(t, x, l))
		if err != nil {
			t.Fatal(err)
		}
		for layer := range cfg.Model.Layers() {
			for _, of := range cfg.Model.Tensors(layer) {
				away, norm := 0.0, 0.0
				for i := of.Offset; i < of.Offset+of.Elems(); i++ {
					d := float64(one.Weights[0][i] - whole.Weights[0][i])
					away, norm = away+d*d, norm+float64(whole.Weights[0][i])*float64(whole.Weights[0][i])
				}
				if math.Sqrt(away) > 1e-5*math.Sqrt(norm)+1e-9 && l.with.Method != nn.AdamW { // its first step is a sign
					t.Fatalf("%s is %v away, of %v", of.Name, math.Sqrt(away), math.Sqrt(norm))
				}
			}
		}
	})
}

// Where ranks share the other layers, each of them has what it would have of the experts alone, and all of it alike: after a
// step losses and weights are the oracle's but for last bits, unless those turned a choice of a router, which is counted.
func TestSpreadExpertsBesideLayersInPartsAreCloseToTheOracle(t *testing.T) {
	all, turned := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		x, l := anySpread(t)
		l.EP, l.TP, l.steps, l.precision, l.with = 2, 2, 1, workload.Precision{}, nn.Optimiser{}
		l.DP = 2 * rapid.IntRange(1, 2).Draw(t, "groups of two")
		l.TPStyle = rapid.SampledFrom([]workload.TensorStyle{workload.Megatron, workload.BookStyle}).Draw(t, "style")
		if rapid.Bool().Draw(t, "all on each") {
			l.EP = 1
		}
		cfg := ofExperts(t, x, l)
		cfg.Routes = true
		j := train(t, cfg, anyNet(t), nil)
		l.TP = 1
		cfg = ofExperts(t, x, l)
		cfg.Routes = true
		alone := train(t, cfg, exectest.Net{}, nil)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for id := range j.ranks {
			first := j.work.Layout.Coord(id)
			first.Tensor = 0
			a, b := &j.ranks[j.work.Layout.Rank(first)], &j.ranks[id]
			for _, h := range j.work.Stages[first.Stage].Layers {
				if h.Way != workload.Spread && h.Way != workload.Whole {
					continue
				}
				of := workload.Range{Buffer: j.work.Stages[first.Stage].Parameters, Offset: h.Offset, Elems: h.Elems}
				if !bytes.Equal(a.stored(of), b.stored(of)) {
					t.Fatalf("rank %d holds other weights of layer %d than the rank with the first parts", id, h.Layer+1)
				}
			}
		}
		if all++; flips(j, alone) > 0 {
			turned++
			return
		}
		if got, want := j.Loss(0), oracle.Losses[0]; math.Abs(got-want) > 1e-5*want {
			t.Fatalf("loss %v, the oracle's %v", got, want)
		}
		for d := range cfg.Replicas {
			besides(t, cfg, j.Gathered(d), oracle.Weights[d], oracle.Weights[d])
		}
	})
	if t.Logf("%d of %d with a choice that last bits turned", turned, all); turned > all/4 {
		t.Errorf("%d of %d had a router choose otherwise: these compare nothing", turned, all)
	}
}

// flips is how many positions went elsewhere in the first step of one job than in that of another with one part of layers.
func flips(j, alone *Job) (n int) {
	for id := range alone.ranks {
		at := alone.work.Layout.Coord(id)
		to := map[string]int{} // by layer and expert
		count := func(j *Job, id, by int) {
			j.TakeRoutes(int32(id), 0, func(layer string, expert int, r Routed) { to[fmt.Sprint(layer, expert)] += by * r.Came })
		}
		count(alone, id, 1)
		count(j, j.work.Layout.Rank(at), -1)
		for _, d := range to {
			n += max(d, -d)
		}
	}
	return n
}

// What cannot be spread is refused by the key.
func TestExpertsThatCannotBeSpread(t *testing.T) {
	m, err := nn.NewGPT(nn.GPT{Vocabulary: 11, Context: 6, Size: 8, Blocks: 2, Heads: 2, Hidden: 12,
		Experts: &nn.GPTExperts{Routing: nn.Routing{Count: 4, Top: 1}, Every: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]workload.Layout{
		"ep 2 does not divide the 3 replicas": {DP: 3, EP: 2},
		"ep 3 does not divide the 4 experts":  {DP: 3, EP: 3},
		"zero 2 with ep 2":                    {DP: 2, EP: 2, Zero: workload.ZeroGradients},
		"cannot be split by positions: a mixture of experts is whole on each rank": {DP: 2, EP: 2, TP: 2, Sequence: true},
		"ep 2 with update each, want update end":                                   {DP: 2, EP: 2, Update: workload.UpdateEach},
		"ep -1, want at least 1":                                                   {DP: 2, EP: -1},
	} {
		if _, err := workload.Lower(workload.Config{Layers: Layers(m), Batch: 4, Layout: l}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	dense, err := nn.NewGPT(nn.GPT{Vocabulary: 11, Context: 6, Size: 8, Blocks: 1, Heads: 2, Hidden: 12})
	if err != nil {
		t.Fatal(err)
	}
	_, err = workload.Lower(workload.Config{Layers: Layers(dense), Batch: 4, Layout: workload.Layout{DP: 2, EP: 2}})
	if err == nil || !strings.Contains(err.Error(), "ep 2: no layer has experts, want ep 1") {
		t.Error(err)
	}
	_, err = workload.Lower(workload.Config{Layers: Layers(m), Batch: 4, Clip: 8, Layout: workload.Layout{DP: 2, EP: 2}})
	if err == nil || !strings.Contains(err.Error(), "ep 2 with clipped gradients") {
		t.Error(err)
	}
}

// miscounted is a job of which rank 1 believes, in step 1, that a rank sends it one more than it does, or that another number
// passes through it.
type miscounted struct{ *Job }

func (m miscounted) Counts(id int32, step int64, c int32, n workload.MemberCounts) {
	m.Job.Counts(id, step, c, n)
	if id == 1 && step == 1 && !m.cfg.Work.Collectives[c].Counts.Back {
		switch {
		case len(n.Through) == 0:
			n.Receive[0]++
		case n.Through[0] > 0:
			n.Through[0]--
		default:
			n.Through[0]++
		}
	}
}

// Ranks that believe different counts end the job, and both are named.
func TestRanksThatDisagreeOnCounts(t *testing.T) {
	t.Run("of what comes", func(t *testing.T) { disagreeOnCounts(t, layout{Layout: workload.Layout{DP: 2, EP: 2}}) })
	t.Run("of what passes through", func(t *testing.T) {
		disagreeOnCounts(t, layout{Layout: workload.Layout{DP: 4, EP: 4}, perHost: 2})
	})
}

func disagreeOnCounts(t *testing.T, l layout) {
	l.batch, l.steps = 2, 3
	cfg := ofExperts(t, nn.GPTExperts{Every: 1, Routing: nn.Routing{Count: 4, Top: 2}}, l)
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := exectest.New(exectest.Net{}, miscounted{j})
	for r := range cfg.Work.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: j.Steps(), Body: miscounted{j}})
	}
	_, err = d.Run()
	if err == nil || !strings.Contains(err.Error(), "rank 1, step 1") || !strings.Contains(err.Error(), "from rank 0") ||
		!strings.Contains(err.Error(), "do not agree on the sizes") {
		t.Errorf("%v, want both ranks named", err)
	}
}

// A training with spread experts that goes on from any step ends as one that never stopped.
func TestSpreadExpertsGoOn(t *testing.T) {
	for _, l := range []workload.Layout{{DP: 4, EP: 2, PP: 2, MicroBatches: 2}, {DP: 4, EP: 2, Zero: workload.ZeroOptimiser},
		{DP: 2, EP: 2, TP: 2, Zero: workload.ZeroOptimiser}} {
		goOn(t, ofExperts(t, nn.GPTExperts{Every: 1, Routing: nn.Routing{Count: 4, Top: 2, Balance: 0.1}},
			layout{Layout: l, batch: 2, steps: 5, with: momentum}))
	}
}

func goOn(t *testing.T, cfg Config) {
	t.Helper()
	whole := kept(t, cfg, exectest.Net{})
	last := whole.states[4]
	for at := 1; at < 5; at++ {
		cfg.Start = &whole.states[at-1]
		rest := kept(t, cfg, exectest.Net{})
		got := rest.states[len(rest.states)-1]
		if got.Step != last.Step || !equal(got.Params, last.Params) || !equal(got.Optimiser[0], last.Optimiser[0]) {
			t.Errorf("from step %d other weights or velocities than without a stop", at)
		}
	}
}

// What ranks are given of rows, and what layers keep of them, is what the formula says; with a capacity there is room for less. Of
// staging they take no more than it says: to where nothing was sent nothing came.
func TestMemoryOfSpreadExpertsIsTheFormulas(t *testing.T) {
	rows := map[float64]unit.Bytes{}
	for _, capacity := range []float64{0, 1} {
		cfg := ofExperts(t, nn.GPTExperts{Every: 1, Routing: nn.Routing{Count: 4, Top: 2, Capacity: capacity}},
			layout{Layout: workload.Layout{DP: 4, EP: 4, MicroBatches: 2}, batch: 4, steps: 2})
		j := train(t, cfg, exectest.Net{}, nil)
		for id := range cfg.Work.Of {
			want, got := cfg.Work.Memory(int32(id)), j.Memory(int32(id))
			for term := range workload.Terms {
				if of := workload.Term(term); got[of] != want[of] && (of != workload.StagingExpert || got[of] > want[of]) {
					t.Errorf("capacity %v: rank %d holds %d bytes of %s, by formula %d", capacity, id, got[of], of, want[of])
				}
			}
			rows[capacity] = want[workload.ExpertTerm]
		}
	}
	// Of 2 rows of 6 positions of 8 numbers 24 copies leave; of each of 4 ranks 12 can come, or 3 of each row; two layers' counts.
	counts := unit.Bytes(2 * 2 * 4 * 4)
	if all, some := 4*8*unit.Bytes(24+4*12)+counts, 4*8*unit.Bytes(24+4*6)+counts; rows[0] != all || rows[1] != some {
		t.Errorf("room of %d bytes, %d with a capacity of 1, want %d and %d", rows[0], rows[1], all, some)
	}
}

// What each rank sends to experts of others is what was counted, to the byte.
func TestRowsOfExpertsAreWhatWasCounted(t *testing.T) {
	cfg := ofExperts(t, nn.GPTExperts{Every: 1, Routing: nn.Routing{Count: 8, Top: 2, Capacity: 1}},
		layout{Layout: workload.Layout{DP: 4, EP: 4}, batch: 3, steps: 4})
	cfg.Routes = true
	sent := make([]int64, 4)
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := exectest.New(exectest.Net{Posted: func(_ unit.Time, m exec.Message) {
		if strings.HasPrefix(cfg.Work.Collectives[m.Coll].Name, "dispatch") {
			sent[m.Src] += int64(m.Bytes)
		}
	}}, j)
	for r := range cfg.Work.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: j.Steps(), Body: j})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	for r := range sent {
		rows := int64(0)
		for step := range j.Steps() {
			j.TakeRoutes(int32(r), step, func(_ string, expert int, to Routed) {
				if expert/2 != r { // two are its own
					rows += int64(to.Came - to.Dropped)
				}
			})
		}
		if want := 2 * rows * 8 * 4; sent[r] != want || want == 0 { // rows and their gradients, of 8 numbers of 4 bytes
			t.Errorf("rank %d sent %d bytes to experts of others, want %d", r, sent[r], want)
		}
	}
}

// exchanged are parameters in which two experts have changed their numbers: what is learnt is the same, but the second of a
// position's two copies is combined before the first.
func exchanged(m *nn.Model, p []float32) []float32 {
	p = slices.Clone(p)
	swap := func(a, b []float32) {
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
	}
	for l := range m.Layers() {
		at := map[string]nn.Tensor{}
		for _, of := range m.Tensors(l) {
			_, name, ok := strings.Cut(of.Name, "experts.")
			if at[name] = of; ok && name == "router.weight" {
				row := of.Elems() / 2
				swap(p[of.Offset:][:row], p[of.Offset+row:][:row])
			}
		}
		for name, of := range at {
			if rest, first := strings.CutPrefix(name, "experts.0."); first {
				swap(p[of.Offset:][:of.Elems()], p[at["experts.1."+rest].Offset:][:of.Elems()])
			}
		}
	}
	return p
}

// The order in which a position's copies are combined is in the digest: with it turned round a step ends with other weights,
// though hardly, below the experts, whose gradients are sums of both copies. (A sum of two numbers alone is the same in either
// order: outputs, and so losses and the experts' own weights, are.)
func TestTheOrderOfCopiesIsInTheDigest(t *testing.T) {
	cfg := ofExperts(t, nn.GPTExperts{Every: 1, Routing: nn.Routing{Count: 2, Top: 2}},
		layout{Layout: workload.Layout{DP: 2, EP: 2}, batch: 2, steps: 2})
	first := kept(t, cfg, exectest.Net{}).states[0]
	step := func(p []float32) []float32 {
		cfg.Start = &State{Step: first.Step, EpochLoss: first.EpochLoss, Params: p, Optimiser: first.Optimiser}
		all := kept(t, cfg, exectest.Net{}).states
		return all[len(all)-1].Params
	}
	m := cfg.Model
	want, turned := step(first.Params), exchanged(m, step(exchanged(m, first.Params)))
	if Digest(want) != Digest(step(exchanged(m, exchanged(m, first.Params)))) {
		t.Fatal("exchanged twice they are others")
	}
	if Digest(want) == Digest(turned) {
		t.Error("the digest does not see the order in which copies are combined")
	}
	last := ""
	for l := range m.Layers() {
		for _, of := range m.Tensors(l) {
			for i := of.Offset; i < of.Offset+of.Elems(); i++ {
				if d := math.Abs(float64(want[i] - turned[i])); d > 1e-5 {
					t.Fatalf("%s is %v apart", of.Name, d)
				} else if d > 0 {
					last = of.Name
				}
			}
		}
	}
	if !strings.Contains(last, "experts.norm") {
		t.Errorf("the last that differs is %s, want the norm in front of the last experts", last)
	}
}
