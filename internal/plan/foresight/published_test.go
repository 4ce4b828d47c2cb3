package foresight

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// all has the rows of many GPUs looked at too: minutes.
var all = flag.Bool("all-steps", false, "compare every published step, not those of few stages alone")

// published is a step as its authors published it: sizes, and how long it took.
type published struct {
	table, name           string
	heads, hidden, layers int
	tp, pp, virtual, gpus int
	batch, micro          int // sequences of a step, and of a micro-batch
	recompute             string
	sequence              bool
	seconds               float64
	calibrates            bool // it was used to set plan's curve of the A100, and does not count
	slow                  bool
}

func (r *published) scenario() string {
	dp := r.gpus / (r.tp * r.pp)
	parallel := fmt.Sprintf("tp: %d, pp: %d, micro_batches: %d", r.tp, r.pp, r.batch/dp/r.micro)
	if r.virtual > 1 {
		parallel += fmt.Sprintf(", schedule: interleaved, virtual_stages: %d", r.virtual)
	}
	if r.sequence {
		parallel += ", sequence: true"
	}
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {preset: hgx-a100}, nic: {speed: 200Gb/s}}
fabric: {design: single-switch}
run: {network: formula}
job:
  model: {layers: %d, hidden: %d, ffn: %d, heads: %d, vocabulary: 51200, sequence: 2048, gated: false, bias: true,
    norm: layer-norm, positions: learned, tied: true, dropout: true, attention: maps, batch: %d, recompute: %s}
  parallel: {%s}
`, (r.gpus+7)/8, r.layers, r.hidden, 4*r.hidden, r.heads, r.batch, r.recompute, parallel)
}

const (
	sc21   = "SC'21"
	arxiv5 = "2205.05198"
)

// Tables of job-model.md. SC'21 does not say how large micro-batches were: as many sequences as fit with full
// recomputation, at most 16.
var published21 = []published{
	{sc21, "1.7B", 24, 2304, 24, 1, 1, 1, 32, 512, 16, "full", false, 3.53, false, false},
	{sc21, "3.6B", 32, 3072, 30, 2, 1, 1, 64, 512, 16, "full", false, 3.70, false, false},
	{sc21, "7.5B", 32, 4096, 36, 4, 1, 1, 128, 512, 16, "full", false, 3.70, false, false},
	{sc21, "18.4B", 48, 6144, 40, 8, 1, 1, 256, 1024, 8, "full", false, 9.40, false, false},
	{sc21, "39.1B", 64, 8192, 48, 8, 2, 1, 512, 1536, 4, "full", false, 14.45, false, false},
	{sc21, "76.1B", 80, 10240, 60, 8, 4, 1, 1024, 1792, 2, "full", false, 16.06, false, false},
	{sc21, "145.6B", 96, 12288, 80, 8, 8, 1, 1536, 2304, 2, "full", false, 24.82, true, true},
	{sc21, "310.1B", 128, 16384, 96, 8, 16, 1, 1920, 2160, 1, "full", false, 37.61, false, true},
	{sc21, "529.6B", 128, 20480, 105, 8, 35, 1, 2520, 2520, 1, "full", false, 54.08, false, true},
	{sc21, "1008B", 160, 25600, 128, 8, 64, 1, 3072, 3072, 1, "full", false, 102.63, false, true},
	{arxiv5, "22B full", 64, 6144, 48, 8, 1, 1, 8, 4, 4, "full", false, 1.42, false, false},
	{arxiv5, "22B sequence, selective", 64, 6144, 48, 8, 1, 1, 8, 4, 4, "selective", true, 1.10, false, false},
	{arxiv5, "175B full", 96, 12288, 96, 8, 8, 3, 64, 64, 1, "full", false, 18.13, true, true},
	{arxiv5, "175B sequence, selective", 96, 12288, 96, 8, 8, 3, 64, 64, 1, "selective", true, 13.75, false, true},
	{arxiv5, "530B full", 128, 20480, 105, 8, 35, 3, 280, 280, 1, "full", false, 49.05, false, true},
	{arxiv5, "530B sequence, selective", 128, 20480, 105, 8, 35, 3, 280, 280, 1, "selective", true, 37.83, false, true},
	{arxiv5, "1T full", 160, 25600, 128, 8, 64, 1, 512, 512, 1, "full", false, 94.42, false, true},
	{arxiv5, "1T sequence, selective", 160, 25600, 128, 8, 64, 1, 512, 512, 1, "selective", true, 71.49, false, true},
}

// Steps by formula beside those that were published. docs/accuracy.md has each row as it comes out.
func TestPublishedSteps(t *testing.T) {
	page, err := os.ReadFile("../../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(page), "\n")
	sum, n := map[string]float64{}, map[string]float64{}
	for i := range published21 {
		r := &published21[i]
		if r.slow && !*all {
			continue
		}
		sc, err := scenario.Parse("published.yaml", []byte(r.scenario()))
		if err != nil {
			t.Fatal(r.name, err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(r.name, err)
		}
		_, step := phaseTimes(p, &p.Jobs[0])
		e := 100 * (step.Seconds()/r.seconds - 1)
		counts := "yes"
		if r.calibrates {
			counts = "no: calibration"
		} else {
			sum[r.table], n[r.table] = sum[r.table]+math.Abs(e), n[r.table]+1
		}
		row := fmt.Sprintf("| %s %s | %d | %.2f s | %.2f s | %+.1f %% | %s |", r.table, r.name, r.gpus, r.seconds, step.Seconds(), e,
			counts)
		if !slices.Contains(lines, row) {
			t.Errorf("docs/accuracy.md has no row\n%s", row)
		}
		if math.Abs(e) > 15 {
			t.Errorf("%s %s: %.1f %% off", r.table, r.name, e)
		}
	}
	for table := range n {
		if mean := sum[table] / n[table]; mean > 10 {
			t.Errorf("%s: mean absolute error %.1f %%, want at most 10 %%", table, mean)
		}
	}
}
