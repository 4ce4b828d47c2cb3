package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a vocabulary holds, by sorting all pieces.
func TestVocabulariesHoldTheMostFrequent(t *testing.T) {
	full := 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[a-d]{1,2}`), 0, 120).Draw(t, "pieces")
		most, least := rapid.IntRange(2, 12).Draw(t, "most"), rapid.IntRange(1, 3).Draw(t, "least")
		firstUse := rapid.Bool().Draw(t, "first use")
		c := newCounter()
		count := map[string]int{}
		var inTurn, want []string
		for _, p := range pieces {
			if n := c.add(p); c.inTurn[n] != p {
				t.Fatalf("%q is number %d, which is %q", p, n, c.inTurn[n])
			}
			if count[p]++; count[p] == 1 {
				inTurn = append(inTurn, p)
			}
		}
		for _, p := range inTurn {
			if count[p] >= least {
				want = append(want, p)
			}
		}
		slices.SortFunc(want, func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		if len(want) > most-reserved {
			want = want[:most-reserved]
			full++
		}
		slices.Sort(want)
		if firstUse {
			slices.SortFunc(want, func(a, b string) int {
				return cmp.Compare(slices.Index(inTurn, a), slices.Index(inTurn, b))
			})
		}
		v, tokens := c.choose(Cut{By: Words}, most, least, firstUse)
		if !slices.Equal(v.pieces, want) {
			t.Fatalf("%q, want %q", v.pieces, want)
		}
		for n, p := range inTurn {
			if tokens[n] != v.Token(p) {
				t.Fatalf("%q is token %d, and %d", p, tokens[n], v.Token(p))
			}
		}
	})
	if full == 0 {
		t.Error("no vocabulary was full")
	}
}

// A vocabulary of a million different pieces, of which few are kept.
func BenchmarkChoose(b *testing.B) {
	c := newCounter()
	for i := range 1_000_000 {
		c.add(fmt.Sprint(i))
	}
	for b.Loop() {
		c.choose(Cut{By: Words}, 256, 1, false)
	}
}
