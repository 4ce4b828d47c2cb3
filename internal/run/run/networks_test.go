package run

import (
	"fmt"
	"testing"

	"railyard/internal/job/train"
	"railyard/internal/learn/nn"
)

// networks are small ones of text.
var networks = map[string]string{
	"lstm":   "model: lstm, rnn: {embedding: 24, cells: [32]}",
	"gru":    "model: gru, rnn: {embedding: 24, cells: [32]}",
	"gpt":    "model: gpt, gpt: {size: 32, blocks: 2, heads: 2, factor: 2}",
	"moe":    "model: gpt, gpt: {size: 32, blocks: 2, heads: 2, factor: 2, experts: {count: 4, capacity: 1, shared: 1, every: 2}}",
	"spread": "model: gpt, gpt: {size: 32, blocks: 2, heads: 2, factor: 2, experts: {count: 4, shared: 1}}",
}

// A network of text, in two stages of four replicas each, ends with the oracle's weights over a congested
// fabric and over one that loses frames.
func TestNetworksOfTextInBadWeather(t *testing.T) {
	for name, model := range networks {
		job := fmt.Sprintf(`
job:
  train: {%s, data: {text: {window: 8, grammar: {train: 400, test: 20}}}, batch: 4, steps: 4, epochs: 9,
    lr: 0.2, momentum: 0.9, bucket: layer}
  parallel: {dp: 4, pp: 2, micro_batches: 2, ep: %d}
  collective: {channels: 2}
`, model, map[bool]int{false: 1, true: 2}[name == "spread"])
		for _, w := range weather {
			if w.name != "incast" && w.name != "lossy" {
				continue
			}
			t.Run(name+" "+w.name, func(t *testing.T) {
				r := run(t, cluster8(5)+w.fabric+w.background+job, Options{Workers: -1})
				if !w.happened(r.Summary) {
					t.Errorf("%d marks, %d CNPs, %d pauses, %d drops, %d retransmissions", r.ECNMarks, r.CNPs, r.Pauses,
						r.Drops, r.Retransmits)
				}
				want, err := train.Oracle(referenceOfText(t, cluster8(5)+job))
				if err != nil {
					t.Fatal(err)
				}
				if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
					t.Errorf("weights_sha256 %s is not that of the oracle's weights", r.WeightsSHA256)
				}
			})
		}
	}
}

// referenceOfText is what the oracle takes of a training of text.
func referenceOfText(t *testing.T, yaml string) train.Config {
	t.Helper()
	sc := read(t, yaml)
	plan, err := NewPlan(sc)
	if err != nil {
		t.Fatal(err)
	}
	of := sc.Jobs[0].Train
	k, err := ReadCorpus(t.Context(), of.Data.Text)
	if err != nil {
		t.Fatal(err)
	}
	j := &plan.Jobs[0]
	return train.Config{Model: j.Model, Kernel: nn.Portable, Train: k.Train, Replicas: 4, Batch: of.Batch, Epochs: of.Epochs,
		Steps: int64(of.Steps.Value), Seed: sc.Seed, Optimiser: j.Optimiser, Work: j.Work}
}
