package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
)

// laidOut is a training as the oracle and one rank take it, put together without run.
func laidOut(t *testing.T, yaml string) train.Config {
	t.Helper()
	sc := read(t, yaml)
	set, err := dataset.Load(context.Background(), digits(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(sc)
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	of := sc.Jobs[0].Train
	return train.Config{Model: p.Jobs[0].Model, Kernel: nn.Portable, Train: &set.Train,
		Replicas: sc.Jobs[0].Parallel.DP, Batch: of.Batch, Epochs: of.Epochs,
		Steps: int64(of.Steps.Or(0)), Seed: sc.Seed, Work: p.Jobs[0].Work,
		Optimiser: p.Jobs[0].Optimiser}
}

// gathered runs a scenario and returns the model that its ranks end with.
func gathered(t *testing.T, yaml string) (ran, []float32) {
	t.Helper()
	var weights []float32
	r := run(t, yaml, Options{Workers: -1, ended: func(r *runner) { weights = r.jobs[0].train.Gathered(0) }})
	if r.WeightsSHA256 != train.Digest(weights) {
		t.Errorf("weights_sha256 %s is not that of the gathered model: replicas differ, or it is of a part", r.WeightsSHA256)
	}
	return r, weights
}

// tensors visits the tensors of each layer.
func tensors(m *nn.Model, visit func(name string, lo, hi int)) {
	for l := range m.Layers() {
		for _, t := range m.Tensors(l) {
			visit(t.Name, t.Offset, t.Offset+t.Elems())
		}
	}
}

// storms are what the fabric does beside a layout: bursts into a port that it uses, and losses.
func storms(port string, hosts int) map[string]struct {
	fabric, more string
	happened     func(*result.Summary) bool
} {
	bursts := "background:\n  flows:\n"
	for h := hosts + 1; h <= hosts+3; h++ {
		bursts += fmt.Sprintf("    - {from: host%d/gpu0, to: %s, bytes: 400kB, every: 100us, count: 10}\n", h, port)
	}
	return map[string]struct {
		fabric, more string
		happened     func(*result.Summary) bool
	}{
		"alone": {happened: func(s *result.Summary) bool { return s.ECNMarks+s.Pauses+s.Drops+s.Retransmits == 0 }},
		"incast": {"  switch: {buffer: 2MB}\n  qos: {ecn: {min: 50kB, max: 200kB}}\n", bursts,
			func(s *result.Summary) bool { return s.ECNMarks > 0 && s.CNPs > 0 && s.Pauses > 0 && s.Drops == 0 }},
		"loss": {"", "faults: [{link: all, drop: 1%}]\ntransport: {timeout: 100us, retries: 100}\n",
			func(s *result.Summary) bool { return s.Retransmits > 0 }},
	}
}

// Whatever the fabric does, the examples of layouts end with the same weights; where no layer is
// in parts, with the oracle's, bit for bit.
func TestLayoutsInAnyWeather(t *testing.T) {
	for _, e := range []struct {
		name  string
		hosts int
		port  string // bursts go to
		exact bool
		dp    string
	}{
		{"digits-pp4", 2, "host2/gpu0", true, "dp: 1, "},
		{"digits-tp2-pp3", 3, "host2/gpu0", false, "dp: 1, "},
		{"digits-3d", 4, "host3/gpu0", false, ""},
	} {
		weights := ""
		for _, name := range []string{"alone", "incast", "loss"} {
			w := storms(e.port, e.hosts)[name]
			yaml := strings.Replace(example(t, e.name), "steps: 50", "steps: 6", 1)
			yaml = strings.Replace(yaml, fmt.Sprintf("hosts: %d\n", e.hosts), fmt.Sprintf("hosts: %d\n", e.hosts+3), 1)
			yaml = strings.Replace(yaml, "parallel: {", "parallel: {"+e.dp, 1)
			yaml = strings.Replace(yaml, "  spines: 1", w.fabric+"  spines: 1", 1) + w.more
			r, model := gathered(t, yaml)
			if !w.happened(r.Summary) {
				t.Errorf("%s, %s: %d marks, %d CNPs, %d pauses, %d drops, %d retransmissions", e.name, name, r.ECNMarks, r.CNPs,
					r.Pauses, r.Drops, r.Retransmits)
			}
			if weights == "" {
				weights = r.WeightsSHA256
			}
			if r.WeightsSHA256 != weights {
				t.Errorf("%s, %s: other weights than alone", e.name, name)
			}
			if !e.exact || name != "alone" {
				continue
			}
			want, err := train.Oracle(laidOut(t, yaml))
			if err != nil {
				t.Fatal(err)
			}
			if !equal(model, want.Weights[0]) {
				t.Errorf("%s differs from the oracle", e.name)
			}
		}
	}
}

// Stages that are joined rail by rail, and parts of layers inside hosts: no packet crosses a spine.
func TestNoPacketCrossesASpine(t *testing.T) {
	for _, placement := range []string{"packed", "scattered"} {
		r := run(t, strings.Replace(example(t, "digits-tp2-pp3"), "steps: 50", "steps: 2", 1)+
			"  placement: "+placement+"\n", Options{})
		rails, spines := int64(0), int64(0)
		for _, l := range rows(t, r.Run.Links()) {
			if strings.Contains(l.Port, "spine") {
				spines += l.TxPackets
			} else {
				rails += l.TxPackets
			}
		}
		if rails == 0 || spines != 0 {
			t.Errorf("%s: %d packets over rails, %d over spines", placement, rails, spines)
		}
		// Two parts on one host meet over NVLink: then only stages send packets.
		tensor := false
		for _, f := range rows(t, r.Run.Flows()) {
			tensor = tensor || strings.HasPrefix(f.Group, "tensor-parallel")
		}
		if tensor != (placement == "scattered") {
			t.Errorf("%s: packets of parts of a layer: %v", placement, tensor)
		}
	}
}

// One step's gradients and twenty steps' loss are those of one rank, but for the order of sums.
func TestLayoutsAreCloseToOneRank(t *testing.T) {
	for _, name := range []string{"digits-pp4", "digits-tp2-pp3", "digits-3d"} {
		t.Run(name, func(t *testing.T) { closeToOneRank(t, strings.Replace(example(t, name), "batch: ", "batch: 16 #", 1)) })
	}
}

// Ten classes are in parts on four and eight ranks, too: of eight some have none. In the way of Megatron-LM the last layer
// stands alone behind a pair, in the book's each layer does.
func TestUnevenPartsAreCloseToOneRank(t *testing.T) {
	for _, c := range []struct{ layers, parallel string }{
		{"784, 24, 10", "tp: 4, tensor: book"}, {"784, 16, 8, 10", "tp: 4, dp: 2"}, {"784, 16, 8, 10", "tp: 8"}, {"784, 10", "tp: 8"},
	} {
		closeToOneRank(t, fmt.Sprintf(`
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  train:
    layers: [%s]
    data: %q
    batch: 16
    epochs: 9
    steps: 50
    lr: 0.1
  parallel: {%s}
`, c.layers, digits(t), c.parallel))
	}
}

// closeToOneRank takes a scenario with 50 steps and a learning rate of 0.1.
func closeToOneRank(t *testing.T, yaml string) {
	t.Helper()
	// With so large a rate the weights after a step are the gradients, for the most part.
	one := strings.Replace(strings.Replace(yaml, "steps: 50", "steps: 1", 1), "lr: 0.1", "lr: 1000", 1)
	cfg := laidOut(t, one)
	want, err := train.OneRank(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, got := gathered(t, one)
	begin := cfg.Model.Init(cfg.Seed)
	minus := func(a []float32) []float32 {
		d := make([]float32, len(a))
		for i := range a {
			d[i] = a[i] - begin[i]
		}
		return d
	}
	a, b := minus(got), minus(want.Weights[0])
	tensors(cfg.Model, func(name string, lo, hi int) {
		if d := distance(a[lo:hi], b[lo:hi]); !(d <= 1e-5) {
			t.Errorf("the gradient of the %s is %g of its norm away from one rank's", name, d)
		}
	})
	twenty := strings.Replace(yaml, "steps: 50", "steps: 20", 1)
	if want, err = train.OneRank(laidOut(t, twenty)); err != nil {
		t.Fatal(err)
	}
	r, _ := gathered(t, twenty)
	if r.Summary.Steps != 20 {
		t.Fatalf("%d steps", r.Summary.Steps)
	}
	perEpoch := trainImages / (cfg.Batch * cfg.Replicas)
	sum, n := 0.0, 0
	for s := 19 / perEpoch * perEpoch; s < 20; s++ {
		sum, n = sum+want.Losses[s], n+1
	}
	if d := math.Abs(float64(*r.FinalLoss)-sum/float64(n)) / (sum / float64(n)); !(d <= 1e-3) {
		t.Errorf("after 20 steps the loss %v is %g away from one rank's", *r.FinalLoss, d)
	}
}

// The summary of a training that updates after each micro-batch says how far it is from one rank's
// weights, with replicas and kept weights too; of any other it says nothing.
func TestDriftOfUpdatesWithinAStep(t *testing.T) {
	base := strings.Replace(example(t, "digits-pp4"), "steps: 50", "steps: 5", 1)
	base = strings.Replace(base, "hosts: 2\n", "hosts: 4\n", 1)
	seen := map[float64]string{}
	for _, keys := range []string{"", ", update: each", ", update: each, stash: true", ", update: each, dp: 2"} {
		if !strings.Contains(keys, "dp") {
			keys += ", dp: 1"
		}
		yaml := strings.Replace(base, "micro_batches: 4", "micro_batches: 4"+keys, 1)
		phases := map[string]bool{}
		var weights []float32
		r := run(t, yaml, Options{Progress: func(p result.Progress) { phases[p.Phase] = true },
			ended: func(r *runner) { weights = r.jobs[0].train.Gathered(0) }})
		note := slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "drift: after 5 steps the weights are 0.") })
		if each := strings.Contains(keys, "each"); each != (r.Drift != nil) || each != (note >= 0) ||
			each != phases["one rank, to compare"] {
			t.Fatalf("%s: drift %v, phases %v, notes %q", keys, r.Drift, phases, r.Notes)
		} else if !each {
			continue
		}
		one, err := train.OneRank(laidOut(t, yaml))
		if err != nil {
			t.Fatal(err)
		}
		if want := distance(weights, one.Weights[0]); *r.Drift != want || want < 1e-4 {
			t.Errorf("%s: drift %v, want %v", keys, *r.Drift, want)
		}
		if of, twice := seen[*r.Drift]; twice {
			t.Errorf("%s: the drift of %s", keys, of)
		}
		seen[*r.Drift] = keys
	}
}

// Who interrupts the comparison with one rank has a complete run without it.
func TestAnInterruptedComparisonIsLeftOut(t *testing.T) {
	yaml := strings.Replace(strings.Replace(example(t, "digits-pp4"), "steps: 50", "steps: 5", 1),
		"micro_batches: 4", "micro_batches: 4, update: each", 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last := int64(-1)
	r, err := tryRun(t, ctx, yaml, Options{Progress: func(p result.Progress) {
		if p.Phase != "one rank, to compare" {
			return
		}
		if last = p.Done; last == 2 {
			cancel()
		}
	}})
	if err != nil || r.State != result.Complete || r.Drift != nil || last != 2 || r.TestAccuracy == nil || r.WeightsSHA256 == "" {
		t.Errorf("state %s, %v: drift %v, compared up to step %d", r.State, err, r.Drift, last)
	}
}

// drawLayout draws a layout on a cluster, with what goes wrong in it.
func drawLayout(t *rapid.T, data string) string {
	tp, pp, dp := rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "tp"), rapid.IntRange(1, 4).Draw(t, "pp"),
		rapid.IntRange(1, 3).Draw(t, "dp")
	order := rapid.SampledFrom([]string{"tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"}).Draw(t, "order")
	micro := rapid.IntRange(1, 4).Draw(t, "micro-batches")
	parallel, runs := fmt.Sprintf("tp: %d, pp: %d, dp: %d", tp, pp, dp), pp
	if pp > 1 {
		schedule := rapid.SampledFrom([]string{"1f1b", "gpipe", "interleaved", "book"}).Draw(t, "schedule")
		parallel += ", schedule: " + schedule
		if schedule == "interleaved" {
			runs, micro = 2*pp, pp*rapid.IntRange(1, 2).Draw(t, "rounds")
		}
	}
	if tp > 1 {
		parallel += ", tensor: " + rapid.SampledFrom([]string{"megatron", "book"}).Draw(t, "tensor")
	}
	if tp*pp > 1 {
		parallel += ", order: " + order
	}
	if zero := rapid.IntRange(0, 3).Draw(t, "zero"); dp > 1 && zero > 0 {
		parallel += fmt.Sprintf(", zero: %d", zero)
	} else if rapid.IntRange(0, 3).Draw(t, "update") == 0 {
		parallel += fmt.Sprintf(", update: each, stash: %v", rapid.Bool().Draw(t, "stash"))
	}
	layers := "784"
	for range runs - 1 + rapid.IntRange(0, 2).Draw(t, "more layers") {
		layers += fmt.Sprintf(", %d", 2*rapid.IntRange(3, 12).Draw(t, "width"))
	}
	gpus := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "gpus")
	world := tp * pp * dp
	yaml := fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: %d}, nic: {speed: %dGb/s}}
fabric: {design: rail-optimized, spines: %d}
job:
  placement: %s
  train: {layers: [%s, 10], data: %q, batch: %d, epochs: 9, steps: %d, lr: 0.1, momentum: %g, bucket: %s}
  parallel: {%s, micro_batches: %d}
`, (world+gpus-1)/gpus+1, gpus, rapid.SampledFrom([]int{25, 200}).Draw(t, "speed"), rapid.IntRange(1, 2).Draw(t, "spines"),
		rapid.SampledFrom([]string{"packed", "rail-aligned", "scattered"}).Draw(t, "placement"), layers, data,
		micro*rapid.IntRange(1, 3).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "steps"),
		rapid.SampledFrom([]float64{0, 0.9}).Draw(t, "momentum"), rapid.SampledFrom([]string{"layer", "25MB", "2kB"}).Draw(t, "bucket"),
		parallel, micro)
	switch rapid.IntRange(0, 2).Draw(t, "weather") {
	case 1:
		yaml += "faults: [{link: all, drop: 1%}]\ntransport: {timeout: 100us, retries: 100}\n"
	case 2:
		if world > gpus {
			yaml += fmt.Sprintf("background: {flows: [{from: host%d/gpu0, to: host1/gpu0, bytes: 1MB, every: 50us, count: 20}]}\n",
				(world+gpus-1)/gpus+1)
		}
	}
	return yaml
}

// Any layout on any network ends with the oracle's weights: bit for bit, but where layers are in
// parts, whose sums have another order; and its waterfall sums to its step. RAILYARD_LAYOUTS says how many are drawn.
func TestAnyLayoutEqualsTheOracle(t *testing.T) {
	n := 12
	if v, err := strconv.Atoi(os.Getenv("RAILYARD_LAYOUTS")); err == nil {
		n = v
	}
	draw := rapid.Custom(func(r *rapid.T) string { return drawLayout(r, digits(t)) })
	for seed := range n {
		yaml := draw.Example(seed)
		cfg := laidOut(t, yaml)
		want, err := train.Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r, got := gathered(t, yaml)
		sumsToTheStep(t, r, fmt.Sprintf("seed %d", seed))
		if !strings.Contains(yaml, "tp: 2") {
			if !equal(got, want.Weights[0]) {
				t.Errorf("seed %d differs from the oracle:%s", seed, yaml)
			}
			continue
		}
		tensors(cfg.Model, func(name string, lo, hi int) {
			if d := distance(got[lo:hi], want.Weights[0][lo:hi]); !(d <= 1e-5) {
				t.Errorf("seed %d: the %s are %g of their norm away from the oracle's:%s", seed, name, d, yaml)
			}
		})
	}
}

// What crosses between hosts in a step is what the groups' formulas say, to the byte. The layers have
// 784 x 8 + 8, 8 x 6 + 6 and 6 x 10 + 10 parameters; the batch is 8 rows in all.
func TestBytesOfLayouts(t *testing.T) {
	const params = 784*8 + 8 + 8*6 + 6 + 6*10 + 10
	for _, c := range []struct {
		parallel, gpus string
		want           map[string]int // by kind of group
	}{
		{"{dp: 4, tp: 1}", "1", map[string]int{"data-parallel": 2 * 3 * 4 * params}},
		{"{pp: 3, dp: 1, micro_batches: 2}", "1", map[string]int{"pipeline": 2 * 8 * (8 + 6) * 4}},
		// Replicas on four hosts, parts of layers in each; two parts have the biases of a layer by rows.
		{"{tp: 2, dp: 4}", "2", map[string]int{"data-parallel": 2 * 3 * 4 * (params + 6)}},
		// Both parts send the complete outputs. A gather of n parts is n - 1 of them for each rank.
		{"{tp: 2, pp: 3, dp: 1, tensor: book}", "2", map[string]int{"pipeline": 2 * 2 * 8 * (8 + 6) * 4}},
		{"{tp: 2, dp: 1, tensor: book}", "1", map[string]int{"tensor-parallel": 2*8*(8+6+10)/2*4 + 2*8*(8+6)*4}},
	} {
		dp := 1
		if strings.Contains(c.parallel, "dp: 4") {
			dp = 4
		}
		r := run(t, fmt.Sprintf(`
cluster: {hosts: 4, host: {gpus: %s}}
job:
  train: {layers: [784, 8, 6, 10], data: %q, batch: %d, steps: 2, lr: 0.1}
  parallel: %s
  collective: {channels: 1}
`, c.gpus, digits(t), 8/dp, c.parallel), Options{})
		got := map[string]int{}
		for _, f := range rows(t, r.Run.Flows()) {
			if f.Step < 0 { // the start phase
				continue
			}
			kind, _, _ := strings.Cut(f.Group, ".")
			kind, _, _ = strings.Cut(kind, " ")
			got[kind] += int(f.Bytes)
		}
		for kind, n := range got {
			if got[kind] = n / 2; got[kind] != c.want[kind] {
				t.Errorf("%s: %d bytes of %s, want %d", c.parallel, got[kind], kind, c.want[kind])
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.parallel, got, c.want)
		}
	}
}
