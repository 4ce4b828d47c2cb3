package nn

import (
	"fmt"

	"railyard/internal/learn/nn/kernel"
)

// A Loss compares the outputs for a label with its one-hot vector.
type Loss uint8

// The losses.
const (
	CrossEntropy Loss = iota // -ln softmax(z)[label]
	MSE                      // 1/2 sum (y - onehot)^2, over the outputs for a label
	losses
)

var lossNames = [losses]string{"cross-entropy", "mse"}

// String is the name a scenario uses.
func (l Loss) String() string { return lossNames[l] }

// ParseLoss reads a name as a scenario writes it.
func ParseLoss(s string) (Loss, error) {
	for i, name := range lossNames {
		if s == name {
			return Loss(i), nil
		}
	}
	return 0, fmt.Errorf("unknown loss %q, want %s", s, names(lossNames[:]))
}

// Loss compares outputs with labels, Targets of them for each row: the sum of their losses over n, how
// many of them have the largest output at the label, and in d the gradient of what it returns with
// respect to the outputs. Where a label is Ignored the gradient is 0 and nothing is counted. n is
// how many labels a mean is over: those that count in these rows, or what makes parts of a batch add
// up to its mean.
func (m *Model) Loss(k Kernel, d, y []float32, labels []int32, n float64) (mean float64, correct int) {
	of, out := k.CrossEntropy, m.Classes()
	if m.loss == MSE {
		of = squaredError
	}
	sum := 0.0
	for i, label := range labels {
		row, to := y[i*out:(i+1)*out], d[i*out:(i+1)*out]
		if label == Ignored {
			clear(to)
			continue
		}
		sum += of(to, row, int(label), n)
		if argmax(row) == int(label) {
			correct++
		}
	}
	if n == 0 { // all are ignored
		return 0, 0
	}
	return sum / n, correct
}

// Counted is how many labels are not Ignored.
func Counted(labels []int32) (n int) {
	for _, label := range labels {
		if label != Ignored {
			n++
		}
	}
	return n
}

// keptTerms is for how many outputs crossEntropy keeps exponentials; of more it computes each twice.
const keptTerms = 256

// crossEntropy is a kernel's CrossEntropy in doubles.
//
// The sum starts with the largest term, which is e^0 = 1, so log never sees 0.
func crossEntropy(d, z []float32, label int, n float64) float64 {
	var kept [keptTerms]float64
	top := float64(z[argmax(z)])
	sum := 0.0
	for j, v := range z {
		e := exp(float64(v) - top)
		if j < keptTerms {
			kept[j] = e
		}
		sum += e
	}
	for j, v := range z {
		var e float64
		if j < keptTerms {
			e = kept[j]
		} else {
			e = exp(float64(v) - top)
		}
		p := e / sum
		if j == label {
			p -= 1
		}
		d[j] = float32(p / n)
	}
	return log(sum) - (float64(z[label]) - top)
}

// fusedCrossEntropy is the same with the exponentials and their sum in float32.
func fusedCrossEntropy(d, z []float32, label int, n float64) float64 {
	top := z[argmax(z)]
	sum := float64(kernel.FusedExpSum(d, z, top))
	by := float32(1 / float64(sum*n))
	for j, e := range d {
		d[j] = float32(e * by)
	}
	d[label] -= float32(1 / n)
	return log(sum) - (float64(z[label]) - float64(top))
}

// squaredError is the loss of one label, 1/2 sum (y - onehot)^2; d becomes its gradient
// with respect to y, divided by n.
func squaredError(d, y []float32, label int, n float64) float64 {
	sum := 0.0
	for j, v := range y {
		e := float64(v)
		if j == label {
			e -= 1
		}
		sum += float64(e * e)
		d[j] = float32(e / n)
	}
	return float64(sum / 2)
}

// argmax is the index of the largest element, the first of equals.
func argmax(v []float32) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}
