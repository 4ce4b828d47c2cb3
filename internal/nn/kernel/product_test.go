package kernel

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
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
	{"NN", straight, straight, func(p Product) (int, int) { return p.M, p.K }, func(p Product) (int, int) { return p.K, p.N }},
	{"NT", straight, transposed, func(p Product) (int, int) { return p.M, p.N }, func(p Product) (int, int) { return p.K, p.K }},
	{"TN", transposed, straight, func(p Product) (int, int) { return p.K, p.K }, func(p Product) (int, int) { return p.M, p.N }},
}

// chain is an element by the definition: from its start, term by term.
func (f form) chain(c, a, b []float32, p Product, i, j int, step func(sum, x, y float32) float32) float32 {
	var sum float32
	if p.Add {
		sum = c[i*p.LDC+j]
	}
	for k := range p.K {
		sum = step(sum, f.a(a, p.LDA, i, k), f.b(b, p.LDB, k, j))
	}
	return sum
}

func rounded(sum, x, y float32) float32 { return sum + float32(x*y) }

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

// hold compares a product with its definition, bit by bit, also around C.
func hold(t interface {
	Helper()
	Fatalf(string, ...any)
}, f form, of product, p Product, step func(sum, x, y float32) float32) {
	t.Helper()
	ra, rb := f.rows(p)
	a, b, c := drawn(1, ra*p.LDA), drawn(2, rb*p.LDB), drawn(3, p.M*p.LDC)
	want := append([]float32(nil), c...)
	for i := range p.M {
		for j := range p.N {
			want[i*p.LDC+j] = f.chain(c, a, b, p, i, j, step)
		}
	}
	of(c, a, b, p)
	for i := range c {
		if math.Float32bits(c[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s %+v: row %d, column %d is %v, want %v", f.name, p, i/p.LDC, i%p.LDC, c[i], want[i])
		}
	}
}

var portables = []product{PortableNN, PortableNT, PortableTN}

// The shapes that a block, a panel, a tile and their edges make.
func TestProductsAreChains(t *testing.T) {
	for n, f := range forms {
		for _, s := range [][3]int{{1, 1, 1}, {2, 4, 3}, {3, 5, 7}, {64, 10, 128}, {5, 513, 2}, {7, 33, 257}, {70, 31, 3},
			{13, 32, 520}, {2, 0, 3}, {0, 2, 3}, {2, 3, 0}} {
			for _, add := range []bool{false, true} {
				p := Product{M: s[0], N: s[1], K: s[2], LDC: s[1] + 3, Add: add}
				ca, cb := f.cols(p)
				p.LDA, p.LDB = ca+1, cb+2
				hold(t, f, portables[n], p, rounded)
			}
		}
	}
}

func TestDrawnProductsAreChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2).Draw(t, "form")
		f := forms[n]
		p := Product{M: rapid.IntRange(0, 70).Draw(t, "m"), N: rapid.IntRange(0, 70).Draw(t, "n"),
			K: rapid.IntRange(0, 300).Draw(t, "k"), Add: rapid.Bool().Draw(t, "add")}
		ca, cb := f.cols(p)
		pad := rapid.IntRange(0, 5)
		p.LDA, p.LDB, p.LDC = max(1, ca+pad.Draw(t, "a")), max(1, cb+pad.Draw(t, "b")), max(1, p.N+pad.Draw(t, "c"))
		hold(t, f, portables[n], p, rounded)
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
	for _, s := range [][3]int{{64, 784, 128}, {256, 256, 256}, {512, 512, 512}} {
		for n, f := range forms {
			p := Product{M: s[0], K: s[1], N: s[2], LDC: s[2]}
			p.LDA, p.LDB = f.cols(p)
			ra, rb := f.rows(p)
			x, y, c := drawn(1, ra*p.LDA), drawn(2, rb*p.LDB), make([]float32, p.M*p.N)
			b.Run(fmt.Sprintf("portable/%s/%dx%dx%d", f.name, s[0], s[1], s[2]), func(b *testing.B) {
				for b.Loop() {
					portables[n](c, x, y, p)
				}
				flop := 2 * float64(p.M) * float64(p.N) * float64(p.K)
				b.ReportMetric(flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
