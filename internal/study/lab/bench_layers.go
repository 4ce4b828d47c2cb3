package lab

import (
	"fmt"

	"railyard/internal/learn/nn"
)

// layersBench is two layers in a row, and the one layer that they equal as long as nothing bends
// between them.
var layersBench = Bench{
	Meaning: "two layers in a row, and the single layer that their weights multiply to",
	Params: []Param{
		{Name: "x", Meaning: "inputs", Default: []float64(nil), Needed: true},
		{Name: "w1", Meaning: "weights of the first layer, a row for each of its neurons", Default: []float64(nil), Needed: true},
		{Name: "w2", Meaning: "weights of the one neuron of the second layer", Default: []float64(nil), Needed: true},
	},
	Run: runLayers,
}

func runLayers(a Args) (*Shown, error) {
	x, w1, w2 := a.List("x"), a.List("w1"), a.List("w2")
	if len(x) == 0 || len(x) > 64 || len(w2) == 0 || len(w2) > 64 || len(w1) != len(x)*len(w2) {
		return nil, fmt.Errorf("%d inputs and %d neurons need %d weights in w1, not %d (and 1 to 64 of each)", len(x),
			len(w2), len(x)*len(w2), len(w1))
	}
	s := &Shown{}
	product := make([]float64, len(x)) // w2 times w1
	for i := range x {
		for h := range w2 {
			product[i] += w2[h] * w1[h*len(x)+i]
		}
	}
	for i, v := range product {
		s.add(fmt.Sprintf("w%d", i+1), v, "", fmt.Sprintf("weight %d of the single layer", i+1))
	}
	single, err := one(x, product, 0, nn.Identity)
	if err != nil {
		return nil, err
	}
	s.add("single", single, "", "output of the single layer")
	for _, act := range []nn.Activation{nn.Identity, nn.ReLU} {
		m, err := nn.NewMLP([]int{len(x), len(w2), 1}, act, nn.MSE)
		if err != nil {
			return nil, err
		}
		params := append(float32s(w1), make([]float32, len(w2))...) // biases of 0
		params = append(append(params, float32s(w2)...), 0)
		r := m.NewReplica(params, 1, nn.Portable)
		r.Load(float32s(x), []int32{0}, 1)
		r.Forward(0)
		r.Forward(1)
		y := float64(r.Outputs()[0])
		if act == nn.Identity {
			s.add("linear", y, "", "output of two layers with nothing between them")
			continue
		}
		s.add("bent", y, "", "output of the same two layers with ReLU between them")
	}
	return s, nil
}
