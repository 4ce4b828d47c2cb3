package inside

import (
	"math"

	"railyard/internal/out/result"
)

// Bounds of the plane of words.
const (
	maxWords   = 256
	maxSize    = 512 // of a word's vector
	iterations = 200
	firstWord  = 2 // after padding and unknown
)

// table is the embedding within parameters, size numbers for each token; nil where there is none.
func (l *looker) table(params []float32) (table []float32, words, size int) {
	tensors := l.Model.Tensors(0)
	if !l.Model.TakesText() || len(tensors) == 0 {
		return nil, 0, 0
	}
	words, size = tensors[0].Shape[0], tensors[0].Shape[1]
	if size < 2 || size > maxSize || min(words, l.Tokens) <= firstWord {
		return nil, 0, 0
	}
	lo, _ := l.Model.LayerRange(0)
	return params[lo : lo+words*size], min(words, l.Tokens, maxWords), size
}

// axes are the two directions in which the vectors of an embedding differ most. Of vectors of two
// numbers they are those numbers.
func (l *looker) axes(params []float32) (axes [2][]float64) {
	table, words, size := l.table(params)
	if table == nil {
		return axes
	}
	for i := range axes {
		axes[i] = make([]float64, size)
	}
	if size == 2 {
		axes[0][0], axes[1][1] = 1, 1
		return axes
	}
	mean := middle(table, words, size)
	for a := range axes {
		for i := range axes[a] { // any beginning that is along no axis of the numbers
			axes[a][i] = 1 / float64(i+1+a)
		}
		for range iterations {
			next := make([]float64, size)
			for w := firstWord; w < words; w++ {
				along := dot(table[w*size:(w+1)*size], mean, axes[a])
				for i, v := range table[w*size : (w+1)*size] {
					next[i] += float64(along * (float64(v) - mean[i]))
				}
			}
			if a == 1 {
				without(next, axes[0])
			}
			if !unit(next) {
				break
			}
			axes[a] = next
		}
		upright(axes[a])
	}
	return axes
}

// middle is the mean of an embedding's vectors; of vectors of two numbers, which are shown as they are,
// it is 0.
func middle(table []float32, words, size int) []float64 {
	mean := make([]float64, size)
	if size == 2 {
		return mean
	}
	for w := firstWord; w < words; w++ {
		for i, v := range table[w*size : (w+1)*size] {
			mean[i] += float64(v)
		}
	}
	for i := range mean {
		mean[i] /= float64(words - firstWord)
	}
	return mean
}

// dot is (v - mean) * axis.
func dot(v []float32, mean, axis []float64) (sum float64) {
	for i, x := range v {
		sum += float64((float64(x) - mean[i]) * axis[i])
	}
	return sum
}

// without takes from v its part along a unit vector.
func without(v, along []float64) {
	sum := 0.0
	for i, x := range v {
		sum += float64(x * along[i])
	}
	for i := range v {
		v[i] -= float64(sum * along[i])
	}
}

// unit makes a vector's length 1; false: it has none.
func unit(v []float64) bool {
	square := 0.0
	for _, x := range v {
		square += float64(x * x)
	}
	if square < 1e-30 {
		return false
	}
	by := 1 / math.Sqrt(square)
	for i := range v {
		v[i] = float64(v[i] * by)
	}
	return true
}

// upright turns an axis so that its largest number is above zero: it has no direction of its own.
func upright(v []float64) {
	best := 0
	for i, x := range v {
		if math.Abs(x) > math.Abs(v[best]) {
			best = i
		}
	}
	if v[best] < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
}

// words are the tokens of the embedding along the axes, from their own middle.
func (l *looker) words(params []float32, axes [2][]float64) (all []result.InsideWord) {
	table, words, size := l.table(params)
	mean := middle(table, words, size)
	for w := firstWord; w < words; w++ {
		v := table[w*size : (w+1)*size]
		all = append(all, result.InsideWord{Name: l.name(int32(w)), X: dot(v, mean, axes[0]), Y: dot(v, mean, axes[1])})
	}
	return all
}
