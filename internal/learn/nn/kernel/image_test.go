package kernel

import (
	"math"
	"testing"
)

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: element %d is %x, want %x", what, i, got[i], want[i])
		}
	}
}

// All processors' loops give the bits of the definition in Go at any length, and touch nothing behind.
func TestImageLoopsHaveTheSameBits(t *testing.T) {
	all := elementLoops()
	want, x := all[0], numbers(4000)
	for _, of := range all[1:] {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 3999} {
			a, b := numbers(4001)[1:], numbers(4001)[1:]
			of.addNumber(a[:n], 0.3)
			want.addNumber(b[:n], 0.3)
			sameBits(t, of.name+" number", a, b)
			of.descend(a[:n], x[:n], 0.125, 0.3)
			want.descend(b[:n], x[:n], 0.125, 0.3)
			sameBits(t, of.name+" descent", a, b)
			of.relu(a[:n])
			want.relu(b[:n])
			sameBits(t, of.name+" relu", a, b)
			of.reluSlope(a[:n], x[:n])
			want.reluSlope(b[:n], x[:n])
			sameBits(t, of.name+" slope", a, b)
		}
		for n := range 40 {
			a, b := numbers(50), numbers(50)
			at, places := make([]int32, 50), make([]int32, 50)
			upper, lower := x[:2*n], x[1000-2*n:1000]
			if n%3 == 0 { // many equals
				upper, lower = lower, append(append([]float32{}, lower[n:]...), lower[:n]...)
			}
			of.largest(a[:n], at[:n], upper, lower, 5, 100)
			want.largest(b[:n], places[:n], upper, lower, 5, 100)
			sameBits(t, of.name+" largest", a, b)
			for i := range at {
				if at[i] != places[i] {
					t.Fatalf("%s: largest of window %d of %d is at %d, want %d", of.name, i, n, at[i], places[i])
				}
			}
		}
		for cols := rowsFrom; cols < 40; cols++ {
			for rows := range 4 {
				s := Block{Rows: rows, Cols: cols, LDTo: cols + 3, LDFrom: cols + rows}
				a, b := numbers(300), numbers(300)
				of.copyRows(a, x[100:], s)
				want.copyRows(b, x[100:], s)
				sameBits(t, of.name+" copied", a, b)
				of.addRows(a, x[200:], s)
				want.addRows(b, x[200:], s)
				sameBits(t, of.name+" added", a, b)
			}
		}
	}
}

func TestReLUOfZerosAndNaN(t *testing.T) {
	minus, nan := float32(math.Copysign(0, -1)), float32(math.NaN())
	for _, n := range []int{5, 8} { // element by element, and a vector
		z := append([]float32{minus, 0, nan, -nan, -1}, 3, 3, 3)[:n]
		d := []float32{1, 1, 1, 1, 1, 1, 1, 1}[:n]
		ReLU(z)
		for i, want := range []float32{0, 0, nan, nan, 0} {
			if (z[i] == z[i]) != (want == want) || want == 0 && math.Float32bits(z[i]) != 0 {
				t.Errorf("of %d: ReLU %d is %v, want %v", n, i, z[i], want)
			}
		}
		ReLUSlope(d, z)
		for i, want := range []float32{0, 0, 1, 1, 0} {
			if d[i] != want {
				t.Errorf("of %d: slope %d is %v, want %v", n, i, d[i], want)
			}
		}
	}
}

// The first of equals, the last NaN before all; a window of each kind.
func TestLargestOfAWindow(t *testing.T) {
	minus, nan, inf := float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1))
	upper := []float32{1, 2, 5, 5, minus, 0, nan, 1, nan, 1, -3, -2, 9, 1, -inf, -inf, 0, 0}
	lower := []float32{3, 1, 5, 5, 0, 0, inf, 2, 1, nan, -1, -4, nan, 8, -inf, -inf, 0, 1}
	want := []int32{100, 2, 4, 6, 109, 110, 112, 14, 117}
	y, at := make([]float32, len(want)), make([]int32, len(want))
	Largest(y, at, upper, lower, 0, 100)
	for i, place := range want {
		from := upper
		if at[i] >= 100 {
			from = lower
		}
		if at[i] != place || math.Float32bits(y[i]) != math.Float32bits(from[place%100]) {
			t.Errorf("window %d: %v at %d, want that at %d", i, y[i], at[i], place)
		}
	}
}

func TestBlocksThatDoNotFitAreRefused(t *testing.T) {
	v := make([]float32, 100)
	for _, b := range []Block{{Rows: 2, Cols: 10, LDTo: 9, LDFrom: 10}, {Rows: 2, Cols: 10, LDTo: 10, LDFrom: 91},
		{Rows: -1, Cols: 10, LDTo: 10, LDFrom: 10}, {Rows: 11, Cols: 10, LDTo: 10, LDFrom: 10}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was copied", b)
				}
			}()
			CopyRows(v, v, b)
		}()
	}
}

// A block of any width is copied: rows narrower than a vector too.
func TestBlocksOfAnyWidth(t *testing.T) {
	for _, cols := range []int{1, 3, rowsFrom - 1, rowsFrom, rowsFrom + 3} {
		from, to := make([]float32, 2*20), make([]float32, 2*30)
		for i := range from {
			from[i] = float32(1 + i)
		}
		CopyRows(to, from, Block{Rows: 2, Cols: cols, LDTo: 30, LDFrom: 20})
		for i, v := range to {
			want := float32(0)
			if i%30 < cols {
				want = from[i/30*20+i%30]
			}
			if v != want {
				t.Fatalf("%d columns: element %d is %v, want %v", cols, i, v, want)
			}
		}
	}
}
