package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/out/result"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// Images, labels and batch that do not fit are located in the scenario, and no run begins.
func TestDataThatDoesNotFitIsAProblemOfAField(t *testing.T) {
	for _, c := range []struct{ old, new, path, want string }{
		{"[784, 32, 10]", "[100, 32, 10]", "job.train.layers", "first layer has 100 inputs"},
		{"[784, 32, 10]", "[784, 32, 9]", "job.train.layers",
			"the labels in " + digits(t) + " go up to 9: want at least 10"},
		{"batch: 4", "batch: 51", "job.train.batch", "51 on each of 8 replicas: one step takes more than the 400 " +
			"training images, want at most 50"},
		{digits(t), digits(t) + "/none", "job.train.data", "none: no such folder"},
		{fmt.Sprintf("data: %q", digits(t)), fmt.Sprintf("data: {digits: {dir: %q, seed: 9}}", digits(t)),
			"job.train.data.digits.dir", "was made with train 400"},
	} {
		yaml := strings.Replace(cluster8(2)+training(t, 1, 1), c.old, c.new, 1)
		r, err := tryRun(t, context.Background(), yaml, Options{})
		if r.Run != nil {
			t.Errorf("%s: the run began", c.new)
		}
		var field *plan.FieldError
		if !errors.As(err, &field) || field.Path != c.path || !strings.Contains(field.Err.Error(), c.want) {
			t.Errorf("%s: %v, want %s: %s", c.new, err, c.path, c.want)
		}
		in, err := Inspect(read(t, yaml))
		if err != nil || plantest.Errors(in.Findings) != 1 || in.Findings[0].Path != c.path ||
			!strings.Contains(in.Findings[0].Message, c.want) {
			t.Errorf("%s: check says %v %+v", c.new, err, in)
		}
	}
}

// A training whose loss is not a number ends there, failed, the same on every partition of the
// network; what came before is kept.
func TestADivergedTrainingStops(t *testing.T) {
	yaml := strings.NewReplacer("lr: 0.2", "lr: 60, loss: mse", "steps: 50",
		"steps: 40").Replace(cluster8(2) + training(t, 50, 2))
	steps := int64(0)
	for _, islands := range []int{1, 3} {
		r, err := tryRun(t, context.Background(), yaml, Options{Islands: islands})
		if err == nil || !strings.Contains(err.Error(), "the training diverged: the loss of step ") ||
			!strings.Contains(err.Error(), "job.train.lr (60) or job.train.momentum (0.9)") {
			t.Fatalf("error %v", err)
		}
		if r.State != result.Failed || !math.IsNaN(float64(*r.FinalLoss)) || r.Summary.Steps >= r.StepsPlanned ||
			r.Summary.Steps < 2 {
			t.Errorf("state %s, final loss %v after %d of %d steps", r.State, *r.FinalLoss, r.Summary.Steps,
				r.StepsPlanned)
		}
		if steps != 0 && r.Summary.Steps != steps {
			t.Errorf("%d islands: %d steps, with one %d", islands, r.Summary.Steps, steps)
		}
		steps = r.Summary.Steps
		rows := int64(0)
		for _, err := range r.Run.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			rows++
		}
		if rows != 8*(1+steps) {
			t.Errorf("%d rows in steps, want %d", rows, 8*(1+steps))
		}
	}
}

// A training that ends no better than it began says so.
func TestATrainingThatDoesNotLearnSaysSo(t *testing.T) {
	bad := run(t, strings.Replace(cluster8(2)+training(t, 20, 2), "lr: 0.2", "lr: 20", 1), Options{})
	good := run(t, cluster8(2)+training(t, 20, 2), Options{})
	if !strings.Contains(strings.Join(bad.Notes, " "), "the training has not learned: ") {
		t.Errorf("loss %v: %q", *bad.FinalLoss, bad.Notes)
	}
	if strings.Contains(strings.Join(good.Notes, " "), "has not learned") {
		t.Errorf("loss %v: %q", *good.FinalLoss, good.Notes)
	}
}

// A run keeps the schedule that it read: with it, its resolved scenario makes the same run.json
// again.
func TestTheScheduleOfARunIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my schedule.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ring, err := coll.RingAllReduce([][]int32{{3, 2, 1, 0, 4, 5, 6, 7}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := coll.WriteText(&text, ring); err != nil {
		t.Fatal(err)
	}
	write(text.String())
	yaml := strings.Replace(cluster8(2)+training(t, 3, 1), "{channels: 1}", fmt.Sprintf("{channels: 1, schedule: %q}",
		file), 1)
	first := run(t, yaml, Options{})
	write("changed")
	kept, err := os.ReadFile(filepath.Join(first.path, "inputs", "schedule.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(string(kept))
	again := run(t, first.ScenarioYAML, Options{})
	a, err1 := os.ReadFile(filepath.Join(first.path, "run.json"))
	b, err2 := os.ReadFile(filepath.Join(again.path, "run.json"))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("run.json\n%s\nand again\n%s", a, b)
	}
	source, err := first.Run.Source()
	if err != nil || string(source) != yaml {
		t.Errorf("kept as the scenario: %v\n%s", err, source)
	}
}
