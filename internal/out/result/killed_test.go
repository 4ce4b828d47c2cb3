//go:build unix

package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
)

// The run that is killed: parts of 32 rows, so that in a few milliseconds it goes
// through everything a long run does.
const (
	killedFlows = 300
	killedGroup = 32
)

// killedFlow is row i of its flows: what is read back must be these, in order.
func killedFlow(i int) FlowRow {
	return FlowRow{ID: int64(i), Name: "all-reduce 0", Posted: unit.Time(1000 * i), Placed: unit.Time(1000*i + 777),
		Path: "host1>rail1>host2"}
}

func killedStep(i int) StepRow {
	return StepRow{Step: int32(i), Start: unit.Time(1000 * i), End: unit.Time(1000*i + 1000), Loss: new(float64(i))}
}

// killedRun is one whole run.
func killedRun(dir string) error {
	d, err := Create(dir)
	if err != nil {
		return err
	}
	d.group = killedGroup
	s := &Summary{Name: "x"}
	if err := d.Begin(s); err != nil {
		return err
	}
	for i := range killedFlows {
		d.Flows().Add(killedFlow(i))
		if i%15 == 0 {
			d.Steps().Add(killedStep(i / 15))
		}
		if i%100 == 55 { // a slow run, whose parts are closed before they are full
			d.keep()
		}
	}
	s.State = Complete
	return d.Finish(s)
}

const killedEnv = "RAILYARD_TEST_KILLED"

// Killed at any instant, a run directory is complete or says that it is not, and
// what can be read of its tables is their first rows.
func TestKilledAtAnyInstant(t *testing.T) {
	if dir := os.Getenv(killedEnv); dir != "" {
		fmt.Println("start")
		if err := killedRun(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("end")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	runs := 200
	if testing.Short() {
		runs = 20
	}
	root := t.TempDir()
	whole := killAfter(t, filepath.Join(root, "whole"), time.Hour)
	seen := map[string]int{}
	for i := range runs {
		dir := filepath.Join(root, fmt.Sprint(i))
		killAfter(t, dir, time.Duration(rand.Int64N(int64(whole*11/10))))
		seen[checkKilled(t, dir)]++
		if t.Failed() {
			t.Fatalf("run %d", i)
		}
		os.RemoveAll(dir)
	}
	t.Logf("killed within %v: %v", whole, seen)
}

// killAfter starts a run in a process of its own, kills it after the delay, and
// returns how long it lasted. The clock starts when the run does. A run that ends
// sooner is killed at its end.
func killAfter(t *testing.T, dir string, delay time.Duration) time.Duration {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtAnyInstant$")
	cmd.Env = append(os.Environ(), killedEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "start" {
		t.Fatalf("the run says %q", lines.Text())
	}
	begin := time.Now()
	kill := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if lines.Scan() && lines.Text() != "end" {
		t.Errorf("the run says %q", lines.Text())
	}
	lasted := time.Since(begin)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return lasted
}

// checkKilled opens the directory of a killed run and returns what it was found to be.
func checkKilled(t *testing.T, dir string) string {
	r, err := OpenIncomplete(dir)
	if err != nil {
		entries, _ := os.ReadDir(dir)
		if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !output.Ours(e.Name()) }) {
			return "not begun" // killed before there was anything to mark
		}
		t.Errorf("%v: %v", err, entries)
		return ""
	}
	flows := prefix(t, r.Flows(), killedFlow, func(a, b FlowRow) bool { return a == b })
	steps := prefix(t, r.Steps(), killedStep, func(a, b StepRow) bool {
		return a.Step == b.Step && a.End == b.End && *a.Loss == *b.Loss
	})
	switch r.Summary.State {
	case Complete:
		if flows != killedFlows || steps != killedFlows/15 {
			t.Errorf("complete with %d flows and %d steps", flows, steps)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*.0*"))
		if len(left) > 0 {
			t.Errorf("complete, but %v lie there", left)
		}
		return "complete"
	case Running:
		var incomplete *IncompleteError
		if _, err := Open(dir); !errors.As(err, &incomplete) {
			t.Errorf("Open: %v, want an IncompleteError", err)
		}
		if flows+steps > 0 {
			return "readable in part"
		}
		return "begun"
	}
	t.Errorf("state %q", r.Summary.State)
	return ""
}

// prefix checks that the rows are the first ones of want, and counts them. A table
// of which nothing was closed says so.
func prefix[R any](t *testing.T, rows iter.Seq2[R, error], want func(int) R, same func(a, b R) bool) int {
	n := 0
	for row, err := range rows {
		if err != nil {
			if n > 0 || !strings.Contains(err.Error(), "was not finished") &&
				!strings.Contains(err.Error(), "the run wrote none") {
				t.Errorf("after %d rows: %v", n, err)
			}
			return n
		}
		if !same(row, want(n)) {
			t.Errorf("row %d: %+v, want %+v", n, row, want(n))
		}
		n++
	}
	return n
}
