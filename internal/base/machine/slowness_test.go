package machine

import (
	"slices"
	"testing"
)

// What is timed is work: the same each time, and another with another seed.
func TestWhatIsTimedIsWork(t *testing.T) {
	if a, b, c := try(7), try(7), try(8); a != b || a == c {
		t.Errorf("%d, %d, and %d of another seed", a, b, c)
	}
	heap, out := []uint64{1, 4, 2, 9, 5, 3, 8}, []uint64(nil)
	for range 20 {
		out = append(out, heap[0])
		sink(heap, heap[0]+7)
	}
	if !slices.IsSorted(out) {
		t.Errorf("taken in the order %v", out)
	}
	if s := Slowness(); s <= 0 {
		t.Errorf("a slowness of %v", s)
	}
}

func BenchmarkSlowness(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(Slowness(), "times")
	}
}
