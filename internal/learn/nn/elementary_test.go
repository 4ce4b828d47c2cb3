package nn

import (
	"math"
	"testing"
)

func TestElementaryFunctionsAreAccurate(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		name      string
		got, want func(float64) float64
		within    float64 // of the largest of 1 and the value
		reach     float64
	}{
		{"tanh", tanh, math.Tanh, 1e-15, 20},
		{"erf", erf, math.Erf, 1e-15, 7},
		{"sin", sin, math.Sin, 1e-12, 1 << 20},
		{"cos", cos, math.Cos, 1e-12, 1 << 20},
		{"sin, small", sin, math.Sin, 1e-15, 4},
		{"cos, small", cos, math.Cos, 1e-15, 4},
		{"gelu", gelu, func(x float64) float64 { return x * phi(x) }, 1e-14, 9},
		{"silu", silu, func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 1e-14, 30},
		{"gelu, tanh", geluTanh, func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}, 1e-14, 9},
	} {
		s := NewStream(5, 0)
		for i := range 40001 {
			x := c.reach * float64(i-20000) / 20000
			if i%2 == 1 {
				x = c.reach * float64(s.Symmetric())
			}
			got, want := c.got(x), c.want(x)
			if math.Abs(got-want) > c.within*math.Max(1, math.Abs(want)) {
				t.Fatalf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
}

// What is near 0 is right there too, not only to within 1e-15: a relative error.
func TestElementaryFunctionsNearZero(t *testing.T) {
	for e := -1.; e > -40; e-- {
		for _, x := range []float64{math.Exp2(e), -1.37 * math.Exp2(e)} {
			for name, pair := range map[string][2]float64{
				"tanh": {tanh(x), math.Tanh(x)}, "erf": {erf(x), math.Erf(x)}, "sin": {sin(x), math.Sin(x)},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) {
					t.Errorf("%s(%v) = %v, want %v", name, x, pair[0], pair[1])
				}
			}
		}
	}
	if erf(math.Inf(-1)) != -1 || tanh(1000) != 1 || !math.IsNaN(erf(math.NaN())) || !math.IsNaN(tanh(math.NaN())) {
		t.Error("a special value is wrong")
	}
}

func TestSlopesAreTheDerivatives(t *testing.T) {
	for _, c := range []struct {
		name     string
		f, slope func(float64) float64
	}{{"gelu", gelu, geluSlope}, {"gelu, tanh", geluTanh, geluTanhSlope}, {"silu", silu, siluSlope}} {
		const h = 1e-5
		for x := -7.0; x < 7; x += 0.0137 {
			want := (c.f(x+h) - c.f(x-h)) / (2 * h)
			if got := c.slope(x); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s'(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
}
