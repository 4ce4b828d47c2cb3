package bench

import (
	"testing"

	"railyard/internal/learn/nn"
)

// The networks have the parameters that PyTorch's have, they learn, and a step allocates nothing.
func TestNetsTrain(t *testing.T) {
	params := map[string]int{"mlp": 101_770, "cnn": 53_866, "rnn": 49_472, "lstm": 148_544, "gpt": 875_520,
		"moe": 4_567_552}
	for _, n := range Nets {
		t.Run(n.Name, func(t *testing.T) {
			n.Batch = 2 // enough to see it
			of, err := n.trainer(nn.Fused)
			if err != nil {
				t.Fatal(err)
			}
			if got := of.model.Params(); got != params[n.Name] {
				t.Errorf("%d parameters, want %d", got, params[n.Name])
			}
			pass := func() (mean float64) {
				for range trainBatches {
					mean += of.step() / trainBatches
				}
				return mean
			}
			first := pass()
			if n := testing.AllocsPerRun(trainBatches-1, func() { of.step() }); n != 0 { // and one to warm up
				t.Errorf("%v allocations in a step", n)
			}
			portable, err := n.trainer(nn.Portable)
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(2, func() { portable.step() }); n != 0 {
				t.Errorf("%v allocations in a step with portable", n)
			}
			if third := pass(); !(third < first) {
				t.Errorf("the mean loss was %v in the first pass, and is %v in the third", first, third)
			}
		})
	}
	if len(Nets) != len(params) {
		t.Errorf("%d networks, want %d", len(Nets), len(params))
	}
}

func TestNetsNamedKeepsTheOrder(t *testing.T) {
	list, err := NetsNamed([]string{"gpt", "mlp"})
	if err != nil || len(list) != 2 || list[0].Name != "mlp" || list[1].Name != "gpt" {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := NetsNamed([]string{"vgg"}); err == nil || err.Error() != `"vgg": want one of: mlp, cnn, rnn, lstm, gpt, moe` {
		t.Error(err)
	}
}
