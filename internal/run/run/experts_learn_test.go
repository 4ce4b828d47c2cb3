package run

import (
	"fmt"
	"math"
	"testing"
)

// learning is a small transformer with experts on four ranks, trained until it knows its grammar.
func learning(t *testing.T, balance float64, ep int) ran {
	return run(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  train: {model: gpt, gpt: {size: 64, blocks: 2, heads: 2, factor: 2, experts: {count: 8, top: 1, balance: %v}},
    batch: 16, epochs: 100, steps: 300, optimiser: adamw, lr: 0.005, schedule: {kind: cosine, warmup: 10}, kernel: fma,
    data: {text: {window: 16, grammar: {train: 20000, test: 200}}}}
  parallel: {ep: %d}
`, balance, ep), Options{Workers: 2})
}

// Experts learn: the test loss comes within 3 % of the grammar's entropy. With the balancing loss the busiest expert gets at most
// 1.3 times the mean, without it more than twice as much: tokens of a grammar are not alike often. Experts that all ranks have
// come to the same loss, within 1 %: routes that flip between the two are few.
func TestExpertsLearnAndAreBalanced(t *testing.T) {
	balanced, left, whole := learning(t, 0.05, 4), learning(t, 0, 4), learning(t, 0.05, 1)
	for _, r := range []ran{balanced, left, whole} {
		if loss := float64(*r.TestLoss); loss > 1.03**r.TestEntropy || loss < *r.TestEntropy/1.01 {
			t.Errorf("test loss %.4f, want at most 3 %% over %.4f", loss, *r.TestEntropy)
		}
	}
	if x := balanced.Summary.Experts; x.Load > 1.3 || x.Least < 0.5 || x.Dropped > 0 {
		t.Errorf("with the balancing loss %+v, want a load of at most 1.3", x)
	}
	if x := left.Summary.Experts; x.Load < 2 {
		t.Errorf("without the balancing loss %+v, want a load above 2", x)
	}
	if a, b := float64(*balanced.TestLoss), float64(*whole.TestLoss); math.Abs(a-b) > 0.01*b {
		t.Errorf("test loss %.4f, of experts that all ranks have %.4f", a, b)
	}
}

// Experts end with the same weights whatever the network does: incast by others, links of which one frame in a hundred is lost,
// packets that overtake one another.
func TestExpertsAreTheSameOverAnyNetwork(t *testing.T) {
	const job = `
job:
  hosts: [host1-host2, host5-host6]
  train: {model: gpt, gpt: {size: 32, blocks: 1, heads: 2, factor: 2, experts: {count: 8, top: 2}}, batch: 8, epochs: 1, steps: 4, lr: 0.1,
    data: {text: {window: 16, grammar: {train: 600, test: 20}}}}
  parallel: {ep: 4}
`
	want := ""
	for _, over := range []struct {
		name, more string
		happened   func(ran) bool
	}{
		{"clean", "", func(r ran) bool { return r.ECNMarks+r.Pauses+r.Drops+r.Retransmits == 0 }},
		{"incast", bursts("400kB", "100us", 20), func(r ran) bool { return r.ECNMarks > 0 || r.Pauses > 0 }},
		{"loss", "transport: {timeout: 100us, retries: 100}\nfaults: [{link: leaf1/host1, drop: 0.01}, {link: host5/leaf2, drop: 0.01}]\n",
			func(r ran) bool { return r.Retransmits > 0 }},
		{"reordering", "transport: {receiver: direct}\n", func(r ran) bool { return r.Summary.Reordering != nil && r.Drops == 0 }},
	} {
		balance := "ecmp"
		if over.name == "reordering" {
			balance = "spray"
		}
		r := run(t, fmt.Sprintf("cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 25Gb/s}}\n"+
			"fabric: {design: leaf-spine, leaves: 2, spines: 4, balance: %s}\n%s%s", balance, over.more, job), Options{Workers: 2})
		if want == "" {
			want = r.WeightsSHA256
		}
		if r.WeightsSHA256 != want || !over.happened(r) {
			t.Errorf("%s: weights %.16s, want %.16s; marks %d, pauses %d, drops %d, sent again %d", over.name, r.WeightsSHA256, want,
				r.ECNMarks, r.Pauses, r.Drops, r.Retransmits)
		}
	}
}
