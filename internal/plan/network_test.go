package plan

import "testing"

// The network of the book's chapter 4: eight fixed kernels, which have no parameters, then 16 trained
// ones, each pooled; 7,744 -> 4,000 -> 1,000 -> 10.
func TestChapter4NetworkHasTheBooksParameters(t *testing.T) {
	p := planned(t, `
cluster: {hosts: 2, host: {gpus: 4}}
job:
  train:
    model: cnn
    cnn: {fixed: kirsch, filters: [16], hidden: [4000, 1000]}
    data: {shapes: {dir: data/shapes}}
    batch: 8
    lr: 0.01
`)
	if got := p.Jobs[0].Model.Params(); got != 34_992_178 {
		t.Errorf("%d parameters, want 34,992,178", got)
	}
}
