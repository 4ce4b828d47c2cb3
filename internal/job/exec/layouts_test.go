package exec_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// Ranks of stages, parts and replicas have programs of their own and meet in several groups: steps
// and critical paths are explained all the same, to the picosecond.
func TestLayoutsAreExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := nn.NewMLP([]int{6, 6, 6, 6, 6}, nn.ReLU, nn.CrossEntropy)
		if err != nil {
			t.Fatal(err)
		}
		l := workload.Layout{DP: rapid.IntRange(1, 2).Draw(t, "dp"), TP: rapid.IntRange(1, 2).Draw(t, "tp"),
			PP: rapid.IntRange(1, 4).Draw(t, "pp"), MicroBatches: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "micro-batches"),
			Schedule: rapid.SampledFrom([]workload.PipelineSchedule{workload.OneFOneB, workload.GPipe,
				workload.BookOrder}).Draw(t, "schedule"),
			TPStyle: rapid.SampledFrom([]workload.TensorStyle{workload.Megatron, workload.BookStyle}).Draw(t, "style")}
		if l.DP > 1 {
			l.Zero = workload.Zero(rapid.IntRange(0, 3).Draw(t, "zero"))
		}
		job, err := workload.Lower(workload.Config{Layers: train.Layers(m), Batch: 4, Bucket: workload.BucketPerLayer, Layout: l,
			Device:    workload.Device{MemoryBandwidth: gbps, MemoryEff: unit.Ratio{Num: 4, Den: 5}, Launch: 2 * us},
			Schedules: schedules})
		if err != nil {
			t.Fatal(err)
		}
		latencies := rapid.SliceOfN(rapid.Int64Range(0, 20), 64, 64).Draw(t, "latencies")
		ack := unit.Duration(rapid.Int64Range(0, 20).Draw(t, "ack")) * us
		net := exectest.Net{Rate: gbps, Ack: ack,
			Latency: func(m exec.Message) unit.Duration {
				return unit.Duration(latencies[(int64(m.Src*7+m.Coll*5+m.Op*3)+m.Step*11)%64]) * us
			},
			Credit: func(w exec.Way) unit.Duration { return unit.Duration(latencies[(w.Src+w.Dst*3)%64]) * us }}
		steps := rapid.Int64Range(1, 3).Draw(t, "steps")
		var paths []exec.PathRecord
		f := exec.NewPathFinder(job.Ranks(), 1, func(p *exec.PathRecord) {
			q := *p
			q.Parts = slices.Clone(p.Parts)
			paths = append(paths, q)
		})
		j, d := &journal{}, exectest.New(net, nil)
		for r := range job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: job, Steps: steps, Observer: j, Paths: f})
		}
		if _, err := d.Run(); err != nil {
			t.Fatal(err)
		}
		for _, s := range j.steps {
			if s.Split.Sum() != s.End.Sub(s.Start) {
				t.Fatalf("step %d of rank %d: %v, it took %v", s.Step, s.Rank, s.Split.Sum(), s.End.Sub(s.Start))
			}
		}
		if len(j.steps) != int(steps)*job.Ranks() || len(paths) != int(steps) {
			t.Fatalf("%d records of steps and %d paths, of %d ranks and %d steps", len(j.steps), len(paths), job.Ranks(), steps)
		}
		for _, p := range paths {
			checkPath(t, p, j, 2*us, ack)
		}
	})
}

// schedules are rings, and for neighbours a send with a slot.
func schedules(g *workload.Group, c coll.Collective) (coll.Schedule, error) {
	name := map[coll.Collective]string{coll.AllReduce: "ring-all-reduce", coll.AllGather: "ring-all-gather",
		coll.ReduceScatter: "ring-reduce-scatter", coll.SendReceive: "direct-send"}[c]
	order := make([]int32, len(g.Ranks))
	for i := range order {
		order[i] = int32(i)
	}
	s, err := coll.Algorithms[name].New([][]int32{order}, 1)
	if err == nil && c == coll.SendReceive {
		return coll.WithCredit(s, 1)
	}
	return s, err
}

// With stages of equal length and a network that takes no time, a step of m micro-batches over p
// stages is as long as m+p-1 of them: the bubble is (p-1)/(m+p-1) (Huang et al., "GPipe", NeurIPS
// 2019, section 2.3). Interleaving v virtual stages divides it by v (Narayanan et al., SC 2021,
// section 2.2).
func TestTheBubbleOfAPipeline(t *testing.T) {
	layers := make([]workload.Layer, 8)
	for i := range layers { // forward 1 us for a row, backward 2 us
		layers[i] = workload.Layer{In: 1, Out: 1, Params: 1, Forward: []workload.Kernel{{FLOP: 1}},
			Gradient: []workload.Kernel{{FLOP: 2}}}
	}
	for _, c := range []struct {
		l    workload.Layout
		want unit.Duration
	}{
		{workload.Layout{PP: 4, MicroBatches: 8, Schedule: workload.GPipe}, (8 + 3) * 2 * 3 * us},
		{workload.Layout{PP: 4, MicroBatches: 8, Schedule: workload.OneFOneB}, (8 + 3) * 2 * 3 * us},
		{workload.Layout{PP: 8, MicroBatches: 8, Schedule: workload.OneFOneB}, (8 + 7) * 3 * us},
		{workload.Layout{PP: 4, Virtual: 2, MicroBatches: 8, Schedule: workload.Interleaved}, (2*8 + 3) * 3 * us},
	} {
		job, err := workload.Lower(workload.Config{Layers: layers, Batch: 8, Layout: c.l, Schedules: schedules,
			Device: workload.Device{FLOPS: 1e6, MatmulEff: unit.Ratio{Num: 1, Den: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		d := exectest.New(exectest.Net{}, nil)
		for r := range job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: job, Steps: 1})
		}
		end, err := d.Run()
		if got := end.Sub(0); err != nil || got != c.want {
			t.Errorf("%s, %d stages, %d virtual: %v, %v, want %v", c.l.Schedule, c.l.PP, c.l.Virtual, got, err, c.want)
		}
	}
}

// Parameters in shards are gathered while the layer before computes: of gatherings that are shorter,
// only the first is waited for, and of sums the last. Of longer ones all are.
func TestGatheringIsHiddenBehindCompute(t *testing.T) {
	layers := make([]workload.Layer, 8)
	for i := range layers { // forward 10 us for a row, backward 20 us
		layers[i] = workload.Layer{In: 1, Out: 1, Params: 4, Forward: []workload.Kernel{{FLOP: 10}},
			Gradient: []workload.Kernel{{FLOP: 20}}}
	}
	job, err := workload.Lower(workload.Config{Layers: layers, Batch: 1, Bucket: workload.BucketPerLayer,
		Layout: workload.Layout{DP: 2, Zero: workload.ZeroParameters}, Schedules: schedules,
		Device: workload.Device{FLOPS: 1e6, MatmulEff: unit.Ratio{Num: 1, Den: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for latency, want := range map[unit.Duration]unit.Duration{
		5 * us:  5*us + 8*(10+20)*us + 5*us,
		40 * us: (8 + 8 + 8) * 40 * us, // the group is busy all the time
	} {
		d := exectest.New(exectest.Net{Latency: func(exec.Message) unit.Duration { return latency }}, nil)
		for r := range job.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: job, Steps: 1})
		}
		end, err := d.Run()
		if got := end.Sub(0); err != nil || got != want {
			t.Errorf("messages of %v: %v, %v, want %v", latency, got, err, want)
		}
	}
}
