package train

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
)

// keeper keeps the state after each step that all ranks have ended, as a run does: some time later.
type keeper struct {
	job    *Job
	ended  map[int64]int
	whole  int64 // steps that all ranks have ended
	state  State
	states []State // copies, by step
}

func (k *keeper) Operation(exec.OperationRecord) {}
func (k *keeper) Step(r exec.StepRecord, _ []exec.Wait) {
	k.job.Hold(r.Rank, r.Step)
	if k.ended[r.Step]++; k.ended[r.Step] < len(k.job.ranks) {
		return
	}
	if k.whole++; k.whole%2 == 0 || k.whole == k.job.Steps() { // two at once: ranks have gone on since the first
		k.keep()
	}
}

// keep keeps all states after steps that all ranks have ended.
func (k *keeper) keep() {
	for step := int64(len(k.states)); step < k.whole; step++ {
		k.job.Keep(&k.state, step)
		k.job.Gather(&k.state)
		s := k.state
		s.Params = slices.Clone(s.Params)
		s.Optimiser = slices.Clone(s.Optimiser)
		for i, v := range s.Optimiser {
			s.Optimiser[i] = slices.Clone(v)
		}
		k.states = append(k.states, s)
	}
}

func kept(t interface{ Fatal(...any) }, cfg Config, net exectest.Net) *keeper {
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{job: j, ended: map[int64]int{}}
	d := exectest.New(net, j)
	for r := range cfg.Work.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: j.Steps(), Body: j, Observer: k})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	return k
}

// A training that goes on from any step, across the borders of epochs, ends with the weights,
// velocities and losses of one that never stopped.
func TestGoingOnIsNeverHavingStopped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := job{ranks: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "ranks"), channels: 2,
			momentum: rapid.SampledFrom([]float64{0, 0.9}).Draw(t, "momentum"), steps: 20,
			precision: layout{}.anyPrecision(t).precision}
		latency := unit.Duration(rapid.Int64Range(0, 40).Draw(t, "latency")) * us
		net := exectest.Net{Rate: unit.GigabitPerSec, BodyAt: exectest.Beside,
			Latency: func(m exec.Message) unit.Duration { return unit.Duration(m.Src+1) * latency }}
		cfg := w.config(t)
		whole := kept(t, cfg, net)
		at := rapid.IntRange(1, 19).Draw(t, "step")
		cfg.Start = &whole.states[at-1]
		if cfg.Start.Step != int64(at) {
			t.Fatalf("the state after step %d says %d", at, cfg.Start.Step)
		}
		rest := kept(t, cfg, net)
		if n := rest.job.Steps(); n != int64(20-at) {
			t.Fatalf("%d steps left after %d of 20", n, at)
		}
		for i, got := range rest.states {
			want := whole.states[at+i]
			if got.Step != want.Step || got.EpochLoss != want.EpochLoss || !equal(got.Params, want.Params) ||
				!slices.EqualFunc(got.Optimiser, want.Optimiser, equal) {
				t.Fatalf("after step %d the state is another one", want.Step)
			}
			if g, w := rest.job.EpochLoss(int64(i)), whole.job.EpochLoss(int64(at+i)); g != w {
				t.Fatalf("mean loss of the epoch after step %d: %v, want %v", want.Step, g, w)
			}
		}
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(oracle.Weights[0], rest.job.Weights(0)) || len(oracle.Losses) != 20-at {
			t.Fatal("the oracle goes on to other weights")
		}
	})
}

// What is kept is the oracle's after so many steps, whatever the other ranks do at that instant.
func TestKeptStatesAreTheOracles(t *testing.T) {
	cfg := job{ranks: 4, channels: 2, momentum: 0.9, steps: 8}.config(t)
	seed := stream{3}
	k := kept(t, cfg, exectest.Net{Rate: unit.GigabitPerSec, BodyAt: exectest.AtStart,
		Latency: func(exec.Message) unit.Duration { return unit.Duration(seed.below(400)) * us }})
	for i, s := range k.states {
		cfg.Steps = int64(i + 1)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(s.Params, oracle.Weights[0]) {
			t.Errorf("after step %d: not the oracle's weights", i)
		}
	}
}

func TestAStateThatDoesNotFitIsRefused(t *testing.T) {
	cfg := job{ranks: 2, channels: 1, momentum: 0.9, steps: 3}.config(t)
	good := kept(t, cfg, exectest.Net{}).states[1]
	for want, change := range map[string]func(*State){
		"a state of 381 parameters and 1 vectors beside them": func(s *State) { s.Params = s.Params[1:] },
		"a state of 382 parameters and 0 vectors beside them": func(s *State) { s.Optimiser = nil },
		"a state with a vector of 381 elements":               func(s *State) { s.Optimiser = [][]float32{s.Params[1:]} },
		"a state after 3 steps, the job has 3":                func(s *State) { s.Step = 3 },
		"a state after -1 steps":                              func(s *State) { s.Step = -1 },
	} {
		s := good
		change(&s)
		cfg.Start = &s
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
