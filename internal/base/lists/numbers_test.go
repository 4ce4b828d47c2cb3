package lists

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever the keys, near or far, few or many, each has the number that it was given.
func TestNumbersAreThoseOfTheirKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x Numbers
		want := map[int32]int32{}
		span := rapid.SampledFrom([]int32{10, 60, 1000, 1<<31 - 1}).Draw(t, "span")
		for range rapid.IntRange(0, 80).Draw(t, "keys") {
			k := rapid.Int32Range(-min(span, 5), span).Draw(t, "key")
			v, ok := x.Find(k)
			if w, is := want[k]; is != ok || w != v {
				t.Fatalf("%d has %d, %v, want %d, %v", k, v, ok, w, is)
			}
			if !ok {
				want[k] = rapid.Int32().Draw(t, "value")
				x.Add(k, want[k])
			}
			for k, w := range want {
				if v, ok := x.Find(k); !ok || v != w {
					t.Fatalf("of %d keys, %d has %d, %v, want %d", len(want), k, v, ok, w)
				}
			}
		}
		if v, ok := x.Only(); ok != (len(want) == 1) || ok && want[x.key] != v {
			t.Fatalf("of %d keys the only one has %d, %v", len(want), v, ok)
		}
	})
}
