package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/study/sweep"
)

// Wherever a search is interrupted, also when the last run of a round has just ended, its table is no whole one.
func TestASearchThatIsInterruptedIsNotComplete(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(file, []byte(`scenario:
  cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
  fabric: {design: single-switch, qos: {pfc: {enabled: false}}}
  job: {collectives: [{op: gather, bytes: 64kB, iterations: 1, warmup: 0}]}
find: {smallest: fabric.switch.buffer, range: 20kB..180kB step 20kB, with: drops == 0}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	a := newApp(os.Stdout, os.Stderr, wired())
	s, err := a.planSweep(context.Background(), nil, file, sweepFlags{})
	if err != nil {
		t.Fatal(err)
	}
	interrupted := 0
	for after := 1; ; after++ {
		ctx, cancel := context.WithCancel(context.Background())
		ran := 0
		table, err := s.run(ctx, nil, sweep.Options{Limits: sweep.Limits{Workers: 1}, Each: func(int, *result.Summary) {
			if ran++; ran == after {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			if table.State != result.Complete || len(table.Found) != 1 {
				t.Fatalf("whole: %s, %v", table.State, table.Found)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || table != nil && table.State != result.Interrupted {
			t.Errorf("after %d runs: %v, and the table is %s", after, err, table.State)
		}
		interrupted++
	}
	if interrupted < 3 {
		t.Errorf("it was interrupted %d times: too few rounds", interrupted)
	}
}
