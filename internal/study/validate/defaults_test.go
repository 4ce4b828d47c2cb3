package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// constants are the sets of DCQCN constants that were compared for the default, as keys of
// congestion.
var constants = []string{
	"preset: dcqcn-sigcomm15",
	"preset: connectx-default",
	"preset: default",
}

// cells are the incasts that they were compared on: senders to one and speed of every port.
var cells = []struct {
	senders int
	speed   string
}{{2, "25Gb/s"}, {2, "100Gb/s"}, {2, "200Gb/s"}, {2, "400Gb/s"}, {16, "25Gb/s"}, {16, "100Gb/s"},
	{16, "200Gb/s"}, {16, "400Gb/s"}}

// incasts runs flows of 10 MB through one switch with links of 1 us and everything else by default,
// once for each of ten seeds. It returns when the last flow was complete, in ms, of the runs in
// which no queue pair failed.
func incasts(t testing.TB, senders int, speed, congestion string) (ms []float64) {
	t.Helper()
	for seed := range seeds {
		var b strings.Builder
		fmt.Fprintf(&b, "name: incast\nseed: %d\ncluster: {hosts: %d, host: {gpus: 1}, nic: {speed: %s}}\n",
			seed+1, senders+1, speed)
		fmt.Fprintf(&b, "fabric: {design: single-switch, links: {delay: 1us}}\ncongestion: {%s}\njob:\n  flows:\n",
			congestion)
		for i := range senders {
			fmt.Fprintf(&b, "  - {from: host%d/nic0, to: host1/nic0, bytes: 10MB}\n", i+2)
		}
		b.WriteString("output: {queues: false, flows: false, operations: false}\n")
		sc, err := scenario.Parse("incast.yaml", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := run.Run(context.Background(), sc, run.Options{Force: true})
		if err != nil {
			if !strings.Contains(err.Error(), "queue pair") {
				t.Fatal(err)
			}
			continue
		}
		last := unit.Duration(0)
		for _, f := range sum.Flows {
			last = max(last, f.Took())
		}
		ms = append(ms, float64(last)/float64(unit.Millisecond))
	}
	return ms
}

// The default is not slower, in the mean over ten seeds, than the constants of the paper, and no queue pair fails.
func TestDefaultIsNotSlower(t *testing.T) {
	for _, c := range cells {
		paper, floor := incasts(t, c.senders, c.speed, constants[0]), incasts(t, c.senders, c.speed, constants[2])
		if len(floor) < seeds {
			t.Errorf("%d:1 at %s: %d of %d runs failed", c.senders, c.speed, seeds-len(floor), seeds)
		}
		if mean(floor) > mean(paper) {
			t.Errorf("%d:1 at %s: %.3f ms, with the paper's constants %.3f", c.senders, c.speed,
				mean(floor), mean(paper))
		}
	}
}

// A packet that is only paced, 33 ms at 1 Mb/s, is not taken for lost: without a drop no queue pair gives up.
func TestSlowPacingIsNoLoss(t *testing.T) {
	if ms := incasts(t, 8, "100Gb/s", constants[1]); len(ms) < seeds {
		t.Errorf("8:1 with %s: %d of %d runs failed", constants[1], seeds-len(ms), seeds)
	}
}

// BenchmarkDefaults prints the table of docs/accuracy.md: go test ./internal/study/validate -run - -bench
// Defaults -benchtime 1x.
func BenchmarkDefaults(b *testing.B) {
	cpu := machinetest.Start(b)
	defer cpu.Report()
	for range b.N {
		fmt.Printf("\n| incast | ports |")
		for _, keys := range constants {
			fmt.Printf(" `%s` |", keys)
		}
		fmt.Printf("\n|---|---|---|---|---|\n")
		for _, c := range cells {
			fmt.Printf("| %d:1 | %s |", c.senders, strings.Replace(c.speed, "Gb", " Gb", 1))
			for _, keys := range constants {
				ms := incasts(b, c.senders, c.speed, keys)
				failed := seeds - len(ms)
				switch {
				case failed == seeds:
					fmt.Printf(" all fail |")
					continue
				case failed > 0:
					fmt.Printf(" %d fail;", failed)
				}
				fmt.Printf(" %.2f (%.2f to %.2f) |", mean(ms), slices.Min(ms), slices.Max(ms))
			}
			fmt.Println()
		}
	}
}
