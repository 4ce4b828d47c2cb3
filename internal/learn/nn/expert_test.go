package nn

import (
	"math"
	"testing"
)

// Where all experts are alike, it does not matter which are taken: the mixture is a feed-forward network, gated or not, and
// the gradients of what all experts have in common sum up to its. A gate that was left out of forward, of one of the
// gradients or of the parameters would show.
func TestExpertsThatAreAlikeAreAFeedForwardNetwork(t *testing.T) {
	of := mustLayer(t)
	half := Half{Positions: 3, Size: 6, Norm: RMSNorm}
	for _, gated := range []bool{false, true} {
		for top := 2; top <= 4; top++ {
			mixed, one := of(Experts(half, 5, SiLU, gated, Routing{Count: 4, Top: top})).(experts), of(FeedForward(half, 5, SiLU, gated))
			p := drawn(3, 1, one.Params(), 1)
			norm, each := mixed.norm.end(), one.Params()-mixed.norm.end()
			all := drawn(3, 2, mixed.Params(), 1)
			copy(all, p[:norm])
			for _, e := range mixed.nets {
				copy(all[e.up.at:e.end()], p[norm:])
			}
			run := func(l Layer, p []float32) (y, dx, g []float32) {
				x, d, saved := drawn(3, 3, 2*l.In(), 1), drawn(3, 4, 2*l.Out(), 1), l.NewSaved(2)
				y, dx, g = make([]float32, 2*l.Out()), make([]float32, 2*l.In()), make([]float32, l.Params())
				l.Forward(y, x, p, 2, saved, &Pass{})
				l.Backward(dx, g, d, x, p, 2, saved)
				return y, dx, g
			}
			y, dx, g := run(mixed, all)
			wantY, wantDX, wantG := run(one, p)
			sum := make([]float32, each)
			for _, e := range mixed.nets {
				Add(sum, g[e.up.at:e.end()])
			}
			for _, c := range []struct {
				what      string
				got, want []float32
			}{{"outputs", y, wantY}, {"gradients of inputs", dx, wantDX}, {"gradients of the norm", g[:norm], wantG[:norm]},
				{"gradients of experts", sum, wantG[norm:]}} {
				for i := range c.want {
					if d := math.Abs(float64(c.got[i] - c.want[i])); d > 1e-5*(1+math.Abs(float64(c.want[i]))) {
						t.Fatalf("gated %v, top %d: %s: %v at %d, want %v", gated, top, c.what, c.got[i], i, c.want[i])
					}
				}
			}
		}
	}
}
