package kernel

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/machine/machinetest"
)

// A form is how A and B lie: what element i, k of A and k, j of B are.
type form struct {
	name string
	a, b func(v []float32, ld, i, j int) float32
	rows func(p Product) (a, b int) // rows of A and B in memory
	cols func(p Product) (a, b int)
}

func straight(v []float32, ld, i, j int) float32   { return v[i*ld+j] }
func transposed(v []float32, ld, i, j int) float32 { return v[j*ld+i] }

var forms = []form{
	{"NN", straight, straight, func(p Product) (int, int) { return p.M, p.K },
		func(p Product) (int, int) { return p.K, p.N }},
	{"NT", straight, transposed, func(p Product) (int, int) { return p.M, p.N },
		func(p Product) (int, int) { return p.K, p.K }},
	{"TN", transposed, straight, func(p Product) (int, int) { return p.K, p.K },
		func(p Product) (int, int) { return p.M, p.N }},
}

// chains are the elements by the definition: each from its start, term by term.
func (f form) chains(c, a, b []float32, p Product, step func(sum, x, y float32) float32) []float32 {
	c = slices.Clone(c)
	row, column := make([]float32, p.K), make([]float32, p.N*p.K)
	for j := range p.N {
		for k := range p.K {
			column[j*p.K+k] = f.b(b, p.LDB, k, j)
		}
	}
	for i := range p.M {
		for k := range row {
			row[k] = f.a(a, p.LDA, i, k)
		}
		for j := range p.N {
			var sum float32
			if p.Add {
				sum = c[i*p.LDC+j]
			}
			for k, y := range column[j*p.K:][:p.K] {
				sum = step(sum, row[k], y)
			}
			c[i*p.LDC+j] = sum
		}
	}
	return c
}

func rounded(sum, x, y float32) float32 { return sum + float32(x*y) }

// fused32 is the fused step, which has tests of its own.
func fused32(sum, x, y float32) float32 { return fma(x, y, sum) }

// exact is the same by arbitrary precision. (A sum that is exactly 0 is +0, but for -0 + -0.)
func exact(sum, x, y float32) float32 {
	if x == 0 || y == 0 {
		return float32(x*y) + sum
	}
	wide := func(v float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(v)) }
	p := wide(x)
	p.Mul(p, wide(y)).Add(p, wide(sum))
	v, _ := p.Float32()
	return v
}

func TestFusedStepIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any32 := rapid.Custom(func(t *rapid.T) float32 {
			v := math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
			if v != v || math.IsInf(float64(v), 0) {
				v = 1
			}
			return v
		})
		x, y, z := any32.Draw(t, "x"), any32.Draw(t, "y"), any32.Draw(t, "z")
		if rapid.Bool().Draw(t, "near") { // z about as large as x y: what is cut off is half a unit, or nearly
			z = -float32(x*y) + float32(rapid.IntRange(-2, 2).Draw(t, "units"))*float32(x*y)*0x1p-23
		}
		if math.IsInf(float64(z), 0) || z != z {
			return
		}
		if got, want := fma(x, y, z), exact(z, x, y); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%x * %x + %x is %x, want %x", x, y, z, got, want)
		}
	})
}

// Both sums lie so near the middle of two float32s that float64 alone would round to the middle, and
// then the wrong way.
func TestFusedStepRoundsOnce(t *testing.T) {
	x := float32(1 + 0x1p-12) // x x = 1 + 2^-11 + 2^-24
	tiny := float32(0x1p-60)
	for _, z := range []float32{tiny, -tiny} {
		if got, want := fma(x, x, z), exact(z, x, x); got != want {
			t.Errorf("%x is %x, want %x", z, got, want)
		}
	}
	if fma(x, x, tiny) == fma(x, x, -tiny) {
		t.Error("the tiny summand decides nothing: is this the middle?")
	}
}

// drawn is numbers of many sizes, with zeros of both signs among them: sums in another order,
// or with a term that is not rounded, differ.
func drawn(seed uint64, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		seed = seed*6364136223846793005 + 1442695040888963407
		x := float32(int32(seed>>32)) / (1 << 31)
		switch seed >> 29 & 7 {
		case 0:
			x = 0
		case 1:
			x = float32(math.Copysign(0, -1))
		case 2:
			x *= 1024
		}
		v[i] = x
	}
	return v
}

// product is one of the functions under test.
type product func(c, a, b []float32, p Product)

// family is the step that products are made of, and all engines that this processor runs it on.
type family struct {
	name    string
	step    func(sum, x, y float32) float32
	engines []variant
}

// variant is the three products on one engine.
type variant struct {
	name  string
	forms [3]product
}

func families() []family {
	of := func(name string, step func(sum, x, y float32) float32, engines []engine, chosen [3]product) family {
		f := family{name: name, step: step, engines: []variant{{name, chosen}}}
		for i := range engines {
			e := &engines[i]
			f.engines = append(f.engines, variant{name + "/" + e.name, [3]product{e.nn, e.nt, e.tn}})
		}
		return f
	}
	return []family{of("portable", rounded, portables(), [3]product{PortableNN, PortableNT, PortableTN}),
		of("fused", fused32, fuseds(), [3]product{FusedNN, FusedNT, FusedTN})}
}

// hold compares a product of each engine with its definition, bit by bit, also around C.
func hold(t interface {
	Helper()
	Fatalf(string, ...any)
}, of family, n int, p Product) {
	t.Helper()
	f := forms[n]
	ra, rb := f.rows(p)
	a, b, c := drawn(1, ra*p.LDA), drawn(2, rb*p.LDB), drawn(3, p.M*p.LDC)
	want := f.chains(c, a, b, p, of.step)
	for _, v := range of.engines {
		got := slices.Clone(c)
		v.forms[n](got, a, b, p)
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s %s %+v: row %d, column %d is %v, want %v", v.name, f.name, p, i/p.LDC, i%p.LDC, got[i], want[i])
			}
		}
	}
}

// The shapes that a block, a panel, a tile and their edges make.
func TestProductsAreChains(t *testing.T) {
	for _, of := range families() {
		for n, f := range forms {
			for _, s := range [][3]int{{1, 1, 1}, {2, 4, 3}, {3, 5, 7}, {64, 10, 128}, {5, 513, 2}, {7, 33, 257}, {70, 31, 3},
				{13, 32, 520}, {8, 48, 16}, {25, 64, 9}, {100, 130, 260}, {2, 0, 3}, {0, 2, 3}, {2, 3, 0}} {
				for _, add := range []bool{false, true} {
					p := Product{M: s[0], N: s[1], K: s[2], LDC: s[1] + 3, Add: add}
					ca, cb := f.cols(p)
					p.LDA, p.LDB = ca+1, cb+2
					hold(t, of, n, p)
					p.LDA = max(far, ca)
					hold(t, of, n, p)
				}
			}
		}
	}
}

// Each height of a tile, and what is left of more rows than one has.
func TestProductsOfAnyHeight(t *testing.T) {
	for _, of := range families() {
		for m := 1; m <= 40; m++ {
			hold(t, of, 0, Product{M: m, N: 32, K: 3, LDA: 3, LDB: 32, LDC: 32})
			hold(t, of, 2, Product{M: m, N: 32, K: 3, LDA: m, LDB: 32, LDC: 33, Add: true})
		}
	}
}

func TestDrawnProductsAreChains(t *testing.T) {
	all := families()
	rapid.Check(t, func(t *rapid.T) {
		of := all[rapid.IntRange(0, len(all)-1).Draw(t, "family")]
		n := rapid.IntRange(0, 2).Draw(t, "form")
		p := Product{M: rapid.IntRange(0, 70).Draw(t, "m"), N: rapid.IntRange(0, 70).Draw(t, "n"),
			K: rapid.IntRange(0, 300).Draw(t, "k"), Add: rapid.Bool().Draw(t, "add")}
		ca, cb := forms[n].cols(p)
		pad := rapid.IntRange(0, 5)
		p.LDA, p.LDB, p.LDC = max(1, ca+pad.Draw(t, "a")), max(1, cb+pad.Draw(t, "b")), max(1, p.N+pad.Draw(t, "c"))
		hold(t, of, n, p)
	})
}

func TestProductThatDoesNotFitItsMemoryPanics(t *testing.T) {
	good := Product{M: 2, N: 3, K: 4, LDA: 4, LDB: 3, LDC: 3}
	room := func(n int) []float32 { return make([]float32, n) }
	PortableNN(room(6), room(8), room(12), good)
	for name, f := range map[string]func(){
		"short c":      func() { PortableNN(room(5), room(8), room(12), good) },
		"short a":      func() { PortableNN(room(6), room(7), room(12), good) },
		"short b":      func() { PortableNN(room(6), room(8), room(11), good) },
		"rows overlap": func() { p := good; p.LDA = 3; PortableNN(room(6), room(8), room(12), p) },
		"negative":     func() { p := good; p.M = -1; PortableNN(room(6), room(8), room(12), p) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func TestProductsDoNotAllocate(t *testing.T) {
	p := Product{M: 33, N: 70, K: 300, LDA: 300, LDB: 70, LDC: 70}
	a, b, c := drawn(1, p.M*p.LDA), drawn(2, p.K*p.LDB), make([]float32, p.M*p.LDC)
	if n := testing.AllocsPerRun(10, func() { PortableNN(c, a, b, p) }); n != 0 {
		t.Errorf("%v allocations in a product", n)
	}
}

func BenchmarkProduct(b *testing.B) {
	for _, v := range slices.Concat(families()[0].engines, families()[1].engines) {
		for _, s := range [][3]int{{64, 784, 128}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {8, 784, 128},
			{64, 128, 10}, {128, 32, 128}, {32, 128, 128}} {
			for n, f := range forms {
				p := Product{M: s[0], K: s[1], N: s[2], LDC: s[2]}
				p.LDA, p.LDB = f.cols(p)
				ra, rb := f.rows(p)
				x, y, c := drawn(1, ra*p.LDA), drawn(2, rb*p.LDB), make([]float32, p.M*p.N)
				b.Run(fmt.Sprintf("%s/%s/%dx%dx%d", v.name, f.name, s[0], s[1], s[2]), func(b *testing.B) {
					cpu := machinetest.Start(b)
					for range b.N {
						v.forms[n](c, x, y, p)
					}
					flop := 2 * float64(p.M) * float64(p.N) * float64(p.K)
					b.ReportMetric(flop*float64(b.N)/cpu.Report()/1e9, "GFLOP/cpu-s")
				})
			}
		}
	}
}
