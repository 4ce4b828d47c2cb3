package nn

import "fmt"

// A Loss compares the outputs with the label's one-hot vector.
type Loss uint8

// The losses.
const (
	CrossEntropy Loss = iota // -ln softmax(z)[label]
	MSE                      // 1/2 sum (y - onehot)^2, over the outputs of an example
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

// crossEntropy is one example's -ln softmax(z)[label]; d becomes its gradient
// with respect to z, softmax minus one-hot, divided by n.
//
// The sum starts with the largest term, which is e^0 = 1, so log never sees 0.
func crossEntropy(d, z []float32, label uint8, n int) float64 {
	var e [256]float64 // Model.Outputs() is at most 256
	top := float64(z[argmax(z)])
	sum := 0.0
	for j, v := range z {
		e[j] = exp(float64(v) - top)
		sum += e[j]
	}
	for j := range z {
		p := e[j] / sum
		if j == int(label) {
			p -= 1
		}
		d[j] = float32(p / float64(n))
	}
	return log(sum) - (float64(z[label]) - top)
}

// squaredError is one example's 1/2 sum (y - onehot)^2; d becomes its gradient
// with respect to y, divided by n.
func squaredError(d, y []float32, label uint8, n int) float64 {
	sum := 0.0
	for j, v := range y {
		e := float64(v)
		if j == int(label) {
			e -= 1
		}
		sum += float64(e * e)
		d[j] = float32(e / float64(n))
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
