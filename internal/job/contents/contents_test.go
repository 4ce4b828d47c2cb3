package contents_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/contents"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// all is the memory of all ranks of a driver that has them in one process.
type all []*contents.Job

func (a all) Bytes(rank int32, r exec.Ref) []byte        { return a[rank].Bytes(rank, r) }
func (a all) Compute(int32, int64, *workload.Op)         {}
func (a all) Reduce(rank, coll int32, dst, src exec.Ref) { a[rank].Reduce(rank, coll, dst, src) }
func (a all) Copy(rank, coll int32, dst, src exec.Ref)   { a[rank].Copy(rank, coll, dst, src) }
func (a all) Read(rank int32, r exec.Ref)                { a[rank].Read(rank, r) }
func (a all) Operation(o exec.OperationRecord)           { a[o.Rank].Ended(o.Op) }
func (a all) Step(exec.StepRecord, []exec.Wait)          {}

type bench struct {
	name        string
	ranks       int
	elems       int64
	warm, timed int
}

// run runs a row, and returns what ranks found wrong. change alters messages.
func run(t *rapid.T, b bench, change func(*exec.Message)) (wrong []int64) {
	order := make([]int32, b.ranks)
	for i := range order {
		order[i] = int32(i)
	}
	a := coll.Algorithms[b.name]
	orders := [][]int32{order}
	if b.name == "double-tree-all-reduce" {
		orders = append(orders, order)
	}
	s, err := a.New(orders, max(a.Pipeline, 1))
	if err != nil {
		t.Skip(err)
	}
	cfg := workload.BenchmarkConfig{Ranks: b.ranks, Rows: []workload.BenchmarkRow{
		{Name: "a", Elems: b.elems, Schedule: s, Warmup: b.warm, Iterations: b.timed},
		{Name: "b", Elems: b.elems + 3, Schedule: s, Warmup: b.warm, Iterations: b.timed}}}
	if b.ranks > 1 {
		if cfg.Barrier, err = coll.DisseminationBarrier([][]int32{order}); err != nil {
			t.Fatal(err)
		}
	}
	work, timed, err := workload.Benchmark(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var m all
	for r := range int32(b.ranks) {
		m = append(m, contents.New(work, r, timed, func(n int64) []float32 { return make([]float32, n) }))
	}
	d := exectest.New(exectest.Net{Latency: func(m exec.Message) unit.Duration { return unit.Duration(m.Src+1) * unit.Microsecond },
		Misplace: change}, m)
	for r := range int32(b.ranks) {
		d.Add(exec.Config{Rank: r, Job: work, Steps: 1, Body: m, Observer: m})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(b.name, err)
	}
	for _, j := range m {
		wrong = append(wrong, j.Wrong()...)
	}
	return wrong
}

func draw(t *rapid.T) bench {
	return bench{rapid.SampledFrom(coll.AlgorithmNames()).Draw(t, "algorithm"), rapid.IntRange(1, 8).Draw(t, "ranks"),
		rapid.Int64Range(1, 100).Draw(t, "elements"), rapid.IntRange(0, 2).Draw(t, "warm-ups"), rapid.IntRange(1, 8).Draw(t, "timed")}
}

// Of every algorithm, over any ranks, sizes and runs, nothing is wrong; and with a warm-up each row is looked at.
func TestNothingIsWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		if b.name == "dissemination-barrier" {
			t.Skip("it moves nothing")
		}
		for i, n := range run(t, b, nil) {
			if n > 0 || n == contents.Unchecked && b.warm > 0 {
				t.Errorf("%+v: rank %d, row %d: %d elements are wrong", b, i/2, i%2, n)
			}
		}
	})
}

// A message of the checked runs that lands an element off, or whose bytes are another's, is found: whichever it is.
func TestWhatIsWrongIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		b.name = rapid.SampledFrom([]string{"ring-all-reduce", "chain-broadcast", "ring-all-gather", "ring-reduce-scatter",
			"chain-reduce", "direct-all-to-all", "direct-gather", "direct-scatter",
			"ring-send-receive", "halving-doubling-all-reduce"}).Draw(t, "of")
		b.ranks, b.elems, b.warm = max(b.ranks, 2), b.elems+32, max(b.warm, 1)
		at, seen, changed := rapid.IntRange(0, 20).Draw(t, "message"), 0, false
		wrong := run(t, b, func(m *exec.Message) {
			if m.Coll != 0 || m.Bytes < 8 {
				return
			}
			if seen++; seen == at+1 { // what came before stays in the place of the first element, or nothing does
				changed = true
				m.To.Off, m.To.Len = m.To.Off+4, m.To.Len-4
				m.From.Len -= 4
			}
		})
		sum := int64(0)
		for _, n := range wrong {
			sum += n
		}
		if changed && sum == 0 {
			t.Errorf("%+v: message %d came an element off, and nobody noticed", b, at)
		}
	})
}
