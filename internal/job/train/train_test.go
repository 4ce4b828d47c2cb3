package train

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
)

const us = unit.Microsecond

var device = workload.Device{FLOPS: 1e9, MemoryBandwidth: unit.GigabitPerSec, Launch: 3 * us,
	MatmulEff: unit.Ratio{Num: 1, Den: 2}, MemoryEff: unit.Ratio{Num: 4, Den: 5}}

// blobs is a set of noisy pictures of the classes 0..9: enough to learn something from.
func blobs(images, inputs int) *dataset.Images {
	s := &dataset.Images{N: images, Rows: 1, Cols: inputs}
	noise := stream{7}
	for i := range images {
		label := byte(i * 7 % 10)
		s.Labels = append(s.Labels, label)
		for p := range inputs {
			v := noise.below(100)
			if p%10 == int(label) {
				v += 150
			}
			s.Pixels = append(s.Pixels, byte(v))
		}
	}
	return s
}

type job struct {
	ranks, channels, slices int
	slots                   int // with credit; 0: without
	bucket                  unit.Bytes
	momentum                float64
	steps                   int64
	precision               workload.Precision
}

func (j job) config(t interface{ Fatal(...any) }) Config {
	m, err := nn.NewMLP([]int{20, 12, 10}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Model: m, Kernel: nn.Portable, Train: blobs(150, 20), Replicas: j.ranks, Batch: 3,
		Epochs: 10, Steps: j.steps, Seed: 5, poison: true,
		Optimiser: nn.Optimiser{LR: 0.5, Momentum: j.momentum}}
	dp := workload.Config{Layers: Layers(m), Batch: cfg.Batch, State: cfg.Optimiser.State(), Bucket: j.bucket,
		Layout: workload.Layout{DP: j.ranks}, Precision: j.precision, Device: device}
	if j.ranks > 1 {
		orders := make([][]int32, j.channels)
		for c := range orders {
			for r := range j.ranks {
				orders[c] = append(orders[c], int32((r*(2*c+1)+c)%j.ranks)) // odd strides: permutations of 2, 4 and 8
			}
		}
		ring, err := coll.RingAllReduce(orders)
		if err == nil {
			ring, err = ring.Sliced(max(j.slices, 1))
		}
		if err == nil && j.slots > 0 {
			ring, err = ring.Credited(j.slots)
		}
		if err != nil {
			t.Fatal(err)
		}
		dp.Schedules = func(*workload.Group, coll.Collective) (coll.Schedule, error) { return ring, nil }
	}
	if cfg.Work, err = workload.Lower(dp); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// train runs the job over an ideal network.
func train(t interface{ Fatal(...any) }, cfg Config, net exectest.Net, o exec.Observer) *Job {
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := exectest.New(net, j)
	for r := range cfg.Work.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: j.Steps(), Body: j, Observer: o})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	return j
}

func equal(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// Whatever the network does, and whenever the bodies really run, the weights are the oracle's.
func TestWeightsEqualTheOracles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := job{ranks: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "ranks"),
			channels: rapid.IntRange(1, 4).Draw(t, "channels"),
			slices:   rapid.IntRange(1, 3).Draw(t, "slices"),
			slots:    rapid.SampledFrom([]int{0, 1, 2, 4}).Draw(t, "slots"),
			bucket:   rapid.SampledFrom([]unit.Bytes{0, workload.BucketPerLayer}).Draw(t, "bucket"),
			momentum: rapid.SampledFrom([]float64{0, 0.9}).Draw(t, "momentum"), steps: 4}
		cfg := w.config(t)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		seed := stream{splitmix.Stream(rapid.Uint64().Draw(t, "latencies"))}
		j := train(t, cfg, exectest.Net{Rate: unit.GigabitPerSec,
			Ack:     unit.Duration(rapid.Int64Range(0, 30).Draw(t, "ack")) * us,
			Credit:  func(exec.Way) unit.Duration { return unit.Duration(seed.below(40)) * us },
			Latency: func(exec.Message) unit.Duration { return unit.Duration(seed.below(40)) * us },
			BodyAt: rapid.SampledFrom([]exectest.BodyAt{exectest.AtStart, exectest.AtEnd, exectest.Beside}).Draw(t,
				"bodies")}, nil)
		for r := range cfg.Replicas {
			if !equal(j.Weights(int32(r)), oracle.Weights[r]) {
				t.Fatalf("rank %d differs from the oracle", r)
			}
		}
		for s, want := range oracle.Losses {
			if j.Loss(int64(s)) != want {
				t.Fatalf("step %d: loss %v, the oracle's %v", s, j.Loss(int64(s)), want)
			}
		}
		if !j.Agree() {
			t.Fatal("ranks differ")
		}
	})
}

// Summing over ranks in another order than one rank's changes the last bits only.
func TestTwentyStepsStayCloseToOneRank(t *testing.T) {
	for _, w := range []job{{ranks: 2, channels: 1}, {ranks: 4, channels: 2, momentum: 0.9},
		{ranks: 8, channels: 4, bucket: workload.BucketPerLayer}} {
		w.steps = 20
		cfg := w.config(t)
		j := train(t, cfg, exectest.Net{Rate: unit.GigabitPerSec}, nil)
		one, err := OneRank(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(one.Losses) != 20 {
			t.Fatalf("%d steps, want 20", len(one.Losses))
		}
		for l := range cfg.Model.Layers() {
			for _, of := range cfg.Model.Tensors(l) {
				lo, hi := of.Offset, of.Offset+of.Elems()
				if d := distance(j.Weights(0)[lo:hi], one.Weights[0][lo:hi]); d > 1e-5 {
					t.Errorf("%d ranks: %s is %g of its norm away from one rank's", w.ranks, of.Name, d)
				}
			}
		}
		if equal(j.Weights(0), cfg.Model.Init(cfg.Seed)) {
			t.Error("nothing was learnt")
		}
	}
}

// distance is |a - b| / |b|.
func distance(a, b []float32) float64 {
	var diff, norm float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		diff += d * d
		norm += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(diff / norm)
}

func TestItLearns(t *testing.T) {
	cfg := job{ranks: 4, channels: 2}.config(t)
	j := train(t, cfg, exectest.Net{}, nil)
	if a := j.Test(blobs(100, 20)).Accuracy(); a < 0.9 {
		t.Errorf("accuracy %.2f after %d steps, want 0.9", a, j.Steps())
	}
	if first, last := j.EpochLoss(j.EpochSteps()-1), j.EpochLoss(j.Steps()-1); last > first/2 {
		t.Errorf("mean loss %.3f in the first epoch and %.3f in the last", first, last)
	}
}

// A driver that places one message's bytes elsewhere is found out.
func TestWrongPlacementChangesTheWeights(t *testing.T) {
	cfg := job{ranks: 4, channels: 2, steps: 3}.config(t)
	oracle, err := Oracle(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]func(*exec.Message){
		"4 bytes further":          func(m *exec.Message) { m.To.Off += 4 },
		"in the next slot":         func(m *exec.Message) { m.To.Off += cfg.Work.Collectives[m.Coll].SlotBytes() },
		"from 4 bytes further":     func(m *exec.Message) { m.From.Off += 4 },
		"in the other staging":     func(m *exec.Message) { m.To.Buffer = exec.Staging(cfg.Work, m.Coll, m.Step+1) },
		"without the last 4 bytes": func(m *exec.Message) { m.From.Len -= 4; m.To.Len -= 4 },
	} {
		n := 0
		j := train(t, cfg, exectest.Net{Misplace: func(m *exec.Message) {
			if n++; n == 20 {
				wrong(m)
			}
		}}, nil)
		if equal(j.Weights(0), oracle.Weights[0]) {
			t.Errorf("%s: the weights are right", name)
		}
	}
}

// splits keeps step records.
type splits struct{ steps []exec.StepRecord }

func (s *splits) Step(r exec.StepRecord, _ []exec.Wait) { s.steps = append(s.steps, r) }
func (s *splits) Operation(exec.OperationRecord)        {}

// With a bucket per layer the last layer's gradients travel during the first layer's backward.
func TestABucketPerLayerOverlaps(t *testing.T) {
	for _, c := range []struct {
		bucket unit.Bytes
		want   bool
	}{{workload.BucketPerLayer, true}, {workload.DefaultBucket, false}} {
		cfg := job{ranks: 4, channels: 2, bucket: c.bucket, steps: 5}.config(t)
		s := &splits{}
		train(t, cfg, exectest.Net{Rate: unit.GigabitPerSec,
			Latency: func(exec.Message) unit.Duration { return 2 * us }, Ack: us}, s)
		if len(s.steps) != 20 {
			t.Fatalf("%d records, want 20", len(s.steps))
		}
		for _, r := range s.steps {
			if r.Split.Sum() != r.End.Sub(r.Start) {
				t.Errorf("step %d of rank %d: causes sum to %v, it took %v", r.Step, r.Rank,
					r.Split.Sum(), r.End.Sub(r.Start))
			}
			if (r.Overlap > 0) != c.want {
				t.Errorf("bucket %v: overlap %v of %v", c.bucket, r.Overlap, r.Comm)
			}
		}
	}
}

// Every image is used once per epoch, or left out with the last incomplete global batch.
func TestAnEpochIsAPermutation(t *testing.T) {
	cfg := job{ranks: 4, channels: 1}.config(t) // 150 images, 12 per step
	p, err := newPlan(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	if p.perEpoch != 12 || p.leftOut() != 6 || p.steps != 120 {
		t.Errorf("%d steps an epoch, %d in all, %d images left out; want 12, 120, 6", p.perEpoch, p.steps, p.leftOut())
	}
	orders := map[string]bool{}
	for e := range int64(3) {
		seen := map[int]bool{}
		for s := range p.perEpoch {
			for r := range 4 {
				for _, row := range p.rows(e*p.perEpoch+s, r*3, 3) {
					seen[row] = true
				}
			}
		}
		orders[fmt.Sprint(p.rows(e*p.perEpoch, 0, 12))] = true
		if len(seen) != 144 {
			t.Errorf("epoch %d uses %d different images, want 144", e, len(seen))
		}
	}
	if len(orders) != 3 {
		t.Error("two epochs have the same order")
	}
}

// The streams are pinned: another order of images would change every run.
func TestThePermutationIsFixed(t *testing.T) {
	if got := fmt.Sprint(permutation(1, 0, 10), permutation(1, 1, 10),
		permutation(2, 0, 10)); got != "[7 6 5 9 4 0 8 2 3 1] [2 5 6 8 7 3 9 0 4 1] [3 1 7 9 4 0 2 8 5 6]" {
		t.Error(got)
	}
}

func TestDigest(t *testing.T) { // 1.0 is 0x3f800000: bytes 00 00 80 3f
	if got := Digest([]float32{1}); got != "e00e5eb9444182f352323374ef4e08ebcb784725fdd4fd612d7730540b3e0c8c" {
		t.Error(got)
	}
}

func TestBytesAreTheLiveMemory(t *testing.T) {
	cfg := job{ranks: 2, channels: 1}.config(t)
	cfg.poison = false
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	copy(j.Bytes(1, exec.Ref{Buffer: 0, Off: 4, Len: 8}), bytes.Repeat([]byte{1, 1, 1, 1}, 2))
	if g := j.ranks[1].buffers[workload.Gradients]; math.Float32bits(g[1]) != 0x01010101 || g[0] != 0 || g[3] != 0 ||
		math.Float32bits(g[2]) != 0x01010101 {
		t.Errorf("gradients are %v", g[:4])
	}
	if n := len(j.Bytes(0, exec.Ref{Buffer: exec.Staging(j.cfg.Work, 0, 1), Off: 3, Len: 5})); n != 5 {
		t.Errorf("%d bytes of staging, want 5", n)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"batch 80 on 2 replicas wants 160 examples per step, there are 150": func(c *Config) { c.Batch = 80 },
		"want at least 1": func(c *Config) { c.Epochs = 0 },
		"examples of 19 inputs, the model takes 20": func(c *Config) {
			c.Train.(*dataset.Images).Cols--
		},
		"labels go up to 10, the model's 10 outputs want 0 to 9": func(c *Config) { c.Train.(*dataset.Images).Labels[3] = 10 },
		"no job to bind": func(c *Config) { c.Work = nil },
		"a job of 2 ranks with 2 replicas and batch 3 to bind, want 4": func(c *Config) { c.Replicas = 4 },
		"layer 2 with 129 parameters, the model has 130": func(c *Config) {
			c.Work.Training.Stages[0].Layers[1].Elems--
		},
		"a job with 0 vectors of state for each parameter, sgd keeps 1": func(c *Config) { c.Optimiser.Momentum = 0.9 },
	} {
		cfg := job{ranks: 2, channels: 1}.config(t)
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
