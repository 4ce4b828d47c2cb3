package lists

import "testing"

// A queue gives what it was given in order, however it has grown and turned.
func TestAQueueIsInOrder(t *testing.T) {
	var q Queue[int]
	in, out := 0, 0
	for round := range 40 {
		for range round%7 + 1 {
			q.Push(in)
			in++
		}
		for range round%5 + 1 {
			if q.Len() == 0 {
				break
			}
			if last := *q.At(q.Len() - 1); last != in-1 {
				t.Fatalf("the last is %d, want %d", last, in-1)
			}
			if v := q.Pop(); v != out {
				t.Fatalf("got %d, want %d", v, out)
			}
			out++
		}
		if q.Len() != in-out {
			t.Fatalf("%d values, want %d", q.Len(), in-out)
		}
		if n := len(q.buf); n&(n-1) != 0 || n < 1 {
			t.Fatalf("room for %d, want a power of two", n)
		}
	}
}
