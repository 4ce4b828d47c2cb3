package train

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// houses are jobs in several processes: rank id belongs to job of[id]. ear is the one that has no ranks and hears.
type houses struct {
	jobs []*Job
	of   []int
	ear  *Job
	err  error
	// what each rank has said, by step: it is heard when all have
	said  map[int64][]Said
	state State
}

func (h *houses) at(id int32) *Job                               { return h.jobs[h.of[id]] }
func (h *houses) Bytes(id int32, r exec.Ref) []byte              { return h.at(id).Bytes(id, r) }
func (h *houses) Compute(id int32, step int64, op *workload.Op)  { h.at(id).Compute(id, step, op) }
func (h *houses) Reduce(id int32, coll int32, dst, src exec.Ref) { h.at(id).Reduce(id, coll, dst, src) }
func (h *houses) Copy(id int32, coll int32, dst, src exec.Ref)   { h.at(id).Copy(id, coll, dst, src) }
func (h *houses) Read(id int32, slot exec.Ref)                   { h.at(id).Read(id, slot) }
func (h *houses) Operation(exec.OperationRecord)                 {}
func (h *houses) Step(s exec.StepRecord, _ []exec.Wait) {
	j := h.at(s.Rank)
	if s.Step == workload.StartStep {
		j.Started(s.Rank)
		return
	}
	if s.Step%2 == 1 || s.Step+1 == j.Steps() {
		j.Hold(s.Rank, s.Step)
	}
	if h.said[s.Step] == nil {
		h.said[s.Step] = make([]Said, len(h.of))
	}
	said := j.Say(s.Rank, s.Step) // copied, as if it went to another process
	said.Params = slices.Clone(said.Params)
	for i, v := range said.State {
		said.State[i] = slices.Clone(v)
	}
	h.said[s.Step][s.Rank] = said
}

// hear tells the ear of a step.
func (h *houses) hear(step int64) {
	for id, s := range h.said[step] {
		if err := h.ear.Hear(int32(id), s); err != nil && h.err == nil {
			h.err = err
		}
	}
	h.ear.Loss(step)
	if h.said[step][0].Held {
		h.ear.Keep(&h.state, step)
		h.ear.Gather(&h.state)
	}
}

// Ranks in several processes, each with memory for its own alone, and one that only hears of them, know what one process
// with all ranks knows.
func TestRanksOfOtherProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyLayout(t).anyPrecision(t).config(t)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		whole := kept(t, cfg, anyNet(t))
		h := &houses{said: map[int64][]Said{}}
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		here := make([][]int32, n)
		for id := range cfg.Work.Ranks() {
			at := rapid.IntRange(0, n-1).Draw(t, "process")
			h.of, here[at] = append(h.of, at), append(here[at], int32(id))
		}
		for _, ranks := range append(here, nil) {
			cfg.Ranks = append([]int32{}, ranks...)
			j, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			h.jobs = append(h.jobs, j)
		}
		h.ear = h.jobs[n]
		d := exectest.New(anyNet(t), h)
		for r := range cfg.Work.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: h.ear.Steps(), Body: h, Observer: h})
		}
		if _, err := d.Run(); err != nil {
			t.Fatal(err)
		}
		for step := range h.ear.Steps() {
			if h.hear(step); h.err != nil {
				t.Fatal(h.err)
			}
		}
		want := whole.states[len(whole.states)-1]
		if h.state.Step != want.Step || h.state.EpochLoss != want.EpochLoss || !equal(h.state.Params, want.Params) ||
			!slices.EqualFunc(h.state.Optimiser, want.Optimiser, equal) {
			t.Fatal("the state is not that of one process")
		}
		if !equal(h.ear.Gathered(0), oracle.Weights[0]) || !h.ear.Agree() {
			t.Fatal("the weights are not the oracle's")
		}
		if l := cfg.Work.Training.Layout; l.DP > 1 && l.Zero < workload.ZeroParameters {
			other := l.Rank(workload.Coord{Data: 1})
			h.ear.ranks[other].digest[3]++
			if h.ear.Agree() {
				t.Fatal("replicas agree, of which one has other weights")
			}
		}
		for s, want := range oracle.Losses {
			if got := h.ear.Loss(int64(s)); got != want {
				t.Fatalf("step %d: loss %v, the oracle's %v", s, got, want)
			}
		}
	})
}

// A process has memory for its own ranks alone.
func TestMemoryOfOwnRanks(t *testing.T) {
	cfg := job{ranks: 4, channels: 1, steps: 2}.config(t)
	cfg.Ranks = []int32{1, 3}
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for id := range j.ranks {
		if has, want := j.Memory(int32(id)) != (workload.Memory{}), id%2 == 1; has != want {
			t.Errorf("rank %d has memory: %v, want %v", id, has, want)
		}
	}
}

func TestRanksThatAProcessCannotHave(t *testing.T) {
	for _, ranks := range [][]int32{{4}, {-1}, {0, 1, 0}} {
		cfg := job{ranks: 4, channels: 1, steps: 2}.config(t)
		cfg.Ranks = ranks
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "want each once, from 0 to 3") {
			t.Errorf("%v: %v", ranks, err)
		}
	}
}

// What a rank elsewhere cannot have said is refused.
func TestHearRefuses(t *testing.T) {
	cfg := job{ranks: 4, channels: 1, steps: 2, momentum: 0.9}.config(t)
	cfg.Ranks = []int32{0}
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	vector := make([]float32, cfg.Model.Params())
	for _, c := range []struct {
		id   int32
		s    Said
		want string
	}{
		{0, Said{}, "none of another process"}, {4, Said{}, "none of another process"}, {-1, Said{}, "none of another process"},
		{1, Said{Step: 2}, "want 0 to 1"}, {1, Said{Step: -1}, "want 0 to 1"},
		{1, Said{Held: true, Params: vector}, "want 0"},
		{1, Said{Held: true, State: [workload.MaxState][]float32{vector}}, "want 0"},
		{1, Said{Held: true, State: [workload.MaxState][]float32{1: vector}}, "want 1"},
	} {
		if err := j.Hear(c.id, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("rank %d, step %d: %v, want %q", c.id, c.s.Step, err, c.want)
		}
	}
	if err := j.Hear(1, Said{Step: 1, Held: true}); err != nil {
		t.Error(err)
	}
}
