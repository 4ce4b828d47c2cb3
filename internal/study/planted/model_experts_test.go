package planted

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/out/noun"
)

// TestDeclaredSkewIsNamed: a model whose shape is known, with more positions for a rank in each layer than for others: uneven
// routing comes first, and what is attributed is within a tenth of what an even routing saves; where it is even the noun is not there.
// (Where only the hot rank's own NIC takes what comes, an even exchange is not as quick as its bytes: see the family model-skewed.)
func TestDeclaredSkewIsNamed(t *testing.T) {
	model := func(skew int) string { return decoderOf(skew, "") }
	even := play(t, "even", model(1)).Diagnosis
	if strings.Contains(nouns(even), string(noun.UnevenRouting)) {
		t.Errorf("an even routing is uneven:\n%s", nouns(even))
	}
	for _, skew := range []int{3, 5} {
		d := play(t, fmt.Sprint("skew ", skew), model(skew)).Diagnosis
		f, saved := &d.Findings[0], d.Whole-even.Whole
		if f.Noun != noun.UnevenRouting || 10*f.Time < 9*saved || 10*f.Time > 11*saved {
			t.Errorf("skew %d: %s, attributed %v, saved %v of %v\n%s", skew, f.Noun, f.Time.Human(), saved.Human(), d.Whole.Human(),
				nouns(d))
		}
	}
}

// TestTheProtocolThatNCCLChoosesIsNotWrong: with protocol auto it is the algorithm that is blamed where another is faster.
func TestTheProtocolThatNCCLChoosesIsNotWrong(t *testing.T) {
	d := play(t, "rings", `
cluster: {hosts: 16, host: {preset: hgx-h100, gpus: 2}, nic: {speed: 400Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  parallel: {ep: 8}
  collective: {protocol: auto}
  model: {preset: mixtral-8x7b, layers: 1, hidden: 256, ffn: 512, expert_ffn: 512, heads: 8, kv_heads: 2, head_size: 32, vocabulary: 512,
    sequence: 256, batch: 32}
`).Diagnosis
	if f := &d.Findings[0]; f.Noun != noun.WrongAlgorithm || f.By != "ring in place of double-tree" {
		t.Errorf("%s (%s), want the algorithm\n%s", f.Noun, f.By, nouns(d))
	}
}
