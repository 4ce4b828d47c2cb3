package foresight

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Ratios that a model has or has not, beside those that were published where there are any: TorchTitan's table of December 2024
// (benchmarks/llama3_h100_202412_torchtitan.md of its repository: tables 1, 3 and 5). Nothing was set by them.
func TestPublishedRatios(t *testing.T) {
	page, err := os.ReadFile("../../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	step := func(hosts int, model, parallel string) float64 {
		sc, err := scenario.Parse("ratio.yaml", fmt.Appendf(nil, "cluster: {hosts: %d, host: {preset: hgx-h100}}\n"+
			"fabric: {design: rail-optimized}\nrun: {network: formula}\njob:\n  model: {%s}\n  parallel: {%s}\n", hosts, model, parallel))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, all := phaseTimes(p, &p.Jobs[0])
		return all.Seconds()
	}
	const (
		large = "preset: llama3-405b, sequence: 8192, batch: 256, recompute: full, precision: fp8"
		small = "preset: llama3-8b, sequence: 8192, batch: %d, recompute: selective"
		seven = "preset: llama2-7b, sequence: 4096, batch: 16"
		cut   = "tp: 8, pp: 8, dp: 8, micro_batches: 8, zero: 1, sequence: true"
	)
	for _, c := range []struct {
		name      string
		ours      float64
		published float64 // 0: none was found
		direction bool    // both are on one side of 1
	}{
		{"405B on 512 GPUs, FP8, 1F1B over interleaved", step(64, large, cut) /
			step(64, large, cut+", schedule: interleaved, virtual_stages: 2"), 128. / 100, true},
		{"8B, FSDP, tokens a second and GPU, 128 GPUs over 8", step(1, fmt.Sprintf(small, 16), "dp: 8, zero: 3, micro_batches: 1") /
			step(16, fmt.Sprintf(small, 256), "dp: 128, zero: 3, micro_batches: 1"), 5605. / 5762, false},
		{"7B on 16 GPUs, tp 16 over two hosts over tp 8 inside one", step(2, seven, "tp: 16, dp: 1, micro_batches: 16, sequence: true") /
			step(2, seven, "tp: 8, dp: 2, micro_batches: 8, sequence: true, zero: 1"), 0, true},
	} {
		said := "none found"
		if c.published > 0 {
			said = fmt.Sprintf("%.3f", c.published)
			if math.Abs(c.ours/c.published-1) > 0.3 {
				t.Errorf("%s: %.3f, published %.3f", c.name, c.ours, c.published)
			}
		}
		if c.direction && (c.ours <= 1 || c.published > 0 && c.published <= 1) {
			t.Errorf("%s: %.3f, want the direction of %s", c.name, c.ours, said)
		}
		row := fmt.Sprintf("| %s | %s | %.3f |", c.name, said, c.ours)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/accuracy.md has no row\n%s", row)
		}
	}
}
