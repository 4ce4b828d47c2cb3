package record

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// training returns a recorder of a training of 8 ranks that has not begun, on an image for each.
func training(t *testing.T) *Recorder { return trainingOn(t, 8) }

func trainingOn(t *testing.T, n int) *Recorder {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(`
cluster: {hosts: 2, host: {gpus: 4}, nic: {speed: 100Gb/s}}
job: {train: {model: mlp, layers: [4, 3, 2], data: nowhere, batch: 1, epochs: 2, lr: 0.2}, parallel: {dp: 8}}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	images := &dataset.Set{}
	images.Train = dataset.Images{N: n, Rows: 2, Cols: 2, Pixels: make([]byte, n*4), Labels: make([]uint8, n)}
	r := New(p, nil, 1, Hooks{Step: func(int, int64, unit.Time, float64) {}, Ended: func(int64) {}})
	job, err := train.New(train.Config{Model: p.Jobs[0].Model, Kernel: nn.Portable,
		Train:    &images.Train,
		Replicas: 8, Batch: 1, Epochs: 2, Optimiser: nn.Optimiser{LR: 0.2}, Work: p.Jobs[0].Work})
	if err != nil {
		t.Fatal(err)
	}
	r.Open(Parts{Jobs: []JobParts{{Train: job, Steps: job.Steps(),
		Data: Data{Train: &images.Train, Test: &images.Test, Are: "images"}}}})
	return r
}

// Of equally slow steps the path of the first is kept.
func TestTheFirstOfEquallySlowPathsIsKept(t *testing.T) {
	c := critical{evidence: newEvidence(&plan.Job{}), life: &life{}, name: func(int32) string { return "" }}
	for step, took := range []unit.Time{5, 9, 7, 9} {
		c.path(&exec.PathRecord{Step: int64(step), Start: 100, End: 100 + took,
			Parts: []exec.PathPart{{Kind: exec.PathMessage, From: 100, Until: 100 + took}}})
	}
	if c.slowest.Step != 1 || len(c.slowest.Parts) != 1 || c.slowest.Parts[0].Until != 109 {
		t.Errorf("kept %+v, want step 1", c.slowest)
	}
}

// Of ranks that took equally long the one with the lowest number is the slowest, in whatever order
// they end.
func TestTheFirstOfEquallySlowRanksCounts(t *testing.T) {
	for _, order := range [][]int32{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {3, 2, 7, 1, 0, 4, 6, 5}} {
		r := training(t)
		for _, rank := range order {
			s := exec.StepRecord{Rank: rank, Step: 0, Start: unit.Time(rank), End: unit.Time(rank) + 100}
			if rank == 4 {
				s.End -= 10 // quicker
			}
			s.Split[cause.Compute] = unit.Duration(rank + 1)
			r.Job(0).step(&s, nil)
		}
		if got := r.jobs[0].slowest[cause.Compute]; got != 1 {
			t.Errorf("ended in the order %v: rank %d counts as the slowest, want 0", order, got-1)
		}
	}
}

// The driver hears of each step that all ranks have ended, with its loss, and of the end of the
// job, which may be sooner than planned.
func TestTheDriverHearsOfStepsAndOfTheEnd(t *testing.T) {
	for limit, want := range map[int64]string{9: "step 0, step 1, done at 208", 1: "step 0, done at 108, step 1"} {
		r := training(t)
		var heard []string
		r.hooks.Step = func(_ int, step int64, _ unit.Time, _ float64) { heard = append(heard, "step "+string('0'+rune(step))) }
		r.hooks.Done = func(last unit.Time) { heard = append(heard, "done at "+unit.Duration(last).String()) }
		r.Job(0).StopAfter(limit)
		for step := range int64(2) {
			for rank := range int32(8) {
				r.Job(0).step(&exec.StepRecord{Rank: rank, Step: step, End: unit.Time(100*(step+1)) + unit.Time(rank+1)}, nil)
			}
		}
		if got := strings.ReplaceAll(strings.Join(heard, ", "), "ps", ""); got != want {
			t.Errorf("stopped after %d steps: heard %q, want %q", limit, got, want)
		}
	}
}

// A training of which no critical path was traced says so.
func TestARunWithoutPathsSaysSo(t *testing.T) {
	for traced, want := range map[int64]bool{0: true, 2: false} {
		notes := training(t).Job(0).pathNotes(&result.JobFigures{Steps: 2, PathsTraced: traced})
		if got := slices.ContainsFunc(notes,
			func(n string) bool { return strings.HasPrefix(n, "no critical path: ") }); got != want {
			t.Errorf("%d paths were traced, and the notes say %q", traced, notes)
		}
	}
}

// What telemetry calls an all-to-all is what collectives are called.
func TestOpsOfTelemetry(t *testing.T) {
	if telemetry.AllToAll != coll.AllToAll.String() {
		t.Errorf("%q and %q", telemetry.AllToAll, coll.AllToAll)
	}
}
