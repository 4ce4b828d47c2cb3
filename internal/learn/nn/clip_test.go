package nn

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// exactly is the sum of squares without rounding.
func exactly(v []float32) *big.Float {
	sum := new(big.Float).SetPrec(2000)
	for _, x := range v {
		y := new(big.Float).SetPrec(2000).SetFloat64(float64(x))
		sum.Add(sum, y.Mul(y, y))
	}
	return sum
}

// However gradients are dealt out to ranks, the digits that these sum give the root of the exact sum.
func TestSquaresAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOf(rapid.Custom(func(t *rapid.T) float32 {
			return math.Float32frombits(rapid.Uint32().Draw(t, "bits") &^ (1 << 30)) // finite, of any size
		})).Draw(t, "gradients")
		if rapid.Bool().Draw(t, "large") {
			for i := range v {
				v[i] = math.Float32frombits(math.Float32bits(v[i]) | 1<<30)
				if math.IsInf(float64(v[i]), 0) || v[i] != v[i] {
					v[i] = math.MaxFloat32
				}
			}
		}
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		var parts [5]Squares
		for _, x := range v {
			parts[rapid.IntRange(0, ranks-1).Draw(t, "rank")].Add([]float32{x})
		}
		sum, one := make([]float32, SquareElems), make([]float32, SquareElems)
		for r := range ranks {
			parts[r].Digits(one)
			Add(sum, one)
		}
		want, _ := exactly(v).Float64()
		got := SquareRoot(sum)
		if root := math.Sqrt(want); math.Abs(got-root) > 1e-15*root {
			t.Fatalf("%v, want %v", got, root)
		}
		var whole Squares
		whole.Add(v)
		whole.Digits(one)
		if SquareRoot(one) != got {
			t.Fatalf("%v in one place, %v in %d", SquareRoot(one), got, ranks)
		}
	})
}

// As many digits as can be are added without rounding.
func TestDigitsOfManyRanks(t *testing.T) {
	var s Squares
	s.Add([]float32{math.MaxFloat32, 1, math.SmallestNonzeroFloat32})
	one := make([]float32, SquareElems)
	s.Digits(one)
	sum := make([]float32, SquareElems)
	for i, d := range one {
		sum[i] = 65536 * d
	}
	if i := slices.IndexFunc(one, func(d float32) bool { return d < 0 || d > 255 }); i >= 0 {
		t.Errorf("digit %d is %v", i, one[i])
	}
	want := 256 * math.Sqrt(math.MaxFloat32*math.MaxFloat32)
	if got := SquareRoot(sum); math.Abs(got-want) > 1e-15*want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestClippingFollowsItsFormula(t *testing.T) {
	o := Optimiser{Clip: 2}
	grads := []float32{3, 4, 4, 3} // the last two are copies of others
	ties := []Span{{2, 2}}
	if at := o.ClippedAll(Move{Scale: 0.5}, grads, ties); math.Abs(float64(at.Scale)-0.5*2/2.500001) > 1e-7 {
		t.Errorf("scale %v, of a norm of 2.5 that may be 2", at.Scale)
	}
	if at := o.ClippedAll(Move{Scale: 0.25}, grads, ties); at.Scale != 0.25 {
		t.Errorf("scale %v, of a norm of 1.25 that may be 2", at.Scale)
	}
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		if at := o.ClippedAll(Move{Scale: 1}, []float32{1, x}, nil); at.Scale == at.Scale {
			t.Errorf("scale %v with %v", at.Scale, x)
		}
	}
}
