package train

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// layout is a training of five layers in a layout.
type layout struct {
	workload.Layout
	bucket    unit.Bytes
	with      nn.Optimiser // without a rate: 0.1
	batch     int          // images per replica and step
	steps     int64
	sizes     []int // nil: of layers that two ranks cannot share
	slices    int   // of the chunks that replicas send each other; 0: 1
	credits   int   // of their rings; 0: without
	precision workload.Precision
	perHost   int  // of ranks that share experts: in two levels; 0: pairwise
	sigmoid   bool // not ReLU, which hides what it multiplies by nothing
}

// shared are the sizes of layers that two or four ranks can share.
var shared = []int{20, 16, 12, 8, 12, 12}

func (l layout) config(t interface{ Fatal(...any) }) Config {
	sizes := l.sizes
	if sizes == nil {
		sizes = []int{20, 13, 12, 11, 12, 10}
	}
	activation := nn.ReLU
	if l.sigmoid {
		activation = nn.Sigmoid
	}
	m, err := nn.NewMLP(sizes, activation, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Model: m, Kernel: nn.Portable, Train: blobs(150, 20), Replicas: max(l.DP, 1), Batch: l.batch,
		Epochs: 10, Steps: l.steps, Seed: 5, Optimiser: l.with, poison: true}
	if cfg.Optimiser.LR == 0 {
		cfg.Optimiser.LR = 0.1
	}
	cfg.Work, err = workload.Lower(workload.Config{Layers: Layers(m), Batch: l.batch, State: cfg.Optimiser.State(),
		Clip: Clip(&cfg.Optimiser), Bucket: l.bucket, Precision: l.precision, Layout: l.Layout, Schedules: l.schedules, Device: device})
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Work.CheckRepeat(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// schedules are rings, and for neighbours a send with a slot.
func (l *layout) schedules(g *workload.Group, c coll.Collective) (coll.Schedule, error) {
	order := make([]int32, len(g.Ranks))
	for i := range order {
		order[i] = int32(i)
	}
	if c == coll.AllGather && g.Kind == workload.GroupKindTensor {
		slices.Reverse(order) // owners are not in the order of ranks
		return coll.RingAllGather([][]int32{order, order})
	}
	if c == coll.AllToAll && l.perHost > 0 {
		return coll.TwoLevelAllToAll([][]int32{order, order}, max(l.slices, 1), l.perHost)
	}
	if c == coll.AllToAll {
		return coll.PairwiseAllToAll([][]int32{order, order}, max(l.slices, 1))
	}
	if c == coll.SendReceive {
		s, err := coll.DirectSend([][]int32{order}, 1)
		if err != nil {
			return nil, err
		}
		return s.Credited(1)
	}
	back := slices.Clone(order)
	slices.Reverse(back)
	ring, err := map[coll.Collective]func([][]int32) (*coll.Ring, error){coll.AllReduce: coll.RingAllReduce,
		coll.ReduceScatter: coll.RingReduceScatter, coll.AllGather: coll.RingAllGather}[c]([][]int32{order, back})
	if err != nil || g.Kind != workload.GroupKindData {
		return ring, err
	}
	if ring, err = ring.Sliced(max(l.slices, 1)); err == nil && l.credits > 0 {
		return ring.Credited(l.credits)
	}
	return ring, err
}

// optimisers keep nothing, one vector and two for each parameter.
var optimisers = []nn.Optimiser{{}, momentum, adamW,
	{WeightDecay: 0.1, Schedule: nn.Schedule{Course: nn.Steps, Warmup: 2, Every: 1, Factor: 0.5}}, clipped,
	{Momentum: 0.9, Nesterov: true, Schedule: nn.Schedule{Course: nn.Linear, Total: 4}},
	{Method: nn.RMSprop, LR: 0.01, Alpha: 0.9, Epsilon: 1e-6, Momentum: 0.5, Schedule: nn.Schedule{Course: nn.InverseSqrt, Warmup: 2}}}

// clipped shortens the gradients of most steps.
var clipped = nn.Optimiser{LR: 1, Momentum: 0.9, Clip: 0.3}

var (
	momentum = nn.Optimiser{Momentum: 0.9}
	adamW    = nn.Optimiser{Method: nn.AdamW, LR: 0.01, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, WeightDecay: 0.1,
		Schedule: nn.Schedule{Course: nn.Cosine, Warmup: 1, Total: 4}}
)

func anyLayout(t *rapid.T) layout {
	l := layout{Layout: workload.Layout{DP: rapid.IntRange(1, 3).Draw(t, "dp"), PP: rapid.IntRange(1, 4).Draw(t, "pp"),
		MicroBatches: rapid.IntRange(1, 5).Draw(t, "micro-batches"), Slots: rapid.IntRange(1, 3).Draw(t, "slots"),
		Schedule: rapid.SampledFrom([]workload.PipelineSchedule{workload.OneFOneB, workload.GPipe, workload.Interleaved,
			workload.BookOrder}).Draw(t, "schedule"),
		Update: rapid.SampledFrom([]workload.Updates{workload.UpdateEnd, workload.UpdateEnd,
			workload.UpdateEach}).Draw(t, "update"),
		Order: [3]workload.Axis(rapid.Permutation(workload.DefaultOrder[:]).Draw(t, "order"))},
		bucket: rapid.SampledFrom([]unit.Bytes{0, 900, workload.BucketPerLayer}).Draw(t, "bucket"),
		with:   rapid.SampledFrom(optimisers).Draw(t, "optimiser"), steps: 4}
	l.Stash = l.Update == workload.UpdateEach && rapid.Bool().Draw(t, "stash")
	if l.Schedule == workload.Interleaved {
		l.PP, l.Virtual = 2, 2
		l.MicroBatches = 2 * rapid.IntRange(1, 2).Draw(t, "rounds")
	}
	if l.PP > 1 && l.Update == workload.UpdateEach && l.with.Clip > 0 {
		l.with = momentum
	}
	l.batch = l.MicroBatches * rapid.IntRange(1, 2).Draw(t, "rows")
	l.slices, l.credits = rapid.IntRange(1, 2).Draw(t, "slices"), rapid.IntRange(0, 2).Draw(t, "credits")
	if l.DP > 1 && l.Update == workload.UpdateEnd {
		l.Zero = workload.Zero(rapid.IntRange(0, 3).Draw(t, "zero"))
	}
	return l
}

// anyPrecision draws in which formats numbers lie and travel.
func (l layout) anyPrecision(t *rapid.T) layout {
	format := func(of string) workload.Format { return workload.Format(rapid.IntRange(0, 1).Draw(t, of)) }
	l.precision = workload.Precision{Wire: format("wire"), Weights: format("weights"), Activations: format("activations")}
	return l
}

// anyNet is an ideal network whose messages and credits come when they like.
func anyNet(t *rapid.T) exectest.Net {
	seed := stream{splitmix.Stream(rapid.Uint64().Draw(t, "latencies"))}
	return exectest.Net{Rate: unit.GigabitPerSec,
		Ack:     unit.Duration(rapid.Int64Range(0, 30).Draw(t, "ack")) * us,
		Credit:  func(exec.Way) unit.Duration { return unit.Duration(seed.below(40)) * us },
		Latency: func(exec.Message) unit.Duration { return unit.Duration(seed.below(40)) * us },
		BodyAt: rapid.SampledFrom([]exectest.BodyAt{exectest.AtStart, exectest.AtEnd, exectest.Beside}).Draw(t,
			"bodies")}
}

// Whatever the layout, the schedule and the network, every replica holds the oracle's weights.
func TestLayoutsEqualTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyLayout(t).anyPrecision(t).config(t)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		sameAsOracle(t, train(t, cfg, anyNet(t), nil), oracle)
	})
}

func sameAsOracle(t interface{ Fatalf(string, ...any) }, j *Job, oracle *Outcome) {
	for d, want := range oracle.Weights {
		got := j.Gathered(d)
		if i := slices.IndexFunc(got, func(w float32) bool { return math.IsNaN(float64(w)) }); i >= 0 {
			t.Fatalf("replica %d: weight %d is made of memory that nobody has written", d, i)
		}
		if !equal(got, want) {
			t.Fatalf("replica %d differs from the oracle", d)
		}
	}
	for s, want := range oracle.Losses {
		if got := j.Loss(int64(s)); got != want {
			t.Fatalf("step %d: loss %v, the oracle's %v", s, got, want)
		}
	}
	if !j.Agree() {
		t.Fatalf("replicas differ")
	}
}

// With one update at the end, how layers and timetables are cut changes no bit: micro-batches are
// summed in the same order.
func TestStagesChangeNoBit(t *testing.T) {
	of := func(l workload.Layout) []float32 {
		l.DP, l.MicroBatches = 2, 4
		cfg := layout{Layout: l, batch: 8, with: momentum, steps: 5}.config(t)
		return train(t, cfg, exectest.Net{Rate: unit.GigabitPerSec}, nil).Gathered(1)
	}
	want := of(workload.Layout{})
	for _, l := range []workload.Layout{{PP: 2}, {PP: 3, Schedule: workload.GPipe}, {PP: 4, Schedule: workload.BookOrder},
		{PP: 2, Virtual: 2, Schedule: workload.Interleaved}, {PP: 5, Slots: 1}} {
		if !equal(of(l), want) {
			t.Errorf("%+v: other weights than one stage", l)
		}
	}
}

// Ranks that share layers add up products in another order: the last bits differ, no more.
func TestTensorParallelIsCloseToTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout(t)
		l.TP, l.sizes = rapid.SampledFrom([]int{2, 4}).Draw(t, "tp"), shared
		l.TPStyle = rapid.SampledFrom([]workload.TensorStyle{workload.Megatron, workload.BookStyle}).Draw(t, "style")
		l.DP, l.steps = min(l.DP, 2), 1
		cfg := l.config(t)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		j := train(t, cfg, anyNet(t), nil)
		if math.Abs(j.Loss(0)-oracle.Losses[0]) > 1e-5*oracle.Losses[0] || !j.Agree() {
			t.Fatalf("loss %v, the oracle's %v; replicas agree: %v", j.Loss(0), oracle.Losses[0], j.Agree())
		}
		// RMSprop and Adam divide by what may be next to nothing: then as much as the oracle makes of other last bits.
		nudged, err := Oracle(nudge(cfg))
		if err != nil {
			t.Fatal(err)
		}
		for d := range cfg.Replicas {
			if l.Zero != workload.ZeroOptimiser { // else a replica has sums of its part alone
				besides(t, cfg, j.gather(nil, d, gradientsOf, j.now(gradientsOf)), oracle.Gradients[d], nudged.Gradients[d])
			}
			besides(t, cfg, j.Gathered(d), oracle.Weights[d], nudged.Weights[d])
		}
	})
}

var gradientsOf = vector{of: func(s *workload.Stage) int32 { return s.Gradients }, sharded: workload.ZeroGradients}

// near holds each tensor against another within 1e-5 of its norm, which is so many times larger.
func near(t interface{ Fatalf(string, ...any) }, cfg Config, got, want []float32, times float32) {
	within(t, cfg, got, want, times, 1e-5)
}

// within does so within a bound of its norm.
func within(t interface{ Fatalf(string, ...any) }, cfg Config, got, want []float32, times float32, bound float64) {
	scaled := make([]float32, len(want))
	for i, w := range want {
		scaled[i] = times * w
	}
	tensors(cfg, func(name string, lo, hi int) {
		d := distance(got[lo:hi], scaled[lo:hi])
		if !(d <= bound) {
			t.Fatalf("%s is %g of its norm away", name, d)
		}
	})
}

// tensors gives the model's tensors and where they lie among its parameters.
func tensors(cfg Config, each func(name string, lo, hi int)) {
	for l := range cfg.Model.Layers() {
		for _, of := range cfg.Model.Tensors(l) {
			each(of.Name, of.Offset, of.Offset+of.Elems())
		}
	}
}

// Gradients of one step, and the loss over twenty, stay close to those of one rank that takes whole
// global batches.
func TestLayoutsStayCloseToOneRank(t *testing.T) {
	for _, l := range []workload.Layout{{PP: 4, MicroBatches: 4}, {PP: 2, DP: 2, MicroBatches: 2},
		{PP: 2, Virtual: 2, MicroBatches: 4, Schedule: workload.Interleaved}, {TP: 4}, {TP: 4, TPStyle: workload.BookStyle},
		{DP: 2, TP: 2, PP: 2, MicroBatches: 2}, {DP: 2, TP: 2, PP: 2, TPStyle: workload.BookStyle, MicroBatches: 2}} {
		of := func(steps int64) (Config, *Job, *Outcome) {
			cfg := layout{Layout: l, batch: 8, steps: steps, sizes: shared}.config(t)
			one, err := OneRank(cfg)
			if err != nil {
				t.Fatal(err)
			}
			return cfg, train(t, cfg, exectest.Net{}, nil), one
		}
		_, j, one := of(20)
		for s, want := range one.Losses {
			if got := j.Loss(int64(s)); !(math.Abs(got-want) <= 1e-3*want) {
				t.Errorf("%+v: step %d has loss %v, one rank %v", l, s, got, want)
			}
		}
		cfg, j, one := of(1)
		near(t, cfg, j.gather(nil, 0, gradientsOf, j.now(gradientsOf)), one.Gradients[0], float32(max(l.DP, 1)*max(l.MicroBatches, 1)))
	}
}

// Parameters that ranks of one layer have in common stay the same on all of them.
func TestBiasesOfSharesAgree(t *testing.T) {
	cfg := layout{Layout: workload.Layout{TP: 2}, batch: 4, steps: 6, with: momentum, sizes: shared}.config(t)
	j := train(t, cfg, exectest.Net{}, nil)
	h := j.work.Stages[0].Layers[1] // rows: the biases lie at the end
	if h.Way != workload.Rows {
		t.Fatalf("layer 2 is had as %d", h.Way)
	}
	n := h.Offset + h.Elems
	if a, b := j.Weights(0)[n-12:n], j.Weights(1)[n-12:n]; !equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// With an update after each micro-batch the stages drift from one rank; keeping the forward's
// weights for the backward is another drift.
func TestUpdatesWithinAStepDrift(t *testing.T) {
	var digests []string
	for _, l := range []workload.Layout{{}, {Update: workload.UpdateEach}, {Update: workload.UpdateEach, Stash: true}} {
		l.PP, l.MicroBatches = 3, 4
		cfg := layout{Layout: l, batch: 4, steps: 3}.config(t)
		j := train(t, cfg, exectest.Net{}, nil)
		d := Digest(j.Gathered(0))
		if slices.Contains(digests, d) {
			t.Errorf("%+v: the weights of another layout", l)
		}
		digests = append(digests, d)
		one, err := OneRank(cfg)
		if err != nil {
			t.Fatal(err)
		}
		each := l.Update == workload.UpdateEach
		drift, ok := j.Drift(func(int64) bool { return true })
		if want := distance(j.Gathered(0), one.Weights[0]); !ok || drift != want || j.Drifts() != each || drift > 1e-3 != each {
			t.Errorf("%+v: drift %v, want %v", l, drift, want)
		}
		asked := int64(0)
		if drift, ok := j.Drift(func(done int64) bool { asked++; return done < 1 }); ok || drift != 0 || asked != 2 {
			t.Errorf("%+v: stopped when asked %d times, drift %v", l, asked, drift)
		}
	}
}

// A driver that places one message of a pipeline elsewhere is found out.
func TestWrongPlacementBetweenStages(t *testing.T) {
	cfg := layout{Layout: workload.Layout{PP: 3, DP: 2, MicroBatches: 3}, batch: 3, steps: 3}.config(t)
	oracle, err := Oracle(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(*exec.Message){
		"from 4 bytes further": func(m *exec.Message) { m.From.Off += 4; m.From.Len -= 4; m.To.Len -= 4 },
		"in another staging":   func(m *exec.Message) { m.To.Buffer = exec.Staging(cfg.Work, m.Coll+1, m.Step) },
		"without 4 bytes":      func(m *exec.Message) { m.From.Len -= 4; m.To.Len -= 4 },
	} {
		n := 0
		j := train(t, cfg, exectest.Net{Misplace: func(m *exec.Message) {
			if cfg.Work.Groups[m.Group].Kind != workload.GroupKindPipeline {
				return
			}
			if n++; n == 14 {
				wrong(m)
			}
		}}, nil)
		if n < 14 || equal(j.Gathered(0), oracle.Weights[0]) && equal(j.Gathered(1), oracle.Weights[1]) {
			t.Errorf("%s: the weights are right", name)
		}
	}
}
