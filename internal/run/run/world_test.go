package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"railyard/internal/job/train"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// The images of all tests: drawn once.
const trainImages, testImages = 400, 100

var (
	pictures     string
	drawPictures = sync.OnceValue(func() error {
		d := dataset.Drawn{Dir: filepath.Join(pictures, "digits"), Train: trainImages, Test: testImages, Seed: 1}
		return d.Ensure(context.Background(), nil)
	})
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "railyard-run")
	if err != nil {
		panic(err)
	}
	pictures = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// digits returns the folder of the images.
func digits(t *testing.T) string {
	t.Helper()
	if err := drawPictures(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(pictures, "digits")
}

// cluster8 is 8 GPUs in 2 hosts (of hosts in all) on two rails and two spines.
func cluster8(hosts int) string {
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: 4}, nic: {speed: 100Gb/s}}
`, hosts)
}

// training is the job of most tests: 784-32-10 on the first 8 GPUs.
func training(t *testing.T, steps, channels int) string {
	return fmt.Sprintf(`
job:
  train: {model: mlp, layers: [784, 32, 10], data: %q, batch: 4, epochs: 9, steps: %d,
    lr: 0.2, momentum: 0.9, bucket: layer}
  parallel: {dp: 8}
  collective: {channels: %d}
`, digits(t), steps, channels)
}

// noWatchdog goes behind training: ranks that wait for ever do so.
const noWatchdog = "  watchdog: none\n"

// bursts are background flows into the port of host2 that the first ring uses.
func bursts(bytes, every string, count int) string {
	text := "background:\n  flows:\n"
	for host := 3; host <= 5; host++ {
		text += fmt.Sprintf("    - {from: host%d/gpu0, to: host2/gpu0, bytes: %s, every: %s, count: %d}\n", host, bytes,
			every, count)
	}
	return text
}

// read resolves a scenario.
func read(t *testing.T, yaml string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return sc
}

// ran is what a run left.
type ran struct {
	*result.Summary
	*result.Run
	path    string
	weights [][]float32 // by rank
}

// run runs a scenario into a fresh directory; the run must complete.
func run(t *testing.T, yaml string, opt Options) ran {
	t.Helper()
	r, err := tryRun(t, context.Background(), yaml, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != result.Complete {
		t.Fatalf("state %s", r.State)
	}
	return r
}

// tryRun runs a scenario, which may fail, and finishes its directory.
func tryRun(t *testing.T, ctx context.Context, yaml string, opt Options) (ran, error) {
	t.Helper()
	r := ran{path: filepath.Join(t.TempDir(), "run")}
	dir, err := result.Create(r.path)
	if err != nil {
		t.Fatal(err)
	}
	opt.Dir, opt.eager = dir, true
	ended := opt.ended
	opt.ended = func(r1 *runner) {
		if ended != nil {
			ended(r1)
		}
		if r1.jobs[0].train == nil {
			return
		}
		for id := range r1.jobs[0].ranks {
			r.weights = append(r.weights, r1.jobs[0].train.Weights(int32(id)))
		}
	}
	sum, failed := Run(ctx, read(t, yaml), opt)
	if sum == nil {
		return r, failed
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	if r.Run, err = result.Open(r.path); err != nil {
		t.Fatal(err)
	}
	r.Summary = r.Run.Summary
	return r, failed
}

// digestOf hashes everything in a run directory. Wall time is not in run.json here: only the
// command line measures it.
func digestOf(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		// what the user wrote may say the same in other words
		if err != nil || f.IsDir() || f.Name() == result.ScenarioInput {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", f.Name(), len(b))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// reference is the same job for the oracle, put together without run.
func reference(t *testing.T, yaml string) train.Config {
	t.Helper()
	sc := read(t, yaml)
	set, err := dataset.Load(context.Background(), digits(t))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(sc)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nn.NewMLP([]int{784, 32, 10}, nn.ReLU, nn.CrossEntropy)
	if err != nil {
		t.Fatal(err)
	}
	return train.Config{Model: m, Kernel: nn.Portable, Train: &set.Train,
		Replicas: len(plan.Jobs[0].Placement.Ranks), Batch: 4, Epochs: 9, Steps: int64(sc.Jobs[0].Train.Steps.Value), Seed: sc.Seed,
		Optimiser: nn.Optimiser{LR: 0.2, Momentum: 0.9}, Work: plan.Jobs[0].Work}
}

// rows collects a table.
func rows[R any](t *testing.T, table func(func(R, error) bool)) []R {
	t.Helper()
	var all []R
	for row, err := range table {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

// noteWith reports whether one of the summary's notes has these words.
func noteWith(s *result.Summary, words string) bool {
	for _, n := range s.Notes {
		if strings.Contains(n, words) {
			return true
		}
	}
	return false
}

// keys reads run.json as anybody else would.
func keys(t *testing.T, path string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
