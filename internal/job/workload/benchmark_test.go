package workload

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

func ring(t *testing.T, ranks int) coll.Schedule {
	t.Helper()
	order := make([]int32, ranks)
	for i := range order {
		order[i] = int32(i)
	}
	s, err := coll.RingAllReduce([][]int32{order})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A row is its warm-up, a barrier without a launch, and its timed runs; a slow rank launches later.
func TestBenchmark(t *testing.T) {
	barrier, err := coll.DisseminationBarrier([][]int32{{0, 1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	c := BenchmarkConfig{Ranks: 4, Device: Device{Launch: 2 * unit.Microsecond}, Barrier: barrier,
		Slow: map[int32]unit.Ratio{2: {Num: 3, Den: 2}},
		Rows: []BenchmarkRow{{Name: "a", Elems: 100, Schedule: ring(t, 4), Warmup: 1, Iterations: 2},
			{Name: "b", Elems: 50, Schedule: ring(t, 4), Iterations: 1}}}
	j, timed, err := Benchmark(c)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range map[int32]string{
		0: "a.warmup1 2us, a.barrier 0s, a.1 2us, a.2 2us, b.barrier 0s, b.1 2us",
		2: "a.warmup1 3us, a.barrier 0s, a.1 3us, a.2 3us, b.barrier 0s, b.1 3us",
	} {
		var ops []string
		for _, op := range j.Program(rank).Ops {
			ops = append(ops, fmt.Sprintf("%s %v", op.Name, op.Duration))
		}
		if got := strings.Join(ops, ", "); got != want {
			t.Errorf("rank %d: %s, want %s", rank, got, want)
		}
	}
	if got := fmt.Sprint(timed, j.Of, j.Buffers[0].Elems); got != "[{2 2} {5 1}] [0 0 1 0] 100" {
		t.Error(got)
	}
	if n := j.Collectives[1].Bytes(); n == 0 {
		t.Error("the barrier has empty tokens: it would wait for nobody")
	}
	for _, bad := range []func(*BenchmarkConfig){
		func(c *BenchmarkConfig) { c.Ranks = 0 },
		func(c *BenchmarkConfig) { c.Rows[0].Elems = -1 },
		func(c *BenchmarkConfig) { c.Rows[0].Iterations = 0 },
		func(c *BenchmarkConfig) { c.Rows[0].Warmup = -1 },
		func(c *BenchmarkConfig) { c.Rows[0].Schedule = ring(t, 3) },
	} {
		c := c
		c.Rows = append([]BenchmarkRow(nil), c.Rows...)
		bad(&c)
		if _, _, err := Benchmark(c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// Out of place, every element of the larger buffer is in one block, also where blocks differ; a job
// of such rows is valid, and what is sent is counted block by block.
func TestBenchmarkOutOfPlace(t *testing.T) {
	orders := [][]int32{{0, 1, 2}}
	for _, w := range []struct {
		name string
		skew int
		want string
	}{
		{"direct-all-to-all", 1, "in [11 11 11] out [11 11 11] of 11 and 11, [7 8 7] sent"},
		{"direct-all-to-all", 4, "in [11 11 11] out [21 6 6] of 11 and 21, [4 9 9] sent"},
		{"direct-gather", 0, "in [4 4 3] out [11 0 0] of 4 and 11, [0 4 3] sent"},
		{"direct-scatter", 0, "in [11 0 0] out [4 4 3] of 11 and 4, [7 0 0] sent"},
		{"ring-send-receive", 0, "in [11 11 11] out [11 11 11] of 11 and 11, [11 11 11] sent"},
	} {
		name := w.name
		s, err := coll.Algorithms[name].New(orders, 1)
		if err != nil {
			t.Fatal(err)
		}
		j, _, err := Benchmark(BenchmarkConfig{Ranks: 3, Rows: []BenchmarkRow{{Name: "a", Elems: 11, Schedule: s,
			Iterations: 2, Skew: w.skew}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c := &j.Collectives[1]
		var in, out, sent [3]int64
		for m := range 3 {
			for k := range coll.Inputs(s) {
				_, n := c.Chunk(m, coll.In, 0, k)
				in[m] += n / 4
			}
			for k := range s.Chunks() {
				_, n := c.Chunk(m, coll.Out, 0, k)
				out[m] += n / 4
			}
			for _, to := range c.AppendTraffic(nil, m, 0) {
				sent[m] += to.Elems
			}
		}
		got := fmt.Sprintf("in %v out %v of %d and %d, %v sent", in, out, j.Buffers[c.Input.Buffer].Elems,
			j.Buffers[c.Range.Buffer].Elems, sent)
		if got != w.want {
			t.Errorf("%s: %s, want %s", name, got, w.want)
		}
		if op := j.Program(0).Ops[1]; len(op.Reads) != 1 || op.Reads[0] != c.Input {
			t.Errorf("%s reads %v, want %v", name, op.Reads, c.Input)
		}
	}
}
