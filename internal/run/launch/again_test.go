//go:build unix

package launch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/run/launch"
)

// A job whose ranks are killed again and again ends with the weights of one that nobody disturbed, and does no more steps than
// since its checkpoints again; when it may not start again it says why it ended.
func TestStartsAgain(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	job := `    layers: [784, 16, 10]
    batch: 8
    epochs: 1000000
    steps: 900
    optimiser: adam
    checkpoint: {every: 30, keep: 2}
  parallel: {dp: 2, pp: 2, micro_batches: 2, zero: 2}
`
	again := func(text string, restarts, most int) (said string, tries string, sum *result.Summary, err error) {
		cfg := config(parse(t, text))
		kills, folder := 0, t.TempDir()
		cfg.Say = func(line string) { said += line + "\n" }
		cfg.Run.Progress = func(p result.Progress) {
			if pids := children(t); p.Phase == "training" && p.Done >= 50 && kills < most && len(pids) == 4 {
				_ = syscall.Kill(pids[kills], syscall.SIGKILL)
				kills++
			}
		}
		dir, sum, err := launch.Again(context.Background(), cfg, restarts, func(try int) (*result.Dir, error) {
			return result.Create(filepath.Join(folder, fmt.Sprint(try)))
		})
		if left := children(t); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
		for try := range strings.Count(said, "\n") {
			r, err := result.Open(filepath.Join(folder, fmt.Sprint(try)))
			if err != nil || r.Summary.State != result.Failed {
				t.Errorf("try %d: %v, %+v", try, err, r)
			}
		}
		return said, filepath.Base(dir.Path()), sum, err
	}
	text := training(1, 4, job)
	said, tries, sum, err := again(text, 9, 2)
	if err != nil || tries != fmt.Sprint(strings.Count(said, "\n")) || !strings.Contains(said, ", after step ") {
		t.Fatalf("%s tries, said %q, %v", tries, said, err)
	}
	if want := simulated(t, text); sum.WeightsSHA256 != want.WeightsSHA256 || sum.Resumed == nil {
		t.Errorf("weights %s, want %s; said %q", sum.WeightsSHA256, want.WeightsSHA256, said)
	}
	said, tries, _, err = again(strings.Replace(text, "steps: 900", "steps: 900000", 1), 1, 4)
	if err == nil || !strings.Contains(err.Error(), "was killed by signal 9") || tries != "1" ||
		strings.Count(said, "(restart 1 of 1)") != 1 {
		t.Errorf("%s tries, said %q, %v", tries, said, err)
	}
}
