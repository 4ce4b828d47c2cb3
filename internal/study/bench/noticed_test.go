package bench

import (
	"slices"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/learn/nn"
)

// A sequence's inputs are its labels one place on, and nine of ten follow 5t + 3.
func TestTextsFollowTheRule(t *testing.T) {
	const positions, vocabulary = 64, 101
	x, labels := make([]float32, 100*positions), make([]int32, 100*positions)
	s := splitmix.Stream(3)
	text(positions, vocabulary)(&s, x, labels)
	rule := 0
	for i := range x {
		if (i+1)%positions != 0 && x[i+1] != float32(labels[i]) {
			t.Fatalf("place %d: the next input is %g, the label %d", i, x[i+1], labels[i])
		}
		if int(labels[i]) == (5*int(x[i])+3)%vocabulary {
			rule++
		}
	}
	if share := float64(rule) / float64(len(x)); share < 0.88 || share > 0.93 {
		t.Errorf("%.3f follow the rule, want 0.9", share)
	}
}

// The nets' sizes are part of what their speed is compared by.
func TestSizesOfNets(t *testing.T) {
	want := map[string]int{
		"mlp": 784*128 + 128 + 128*10 + 10,
		"cnn": 8*9 + 8 + 16*8*9 + 16 + 128*400 + 128 + 10*128 + 10, // 28 -> 26 -> 13 -> 11 -> 5: 25 places of 16
	}
	for _, n := range Nets {
		m, err := n.model()
		if err != nil {
			t.Fatal(err)
		}
		if w := want[n.Name]; w != 0 && m.Params() != w {
			t.Errorf("%s: %d parameters, want %d", n.Name, m.Params(), w)
		}
		delete(want, n.Name)
	}
	if len(want) > 0 {
		t.Errorf("no nets %v", want)
	}
}

// A step of a net changes parameters of its first layer and of its last, and takes the next batch.
func TestAStepTrainsAllLayers(t *testing.T) {
	n := Nets[0]
	tr, err := n.trainer(nn.Portable)
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(tr.rank.Params)
	first := tr.step()
	if tr.steps != 1 || first <= 0 || before[0] == tr.rank.Params[0] && before[1] == tr.rank.Params[1] ||
		before[len(before)-1] == tr.rank.Params[len(before)-1] {
		t.Errorf("after %d step with loss %v: first parameters %v were %v, last %v was %v", tr.steps, first, tr.rank.Params[:2], before[:2],
			tr.rank.Params[len(before)-1], before[len(before)-1])
	}
}
