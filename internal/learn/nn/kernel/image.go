package kernel

import "fmt"

// Loops over images, whose rows are some distance apart. They are the same in both families.

// A Block is some rows of an image: how many, how wide, and how many elements from one to the next
// where they go and where they are from.
type Block struct{ Rows, Cols, LDTo, LDFrom int }

// rowsFrom is the least width of rows that engines copy and add: a vector.
const rowsFrom = 8

// CopyRows copies a block.
func CopyRows(to, from []float32, b Block) {
	b.check(to, from)
	if b.Cols < rowsFrom {
		copyRows(to, from, b)
		return
	}
	elements.copyRows(to, from, b)
}

// AddRows adds a block to as many elements of to, each once.
func AddRows(to, from []float32, b Block) {
	b.check(to, from)
	if b.Cols < rowsFrom {
		addRows(to, from, b)
		return
	}
	elements.addRows(to, from, b)
}

// check stops at a block that does not fit the memory: assembly would not.
func (b Block) check(to, from []float32) {
	wantTo, wantFrom := size(b.Rows, b.Cols, b.LDTo), size(b.Rows, b.Cols, b.LDFrom)
	if min(b.Rows, b.Cols, wantTo, wantFrom) < 0 || len(to) < wantTo || len(from) < wantFrom {
		panic(fmt.Sprintf("kernel: block %+v of %d elements into %d", b, len(from), len(to)))
	}
}

func copyRows(to, from []float32, b Block) {
	for r := range b.Rows {
		t := to[r*b.LDTo:][:b.Cols]
		for i, v := range from[r*b.LDFrom:][:len(t)] {
			t[i] = v
		}
	}
}

func addRows(to, from []float32, b Block) {
	for r := range b.Rows {
		t := to[r*b.LDTo:][:b.Cols]
		for i, v := range from[r*b.LDFrom:][:len(t)] {
			t[i] += v
		}
	}
}

// Largest takes the largest of each window of two by two, which lie side by side in two rows of an
// image: y[i] is upper[2i], upper[2i+1], lower[2i] or lower[2i+1], the first of equals, the last NaN
// before all. at[i] is the place of that one, where first is that of upper[0] and first + width that
// of lower[0].
func Largest(y []float32, at []int32, upper, lower []float32, first, width int) {
	n := len(y)
	elements.largest(y, at[:n], upper[:2*n], lower[:2*n], int32(first), int32(width))
}

func largest(y []float32, at []int32, upper, lower []float32, first, width int32) {
	for i := range y {
		u, l := upper[2*i:][:2], lower[2*i:][:2]
		top, best := u[0], first
		for _, c := range [3]struct {
			v     float32
			place int32
		}{{u[1], first + 1}, {l[0], first + width}, {l[1], first + width + 1}} {
			if c.v > top || c.v != c.v {
				top, best = c.v, c.place
			}
		}
		y[i], at[i] = top, best
		first += 2
	}
}
