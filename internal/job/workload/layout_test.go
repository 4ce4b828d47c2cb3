package workload

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// laidOut is a network of so many layers of different widths in a layout.
func laidOut(l Layout, layers, batch int) Config {
	sizes := []int{7}
	for i := range layers {
		sizes = append(sizes, 5+i%3)
	}
	return Config{Layers: dense(sizes...), Batch: batch, Layout: l, Bucket: BucketPerLayer, Device: h100,
		Schedules: schedules}
}

// schedules are a ring for sums, a reduce-scatter and an all-gather, and a send with one slot.
func schedules(g *Group, c coll.Collective) (coll.Schedule, error) {
	order := make([]int32, len(g.Ranks))
	for i := range order {
		order[i] = int32(i)
	}
	if c == coll.SendReceive {
		s, err := coll.DirectSend([][]int32{order}, 1)
		if err != nil {
			return nil, err
		}
		return s.Credited(1)
	}
	switch c {
	case coll.AllGather:
		return coll.RingAllGather([][]int32{order})
	case coll.ReduceScatter:
		return coll.RingReduceScatter([][]int32{order})
	}
	return coll.RingAllReduce([][]int32{order})
}

func TestCoordinates(t *testing.T) {
	l := Layout{DP: 2, TP: 3, PP: 2}
	for rank, want := range []Coord{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}, {0, 0, 1}} {
		if got := l.Coord(rank); got != want {
			t.Errorf("rank %d is at %v, want %v", rank, got, want)
		}
	}
	l.Order = [axes]Axis{PipelineAxis, TensorAxis, DataAxis}
	if got := (Coord{0, 1, 1}); l.Coord(3) != got {
		t.Errorf("pp innermost: rank 3 is at %v, want %v", l.Coord(3), got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5)
		l := Layout{DP: n.Draw(t, "dp"), TP: n.Draw(t, "tp"), PP: n.Draw(t, "pp"),
			Order: [axes]Axis(rapid.Permutation(DefaultOrder[:]).Draw(t, "order"))}
		seen := map[Coord]bool{}
		for r := range l.World() {
			c := l.Coord(r)
			if seen[c] || l.Rank(c) != r || c.Data >= l.DP || c.Tensor >= l.TP || c.Stage >= l.PP {
				t.Fatalf("rank %d is at %v, where rank %d is", r, c, l.Rank(c))
			}
			seen[c] = true
		}
	})
}

// Runs of layers tile the network, and stages take them in turn.
func TestRuns(t *testing.T) {
	l := Layout{PP: 2, Virtual: 2}
	var got []string
	for q := range l.Chunks() {
		lo, hi := l.Run(6, q)
		got = append(got, fmt.Sprintf("%d-%d", lo, hi))
	}
	if s := strings.Join(got, " "); s != "0-2 2-4 4-5 5-6" {
		t.Error(s)
	}
}

// Two stages of a replica: what each does, on which stream, after what.
func TestAPipelinesPrograms(t *testing.T) {
	j, err := Lower(laidOut(Layout{PP: 2, MicroBatches: 2}, 2, 4))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for r := range int32(2) {
		p := j.Program(r)
		for _, op := range p.Ops {
			fmt.Fprintf(&got, "%d %s on %s after %v\n", op.ID, op.Name, p.Streams[op.Stream].Name, op.Deps)
		}
	}
	want := `
0 forward.1.m1 on compute after []
1 send.activations.2.m1 on pipeline activations.2 after [0]
2 forward.1.m2 on compute after [0]
3 send.activations.2.m2 on pipeline activations.2 after [2]
4 receive.deltas.1.m1 on pipeline deltas.1 after []
5 backward.1.m1 on compute after [2 4]
6 receive.deltas.1.m2 on pipeline deltas.1 after []
7 backward.1.m2 on compute after [5 6]
8 update.1 on compute after [7]
0 receive.activations.2.m1 on pipeline activations.2 after []
1 forward.2.m1 on compute after [0]
2 loss.m1 on compute after [1]
3 backward.2.m1 on compute after [2]
4 send.deltas.1.m1 on pipeline deltas.1 after [3]
5 receive.activations.2.m2 on pipeline activations.2 after [3]
6 forward.2.m2 on compute after [3 5]
7 loss.m2 on compute after [6]
8 backward.2.m2 on compute after [7]
9 send.deltas.1.m2 on pipeline deltas.1 after [8]
10 update.1 on compute after [8]
`
	if got.String() != want[1:] {
		t.Errorf("got\n%swant\n%s", got.String(), want[1:])
	}
}

// Two layers over two ranks. A word takes a picosecond, and arithmetic none: a row of 4, 8 and 6
// elements, two rows.
func TestTensorParallelPrograms(t *testing.T) {
	slow := Device{MemoryBandwidth: 32e12, MemoryEff: unit.Ratio{Num: 1, Den: 1}}
	for style, want := range map[TensorStyle]string{
		Megatron: `
forward.1 52ps
forward.2 44ps
allreduce.outputs.2 0s
finish.2 30ps
loss 24ps
backward.2 118ps
backward.1 36ps
update.1 90ps
update.2 60ps
`, // backward.2: 50 for the gradient, 44 for that of the input, 24 through the activation
		BookStyle: `
forward.1 52ps
allgather.outputs.1 0s
join.1 32ps
forward.2 61ps
allgather.outputs.2 0s
join.2 24ps
loss 24ps
backward.2 143ps
allreduce.input-deltas.2 0s
backward.1 36ps
update.1 81ps
update.2 60ps
`} {
		j, err := Lower(Config{Layers: dense(4, 8, 6), Batch: 2, Layout: Layout{TP: 2, TPStyle: style},
			Bucket: BucketPerLayer, Device: slow, Schedules: schedules})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, op := range j.Program(1).Ops {
			fmt.Fprintf(&got, "%s %v\n", op.Name, op.Duration)
		}
		if got.String() != want[1:] {
			t.Errorf("%s:\n%swant\n%s", style, got.String(), want[1:])
		}
	}
}

// A rank has the memory of its own stage, and no other.
func TestBuffersOfAStage(t *testing.T) {
	j, err := Lower(laidOut(Layout{PP: 2, DP: 2, MicroBatches: 4}, 3, 8))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{
		0: "gradients.stage1 0:76 parameters.stage1 0:76 activations.1 2:28 activations.2 2:20 deltas.1 1:10 " +
			"outputs.2 2:24 deltas.2 2:24",
		2: "gradients.stage2 0:49 parameters.stage2 0:49 activations.3 1:12 input-deltas.3 2:24 outputs.3 1:14 deltas.3 1:14",
	}
	for r, want := range want {
		var got []string
		for b, touched := range j.Touches(j.Program(int32(r))) {
			if !touched {
				continue
			}
			of, slots := j.Buffers[b], map[int64]bool{}
			for _, op := range j.Program(int32(r)).Ops {
				for _, x := range append(op.Reads, op.Writes...) {
					if x.Buffer == int32(b) {
						slots[x.Offset] = true
					}
				}
			}
			n := len(slots)
			if strings.HasPrefix(of.Name, "gradients") || strings.HasPrefix(of.Name, "parameters") {
				n = 0
			}
			got = append(got, fmt.Sprintf("%s %d:%d", of.Name, n, of.Elems))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("rank %d:\n%s, want\n%s", r, s, want)
		}
	}
}

// A stage's gradients are summed when its last micro-batch is through, not before.
func TestSumsFollowTheLastMicroBatch(t *testing.T) {
	j, err := Lower(laidOut(Layout{DP: 2, PP: 2, MicroBatches: 3}, 4, 6))
	if err != nil {
		t.Fatal(err)
	}
	for r := range int32(4) {
		p, sums := j.Program(r), 0
		for _, op := range p.Ops {
			if !strings.HasPrefix(op.Name, "allreduce") {
				continue
			}
			sums++
			if d := p.Ops[op.Deps[0]].Name; len(op.Deps) != 1 || !strings.HasPrefix(d, "backward.") ||
				!strings.HasSuffix(d, ".m3") {
				t.Errorf("rank %d: %s after %s", r, op.Name, d)
			}
		}
		if sums != 2 {
			t.Errorf("rank %d sums %d buckets, want 2", r, sums)
		}
	}
}

// Every layout's job is valid and may run step after step.
func TestLayoutsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyLayout(t)
		j, err := Lower(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.CheckRepeat(); err != nil {
			t.Fatal(err)
		}
		if j.Ranks() != c.Layout.World() {
			t.Fatalf("%d ranks, want %d", j.Ranks(), c.Layout.World())
		}
	})
}

func anyLayout(t *rapid.T) Config {
	l := Layout{DP: rapid.IntRange(1, 3).Draw(t, "dp"), TP: rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "tp"),
		TPStyle: TensorStyle(rapid.IntRange(0, 1).Draw(t, "style")), PP: rapid.IntRange(1, 4).Draw(t, "pp"),
		MicroBatches: rapid.IntRange(1, 5).Draw(t, "micro-batches"), Slots: rapid.IntRange(1, 3).Draw(t, "slots"),
		Schedule: PipelineSchedule(rapid.IntRange(0, int(pipelineSchedules)-1).Draw(t, "schedule")),
		Update:   Updates(rapid.IntRange(0, 1).Draw(t, "update")),
		Order:    [axes]Axis(rapid.Permutation(DefaultOrder[:]).Draw(t, "order"))}
	l.Stash = l.Update == UpdateEach && rapid.Bool().Draw(t, "stash")
	if l.DP > 1 && l.Update == UpdateEnd {
		l.Zero = Zero(rapid.IntRange(0, int(zeros)-1).Draw(t, "zero"))
	}
	if l.Schedule == Interleaved {
		l.PP = max(l.PP, 2)
		l.Virtual, l.MicroBatches = 2, l.PP*rapid.IntRange(1, 2).Draw(t, "rounds")
	}
	c := laidOut(l, l.Chunks()+rapid.IntRange(0, 3).Draw(t, "more layers"), 2*l.MicroBatches)
	if l.TP > 1 {
		for i := range c.Layers {
			c.Layers[i] = fullyConnected{6, 6, true}.Layer()
		}
	}
	c.State = []string{"exp_avg", "exp_avg_sq"}[:rapid.IntRange(0, 2).Draw(t, "state")]
	c.Bucket = rapid.SampledFrom([]unit.Bytes{0, 150, BucketPerLayer}).Draw(t, "bucket")
	if l.PP == 1 || l.Update == UpdateEnd {
		c.Clip = rapid.SampledFrom([]int64{0, 5}).Draw(t, "clip")
	}
	return c
}

func TestWidthsThatCannotBeSplitAreNamed(t *testing.T) {
	for _, c := range []struct {
		l    Layout
		want string
	}{
		{Layout{TP: 4}, "tp 4 does not divide the 10 outputs of layer 3; tp would do as 1 or 2"},
		{Layout{TP: 8, PP: 3}, "tp 8 does not divide the 12 outputs of layer 2; tp 8 does not divide the 10 outputs of " +
			"layer 3; tp would do as 1 or 2"},
	} {
		_, err := Lower(Config{Layers: dense(9, 16, 12, 10), Batch: 2, Layout: c.l, Schedules: schedules})
		if err == nil || err.Error() != "layout: "+c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	c := Config{Layers: dense(9, 16), Batch: 2, Layout: Layout{TP: 2}, Schedules: schedules}
	c.Layers[0].Ways[Gathered] = nil
	for _, want := range []string{"layer 1 cannot be split by its outputs", "layer 1, cell, cannot be split by its outputs: it is one"} {
		if _, err := Lower(c); err == nil || err.Error() != "layout: "+want+"; tp would do as 1" {
			t.Error(err)
		}
		c.Layers[0].Name, c.Layers[0].Whole = "cell", "it is one"
	}
	c = Config{Layers: dense(9, 16), Batch: 2, Layout: Layout{TP: 2},
		Schedules: func(g *Group, _ coll.Collective) (coll.Schedule, error) { return schedules(g, coll.AllReduce) }}
	if _, err := Lower(c); err == nil || !strings.Contains(err.Error(), "is no all-gather whose owners are known") {
		t.Error(err)
	}
}

func TestLayoutMistakesAreNamed(t *testing.T) {
	for want, l := range map[string]Layout{
		"dp -1, want at least 1; slots -2, want at least 1":        {DP: -1, Slots: -2},
		"4 stages with 1 virtual stages each want 4 layers":        {PP: 4},
		"3 micro-batches do not divide a batch of 8 rows":          {MicroBatches: 3},
		"2 virtual stages with schedule 1f1b, want 1":              {Virtual: 2},
		"schedule interleaved with 1 virtual stages":               {Schedule: Interleaved, PP: 2},
		"1 micro-batches, want a multiple of 2 stages":             {Schedule: Interleaved, Virtual: 2, PP: 2},
		"order [dp dp tp], want tp, dp and pp, each once":          {Order: [axes]Axis{DataAxis, DataAxis, TensorAxis}},
		"stash with one update at the end of a step":               {Stash: true},
		"zero 4, want 0 to 3":                                      {Zero: 4, DP: 2},
		"zero 2 with dp 1: replicas hold the shards, want dp":      {Zero: ZeroGradients, PP: 2},
		"zero 1 with update each, want update end":                 {Zero: ZeroOptimiser, DP: 2, Update: UpdateEach},
		"do not divide a batch of 8 rows; 5 stages with 1 virtual": {MicroBatches: 5, PP: 5},
	} {
		if _, err := Lower(laidOut(l, 3, 8)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
