package nn

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawImage(t *rapid.T) (Volume, Window) {
	w := Window{Size: rapid.IntRange(1, 5).Draw(t, "size"), Stride: rapid.IntRange(1, 3).Draw(t, "stride")}
	w.Padding = rapid.IntRange(0, w.Size-1).Draw(t, "padding")
	side := rapid.IntRange(max(1, w.Size-2*w.Padding), 24)
	return Volume{rapid.IntRange(1, 3).Draw(t, "channels"), side.Draw(t, "height"), side.Draw(t, "width")}, w
}

// Columns are what each place of a window sees, 0 in the padding; folding adds them up, row by row.
func TestColumnsSeeTheImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawImage(t)
		l, out, err := Conv2D(in, 1, w, false, Identity)
		if err != nil {
			t.Fatal(err)
		}
		c, x := l.(conv2d), values(3, in.Elems(), 0)
		places := out.Height * out.Width
		got, of := values(4, c.weights.in*places, 0), values(5, c.weights.in*places, 0)
		want, sums, folded := make([]float32, len(got)), make([]float32, len(x)), values(6, len(x), 0)
		for i := range got {
			e, place := i/places, i%places
			y := place/out.Width*w.Stride + e/w.Size%w.Size - w.Padding
			column := place%out.Width*w.Stride + e%w.Size - w.Padding
			if y >= 0 && y < in.Height && column >= 0 && column < in.Width {
				at := (e/(w.Size*w.Size)*in.Height+y)*in.Width + column
				want[i] = x[at]
				sums[at] += of[i]
			}
		}
		c.unfold(got, x)
		c.fold(folded, of)
		if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
			t.Fatalf("columns of %v under %v are\n%s, want\n%s", in, w, a, b)
		}
		if a, b := fmt.Sprint(folded), fmt.Sprint(sums); a != b {
			t.Fatalf("the sums of %v under %v are\n%s, want\n%s", in, w, a, b)
		}
	})
}

// The largest is the first of equals in its window, whatever the window.
func TestMaxPoolTakesTheFirstLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, w := drawImage(t)
		w.Padding = 0
		in.Height, in.Width = in.Height+w.Size, in.Width+w.Size
		if rapid.Bool().Draw(t, "pairs") {
			w.Size, w.Stride = 2, 2
		}
		l, out, err := MaxPool(in, w.Size, w.Stride)
		if err != nil {
			t.Fatal(err)
		}
		x := rapid.SliceOfN(rapid.SampledFrom([]float32{-1, 0, 1, 2, float32(math.Copysign(0, -1))}), in.Elems(),
			in.Elems()).Draw(t, "x")
		y, saved := make([]float32, out.Elems()), l.NewSaved(1)
		l.Forward(y, x, nil, 1, saved, nil)
		for o, v := range y {
			c, oy, ox := o/(out.Height*out.Width), o/out.Width%out.Height, o%out.Width
			best := -1
			for i := range w.Size * w.Size {
				at := (c*in.Height+oy*w.Stride+i/w.Size)*in.Width + ox*w.Stride + i%w.Size
				if best < 0 || x[at] > x[best] {
					best = at
				}
			}
			if at := saved.(largest)[o]; int(at) != best || math.Float32bits(v) != math.Float32bits(x[best]) {
				t.Fatalf("output %d of %v under %v is %v at %d, want %v at %d", o, in, w, v, at, x[best], best)
			}
		}
	})
}

// Each sum is one chain over its elements, whatever is summed beside it.
func TestSumsAreChains(t *testing.T) {
	for filters := range 10 {
		d, got := values(7, filters*37, 0), values(8, filters, 0)
		want := append([]float32{}, got...)
		for i, v := range d {
			want[i/37] += v
		}
		addSums(got, d, 37)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d sums are %v, want %v", filters, got, want)
		}
	}
}
