package nn

import (
	"fmt"

	"railyard/internal/base/splitmix"
)

// A Dropout sets a share of elements to 0 in training, each with the same probability, and divides
// the others by the probability to stay, so that nothing need be changed afterwards. Which ones is
// a function of the training's seed, the step, the layer's place in the model, a place within the
// layer, the example's number in the data and the element's number within the example: the same in
// whatever micro-batch, on whatever rank the example is.
type dropout struct {
	rate  float32
	below uint64  // an element stays unless its 24 bits are below this
	scale float32 // 1/(1-rate)
}

func newDropout(rate float64) (dropout, error) {
	if !(rate >= 0 && rate < 1) {
		return dropout{}, fmt.Errorf("dropout: rate %v, want at least 0 and less than 1", rate)
	}
	return dropout{float32(rate), uint64(float64(rate * (1 << 24))), float32(1 / (1 - rate))}, nil
}

// key names the mask of one example at one place of a layer; 0 where nothing is dropped.
func (d dropout) key(pass *Pass, place, row int) uint64 {
	const label = 0x64726f706f757400 // "dropout\0"
	if pass == nil || !pass.Train || d.below == 0 {
		return 0
	}
	k := splitmix.Mix(splitmix.Mix(label) ^ pass.Seed)
	for _, n := range [...]uint64{uint64(pass.Step), uint64(pass.Layer), uint64(place), uint64(pass.Samples[row])} {
		k = splitmix.Mix(k + n*splitmix.Gamma)
	}
	return k | 1
}

// apply drops elements of v, the first one being element `first` of its example: values forward,
// gradients backward.
func (d dropout) apply(v []float32, key uint64, first int) {
	if key == 0 {
		return
	}
	at := key + uint64(first)*splitmix.Gamma
	for i, x := range v {
		kept := float32(x * d.scale)
		if splitmix.Mix(at)>>40 < d.below {
			kept = 0
		}
		v[i] = kept
		at += splitmix.Gamma
	}
}

// dropoutLayer is dropout of so many elements of a row as a layer of its own: In is Out.
type dropoutLayer struct {
	dropout
	size  int
	first int // the number of the first element, where ranks have some each
}

// Dropout is a layer that sets elements to 0 in training, at random.
func Dropout(size int, rate float64) (Layer, error) {
	d, err := newDropout(rate)
	return dropoutLayer{d, size, 0}, err
}

func (l dropoutLayer) In() int                     { return l.size }
func (l dropoutLayer) Out() int                    { return l.size }
func (l dropoutLayer) Params() int                 { return 0 }
func (l dropoutLayer) Tensors() []Tensor           { return nil }
func (l dropoutLayer) Init(_ []float32, _ *Stream) {}
func (l dropoutLayer) With(Kernel) Layer           { return l }
func (l dropoutLayer) Through(_, _ []float32)      {}

// NewSaved has each row's key.
func (l dropoutLayer) NewSaved(rows int) Saved { return make([]uint64, rows) }

func (l dropoutLayer) Cost() Cost {
	n := int64(l.size)
	return Cost{Forward: []Work{{FLOP: n, Words: 2 * n}}, Input: []Work{{FLOP: n, Words: 2 * n}}, Notes: 8}
}

func (l dropoutLayer) Forward(y, x, _ []float32, rows int, saved Saved, pass *Pass) {
	copy(y[:rows*l.size], x)
	l.drop(y, rows, saved.([]uint64), pass)
}

func (l dropoutLayer) drop(y []float32, rows int, keys []uint64, pass *Pass) {
	for r := range rows {
		keys[r] = l.key(pass, 0, r)
		l.apply(y[r*l.size:(r+1)*l.size], keys[r], l.first)
	}
}

func (l dropoutLayer) Backward(dx, _, d, _, _ []float32, rows int, saved Saved) {
	if dx == nil {
		return
	}
	copy(dx[:rows*l.size], d)
	for r, key := range saved.([]uint64)[:rows] {
		l.apply(dx[r*l.size:(r+1)*l.size], key, l.first)
	}
}
