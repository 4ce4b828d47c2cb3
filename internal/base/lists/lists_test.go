package lists

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What comes off a heap is in the order of the keys, whatever was put on it and taken off before.
func TestAHeapIsInOrder(t *testing.T) {
	word := rapid.Custom(func(t *rapid.T) uint64 { // equal words are common, and so are large ones
		return rapid.SampledFrom([]uint64{0, 1, 2, 1<<63 - 1, 1 << 63, 1<<64 - 1}).Draw(t, "word")
	})
	rapid.Check(t, func(t *rapid.T) {
		var h Heap
		var want [][3]uint64
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			if len(h) > 0 && rapid.IntRange(0, 2).Draw(t, "take") == 0 {
				slices.SortFunc(want, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
				if k := h.Pop(); [3]uint64{k.First, k.Second, k.Third} != want[0] {
					t.Fatalf("%v comes first, want %v", k, want[0])
				}
				want = want[1:]
				continue
			}
			k := Key{word.Draw(t, "first"), word.Draw(t, "second"), word.Draw(t, "third")}
			h.Push(k)
			want = append(want, [3]uint64{k.First, k.Second, k.Third})
		}
		if len(h) != len(want) {
			t.Fatalf("%d keys, want %d", len(h), len(want))
		}
	})
}

// Few keys or many, each has the number of its turn.
func TestAnIndexNumbersKeys(t *testing.T) {
	var x Index[string]
	for i := range 3 * fewKeys {
		k := string(rune('a' + i))
		if _, ok := x.Find(k); ok {
			t.Fatalf("%s has a number before it is there", k)
		}
		x.Add(k)
		for j := range i + 1 {
			if n, ok := x.Find(string(rune('a' + j))); !ok || n != j {
				t.Fatalf("of %d keys, key %d has number %d, %v", i+1, j, n, ok)
			}
		}
	}
}
