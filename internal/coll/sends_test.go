package coll

import (
	"slices"
	"testing"
)

// What a schedule says of its traffic at once is what its operations add up to.
func TestTrafficIsThatOfTheOperations(t *testing.T) {
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 9; n++ {
			for _, pipeline := range pipelines(name, 1, 3) {
				s := make1(t, name, shuffled(n, 2), pipeline)
				table := NewTable(s)
				for _, elems := range []int{0, 1, 2, 7, 2 * n * pipeline, 1000} {
					for c := range s.Channels() {
						for r := range n {
							got, want := AppendTraffic(nil, s, r, c, elems), AppendTraffic(nil, table, r, c, elems)
							if !slices.Equal(got, want) {
								t.Fatalf("%s, %d ranks, pipeline %d, %d elements: rank %d channel %d sends %v, its "+
									"operations %v",
									name, n, pipeline, elems, r, c, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// A ring all-reduce over n ranks sends 2(n-1) messages from each rank, 2(n-1)/n of the buffer.
func TestTrafficOfARing(t *testing.T) {
	s := make1(t, "ring-all-reduce", identity(32768, 1), 1)
	got := AppendTraffic(nil, s, 5, 0, 32768*10)
	want := []Traffic{{Peer: 6, Messages: 2 * 32767, Elems: 2 * 32767 * 10}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
