package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
)

// weightsOf reads the newest weights of a run.
func weightsOf(t *testing.T, r ran) *Resume {
	t.Helper()
	files, err := r.Run.Weights("")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ReadResume(t.Context(), files[0])
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// lossesOf are the losses of a run's steps and ranks, in order.
func lossesOf(t *testing.T, r ran) []float64 {
	all := make([]float64, 8*r.Summary.Steps)
	for _, s := range rows(t, r.Run.Steps()) {
		if s.Step >= 0 {
			all[8*s.Step+s.Rank] = *s.Loss
		}
	}
	return all
}

// A training that Ctrl-C ends within its first epoch (12 steps) or its second, and that goes on
// over another network, which loses frames, is one that never stopped.
func TestResumedIsNeverStopped(t *testing.T) {
	whole := run(t, cluster8(2)+training(t, 40, 2), Options{})
	want, err := os.ReadFile(filepath.Join(whole.path, "weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int64{1, 14} {
		ctx, stop := context.WithCancel(context.Background())
		first, err := tryRun(t, ctx, cluster8(2)+training(t, 40, 2), Options{Workers: 2, often: true, Progress: func(p result.Progress) {
			if p.Phase == "training" && p.Done >= steps {
				stop()
			}
		}})
		stop()
		w := weightsOf(t, first)
		if !errors.Is(err, context.Canceled) || w.Step != first.Summary.Steps || w.Step >= 40 {
			t.Fatalf("%v; the weights are of step %d, the run took %d", err, w.Step, first.Summary.Steps)
		}
		lossy := cluster8(2) + "faults: [{link: all, drop: 0.01}]\n" + training(t, 40, 2)
		rest := run(t, lossy, Options{Resume: w, Workers: 2})
		if rest.Retransmits == 0 {
			t.Error("nothing was lost")
		}
		if got, err := os.ReadFile(filepath.Join(rest.path, "weights.safetensors")); err != nil || string(got) != string(want) {
			t.Errorf("gone on after step %d: other weights: %v", w.Step, err)
		}
		if got := append(lossesOf(t, first), lossesOf(t, rest)...); !slices.Equal(got, lossesOf(t, whole)) {
			t.Errorf("gone on after step %d: other losses", w.Step)
		}
		if *rest.FinalLoss != *whole.FinalLoss || *rest.TestAccuracy != *whole.TestAccuracy ||
			rest.WeightsSHA256 != whole.WeightsSHA256 {
			t.Errorf("gone on after step %d: loss %v, accuracy %v; want %v, %v", w.Step, *rest.FinalLoss,
				*rest.TestAccuracy, *whole.FinalLoss, *whole.TestAccuracy)
		}
		if got := rest.Resumed; got == nil || got.Step != w.Step || got.File != "weights.safetensors" {
			t.Errorf("run.json says that it was resumed from %+v", got)
		}
	}
}

// A run that comes to a standstill within a step leaves the weights of the step before it, whatever
// its ranks hold by then.
func TestAStandstillLeavesWholeWeights(t *testing.T) {
	stuck := "transport: {timeout: none}\nfaults: [{link: host1/rail1, at: 700us, down: 1h}]\n"
	yaml := cluster8(2) + stuck + training(t, 40, 2) + noWatchdog
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || r.State != result.Unfinished || r.Summary.Steps == 0 {
		t.Fatalf("%v: state %s after %d steps", err, r.State, r.Summary.Steps)
	}
	w := weightsOf(t, r)
	cfg := reference(t, yaml)
	cfg.Steps = r.Summary.Steps
	want, err := train.Oracle(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if w.Step != cfg.Steps || train.Digest(w.Params) != train.Digest(want.Weights[0]) {
		t.Errorf("weights of step %d, not the oracle's after %d", w.Step, cfg.Steps)
	}
}

// Weights that are no numbers are not kept.
func TestADivergedTrainingLeavesNoWeights(t *testing.T) {
	yaml := strings.Replace(cluster8(2)+training(t, 40, 2), "lr: 0.2", "lr: 900, loss: mse", 1)
	r, err := tryRun(t, context.Background(), yaml, Options{})
	if err == nil || r.State != result.Failed {
		t.Fatalf("%v, state %s", err, r.State)
	}
	if _, err := r.Run.Weights(""); err == nil {
		t.Error("weights are there")
	}
}

// What is left to do is estimated, not what is done.
func TestTheEstimateOfTheRest(t *testing.T) {
	yaml := cluster8(2) + strings.Replace(training(t, 20, 2), "train: {", "train: {start: equal, ", 1)
	p, err := NewPlan(read(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	size := dataset.Size{Train: trainImages, Test: testImages, Rows: 28, Cols: 28}
	all := foresight.EstimateOf(p, []dataset.Size{size})
	p.Jobs[0].Done = 15
	if rest := foresight.EstimateOf(p, []dataset.Size{size}); rest.Steps != 5 || 4*rest.PacketHops != all.PacketHops {
		t.Errorf("%d steps and %d packet-hops, want 5 of 20 and a quarter of %d", rest.Steps, rest.PacketHops,
			all.PacketHops)
	}
}
