package plan

import (
	"fmt"
	"math"
	"testing"
	"time"

	"railyard/internal/scenario"
)

// A published step: sizes as job-model.md has them, and how long it took.
type published struct {
	name                         string
	heads, hidden, layers        int
	tp, pp, virtual, gpus, batch int
	micro                        int // sequences of a micro-batch
	extra                        string
	sequence                     bool
	seconds                      float64
	calibrates                   bool
}

func (r *published) scenario() string {
	dp := r.gpus / (r.tp * r.pp)
	parallel := fmt.Sprintf("tp: %d, pp: %d, micro_batches: %d", r.tp, r.pp, r.batch/dp/r.micro)
	if r.virtual > 1 {
		parallel += fmt.Sprintf(", schedule: interleaved, virtual_stages: %d", r.virtual)
	}
	if r.sequence && r.tp > 1 {
		parallel += ", sequence: true"
	}
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {preset: hgx-a100}, nic: {speed: 200Gb/s}}
fabric: {design: single-switch}
run: {network: formula}
job:
  model: {layers: %d, hidden: %d, ffn: %d, heads: %d, vocabulary: 51200, sequence: 2048, gated: false, bias: true,
    norm: layer-norm, positions: learned, tied: true, dropout: true, attention: maps, batch: %d, %s}
  parallel: {%s}
`, (r.gpus+7)/8, r.layers, r.hidden, 4*r.hidden, r.heads, r.batch, r.extra, parallel)
}

var megatron = []published{
	{"1.7B", 24, 2304, 24, 1, 1, 1, 32, 512, 16, "recompute: full", false, 3.53, false},
	{"3.6B", 32, 3072, 30, 2, 1, 1, 64, 512, 16, "recompute: full", false, 3.70, false},
	{"7.5B", 32, 4096, 36, 4, 1, 1, 128, 512, 16, "recompute: full", false, 3.70, false},
	{"18.4B", 48, 6144, 40, 8, 1, 1, 256, 1024, 8, "recompute: full", false, 9.40, false},
	{"39.1B", 64, 8192, 48, 8, 2, 1, 512, 1536, 4, "recompute: full", false, 14.45, false},
	{"76.1B", 80, 10240, 60, 8, 4, 1, 1024, 1792, 2, "recompute: full", false, 16.06, false},
	{"145.6B", 96, 12288, 80, 8, 8, 1, 1536, 2304, 2, "recompute: full", false, 24.82, false},
	{"310.1B", 128, 16384, 96, 8, 16, 1, 1920, 2160, 1, "recompute: full", false, 37.61, false},
	{"529.6B", 128, 20480, 105, 8, 35, 1, 2520, 2520, 1, "recompute: full", false, 54.08, false},
	{"1008B", 160, 25600, 128, 8, 64, 1, 3072, 3072, 1, "recompute: full", false, 102.63, false},
}

var selective = []published{
	{"22B full", 64, 6144, 48, 8, 1, 1, 8, 4, 4, "recompute: full", false, 1.42, false},
	{"22B seq+sel", 64, 6144, 48, 8, 1, 1, 8, 4, 4, "recompute: selective", true, 1.10, false},
	{"175B full", 96, 12288, 96, 8, 8, 3, 64, 64, 1, "recompute: full", false, 18.13, false},
	{"175B seq+sel", 96, 12288, 96, 8, 8, 3, 64, 64, 1, "recompute: selective", true, 13.75, false},
	{"530B full", 128, 20480, 105, 8, 35, 3, 280, 280, 1, "recompute: full", false, 49.05, false},
	{"530B seq+sel", 128, 20480, 105, 8, 35, 3, 280, 280, 1, "recompute: selective", true, 37.83, false},
	{"1T full", 160, 25600, 128, 8, 64, 1, 512, 512, 1, "recompute: full", false, 94.42, false},
	{"1T seq+sel", 160, 25600, 128, 8, 64, 1, 512, 512, 1, "recompute: selective", true, 71.49, false},
}

func TestPublishedSteps(t *testing.T) {
	for _, rows := range [][]published{megatron, selective} {
		sum := 0.0
		for i := range rows {
			r := &rows[i]
			began := time.Now()
			sc, err := scenario.Parse("a.yaml", []byte(r.scenario()))
			if err != nil {
				t.Fatal(r.name, err)
			}
			p, err := New(sc, Files{}, nil)
			if err != nil {
				t.Fatal(r.name, err)
			}
			_, step := p.phaseTimes(&p.Jobs[0])
			t.Log(time.Since(began))
			e := step.Seconds()/r.seconds - 1
			sum += math.Abs(e)
			t.Logf("%-12s %.2f s, published %.2f: %+.1f %%", r.name, step.Seconds(), r.seconds, 100*e)
		}
		t.Logf("mean %.1f %%", 100*sum/float64(len(rows)))
	}
}
