package kernel

import (
	"fmt"
	"math"
	"testing"
)

// numbers are float32s of all sizes and signs, in an order without order.
func numbers(n int) []float32 {
	v := make([]float32, n)
	seed := uint64(1)
	for i := range v {
		seed = seed*6364136223846793005 + 1442695040888963407
		switch i % 4 {
		case 0: // any bits
			v[i] = math.Float32frombits(uint32(seed >> 32))
		default: // where the functions bend
			v[i] = float32(int32(seed>>32)) / (1 << 31) * float32(int(1)<<(seed>>20&7))
		}
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.625, -0.625, 86, -86, 88, -88, 1e-40, -1e-40,
		3e38, -3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	copy(v, special)
	return v
}

// All processors' functions give the bits of the definition in Go, at any length.
func TestFunctionsHaveTheSameBits(t *testing.T) {
	all := elementLoops()
	want, x := all[0], numbers(40000)
	same := func(name string, n int, got, want []float32) {
		t.Helper()
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Fatalf("%s of %d: element %d of %v is %x, want %x", name, n, i, x[i], got[i], want[i])
			}
		}
	}
	for _, of := range all[1:] {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 40000} {
			for name, f := range map[string][2]func([]float32){"sigmoid": {of.sigmoid, want.sigmoid},
				"tanh": {of.tanh, want.tanh}, "gelu": {of.gelu, want.gelu}} {
				a, b := append([]float32{}, x...), append([]float32{}, x...)
				f[0](a[:n])
				f[1](b[:n])
				same(of.name+" "+name, n, a, b) // behind n, too
			}
			a, b := numbers(len(x) + 1)[1:], numbers(len(x) + 1)[1:]
			of.geluSlope(a[:n], x[:n])
			want.geluSlope(b[:n], x[:n])
			same(of.name+" slope", n, a, b)
			of.add(a[:n], x[:n])
			want.add(b[:n], x[:n])
			same(of.name+" add", n, a, b)
			down := numbers(n)
			for i, v := range down {
				if down[i] = -abs(v); v != v || math.IsInf(float64(v), 0) {
					down[i] = -1
				}
			}
			got, expect := of.expSum(a[:n], down, 0.5), want.expSum(b[:n], down, 0.5)
			same(of.name+" exp", n, a, b)
			same(of.name+" sum", n, got[:], expect[:])
		}
	}
}

// Against the library's doubles: a few units in the last place, and what small ones are measured by.
func TestFunctionsAreAccurate(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		name  string
		f     func(float32) float32
		want  func(float64) float64
		floor float64 // errors are relative to this at least
		most  float64
	}{
		{"exp", exp, math.Exp, 1e-37, 3e-7},
		{"sigmoid", sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 1e-37, 4e-7},
		{"tanh", tanh, math.Tanh, 1e-37, 3e-7},
		{"gelu", gelu, func(x float64) float64 { return x * phi(x) }, 0.02, 6e-7},
		{"slope", geluSlope, func(x float64) float64 {
			return phi(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
		}, 0.2, 6e-7},
	} {
		worst, at := 0.0, float32(0)
		for i := -200000; i <= 200000; i++ {
			x := float32(i) * 1e-4
			want := c.want(float64(x))
			if off := math.Abs(float64(c.f(x))-want) / max(math.Abs(want), c.floor); off > worst {
				worst, at = off, x
			}
		}
		if worst > c.most || worst == 0 {
			t.Errorf("%s: off by %v at %v, want at most %v", c.name, worst, at, c.most)
		}
	}
}

func TestFunctionsAtTheEnds(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"exp(-inf)", exp(-inf), 0}, {"exp(0)", exp(0), 1}, {"exp(-86.1)", exp(-86.1), 0},
		{"sigmoid(inf)", sigmoid(inf), 1}, {"tanh(inf)", tanh(inf), 1}, {"tanh(-inf)", tanh(-inf), -1},
		{"gelu(9)", gelu(9), 9},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, f := range map[string]func(float32) float32{"exp": exp, "sigmoid": sigmoid, "tanh": tanh, "gelu": gelu,
		"slope": geluSlope} {
		for _, bits := range []uint32{math.Float32bits(nan), 0x7FC00001, 0xFFC001FF, 0x7FFFFFFF} {
			if v := f(math.Float32frombits(bits)); v == v {
				t.Errorf("%s of the NaN %#x is %v", name, bits, v)
			}
		}
	}
}

func TestFunctionsDoNotAllocate(t *testing.T) {
	x, y := numbers(100), numbers(100)
	if n := testing.AllocsPerRun(10, func() {
		FusedSigmoid(x)
		FusedTanh(x)
		FusedGELU(x)
		FusedGELUSlope(y, x)
		FusedExpSum(y, x, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A sum of 16 lanes is added by halves: here that is 1 + 2^-24 twice over, which one chain would lose.
func TestSumOfLanes(t *testing.T) {
	for _, n := range []int{1, 16, 20, 100} {
		x := make([]float32, n)
		if got := FusedExpSum(x, x, 0); got != float32(n) {
			t.Errorf("%d times e^0 is %v", n, got)
		}
	}
}

func BenchmarkFunction(b *testing.B) {
	x, y := numbers(4096), numbers(4096)
	for name, f := range map[string]func(){"sigmoid": func() { FusedSigmoid(x) }, "tanh": func() { FusedTanh(x) },
		"gelu":  func() { FusedGELU(x) },
		"slope": func() { FusedGELUSlope(y, x) }, "expsum": func() { FusedExpSum(y, x, 1) }} {
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/element")
		})
	}
}
